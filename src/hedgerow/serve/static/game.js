// A game on the page: shows what the server says, and sends what was chosen on the board as turns.

import "./board.js";

/** Everything that this script says. */
const WORDS = {
  again: "Begin this turn again",
  closer: "Now tap the point you mean, or beside the board to look again.",
  count: (scores, seats) => `If everybody passes now: ${scores.length === 2 ? scores.join(" to ") : scores.map((score, n) => `${seats[n]} ${score}`).join(", ")}.`,
  both: (scores) => `If both pass now: ${scores.join(" to ")}.`,
  lost: (seat, points) => `${seat} lost ${points.length > 6 ? `${points.length} pieces` : points.join(", ")}.`,
  mover: (seat, name) => `${seat}${name ? ` (${name})` : ""} is to move.`,
  thinks: (seat) => `${seat} is thinking …`,
};

const find = (id) => document.getElementById(id);
const place = find("game"), board = find("board"), said = find("said"), buttons = find("buttons");
const id = place.dataset.game;

/** The game as the server told it last, what of the turn has been chosen, when that was told, and how many questions were asked. */
let game = null;
let partial = "";
let told = { at: 0, here: 0 };
let began = performance.now();
let asked = 0;
let sending = false;
let version = Number(place.dataset.version);

// --- showing ---------------------------------------------------------------------------------------------------------

/** Asks how the game stands; an answer that another question has overtaken is not shown. */
async function look() {
  const mine = ++asked;
  const answer = await ask(`/api/games/${id}?partial=${encodeURIComponent(partial)}`);
  if (mine !== asked) return;
  if (!answer.ok) return answer.status < 500 && partial ? refused(answer) : undefined;
  const newer = await answer.json();
  if (mine !== asked) return;
  game = newer;
  version = game.version;
  sending = partial !== "" && !game.turn_goes_on;
  told = { at: game.clock.now, here: performance.now() };
  draw();
}

function draw() {
  const names = game.seats.map((seat) => seat.seat);
  board.show(game.svg, names);
  board.gone(game.removed.flatMap((some) => some.points));
  board.offer(mine() ? game.legal : []);
  find("prompt").textContent = prompted();
  find("gone").textContent = game.removed.map((some) => WORDS.lost(some.seat, some.points)).join(" ");
  find("count").textContent = !game.standing ? "" : names.length === 2 ? WORDS.both(game.standing) : WORDS.count(game.standing, names);
  list();
  const number = document.querySelector("#play [name=number]");
  if (number) number.value = game.version;
  tick();
}

function prompted() {
  if (game.outcome) return "";
  if (game.state !== "playing" || mine()) return game.prompt;
  const mover = game.seats[game.to_move];
  return mover.machine ? WORDS.thinks(mover.seat) : WORDS.mover(mover.seat, mover.name);
}

/** The turns, the last in view, and whose turn it is. */
function list() {
  const turns = find("turns");
  turns.replaceChildren(...game.turns.map((text) => element("li", text)));
  turns.scrollTop = turns.scrollHeight;
  document.querySelectorAll(".seats li").forEach((li, seat) => li.classList.toggle("mover", game.state === "playing" && seat === game.to_move));
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

const mine = () => game.state === "playing" && game.you !== null && game.to_move === game.you;

/** Puts what the server would show now into the parts of the page that change, except where somebody is typing. */
async function refresh() {
  const answer = await fetch(location.pathname).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const newer = fresh.getElementById(part.id);
    if (newer && !part.contains(document.activeElement)) part.replaceChildren(...newer.childNodes);
  }
  tick();
}

// --- choosing --------------------------------------------------------------------------------------------------------

/** A button for everything that may be pressed and is no point. */
board.addEventListener("narrow", ({ detail }) => {
  buttons.replaceChildren(...detail.words.map((word) => button(word[0].toUpperCase() + word.slice(1), () => board.press(word))));
  if (!sending && (partial || detail.pressed.length)) {
    buttons.append(button(WORDS.again, () => { partial = ""; said.textContent = ""; attempt(look); }));
  }
});
board.addEventListener("close", () => { said.textContent = WORDS.closer; });
board.addEventListener("wide", () => { said.textContent = ""; });

function button(words, press) {
  const made = element("button", words);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

board.addEventListener("choose", ({ detail: { action } }) => {
  said.textContent = "";
  const points = action.clicks.filter((word) => board.querySelector(`[data-point="${CSS.escape(word)}"]`));
  if (points.length) board.put(points.at(-1), game.you);
  sending = true;
  board.offer([]);
  partial = `${partial} ${action.text}`.trim();
  attempt(carryOn);
});

board.addEventListener("refuse", ({ detail: { name } }) => {
  if (game && mine()) attempt(() => explain(`${partial} ${name}`.trim()));
});

async function explain(text) {
  const answer = await ask(`/api/games/${id}/why-not?text=${encodeURIComponent(text)}`);
  if (!answer.ok) return;
  const why = await answer.json();
  said.textContent = why.reason;
  board.light(why.points);
}

/** Shows the turn as far as it was chosen, and plays it when it is whole. */
async function carryOn() {
  await look();
  if (partial && game && !game.turn_goes_on) await play();
}

async function play() {
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
  said.textContent = (await answer.json()).message;
  await look();
}

// --- the line --------------------------------------------------------------------------------------------------------

let line = null;
let wait = 500;

class Broken extends Error {}

const ask = (...what) => fetch(...what).catch(() => { throw new Broken(); });

/** Does something that needs the line; where that breaks, it is done again when the line is back. */
async function attempt(what) {
  try {
    await what();
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    broken();
  }
}

/** The line is broken: says so, and tries again, a little later every time. */
function broken() {
  if (!line) return;
  line = null;
  find("line").hidden = false;
  setTimeout(follow, wait);
  wait = Math.min(wait * 2, 8000);
}

/** Follows the game; a line that breaks is taken up again from the version known. */
function follow() {
  if (line) return;
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/games/${id}/socket?since=${version}`);
  line = socket;
  socket.addEventListener("open", () => { if (line === socket) back(); });
  socket.addEventListener("message", (event) => { if (line === socket) hear(JSON.parse(event.data)); });
  socket.addEventListener("close", () => { if (line === socket) broken(); });
}

function back() {
  const away = !find("line").hidden;
  find("line").hidden = true;
  wait = 500;
  if (!away) return;
  attempt(carryOn);
  refresh();
}

function hear(message) {
  if (["offers", "rematch", "chat", "watchers"].includes(message.type)) return refresh();
  const seated = message.type === "seats";
  if (!seated && (message.version === undefined || message.version === game?.version)) return;
  if (!seated) [partial, began, version] = ["", performance.now(), message.version];
  attempt(look);
  refresh();
}

addEventListener("offline", () => { const left = line; broken(); left?.close(); });
addEventListener("online", () => { wait = 500; follow(); });

// --- clocks ----------------------------------------------------------------------------------------------------------

const HURRY = 20_000;

function tick() {
  if (!game?.clock.left) return;
  document.querySelectorAll(".clock").forEach((shown) => {
    const seat = Number(shown.dataset.seat);
    const running = game.state === "playing" && seat === game.to_move;
    const gone = running ? told.at - game.clock.since + performance.now() - told.here : 0;
    const left = Math.max(0, game.clock.left[seat] - gone);
    shown.textContent = time(left);
    shown.classList.toggle("hurry", running && left < HURRY);
  });
}

function time(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds >= 86400) return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

setInterval(tick, 250);
attempt(look);
follow();
