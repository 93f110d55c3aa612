// A game on the page: shows what the server says, and sends what was chosen on the board as turns.

import "./board.js";

const place = document.getElementById("game");
const id = place.dataset.game;
const board = document.getElementById("board");
const prompt = document.getElementById("prompt");
const said = document.getElementById("said");
const buttons = document.getElementById("buttons");

/** The game as the server told it last, and what of the turn has been chosen. */
let game = null;
let partial = "";
let told = { at: 0, here: 0 };

async function look() {
  const answer = await fetch(`/api/games/${id}?partial=${encodeURIComponent(partial)}`);
  if (!answer.ok) return;
  game = await answer.json();
  told = { at: game.clock.now, here: performance.now() };
  draw();
}

function draw() {
  board.show(game.svg, game.seats.map((seat) => seat.seat));
  board.offer(mine() ? game.legal : []);
  const theirs = game.state === "playing" && game.to_move !== game.you;
  const gone = game.removed.map((some) => `${some.seat} lost ${some.points.join(", ")}.`).join(" ");
  const count = game.standing ? ` If both pass now: ${game.standing.join(" to ")}.` : "";
  prompt.textContent = `${gone} ${theirs ? `${game.seats[game.to_move].seat} is to move.` : game.prompt}${count}`.trim();
  document.getElementById("turns").replaceChildren(...game.turns.map((text) => element("li", text)));
  document.querySelectorAll(".seats li").forEach((li, seat) => {
    li.classList.toggle("mover", seat === game.to_move);
  });
  const number = document.querySelector("#play [name=number]");
  if (number) number.value = game.version;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

const mine = () => game.state === "playing" && game.you !== null && game.to_move === game.you;

/** A button for everything that may be pressed and is no point. */
board.addEventListener("narrow", ({ detail }) => {
  buttons.replaceChildren(...detail.words.map((word) => button(word, () => board.press(word))));
  if (partial || detail.pressed.length) {
    buttons.append(button("Begin this turn again", () => { partial = ""; said.textContent = ""; look(); }));
  }
});
board.addEventListener("close", () => { said.textContent = "Now tap the point you mean, or beside the board to look again."; });
board.addEventListener("wide", () => { said.textContent = ""; });

function button(words, press) {
  const made = element("button", words);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

board.addEventListener("choose", async ({ detail: { action } }) => {
  said.textContent = "";
  const points = action.clicks.filter((word) => board.querySelector(`[data-point="${CSS.escape(word)}"]`));
  if (points.length) board.put(points.at(-1), game.you);
  board.offer([]);
  partial = `${partial} ${action.text}`.trim();
  await look();
  if (!game.turn_goes_on) await play();
});

board.addEventListener("refuse", async ({ detail: { name } }) => {
  if (!game || !mine()) return;
  const text = `${partial} ${name}`.trim();
  const answer = await fetch(`/api/games/${id}/why-not?text=${encodeURIComponent(text)}`);
  if (!answer.ok) return;
  const why = await answer.json();
  said.textContent = why.reason;
  board.light(why.points);
});

async function play() {
  const text = partial;
  partial = "";
  const thought = Math.round(performance.now() - began);
  const answer = await fetch(`/api/games/${id}/turns`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ number: game.version, text, thought }),
  });
  if (!answer.ok) said.textContent = (await answer.json()).message;
  await look();
}

/** Puts what the server would show now into the parts of the page that change, except where somebody is typing. */
async function refresh() {
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const newer = fresh.getElementById(part.id);
    if (newer && !part.contains(document.activeElement)) part.replaceChildren(...newer.childNodes);
  }
}

let began = performance.now();
let version = -1;

/** Follows the game; a line that breaks is taken up again from the version known. */
function follow() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/games/${id}/socket?since=${Math.max(0, version)}`);
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.type === "seats") return location.reload();
    if (["offers", "rematch", "chat", "watchers"].includes(message.type)) return refresh();
    if (message.version === undefined || message.version === version) return;
    const over = message.outcome && version >= 0;
    version = message.version;
    began = performance.now();
    partial = "";
    if (over) return location.reload();
    look();
    refresh();
  });
  socket.addEventListener("close", () => setTimeout(follow, 1000));
}

function tick() {
  if (game?.clock.left) {
    document.querySelectorAll(".clock").forEach((place) => {
      const seat = Number(place.dataset.seat);
      const running = game.state === "playing" && seat === game.to_move;
      const gone = running ? told.at - game.clock.since + performance.now() - told.here : 0;
      place.textContent = time(Math.max(0, game.clock.left[seat] - gone));
    });
  }
}

function time(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds >= 86400) return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

setInterval(tick, 250);
follow();
