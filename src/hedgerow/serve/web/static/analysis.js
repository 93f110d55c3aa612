// The analysis page: both sides are played on the board, what was tried is a tree, and the machine tells what it thinks.
// No rule in here: the server shows every position, says what may be pressed, and why something may not.

import "./board.js";
import { button, find, make, write } from "./dom.js";
import { Engine, bar, clean, follow, paint, rows, speaker, told as chances, verdict } from "./engine.js";
import { keep } from "./sharing.js";
import { Turn, drawn } from "./tree.js";
import { WinGraph } from "./win_graph.js";
import { _, sentences } from "./words.js";

const place = find("study"), board = find("board"), buttons = find("buttons"), said = find("said");

/** @type {{rules: string, position: string | null, line: string[], tags: Record<string, string>, turn: number, game: string | null, linked?: boolean}} */
let study = JSON.parse(place.dataset.study);
let root = new Turn();
/** Where we are in the tree, and what of the next turn has been chosen. */
let at = root;
let partial = "";
/** What the server told of the position on the board, and what the machine has found out about it. @type {any} */
let shown = null;
/** @type {any} */
let found = null;
/** How many questions were asked: an answer that another question has overtaken is not shown. */
let asked = 0;
/** What the server says is wrong with what was asked for; it stays until something else is done. */
let wrong = said.textContent.trim();
/** @type {Map<Turn, HTMLButtonElement>} */
let listed = new Map();
/** What sets up a position, while that is done. @type {any} */
let arranging = null;

const where = (words) => ({ rules: study.rules, position: study.position, turns: words });
const words = () => `${at.words} ${partial}`.trim();

/** Asks the server; nothing where it refuses or cannot be reached, which is said. */
async function ask(path, body) {
  try {
    const answer = await fetch(`/api/positions${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    if (answer.ok) return await answer.json();
    say(sentences((await answer.json()).message));
  } catch { say(_("The server cannot be reached just now. Try again in a moment.")); }
  return null;
}

/** Says something, with a link to the rule that has to do with it. */
function say(text, clause = "") {
  write(said, text, place.dataset.game, clause);
}

// --- the tree --------------------------------------------------------------------------------------------------------

/** Goes to a turn of the tree; back where the server cannot show it. @param {Turn} turn */
async function go(turn) {
  const mine = ++asked, before = at;
  [at, partial] = [turn, ""];
  if (!wrong) say("");
  mark();
  const told = turn.told ?? (await ask("", where(turn.words)));
  if (mine !== asked) return;
  if (!told) return back(turn, before);
  turn.told = told;
  show(told);
}

/** The server cannot show a turn: back to where we were, or from a link that is wrong to what of it is right. */
async function back(turn, before) {
  const why = said.textContent;
  if (!shown && turn.parent) await go(turn.parent);
  else { at = before; mark(); }
  say(why);
}

/** Draws a position and all that is known of it. */
function show(told) {
  arranging?.end();
  arranging = null;
  shown = told;
  found = null;
  board.show(told.svg, told.seats);
  board.gone(told.removed.flatMap((some) => some.points));
  board.echo?.(told.did);
  board.offer(told.outcome ? [] : told.legal);
  kinds(told);
  find("prompt").textContent = told.prompt;
  find("gone").textContent = told.told;
  if (!wrong && !find("position").matches(":focus")) find("position").value = told.position;
  wrong = "";
  keep.here(study, root, at);
  think();
}

/** Draws the tree anew, because it has changed. */
function list() {
  const made = drawn(root, (turn) => go(turn));
  listed = made.buttons;
  find("turns").replaceChildren(made.list);
  find("none").hidden = root.children.length > 0;
  graph.changed(root);
  mark();
}

/** Marks the turn that is shown, and what leads there, before the server has told of it: keys go on from here at once. */
function mark() {
  const path = new Set(at.path), held = find("turns").contains(document.activeElement);
  for (const [turn, button] of listed) {
    button.toggleAttribute("aria-current", turn === at);
    button.classList.toggle("path", path.has(turn));
  }
  const here = listed.get(at), box = find("turns");
  if (here) box.scrollTop = Math.max(0, here.offsetTop - box.clientHeight / 2);
  else box.scrollTop = 0;
  if (held && here) here.focus({ preventScroll: true });
  const ends = { first: !at.parent, back: !at.parent, on: !at.children.length, last: !at.children.length };
  for (const [id, off] of Object.entries(ends)) find(id).setAttribute("aria-disabled", String(off));
  find("delete").disabled = !at.parent;
  find("promote").disabled = at.main;
  graph.mark(at);
}

const steps = {
  first: () => root,
  back: () => (partial ? at : at.parent ?? root),
  on: () => at.children[0] ?? at,
  last: () => at.last,
};
for (const [id, to] of Object.entries(steps)) {
  find(id).addEventListener("click", (event) => { event.preventDefault(); if (to() !== at || partial) go(to()); });
}

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
addEventListener("keydown", (event) => {
  const step = steps[KEYS[event.key]];
  if (!step || event.ctrlKey || event.metaKey || event.altKey || /** @type {Element} */ (event.target).closest("input, textarea, select, root-board")) return;
  event.preventDefault();
  if (step() !== at || partial) go(step());
});

find("delete").addEventListener("click", () => { const before = at.remove(); list(); go(before); });
find("promote").addEventListener("click", () => { at.promote(); list(); keep.here(study, root, at); });

// --- playing ---------------------------------------------------------------------------------------------------------

board.addEventListener("narrow", ({ detail }) => {
  buttons.replaceChildren(...detail.words.map((word) => button(word[0].toUpperCase() + word.slice(1), () => board.press(word))));
  if (partial || detail.pressed.length) buttons.append(button(_("Begin this turn again"), () => go(at)));
});
board.addEventListener("close", () => say(_("Now tap the point you mean, or “Whole board” to look again.")));
board.addEventListener("wide", () => say(""));

board.addEventListener("choose", ({ detail: { action } }) => {
  const last = action.clicks.filter((word) => board.querySelector(`[data-point="${CSS.escape(word)}"]`)).at(-1);
  if (board.enact) board.enact(action, shown.to_move);
  else if (last) board.put(last, shown.to_move);
  play(action.text);
});

/** Plays an action, or a whole turn, from where we are. */
async function play(text) {
  const mine = ++asked;
  say("");
  clean(board);
  board.offer([]);
  const tried = `${partial} ${text}`.trim(), told = await ask("", where(`${at.words} ${tried}`.trim()));
  if (mine !== asked) return;
  if (!told) { const why = said.textContent; await go(at); return say(why); }
  partial = tried;
  if (told.turn_goes_on) return show(told);
  [partial, at] = ["", at.add(told.turns.at(-1))];
  at.told = told;
  list();
  show(told);
}

board.addEventListener("refuse", async ({ detail: { name, before } }) => {
  if (!shown || arranging) return;
  if (shown.outcome) return say(_("The game is over."));
  const pressed = new URLSearchParams([...(before ?? []), name].map((word) => ["pressed", word]));
  const why = await ask(`/why-not?${pressed}`, where(words()));
  if (!why) return;
  if (why.legal || !why.clause) return say(_("Nothing can go there now."));
  say(why.reason, why.clause);
  board.light(why.points);
});

// --- setting up a position --------------------------------------------------------------------------------------------

async function arrange() {
  if (arranging) return;
  const { Setup } = await import("./setup.js");
  await begun;
  if (arranging || !shown) return;
  engine.rest();
  clean(board);
  arranging = new Setup({
    board, say, rules: study.rules, seats: shown.seats,
    done: (position) => { location.href = keep.link({ ...study, position }, new Turn(), new Turn()); },
    left: () => go(at),
  });
  arranging.begin(shown.position);
}
find("arrange").addEventListener("click", arrange);

// --- the machine -----------------------------------------------------------------------------------------------------

const thinks = find("think"), panel = find("thoughts");
const engine = new Engine((newer, ended) => {
  if (newer.preparing) return ready();
  if (newer.waiting) return note(_("Number {n} in the queue.", { n: newer.waiting }));
  if (!newer.lines) return note(sentences(newer.message ?? ""));
  const first = !found;
  found = newer;
  tell(first || ended || found.proven !== null);
});
/** When the pointer last moved over the best turns: they do not change under it. */
let moved = -Infinity;
let soon = 0;
find("lines")?.addEventListener("pointermove", () => { moved = performance.now(); });

/** Thinks about what is on the board, if it is asked to. */
function think() {
  clearTimeout(soon);
  engine.rest();
  if (!thinks?.checked) return;
  panel.classList.add("old");
  if (shown.outcome) return note(shown.prompt, true);
  note(_("Thinking …"));
  soon = setTimeout(() => { engine.think(where(words())); soon = setTimeout(ready, 4000); }, 150);
}

const ready = () => { if (!found) note(_("Preparing the engine for this game. This takes a while only the first time.")); };

function note(text, over = false) {
  find("depth").textContent = text;
  if (over) find("lines").tBodies[0].replaceChildren();
}

/** Shows what was found out; it is said aloud only at first and at last. */
function tell(aloud) {
  const { seats } = shown, best = found.lines[0];
  panel.classList.remove("old");
  note(speaker(found));
  if (best) {
    const values = found.proven === null || found.proven < 0 ? best.values : seats.map((_seat, seat) => Number(seat === found.proven));
    find("bar").replaceChildren(bar(values, seats));
    find("chances").textContent = chances(values, seats);
  }
  if (aloud) find("verdict").textContent = verdict(found, seats);
  for (const id of ["owners", "policy"]) find(id).closest("label").hidden = !found[id];
  if (!aloud && (performance.now() - moved < 2000 || find("lines").querySelector(":focus-visible"))) return;
  head(seats);
  refill(rows(found, seats, play));
  repaint();
}

/** Other rows for the table; who was at one of them is at the same place again. */
function refill(made) {
  const body = find("lines").tBodies[0], at = [...body.querySelectorAll("button")].indexOf(document.activeElement);
  body.replaceChildren(...made);
  if (at >= 0) (body.querySelectorAll("button")[at] ?? body.querySelector("button"))?.focus({ preventScroll: true });
}

function head(seats) {
  const names = [_("Rank"), _("Turn"), ...seats, ...(found.scores ? [_("{seat}'s lead", { seat: seats[0] })] : [])];
  const row = find("lines").tHead.rows[0];
  if (row.cells.length === names.length) return;
  row.replaceChildren(...names.map((name, n) => make("th", { scope: "col", textContent: name, className: n > 1 ? "number" : n ? "" : "aside" })));
}

const wanted = () => ({ best: find("best").checked, owners: find("owners").checked, heat: find("heat").checked, policy: find("policy").checked });
const repaint = () => (found && thinks.checked ? paint(board, found, wanted()) : clean(board));
for (const id of ["best", "owners", "heat", "policy"]) find(id)?.addEventListener("change", repaint);

thinks?.addEventListener("change", () => {
  keep.set("think", thinks.checked);
  panel.hidden = !thinks.checked;
  found = null;
  clean(board);
  if (shown) think();
});

// --- how the game went -----------------------------------------------------------------------------------------------

const graph = new WinGraph({
  go,
  asked: (last) => where(last.words),
  seats: () => shown.seats,
  light: (turn, text) => {
    const action = turn.told?.legal.find((one) => one.text === text.split(" ")[0]);
    if (action) board.light(action.clicks);
  },
}, follow);

// --- beginning -------------------------------------------------------------------------------------------------------

find("rotate").addEventListener("click", () => board.turn(board.turned ? 0 : 180));
find("apart").addEventListener("click", () => {
  find("apart").setAttribute("aria-pressed", String(find("apart").getAttribute("aria-pressed") !== "true"));
  kinds(shown);
});

/** Tells apart pieces that look alike and are not, if that is asked for. */
function kinds(told) {
  const some = Object.keys(told.kinds ?? {}).length > 0, on = some && find("apart").getAttribute("aria-pressed") === "true";
  find("apart").disabled = !some;
  find("kinds").textContent = board.apart(on ? told.kinds : null).map(({ mark, kind, count }) => `${mark} ${kind}: ${count}`).join(", ");
}

/** Lays out what the page or its link holds. */
function begin() {
  const linked = keep.read(location.hash);
  root = new Turn();
  if (linked) {
    if (linked.rules && linked.rules !== study.rules) return location.replace(keep.place(linked.rules) + location.hash.replace(/rules=[^&]*&?/, ""));
    study = { ...study, position: linked.position, game: null, linked: true };
    root.read(linked.turns);
    at = linked.at ? root.all[linked.at - 1] ?? root : root;
  } else {
    for (let turn = root, left = [...study.line]; left.length;) turn = turn.add(/** @type {string} */ (left.shift()));
    root.read(study.tags.Variations ?? "");
    at = [root, ...root.line].filter((turn) => turn.number <= study.turn).at(-1) ?? root;
  }
  list();
  return go(at);
}

keep.offer({ study: () => study, root: () => root, at: () => at, say });
addEventListener("hashchange", () => (keep.read(location.hash) ? begin() : location.reload()));
// a link to a field of this page leads there, and does not touch the address, which holds the tree
for (const link of place.querySelectorAll(".names a[href^='#']")) {
  link.addEventListener("click", (event) => { event.preventDefault(); if (link.hash === "#position") arrange(); else find(link.hash.slice(1)).focus(); });
}
if (thinks) {
  thinks.checked = place.hasAttribute("data-thought") || keep.get("think");
  panel.hidden = !thinks.checked;
}
const opened = location.hash === "#setup", begun = Promise.resolve(begin());
if (opened) arrange();
