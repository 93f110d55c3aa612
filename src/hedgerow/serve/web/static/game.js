// A game on the page: shows what the server says, and sends what was chosen on the board as turns.

import "./board.js";
import { wind } from "./clock.js";
import { button, find, make, write } from "./dom.js";
import { hint as suggest } from "./hint.js";
import { Past } from "./history.js";
import { ask, Line } from "./line.js";
import * as parts from "./parts.js";
import { play as sound } from "./sound.js";
import * as talk from "./talk.js";
import { consider } from "./turning_point.js";
import { _, sentences } from "./words.js";

/** @param {string} what @param {ParentNode} within @returns {any} */
const first = (what, within = document) => within.querySelector(what);
const place = find("game"), board = find("board"), said = find("said"), buttons = find("buttons");
const { game: id, name, title } = place.dataset;
const names = board.dataset.seats.split(","), far = board.dataset.far.split(",").filter(Boolean).map(Number);

/** What a message does not say. */
const NOTHING = { prompt: "", turn: null, you: null, to_move: null, clocks: null, legal: [], news: [], count: null, phase: "", did: null, kinds: {} };

/** The game as the server told it last. @type {any} */
let game = null;
/** The turn that is being made: what was chosen, and how it may go on; that is null while it is on its way.
 * @type {{actions: any[], legal: any[] | null, prompt: string} | null} */
let begun = null;
let began = performance.now();
let apart = false;
let hint = "";
/** The move that was asked about last. */
let asked = "";
/** A point that was pressed before the server said how the turn goes on: it is pressed again then. */
let ahead = "";
/** The next game, where there was one when the page was told last, and whether it was: everybody goes when it begins. */
let next = "", met = false;
/** What the turns since one's own did, and that one too: a machine may answer before one has seen it. @type {any[]} */
let lately = [];
/** So many milliseconds one looks at one's own turn, at one that took pieces off, and at another's, before the next. */
const LOOK = 600, LONG = 1300, NEXT = 400;
/** What the server has said and is not shown yet, and until when the last turn is looked at. @type {any[]} */
const coming = [];
let seen = 0;
/** What is on the board: the game, or the past of it. */
let shown = null;
/** Planning ahead, from when somebody does or has done it. @type {any} */
let planner = null;

const mine = () => game.state === "playing" && game.you !== null && game.to_move === game.you;
const chosen = () => begun?.actions.map((action) => action.text).join(" ") ?? "";

// --- showing ---------------------------------------------------------------------------------------------------------

/** The game has moved on, or this is how it stands. */
function moved(told) {
  const before = game, same = before?.version === told.version && before.state === told.state;
  game = { ...NOTHING, ...told, lines: drawn(before?.lines, told.picture), turns: turns(before?.turns ?? [], told.turns) };
  game.svg = game.lines.filter(Boolean).join("\n");
  if (!before) board.face(game.you, far);
  else if (!same) ring();
  if (!same) gather(before, told.turn);
  if (!same) [begun, began] = [null, performance.now()];
  update(told);
  wind(game);
  draw();
  if (begun && !begun.legal) send(); // the line broke before it was answered
  if (planner) planner.moved();
  else if (!before && find("planned")?.textContent.trim()) plan((made) => made.load());
}

/** The lines of the picture: all of them, or those that are other than before. */
function drawn(before, { lines, at = {} }) {
  if (lines) return lines;
  const now = [...before];
  for (const place in at) now[place] = at[place];
  return now;
}

const turns = (before, [start, more]) => [...before.slice(0, start), ...more];

/** What has happened since one's own last turn, or just now for whoever watches. */
function gather(before, turn) {
  const words = turn && turn.kind !== "turn" ? happened(turn) : "", goes = before && game.turns.length >= before.turns.length;
  const all = [...goes && before.you !== null ? lately : [], ...game.news, ...words ? [{ words }] : []];
  const own = all.map(({ seat }) => seat).lastIndexOf(game.you);
  lately = all.slice(own >= 0 ? own : game.you === null ? -1 : -names.length);
}

/** What is heard beside the pieces when something has happened. */
function ring() {
  if (game.state === "over") sound("end");
  else if (mine()) sound("turn");
}

/** What is there beside the board. */
function update(told) {
  parts.update(told);
  if (parts.lost()) board.visit();
  if (parts.slots.rematch && met && !next && parts.flags.has("seated")) location.assign(parts.slots.rematch);
  [met, next] = [true, parts.slots.rematch];
  if (parts.flags.has("lost")) consider(id);
}

const REFUSED = {
  undo: _("Your turn is not taken back: the offer was declined."),
  draw: _("The draw was declined."),
  abort: _("The game goes on: calling it off was declined."),
  rematch: _("The rematch was declined."),
};
/** The kind of an offer that one has just taken back oneself. */
let withdrawn = "";

/** Something beside the board has changed; whoever offered something is told if it was declined. */
function changed(told) {
  const offered = Object.keys(REFUSED).filter((kind) => parts.flags.has(`own-${kind}`));
  update(told);
  const no = offered.find((kind) => !parts.flags.has(`offered-${kind}`) && kind !== withdrawn && !parts.flags.has("rematch"));
  withdrawn = "";
  if (no) say(REFUSED[no]);
}

function draw() {
  document.title = `${mine() ? _("Your turn – {game}", { game: title }) : title} · Hedgerow`;
  guide(hint = prompted());
  const number = first("#play [name=number]");
  if (number) number.value = game.version;
  past.list(game.turns, game.version);
  if (past.at === null) present();
}

/** The board as it is now, with what was chosen on it. */
function present() {
  if (planner?.active) return;
  picture(game);
  for (const action of begun?.actions ?? []) board.enact(action, game.you);
  board.offer(begun ? begun.legal ?? [] : game.legal);
}

/** A position: the picture, and what the turn before it did. */
function picture(told) {
  shown = told;
  board.show(told.svg, names);
  tell(told !== game ? [{ words: told.told, removed: told.removed.flatMap((some) => some.points) }] : begun ? [] : lately);
  board.echo(told.did);
  kinds(told);
  find("count").textContent = [told.phase, told.count ? counted(told.count) : ""].filter(Boolean).join(" ");
  if (find("count").textContent) find("count").parentElement.classList.add("counts"); // which keeps room for it
}

/** Tells what has happened and marks where; what was told already is not told again to those who only hear it. */
function tell(news) {
  const place = find("happened"), points = (kind) => news.flatMap((some) => some[kind] ?? []);
  board.gone(points("removed").filter((point) => !first(`[data-point="${point}"] .piece`, board)), points("gained"));
  [...place.children].slice(news.length).forEach((line) => line.remove());
  news.forEach(({ words, removed = [] }, n) => {
    const line = place.children[n] ?? place.appendChild(document.createElement("span"));
    if (line.textContent !== `${words} `) line.textContent = `${words} `;
    line.className = removed.length ? "lost" : "";
  });
}

/** The count with names; the reader's own is theirs, unless they play several. */
function counted(all) {
  const sole = parts.flags.has("sole");
  const scores = all.map((score, n) => `${sole && n === game.you ? _("you") : names[n]} ${score}`).join(", ");
  return place.dataset.passes ? _("If both pass now: {scores}.", { scores }) : _("The count: {scores}.", { scores });
}

/** Says what to do; the same words are not said twice. */
function guide(words) {
  if (find("prompt").textContent !== words) find("prompt").textContent = words;
}

function prompted() {
  if (game.state === "over") return "";
  if (game.state === "open") return _("The game begins when every seat is taken.");
  if (mine()) return begun?.legal ? begun.prompt : game.prompt;
  const seat = names[game.to_move], name = parts.slots[`name-${game.to_move}`];
  if (parts.flags.has(`machine-${game.to_move}`)) return _("{seat} is thinking …", { seat });
  return name ? _("{seat} ({name}) is to move.", { seat, name }) : _("{seat} is to move.", { seat });
}

// --- choosing --------------------------------------------------------------------------------------------------------

/** A button for everything that may be pressed and is no point. */
board.addEventListener("narrow", ({ detail }) => {
  if (!game || past.at !== null) return;
  if (detail.pressed.length) say("");
  buttons.replaceChildren(...detail.words.map(choice));
  guide(hint = detail.hint || prompted());
  if (begun ? begun.legal : detail.pressed.length) buttons.append(button(_("Begin this turn again"), again));
});
board.addEventListener("hint", ({ detail }) => guide(detail.words || hint));
board.addEventListener("close", () => { say(_("Now tap the point you mean, or “Whole board” to look again."), "", true); });
board.addEventListener("wide", () => say(""));

/** The turn is chosen anew. */
function again() {
  begun = null;
  say("");
  present();
}

/** The button of a word; who only points at it sees what it would do. */
function choice(word) {
  const made = button(word[0].toUpperCase() + word.slice(1), () => board.press(word));
  for (const begin of ["pointerenter", "focus"]) made.addEventListener(begin, () => board.peek(word));
  for (const end of ["pointerleave", "blur"]) made.addEventListener(end, () => board.peek());
  return made;
}

board.addEventListener("choose", ({ detail: { action } }) => {
  const question = doubt(action);
  if (question) inquire(question, action); else choose(action);
});

/** What is asked before an action that decides the game, or, where the reader wants that, before every turn. */
function doubt({ text, ends }) {
  if (text === "pass" && game.legal.length > 1) return fate(ends, game.count);
  const wanted = document.documentElement.dataset.confirm === "on" && (board.finger || place.dataset.days);
  return wanted && (begun || !place.dataset.goes) ? _("Play {turn}?", { turn: `${chosen()} ${text}`.trim() }) : "";
}

function fate(ends, count) {
  const mine = count?.[game.you] ?? 0, best = Math.max(0, ...(count ?? []).filter((_, n) => n !== game.you)), scores = `${mine}${_(" to ")}${best}`;
  if (ends === "lose") return _("You would lose {scores}. Pass?", { scores });
  if (ends === "win") return _("That ends the game: you would win {scores}. Pass?", { scores });
  if (ends) return _("That ends the game: a draw, {scores}. Pass?", { scores });
  return mine < best ? _("You would lose {scores} if the others pass, too. Pass?", { scores }) : "";
}

/** Asks before something is done; whatever else is pressed means no. */
function inquire(question, action) {
  const no = button(_("No"), again);
  board.offer(begun?.legal ?? game.legal);
  guide(hint = question);
  buttons.replaceChildren(button(action.text === "pass" ? _("Yes, pass") : _("Yes, play it"), () => choose(action)), no);
  buttons.scrollIntoView({ block: "nearest" });
  no.focus({ preventScroll: true });
}

function choose(action) {
  say("");
  board.enact(action, game.you);
  begun = { actions: [...begun?.actions ?? [], action], legal: null, prompt: "" };
  ahead = "";
  board.offer([]);
  send();
}

/** The turn as far as it was chosen goes to the server: it is stored if it is whole, or we are told how it goes on. */
function send() {
  tell(lately = []);
  line.send({ type: "turn", number: game.version, text: chosen(), thought: Math.round(performance.now() - began) });
}

/** The turn goes on. */
function tried({ number, text, legal, prompt }) {
  if (number !== game.version || text !== chosen()) return;
  Object.assign(begun, { legal, prompt });
  guide(hint = prompt);
  if (past.at !== null) return;
  const next = ahead;
  board.offer(legal);
  if (next) board.press(next);
}

/** Nothing has changed; a turn is taken back, with the reason. */
function refused({ message, clause, number, about }) {
  if (about === "chat") return talk.refused(sentences(message));
  say(sentences(message), clause);
  if (number === null || !game) return;
  begun = null;
  if (past.at === null) present();
}

board.addEventListener("refuse", ({ detail: { name, before } }) => {
  if (!game || !mine()) return;
  if (past.at !== null) return say(_("You are looking back; go back to now to play."));
  if (begun && !begun.legal) return void (ahead = name);
  say("");
  asked = `${chosen()} ${meant(before, name)}`.trim();
  line.send({ type: "why", text: asked });
});

/** The action that was meant: spelled like one that begins with the same presses, but with this point in it. */
function meant(before, name) {
  const level = before.length, legal = begun?.legal ?? game.legal;
  const like = legal.find(({ clicks }) => before.every((word, n) => clicks[n] === word) && first(`[data-point="${clicks[level]}"]`, board));
  return like ? like.text.replace(like.clicks[level], name) : name;
}

function explain({ text, legal, reason, points, clause }) {
  if (text !== asked) return;
  if (legal || !clause) return say(_("Nothing can go there now."));
  say(reason, clause);
  board.light(points);
}

/** Says something, with a link to the rule that has to do with it; it stays until something else is pressed. */
function say(words, clause = "", calm = false) {
  asked = "";
  write(said, words, name, clause);
  said.classList.toggle("calm", calm);
}

const waits = find("invite");
if (waits) import("./invite.js").then(({ invite }) => invite(waits));

/** Where and when something was pressed last. */
let pressed = { at: -Infinity, x: 0, y: 0, what: null };

/** A second press at the same spot means what was there before: a button that has come there meanwhile does nothing. */
place.addEventListener("click", (event) => {
  if (!event.detail) return; // a key
  const what = event.target.closest("button, summary, a, root-board"), { timeStamp: at, clientX: x, clientY: y } = event, before = pressed;
  const again = at - before.at < 400 && Math.hypot(x - before.x, y - before.y) < 24 && what !== before.what;
  if (again && what?.matches("button, summary")) { event.preventDefault(); event.stopPropagation(); }
  else pressed = { at, x, y, what };
}, true);

// --- forms -----------------------------------------------------------------------------------------------------------

/** What a form asks for, as a message; null where it is a page's matter. */
function message(form, fields) {
  const [, what, kind] = form.getAttribute("action").match(/\/(offers|resign|chat)(?:\/(\w+))?$/) ?? [];
  if (what === "resign") return { type: "resign" };
  if (what === "chat") return { type: "chat", room: fields.get("room"), text: fields.get("text") };
  return what ? { type: fields.get("do") === "ask" ? "offer" : fields.get("do"), kind } : null;
}

/** What is sent by a form is sent without leaving the page. */
place.addEventListener("submit", (event) => {
  const form = event.target, fields = new FormData(form), { name, value } = event.submitter ?? {};
  if (name) fields.set(name, value);
  const told = message(form, fields), kept = form.getAttribute("action").match(/\/(note|plan)$/)?.[1];
  if (!told && !kept) return;
  event.preventDefault();
  if (told?.type === "chat") return talk.send(form, told, line);
  say("");
  if (kept === "plan") return plan((made) => made.typed(fields.get("lines")));
  if (kept) return void line.attempt(() => keep(form, fields));
  if (!line.send(told)) return;
  if (told.type === "decline" && parts.flags.has(`own-${told.kind}`)) withdrawn = told.kind;
});

/** Notes are kept by the page's own form, whose answer is only looked at where it is a refusal. */
async function keep(form, fields) {
  const answer = await ask(form.getAttribute("action"), { method: "POST", body: new URLSearchParams([.../** @type {any} */ (fields)]), redirect: "manual" });
  const good = answer.type === "opaqueredirect", place = find("note-said");
  place.className = good ? "good" : "bad";
  place.textContent = good ? _("Saved.") : new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("said")?.textContent ?? "";
}

find("hint")?.addEventListener("click", () => line.attempt(async () => {
  const { version } = game;
  await suggest(id, version, board, (words) => { if (game.version === version) say(words, "", true); });
}));

// --- planning ahead --------------------------------------------------------------------------------------------------

/** Does something with the planner, which is loaded for it. @param {(planner: any) => void} what */
async function plan(what) {
  try {
    const { Planner } = await import("./plan.js");
    planner ??= new Planner({
      id, name, board, names, choice, say,
      game: () => game,
      show: (told, real) => picture(real ? game : told),
      now: () => { if (past.at === null) present(); },
      back: () => past.at === null || past.go(game.turns.length),
    });
  } catch { return say(_("The server cannot be reached just now. Try again in a moment.")); }
  what(planner);
}

find("ahead")?.classList.remove("later");
find("ahead")?.addEventListener("click", () => plan((made) => made.begin()));

// --- the board, turned and explained ---------------------------------------------------------------------------------

const rotate = find("rotate"), telling = find("apart"), legend = find("legend");

rotate.classList.remove("later");
rotate.addEventListener("click", () => board.turn(board.turned ? 0 : 180));

telling.addEventListener("click", () => { apart = !apart; find("pieces").open = apart; kinds(shown); });

/** Pieces that look alike and are not: a button tells them apart. */
function kinds(told) {
  telling.setAttribute("aria-pressed", String(apart));
  telling.classList.remove("later");
  const marks = board.apart(apart ? told.kinds : null);
  legend.hidden = !apart;
  legend.replaceChildren(...marks.filter(({ count }) => count).map(({ mark, kind, count }) => make("li", { textContent: `${mark} ${kind}: ${count}` })));
}

// --- what happens ----------------------------------------------------------------------------------------------------

const past = new Past(id, {
  show: (told) => { planner?.leave(); buttons.replaceChildren(); say(""); picture(told); board.offer([]); },
  now: () => { if (game) present(); },
  attempt: (what) => line.attempt(what),
});

const hear = { board: moved, page: changed, tried, refused, why: explain, chat: talk.show };
const line = new Line(id, { hear: heard, query: () => `said=${talk.last()}` });

/** What the server says is taken in its order; another's turn waits until the one before it has been seen. */
function heard(told) {
  told.here = performance.now();
  coming.push(told);
  if (coming.length === 1) advance();
}

function advance() {
  while (coming.length) {
    const told = coming[0], left = seen - performance.now();
    if (left > 0 && turned(told) && told.turn.seat !== game.you) return void setTimeout(advance, left);
    if (turned(told)) seen = performance.now() + (told.turn.seat !== game.you ? NEXT : told.news?.some((some) => some.removed) ? LONG : LOOK);
    hear[told.type]?.(told);
    coming.shift();
  }
}

/** A player is told of a turn. */
const turned = (told) => told.turn?.kind === "turn" && game && game.you !== null;

/** What has happened that is no turn. */
function happened({ kind, seat }) {
  const name = names[seat];
  if (kind === "resign") return _("{seat} resigned.", { seat: name });
  if (kind === "flag") return _("{seat} ran out of time.", { seat: name });
  return kind === "undo" ? _("A turn was taken back.") : "";
}

/** What may be typed. */
first("#play [name=text]")?.addEventListener("focus", () => {
  const options = (game?.legal ?? []).map((action) => make("option", { value: action.text }));
  find("legal").replaceChildren(...options);
});
