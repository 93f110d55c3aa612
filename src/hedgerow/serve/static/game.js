// A game on the page: shows what the server says, and sends what was chosen on the board as turns.

import "./board.js";
import { tick, wind } from "./clock.js";
import { ask, Line } from "./line.js";
import { Past } from "./past.js";
import { consider } from "./retry.js";
import { play as sound } from "./sound.js";
import { _, _n, kindly } from "./words.js";

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);
/** @param {string} what @param {ParentNode} within @returns {any} */
const first = (what, within = document) => within.querySelector(what);
const place = find("game"), board = find("board"), said = find("said"), buttons = find("buttons");
const { game: id, name, title } = place.dataset;

/** The game as the server told it last, what of the turn has been chosen, and how many questions were asked. */
let game = null;
let partial = "";
let began = performance.now();
let asked = 0;
let sending = false;
let apart = false;
let renewals = 0;
let hint = "";
/** What has been taken off since one's own last turn: a machine may answer before one has seen it. */
let lately = [];
/** What is on the board: the game, or the past of it. */
let shown = null;

const mine = () => game.state === "playing" && game.you !== null && game.to_move === game.you;

// --- showing ---------------------------------------------------------------------------------------------------------

/** Asks how the game stands; an answer that another question has overtaken is not shown. */
async function look() {
  const mine = ++asked;
  const answer = await ask(`/api/games/${id}?partial=${encodeURIComponent(partial)}`);
  if (mine !== asked) return;
  if (!answer.ok) return answer.status < 500 && partial ? refused(answer) : undefined;
  const newer = await answer.json();
  if (mine !== asked) return;
  if (!game) board.face(newer.you, newer.far);
  else if (newer.version > game.version) ring(newer);
  if (newer.version !== game?.version) gather(newer);
  game = newer;
  line.version = game.version;
  sending = partial !== "" && !game.turn_goes_on;
  wind(game);
  draw();
}

function gather(newer) {
  const plays = game && game.you !== null && !game.seats[game.you].place, goesOn = plays && newer.turns.length > game.turns.length;
  lately = goesOn ? [...lately, ...newer.removed] : newer.removed;
}

/** What is heard beside the pieces when something has happened. */
function ring(newer) {
  if (newer.outcome) sound("end");
  else if (newer.you !== null && newer.to_move === newer.you) sound("turn");
}

function draw() {
  document.title = `${mine() ? _("Your turn – {game}", { game: title }) : title} · Hedgerow`;
  guide(hint = prompted());
  document.querySelectorAll(".seats li").forEach((li, seat) => li.classList.toggle("mover", game.state === "playing" && seat === game.to_move));
  const number = first("#play [name=number]");
  if (number) number.value = game.version;
  past.list(game.turns, game.version);
  if (past.at === null) present();
}

/** The board as it is now. */
function present() {
  picture(game);
  board.offer(mine() ? game.legal : []);
}

/** A position: the picture, and what the turn before it did. */
function picture(told) {
  shown = told;
  const names = told.seats.map((seat) => seat.seat);
  board.show(told.svg, names);
  const removed = told === game && !partial ? lately : told.removed;
  board.gone(removed.flatMap((some) => some.points).filter((point) => !first(`[data-point="${point}"] .piece`, board)));
  board.echo(told.did);
  kinds(told);
  const gone = removed.map((some) => lost(some.seat, some.points)).join(" ");
  if (find("gone").textContent !== gone) find("gone").textContent = gone;
  find("count").textContent = told.standing ? counted(told.standing, names) : "";
  if (told.standing) find("count").parentElement.classList.add("counts"); // which keeps room for it
}

const lost = (seat, points) => points.length > 6
  ? _n("{seat} lost {n} piece.", "{seat} lost {n} pieces.", points.length, { seat })
  : _("{seat} lost {points}.", { seat, points: points.join(", ") });

function counted(scores, names) {
  if (scores.length === 2) return _("If both pass now: {scores}.", { scores: scores.join(_(" to ")) });
  return _("If everybody passes now: {scores}.", { scores: scores.map((score, n) => `${names[n]} ${score}`).join(", ") });
}

/** Says what to do; the same words are not said twice. */
function guide(words) {
  if (find("prompt").textContent !== words) find("prompt").textContent = words;
}

function prompted() {
  if (game.outcome) return "";
  if (game.state === "open") return _("The game begins when every seat is taken.");
  if (mine()) return game.prompt;
  const { seat, machine, name } = game.seats[game.to_move];
  if (machine) return _("{seat} is thinking …", { seat });
  return name ? _("{seat} ({name}) is to move.", { seat, name }) : _("{seat} is to move.", { seat });
}

/** Puts what the server would show now into the parts of the page that change, except where somebody is busy. */
async function refresh() {
  const mine = ++renewals;
  const answer = await fetch(location.pathname).catch(() => null);
  const text = answer?.ok ? await answer.text() : "";
  if (text && mine === renewals) renew(text);
}

/** The keyboard stays at the button or link that it was at; where that is gone, it goes to the board. */
function hold(part, words) {
  const same = [...part.querySelectorAll("a, button, summary")].find((one) => one.textContent === words);
  if (same) same.focus({ preventScroll: true }); else board.visit();
}

function renew(text, pressed = null) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const newer = fresh.getElementById(part.id);
    const held = part.contains(document.activeElement) ? document.activeElement : null;
    if (!newer || newer.innerHTML === part.innerHTML || (part !== pressed && held?.matches("input, textarea, select"))) continue;
    const open = [...part.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
    part.className = newer.className;
    part.replaceChildren(...newer.childNodes);
    for (const summary of part.querySelectorAll("details > summary")) summary.parentElement.toggleAttribute("open", open.includes(summary.textContent));
    if (held) hold(part, held.textContent);
  }
  tick();
  past.mark();
  consider(id);
  return fresh;
}

// --- choosing --------------------------------------------------------------------------------------------------------

/** A button for everything that may be pressed and is no point. */
board.addEventListener("narrow", ({ detail }) => {
  if (!game || past.at !== null) return;
  buttons.replaceChildren(...detail.words.map(choice));
  guide(hint = detail.hint || prompted());
  if (!sending && (partial || detail.pressed.length)) {
    buttons.append(button(_("Begin this turn again"), () => { partial = ""; say(""); line.attempt(look); }));
  }
});
board.addEventListener("hint", ({ detail }) => guide(detail.words || hint));
board.addEventListener("close", () => { say(_("Now tap the point you mean, or beside the board to look again.")); said.classList.add("calm"); });
board.addEventListener("wide", () => say(""));

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
  sending = true;
  board.offer([]);
  partial = `${partial} ${action.text}`.trim();
  line.attempt(carryOn);
});

board.addEventListener("refuse", ({ detail: { name, before } }) => {
  if (!game || !mine()) return;
  if (past.at !== null) say(_("You are looking back; go back to now to play."));
  else line.attempt(() => explain(`${partial} ${meant(before, name)}`.trim()));
});

/** The action that was meant: spelled like one that begins with the same presses, but with this point in it. */
function meant(before, name) {
  const level = before.length;
  const like = game.legal.find(({ clicks }) => before.every((word, n) => clicks[n] === word) && first(`[data-point="${clicks[level]}"]`, board));
  return like ? like.text.replace(like.clicks[level], name) : name;
}

async function explain(text) {
  const answer = await ask(`/api/games/${id}/why-not?text=${encodeURIComponent(text)}`);
  if (!answer.ok) return;
  const why = await answer.json();
  if (why.legal || !why.clause) return say(_("Nothing can go there now."));
  say(why.reason, why.clause);
  board.light(why.points);
}

/** Says something, with a link to the rule that has to do with it. */
function say(words, clause = "") {
  said.textContent = words;
  said.classList.remove("calm");
  if (!clause) return;
  const link = document.createElement("a");
  link.href = `/rules/${name}#r${clause}`;
  link.textContent = _("rule {clause}", { clause });
  said.append(" ", link);
}

/** Shows the turn as far as it was chosen, and plays it when it is whole. */
async function carryOn() {
  await look();
  if (partial && game && !game.turn_goes_on) await play();
}

async function play() {
  lately = [];
  const answer = await ask(`/api/games/${id}/turns`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ number: game.version, text: partial, thought: Math.round(performance.now() - began) }),
  });
  if (answer.ok) partial = ""; // what comes of it comes down the line
  else await refused(answer);
}

/** The turn is taken back, with the reason. */
async function refused(answer) {
  partial = "";
  const { message, clause } = await answer.json();
  say(kindly(message), clause ?? "");
  await look();
}

// --- forms -----------------------------------------------------------------------------------------------------------

const QUIET = /\/(offers\/\w+|resign|chat|note|plan|silences\/\d+)$/;

/** What is sent by a form is sent without leaving the page. */
place.addEventListener("submit", (event) => {
  const form = event.target;
  if (!QUIET.test(form.getAttribute("action"))) return;
  event.preventDefault();
  const fields = new FormData(form), { name, value } = event.submitter ?? {};
  if (name) fields.set(name, value);
  line.attempt(() => send(form, new URLSearchParams([.../** @type {any} */ (fields)])));
});

async function send(form, body) {
  const answer = await ask(form.getAttribute("action"), { method: "POST", body });
  const there = new URL(answer.url).pathname;
  renewals += 1;
  if (answer.redirected && there !== location.pathname) return location.assign(there);
  const fresh = renew(await answer.text(), form.closest("[data-fresh]"));
  if (answer.ok) form.querySelectorAll("input[name=text]").forEach((field) => { field.value = ""; });
  else said.replaceChildren(...fresh.getElementById("said")?.childNodes ?? []);
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

const line = new Line(id, Number(place.dataset.version), { hear, back: () => { line.attempt(carryOn); refresh(); } });

function hear(message) {
  if (["offers", "rematch", "chat", "watchers"].includes(message.type)) return refresh();
  const seated = message.type === "seats";
  if (!seated && (message.version === undefined || message.version === game?.version)) return;
  if (!seated) [partial, began, line.version] = ["", performance.now(), message.version];
  if (!seated) say("");
  if (message.turn && game) find("heard").textContent = happened(message.turn);
  line.attempt(look);
  refresh();
}

/** What has happened, for those who do not see the board. */
function happened({ kind, seat, text }) {
  const name = game.seats[seat]?.seat;
  if (kind === "turn") return text === "pass" ? _("{seat} passed.", { seat: name }) : _("{seat} played {turn}.", { seat: name, turn: text });
  if (kind === "resign") return _("{seat} resigned.", { seat: name });
  if (kind === "flag") return _("{seat} ran out of time.", { seat: name });
  return kind === "undo" ? _("A turn was taken back.") : "";
}

line.attempt(look);
consider(id);
