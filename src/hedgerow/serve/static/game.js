// A game on the page: shows what the server says, and turns presses on points into turns. There is no rule in here:
// which presses mean what comes with every state.

const place = document.getElementById("game");
const id = place.dataset.game;
const board = document.getElementById("board");
const prompt = document.getElementById("prompt");
const said = document.getElementById("said");
const buttons = document.getElementById("buttons");

/** The game as the server told it last, what of the turn has been chosen, and what has been pressed towards the rest. */
let game = null;
let partial = "";
let pressed = [];
let told = { at: 0, here: 0 };

async function look() {
  const answer = await fetch(`/api/games/${id}?partial=${encodeURIComponent(partial)}`);
  if (!answer.ok) return;
  game = await answer.json();
  told = { at: game.clock.now, here: performance.now() };
  pressed = [];
  draw();
}

function draw() {
  // the picture brings its colours along, which the page's policy would refuse; /board.css has them
  const bare = game.svg.replace(/<style>[^]*?<\/style>/, "");
  const picture = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  board.replaceChildren(document.importNode(picture, true));
  prompt.textContent = game.prompt;
  document.getElementById("turns").replaceChildren(...game.turns.map((text) => element("li", text)));
  document.querySelectorAll(".seats li").forEach((li, seat) => {
    li.classList.toggle("mover", seat === game.to_move);
  });
  const number = document.querySelector("#play [name=number]");
  if (number) number.value = game.version;
  offer();
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

const mine = () => game.state === "playing" && game.you !== null && game.to_move === game.you;

/** Marks every point that may be pressed next, and makes a button of everything else that may be. */
function offer() {
  buttons.replaceChildren();
  const points = new Map([...board.querySelectorAll(".point")].map((point) => [point.dataset.point, point]));
  points.forEach((point, name) => {
    point.classList.toggle("pressed", pressed.includes(name));
    point.classList.remove("may");
    point.removeAttribute("tabindex");
  });
  if (!mine()) return;
  const fits = game.legal.filter((action) => pressed.every((name, n) => action.clicks[n] === name));
  for (const next of new Set(fits.map((action) => action.clicks[pressed.length]))) {
    const point = points.get(next);
    if (point) {
      point.classList.add("may");
      point.setAttribute("tabindex", "0");
      point.setAttribute("role", "button");
      point.setAttribute("aria-label", next);
    } else if (next) {
      const button = element("button", next);
      button.addEventListener("click", () => press(next));
      buttons.append(button);
    }
  }
  if (partial || pressed.length) {
    const back = element("button", "Begin this turn again");
    back.addEventListener("click", () => { partial = ""; said.textContent = ""; look(); });
    buttons.append(back);
  }
}

async function press(name) {
  if (!game || !mine()) return;
  said.textContent = "";
  const tried = [...pressed, name];
  const fits = game.legal.filter((action) => tried.every((word, n) => action.clicks[n] === word));
  if (!fits.length) {
    const fresh = game.legal.some((action) => action.clicks[0] === name);
    pressed = [];
    return fresh ? press(name) : explain(name);
  }
  pressed = tried;
  const chosen = fits.find((action) => action.clicks.length === tried.length);
  if (!chosen) return offer();
  partial = `${partial} ${chosen.text}`.trim();
  await look();
  if (!game.turn_goes_on) await play();
}

async function explain(name) {
  offer();
  const text = `${partial} ${name}`.trim();
  const answer = await fetch(`/api/games/${id}/why-not?text=${encodeURIComponent(text)}`);
  if (answer.ok) said.textContent = (await answer.json()).reason;
}

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

board.addEventListener("click", (event) => {
  const point = event.target.closest(".point");
  if (point) press(point.dataset.point);
});
board.addEventListener("keydown", (event) => {
  const point = event.target.closest(".point");
  if (point && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    press(point.dataset.point);
  }
});

let began = performance.now();
let version = -1;

/** Follows the game; a line that breaks is taken up again from the version known. */
function follow() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/games/${id}/socket?since=${Math.max(0, version)}`);
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.type === "seats") return location.reload();
    if (message.version === undefined || message.version === version) return;
    const over = message.outcome && version >= 0;
    version = message.version;
    began = performance.now();
    partial = "";
    if (over) return location.reload();
    look();
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
