// Planning ahead: what they may play and what one would answer is played on the game's own board, and kept as a tree.
// No rule in here: the server shows every position, says what may be pressed, and why something may not. Nobody else
// hears of it, and no engine is asked.
//
//   const planner = new Planner({ id, name, board, names, game, show, now, back, choice, say })
//   planner.begin()        the board is for planning now; planner.active says so, planner.leave() ends it
//   planner.load()         shows what is planned
//   planner.moved()        the game has moved on, and the plan with it
//   planner.typed(text)    a plan that was typed

import { ELSEWHERE, button, find, make, write } from "./dom.js";
import { answered, any, drawn, planted, size } from "./plan_tree.js";
import { asked, Keeper, kept, refusal } from "./plan_saving.js";
import { Turn } from "./tree.js";
import { _, _n } from "./words.js";

const place = find("game"), said = find("plan-said"), buttons = find("plan-buttons");
const UNREACHED = _("The server cannot be reached just now. Try again in a moment.");
/** The game's line and its answers may differ by a moment: so often, and so many milliseconds apart, one asks again. */
const TRIES = 10, PAUSE = 400;

const style = new Promise((done) => {
  const link = make("link", { rel: "stylesheet", href: "/static/plan.css" });
  for (const end of ["load", "error"]) link.addEventListener(end, done);
  document.head.append(link);
});

export class Planner {
  active = false;
  /** Where the plan begins: the turns of the game before it, and its version then. @type {{turns: string[], version: number}} */
  #base = { turns: [], version: -1 };
  #root = new Turn();
  /** Where we are in the tree, what of the next turn has been chosen, and what the server told of that. */
  #at = this.#root;
  #partial = "";
  /** @type {any} */
  #shown = null;
  #hint = "";
  /** The game has gone another way: what was planned can be looked at until one leaves. */
  #ended = false;
  /** How many questions were asked: an answer that another question has overtaken is not shown. */
  #asked = 0;
  /** @type {Map<Turn, HTMLButtonElement>} */
  #listed = new Map();

  constructor(hooks) {
    this.hooks = hooks;
    this.keeper = new Keeper(hooks.id, (words, good) => this.#kept(words, good));
    this.#listen();
  }

  get #game() { return this.hooks.game(); }

  get #mine() { return this.#game.to_move === this.#game.you; }

  // --- coming and going -----------------------------------------------------------------------------------------------

  async begin(turn = null) {
    if (!(await this.load()) || this.#mine) return;
    await this.hooks.back();
    this.active = true;
    place.dataset.planning = "";
    this.hooks.say("");
    this.#say("");
    this.#draw();
    const lines = answered(this.#root, this.#game.you);
    if (lines.length && !this.keeper.unsaved) this.#kept(kept(lines), true);
    find("plan-title").focus({ preventScroll: true });
    await this.#go(turn && this.#listed.has(turn) ? turn : this.#root);
  }

  /** The game's own board again. */
  leave() {
    if (!this.active) return;
    const held = find("planner").contains(document.activeElement);
    this.#asked++;
    this.active = false;
    delete place.dataset.planning;
    if (this.#ended) this.#anew(new Turn());
    this.#draw();
    this.hooks.now();
    if (held && this.#mine) this.hooks.board.visit();
    else if (held) find("ahead").focus({ preventScroll: true });
  }

  /** What is planned, from the server, unless something here is not kept yet; false where it cannot be had. */
  async load() {
    await style;
    if (this.keeper.unsaved || this.#ended) return true;
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await asked(this.keeper.where, "GET");
      if (!answer?.ok) { this.hooks.say(answer ? refusal(answer.told) : UNREACHED); return false; }
      if (answer.told.number === this.#game.version) return this.#take(answer.told);
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    this.hooks.say(UNREACHED);
    return false;
  }

  #take({ lines, seats }) {
    const here = this.#base.version === this.#game.version ? answered(this.#root, this.#game.you) : null;
    this.keeper.known(lines);
    if (JSON.stringify(here) !== JSON.stringify(lines)) this.#anew(planted(lines, seats)); // else what has no answer yet stays
    this.#draw();
    return true;
  }

  /** Another tree, from where the game stands. */
  #anew(root) {
    [this.#root, this.#at, this.#partial, this.#ended] = [root, root, "", false];
    this.#based();
  }

  #based() { this.#base = { turns: this.#game.turns, version: this.#game.version }; }

  // --- the game moves on ----------------------------------------------------------------------------------------------

  moved() {
    const { turns, version, state } = this.#game, base = this.#base;
    if (base.version < 0 || this.#ended || version === base.version) return this.#draw();
    if (state === "over") return this.#end("");
    const played = turns.slice(base.turns.length), same = base.turns.every((turn, n) => turns[n] === turn);
    if (!size(this.#root)) this.#empty(played);
    else if (this.#root.children.some(any)) this.#whatever();
    else if (!same || version - base.version !== played.length) this.#end(_("Something else than a turn happened, and your plan has ended."));
    else this.#follow(played);
  }

  /** Nothing was planned: nothing is lost. */
  #empty(played) {
    const words = this.active && played.length ? _("{turn} was played.", { turn: played.join(", ") }) : "";
    this.#anew(new Turn());
    if (this.#mine) this.leave();
    else if (this.active) this.#go(this.#root);
    this.#draw();
    this.#tell(words);
  }

  /** One answer to whatever they play: only the server knows what is left of it. */
  async #whatever() {
    this.#anew(new Turn());
    await this.load();
    if (this.active) await this.#go(this.#root);
  }

  /** Goes along the turns that were played; the other branches fall away. @param {string[]} played */
  #follow(played) {
    let fell = 0, root = this.#root;
    for (const text of played) {
      const next = root.children.find((child) => child.text === text);
      if (!next) return this.#end(_("{turn} was not in your plan, which has ended.", { turn: text }));
      fell += root.children.length - 1;
      root = next;
    }
    const here = this.#at.path.includes(root), unsaved = this.keeper.unsaved;
    root.parent = null;
    this.#root = root;
    this.#based();
    if (!here) this.#at = root;
    this.#draw();
    if (!unsaved) this.keeper.known(answered(root, this.#game.you));
    else if (this.#mine) this.keeper.hold();
    else this.#keep();
    this.#tell([this.#came(root, unsaved), fell ? _n("One other branch fell away.", "{n} other branches fell away.", fell) : ""].filter(Boolean).join(" "));
    if (this.active && !here) this.#go(root);
    else if (this.active && !this.#partial) this.#offer();
  }

  /** What has come of the plan. @param {Turn} root @param {boolean} unsaved */
  #came({ seat, text: turn, children }, unsaved) {
    const answer = children[0];
    if (seat === this.#game.you) return _("Your {turn} was played, as planned.", { turn });
    if (!this.#mine) return _("{turn} was played, as you expected.", { turn });
    if (!answer) return _("{turn} was played, as you expected, but has no answer. It is your turn.", { turn });
    return unsaved ? _("{turn} was played before your answer {answer} was saved. It is your turn.", { turn, answer: answer.text }) : "";
  }

  /** The plan fits no more: whoever looks at it can go on doing so. */
  #end(words) {
    this.keeper.known([]);
    if (!this.active || !words) { this.leave(); this.#anew(new Turn()); this.#draw(); }
    else { this.#ended = true; this.hooks.board.wide(); this.#draw(); this.#offer(); }
    if (words) this.#tell(words);
  }

  // --- the tree -------------------------------------------------------------------------------------------------------

  #draw() {
    const { you } = this.#game, held = find("plan-tree").contains(document.activeElement);
    const made = drawn(this.#root, { you, names: this.hooks.names, start: this.#ended ? _("Where it began") : _("The game now"), go: (turn) => (this.active ? this.#go(turn) : this.begin(turn)) });
    this.#listed = made.buttons;
    find("plan-tree").replaceChildren(made.box);
    find("planned")?.remove();
    find("planner").hidden = !this.active && (this.#mine || this.#game.state !== "playing" || !size(this.#root));
    find("planner").classList.toggle("ended", this.#ended);
    this.#mark(held);
    const typed = document.querySelector("#yours [name=lines]"), lines = answered(this.#root, you).map((line) => `${line.join(", ")}\n`).join("");
    if (typed && typed !== document.activeElement) /** @type {any} */ (typed).value = lines;
  }

  /** Marks the turn that is shown. */
  #mark(held = false) {
    for (const [turn, button] of this.#listed) {
      if (this.active && turn === this.#at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    if (held) this.#listed.get(this.#at)?.focus({ preventScroll: true });
    find("plan-delete").disabled = !this.#at.parent || this.#ended;
    find("plan-other").disabled = !this.#theirs || this.#ended;
  }

  /** The last turn of theirs on the way here, instead of which they may play another. */
  get #theirs() { return this.#at.path.findLast((turn) => turn.seat !== this.#game.you && !any(turn)); }

  /** Goes to a turn of the tree. @param {Turn} turn */
  async #go(turn) {
    const mine = ++this.#asked, before = this.#at, seen = turn.path.some(any) ? this.#root : turn;
    [this.#at, this.#partial] = [turn, ""];
    this.#mark(find("plan-tree").contains(document.activeElement));
    const told = seen.told ?? (await this.#look(seen.words));
    if (mine !== this.#asked || !this.active) return;
    if (!told) { this.#at = before; this.#mark(); return void (before.told && this.#show(before.told)); }
    seen.told = told;
    this.#show(told);
  }

  async #look(words) {
    const answer = await asked(`${this.keeper.where}/position`, "POST", { turn: this.#base.turns.length, turns: words });
    if (answer?.ok) return answer.told;
    this.#say(answer ? refusal(answer.told) : UNREACHED);
    return null;
  }

  #show(told) {
    this.#shown = told;
    this.hooks.show(told, this.#at === this.#root && !this.#partial && !this.#ended);
    this.#offer();
  }

  /** What may be pressed here, and what to do. */
  #offer() {
    const told = this.#shown, { you } = this.#game, open = !this.#ended && !this.#mine && !this.#at.path.some(any);
    if (!told) return;
    this.hooks.board.offer(open && !told.outcome ? told.legal : []);
    this.#guide(this.#hint = this.#prompted(told, you));
  }

  #prompted(told, you) {
    if (this.#ended) return _("This plan has ended. You can still look at it.");
    if (this.#mine) return _("It is your turn. Go back to the game to play it.");
    if (this.#at.path.some(any)) return _("Whatever they play, this is played if the rules allow it then.");
    if (told.outcome) return told.prompt;
    const turn = this.#at.text;
    if (told.to_move === you) return this.#partial ? told.prompt : _("Your answer to {turn}? {prompt}", { turn, prompt: told.prompt });
    const seat = this.hooks.names[told.to_move];
    return this.#partial ? `${seat}: ${told.prompt}` : _("What may {seat} play? Play it on the board.", { seat });
  }

  #guide(words) { if (find("plan-now").textContent !== words) find("plan-now").textContent = words; }

  #delete() {
    const turn = this.#at, parent = /** @type {Turn} */ (turn.parent), where = parent.children.indexOf(turn), all = size(turn);
    turn.remove();
    this.#changed(parent);
    this.#say(all ? _n("Deleted {turn} and the turn after it.", "Deleted {turn} and {n} turns after it.", all, { turn: turn.text }) : _("Deleted {turn}.", { turn: turn.text }));
    said.append(" ", button(_("Undo"), () => {
      this.#say("");
      if (!this.#listed.has(parent)) return; // the game has gone on without it
      parent.children.splice(where, 0, turn);
      this.#changed(turn);
    }));
  }

  /** The tree is another one. @param {Turn} at */
  #changed(at) {
    this.#at = at;
    this.#draw();
    this.#go(at);
    this.#keep();
  }

  // --- playing --------------------------------------------------------------------------------------------------------

  #listen() {
    const { board } = this.hooks, click = (id, what) => find(id).addEventListener("click", what);
    /** While one plans, what the board tells is not the game's. */
    const hear = (type, what) => board.addEventListener(type, (event) => { if (this.active) { event.stopImmediatePropagation(); what(event.detail); } }, true);
    hear("narrow", (detail) => this.#narrow(detail));
    hear("hint", ({ words }) => this.#guide(words || this.#hint));
    hear("choose", ({ action }) => this.#play(action));
    hear("refuse", (detail) => this.#refuse(detail));
    hear("close", () => this.#say(_("Now tap the point you mean, or beside the board to look again.")));
    hear("wide", () => this.#say(""));
    click("plan-leave", () => this.leave());
    click("plan-delete", () => this.#delete());
    click("plan-other", () => { this.#say(""); this.#go(/** @type {any} */ (this.#theirs).parent); });
    addEventListener("keydown", (event) => this.#key(event), true);
  }

  #narrow({ words, hint, pressed }) {
    if (pressed.length) this.#say("");
    buttons.replaceChildren(...words.map(this.hooks.choice));
    this.#guide(this.#hint = hint || (this.#shown ? this.#prompted(this.#shown, this.#game.you) : ""));
    if (this.#partial || pressed.length) buttons.append(button(_("Begin this turn again"), () => this.#go(this.#at)));
  }

  async #play(action) {
    const mine = ++this.#asked, { board } = this.hooks, mover = this.#shown.to_move, tried = `${this.#partial} ${action.text}`.trim();
    this.#say("");
    board.enact(action, mover);
    board.offer([]);
    const told = await this.#look(`${this.#at.words} ${tried}`.trim());
    if (mine !== this.#asked || !this.active) return;
    if (!told) return this.#show(this.#shown);
    if (told.turn_goes_on) { this.#partial = tried; return this.#show(told); }
    const text = told.turns.at(-1), other = this.#at.children.find((child) => child.text !== text);
    if (mover === this.#game.you && other) return this.#ask(other, () => this.#grow(text, mover, told), told);
    this.#grow(text, mover, told);
  }

  #grow(text, mover, told) {
    const turn = this.#at.add(text);
    Object.assign(turn, { seat: mover, told });
    this.#changed(turn);
  }

  /** One answer to each of their turns: another takes the place of the one before, with all after it. */
  #ask(other, grow, told) {
    this.hooks.show(told);
    this.hooks.board.offer([]);
    this.#guide(_("You have planned {turn} here. Which is it to be?", { turn: other.text }));
    const keep = button(_("Keep {turn}", { turn: other.text }), () => this.#go(this.#at));
    buttons.replaceChildren(keep, button(_("Play {turn} instead", { turn: told.turns.at(-1) }), () => { other.remove(); grow(); }));
    keep.focus({ preventScroll: true });
  }

  async #refuse({ name, before }) {
    if (!this.#shown) return;
    if (this.#ended || this.#mine || this.#shown.outcome) return this.#say(this.#prompted(this.#shown, this.#game.you));
    const pressed = new URLSearchParams([...before, name].map((word) => ["pressed", word])), words = `${this.#at.words} ${this.#partial}`.trim();
    const mine = ++this.#asked, answer = await asked(`${this.keeper.where}/why-not?${pressed}`, "POST", { turn: this.#base.turns.length, turns: words });
    if (mine !== this.#asked || !this.active) return;
    if (!answer?.ok) return this.#say(answer ? refusal(answer.told) : UNREACHED);
    if (answer.told.legal || !answer.told.clause) return this.#say(_("Nothing can go there now."));
    this.#say(answer.told.reason, answer.told.clause);
    this.hooks.board.light(answer.told.points);
  }

  #key(event) {
    const to = { ArrowLeft: this.#at.parent ?? this.#root, ArrowRight: this.#at.children[0] ?? this.#at, Home: this.#root, End: this.#at.last }[event.key];
    if (!this.active || !to || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(ELSEWHERE)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (to !== this.#at || this.#partial) this.#go(to);
  }

  // --- saying and keeping ---------------------------------------------------------------------------------------------

  /** Says something beside the tree, with a link to the rule that has to do with it. */
  #say(words, clause = "") {
    write(said, words, this.hooks.name, clause);
  }

  /** Says what has become of the plan, where one looks now. */
  #tell(words) {
    if (!words) return;
    if (this.active) this.#say(words);
    else this.hooks.say(words, "", true);
  }

  #keep() { this.keeper.keep(answered(this.#root, this.#game.you), this.#base.version); }

  #kept(words, good) {
    const line = find("plan-kept");
    line.textContent = words;
    line.classList.toggle("bad", good === false);
    line.classList.toggle("good", good === true);
  }

  /** A plan that was typed, a line for each case; how it went is said beside the form. @param {string} text */
  async typed(text) {
    const lines = text.split("\n").filter((line) => line.trim()).map((line) => line.split(",").map((turn) => turn.trim())), line = find("plan-typed");
    const answer = await asked(this.keeper.where, "PUT", { lines, number: this.#game.version });
    line.className = answer?.ok ? "good" : "bad";
    line.textContent = answer?.ok ? kept(answer.told.lines) : _("Not saved. {why}", { why: answer ? refusal(answer.told) : UNREACHED });
    if (!answer?.ok) return;
    this.keeper.known([]);
    this.#anew(new Turn());
    await this.load();
    if (this.active) await this.#go(this.#root);
  }
}
