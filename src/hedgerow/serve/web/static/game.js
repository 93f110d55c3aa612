// A game on the page: shows what the server says, and sends what was chosen on the board as turns.

import "./board.js";
import { wind } from "./clock.js";
import { ask, Line } from "./line.js";
import * as parts from "./parts.js";
import { Past } from "./past.js";
import { consider } from "./retry.js";
import { play as sound } from "./sound.js";
import * as talk from "./talk.js";
import { _, _n, sentences } from "./words.js";

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);
/** @param {string} what @param {ParentNode} within @returns {any} */
const first = (what, within = document) => within.querySelector(what);
const place = find("game"), board = find("board"), said = find("said"), buttons = find("buttons");
const { game: id, name, title } = place.dataset;
const names = board.dataset.seats.split(","), far = board.dataset.far.split(",").filter(Boolean).map(Number);

/** What a message does not say. */
const NOTHING = { prompt: "", turn: null, you: null, to_move: null, clocks: null, legal: [], removed: [], standing: null, did: null, kinds: {} };

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
/** We go to the next game when there is one. */
let going = false;
/** What has been taken off since one's own last turn: a machine may answer before one has seen it. */
let lately = [];
/** What is on the board: the game, or the past of it. */
let shown = null;

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
  if (!same) gather(before);
  if (!same) [begun, began] = [null, performance.now()];
  if (told.turn) find("heard").textContent = happened(told.turn);
  update(told);
  wind(game);
  draw();
  if (begun && !begun.legal) send(); // the line broke before it was answered
}

/** The lines of the picture: all of them, or those that are other than before. */
function drawn(before, { lines, at = {} }) {
  if (lines) return lines;
  const now = [...before];
  for (const place in at) now[place] = at[place];
  return now;
}

const turns = (before, [start, more]) => [...before.slice(0, start), ...more];

function gather(before) {
  const plays = before && before.you !== null && !parts.flags.has(`out-${before.you}`);
  lately = plays && game.turns.length > before.turns.length ? [...lately, ...game.removed] : game.removed;
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
  if (going && parts.slots.rematch) location.assign(parts.slots.rematch);
  if (parts.flags.has("lost")) consider(id);
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
  picture(game);
  for (const action of begun?.actions ?? []) board.enact(action, game.you);
  board.offer(begun ? begun.legal ?? [] : game.legal);
}

/** A position: the picture, and what the turn before it did. */
function picture(told) {
  shown = told;
  board.show(told.svg, names);
  const removed = told === game && !begun ? lately : told.removed;
  board.gone(removed.flatMap((some) => some.points).filter((point) => !first(`[data-point="${point}"] .piece`, board)));
  board.echo(told.did);
  kinds(told);
  const gone = removed.map((some) => lost(some.seat, some.points)).join(" ");
  if (find("gone").textContent !== gone) find("gone").textContent = gone;
  find("count").textContent = told.standing ? counted(told.standing) : "";
  if (told.standing) find("count").parentElement.classList.add("counts"); // which keeps room for it
}

const lost = (seat, points) => points.length > 6
  ? _n("{seat} lost {n} piece.", "{seat} lost {n} pieces.", points.length, { seat })
  : _("{seat} lost {points}.", { seat, points: points.join(", ") });

function counted(scores) {
  if (scores.length === 2) return _("If both pass now: {scores}.", { scores: scores.join(_(" to ")) });
  return _("If everybody passes now: {scores}.", { scores: scores.map((score, n) => `${names[n]} ${score}`).join(", ") });
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
board.addEventListener("close", () => { say(_("Now tap the point you mean, or beside the board to look again.")); said.classList.add("calm"); });
board.addEventListener("wide", () => say(""));

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

function button(words, press) {
  const made = document.createElement("button");
  made.textContent = words;
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

board.addEventListener("choose", ({ detail: { action } }) => {
  say("");
  board.enact(action, game.you);
  begun = { actions: [...begun?.actions ?? [], action], legal: null, prompt: "" };
  ahead = "";
  board.offer([]);
  send();
});

/** The turn as far as it was chosen goes to the server: it is stored if it is whole, or we are told how it goes on. */
function send() {
  lately = [];
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
function refused({ message, clause, number }) {
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
function say(words, clause = "") {
  asked = "";
  said.textContent = words;
  said.classList.remove("calm");
  if (!clause) return;
  const link = document.createElement("a");
  link.href = `/rules/${name}#r${clause}`;
  link.textContent = _("rule {clause}", { clause });
  said.append(" ", link);
}

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
  const told = message(form, fields), kept = /\/(note|plan)$/.test(form.getAttribute("action"));
  if (!told && !kept) return;
  event.preventDefault();
  say("");
  if (kept) return void line.attempt(() => keep(form, fields));
  if (!line.send(told)) return;
  if (told.type === "chat") form.reset();
  if (told.kind === "rematch" && told.type !== "decline") going = true;
});

/** Notes and plans are kept by the page's own form, whose answer is only looked at where it is a refusal. */
async function keep(form, fields) {
  const answer = await ask(form.getAttribute("action"), { method: "POST", body: new URLSearchParams([.../** @type {any} */ (fields)]), redirect: "manual" });
  if (answer.type === "opaqueredirect") return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  said.replaceChildren(...page.getElementById("said")?.childNodes ?? []);
}

// --- the board, turned and explained ---------------------------------------------------------------------------------

const rotate = find("rotate"), telling = find("apart"), legend = find("legend");

rotate.classList.remove("later");
rotate.addEventListener("click", () => board.turn(board.turned ? 0 : 180));

telling.addEventListener("click", () => { apart = !apart; kinds(shown); });

/** Pieces that look alike and are not: a button tells them apart. */
function kinds(told) {
  const some = Object.keys(told.kinds).join(", ");
  telling.classList.toggle("later", !some && !apart);
  telling.setAttribute("aria-pressed", String(apart));
  telling.title = some;
  const marks = board.apart(apart ? told.kinds : null);
  legend.hidden = !apart;
  legend.replaceChildren(...marks.filter(({ count }) => count).map(({ mark, kind, count }) => Object.assign(document.createElement("li"), { textContent: `${mark} ${kind}: ${count}` })));
}

// --- what happens ----------------------------------------------------------------------------------------------------

const past = new Past(id, {
  show: (told) => { buttons.replaceChildren(); say(""); picture(told); board.offer([]); },
  now: () => { if (game) present(); },
  attempt: (what) => line.attempt(what),
});

const own = Number(place.dataset.account);
const hear = { board: moved, page: update, tried, refused, why: explain, chat: (told) => talk.show(told, own) };
const line = new Line(id, { hear: (told) => hear[told.type]?.(told), query: () => `said=${talk.last()}` });

/** What has happened, for those who do not see the board. */
function happened({ kind, seat, text }) {
  const name = names[seat];
  if (kind === "turn") return text === "pass" ? _("{seat} passed.", { seat: name }) : _("{seat} played {turn}.", { seat: name, turn: text });
  if (kind === "resign") return _("{seat} resigned.", { seat: name });
  if (kind === "flag") return _("{seat} ran out of time.", { seat: name });
  return kind === "undo" ? _("A turn was taken back.") : "";
}

/** What may be typed. */
first("#play [name=text]")?.addEventListener("focus", () => {
  const options = (game?.legal ?? []).map((action) => Object.assign(document.createElement("option"), { value: action.text }));
  find("legal").replaceChildren(...options);
});
