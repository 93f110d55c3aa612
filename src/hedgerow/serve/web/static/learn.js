// One step of a lesson: the reader plays on a real board, the server judges, and this only compares what was chosen
// with what the step asks for. Every word is in the page already.

import "./board.js";
import { button } from "./dom.js";

const lesson = document.getElementById("lesson");
const board = /** @type {any} */ (document.getElementById("board"));
const buttons = document.getElementById("buttons");
const next = document.getElementById("next");
/** @type {{rules: string, position: string|null, light: string[], wanted: string[], refused: string, press: string[]}} */
const step = JSON.parse(lesson.dataset.step);

/** What the server told last, and what of the turn has been chosen. */
let shown = null;
let turn = "";
let done = false;
/** An answer is on its way, and what was pressed meanwhile: it is pressed again when it has come. */
let waiting = false, ahead = "";
/** What is pressed on the board now, and what was before the last press. */
let pressed = [], before = [];

const part = (id) => document.getElementById(id);

/** Asks the server about the position of the step; nothing where it cannot be reached. */
async function ask(path, more) {
  try {
    const answer = await fetch(`/api/positions${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ rules: step.rules, position: step.position, ...more }),
    });
    if (answer.ok) return await answer.json();
  } catch { /* said below */ }
  say("lost");
  return null;
}

/** Shows one of the sentences in the page, or none. */
function say(id) {
  for (const other of ["clause", "again", "elsewhere", "closer", "lost"]) part(other).hidden = other !== id;
  if (id !== "clause") part("said").textContent = "";
  if (id && id !== "closer") part("answer").scrollIntoView({ block: "nearest" });
}

async function look(turns) {
  const told = await ask("", { turns });
  if (told) shown = told;
  return told;
}

function draw(offered) {
  board.show(shown.svg, shown.seats);
  board.offer(offered ? shown.legal : []);
}

/** From the beginning of the step. */
async function begin() {
  turn = "";
  if (!(await look(""))) return;
  draw(true);
  board.light(step.light);
}

board.addEventListener("narrow", ({ detail }) => {
  before = pressed;
  pressed = detail.pressed;
  buttons.replaceChildren(...detail.words.map((word) => button(word, () => board.press(word))));
});

board.addEventListener("close", () => say("closer"));
board.addEventListener("wide", () => say(""));

board.addEventListener("choose", async ({ detail: { action } }) => {
  say("");
  const mover = shown.to_move, played = `${turn} ${action.text}`.trim();
  const last = action.clicks.filter((word) => board.querySelector(`[data-point="${CSS.escape(word)}"]`)).at(-1);
  if (last) board.put(last, mover);
  board.offer([]);
  waiting = true;
  const told = await look(played), meanwhile = ahead;
  [waiting, ahead] = [false, ""];
  if (!told) return begin();
  turn = played;
  if (shown.turn_goes_on && fits(played)) {
    draw(true);
    return meanwhile ? board.press(meanwhile) : undefined;
  }
  if (!right(played)) return again();
  draw(false);
  board.gone?.(shown.removed.flatMap((some) => some.points));
  finish();
});

const right = (text) => step.wanted.includes("any") || step.wanted.includes(text);
const fits = (text) => step.wanted.includes("any") || step.wanted.some((wanted) => wanted.startsWith(`${text} `));

async function again() {
  await begin();
  say("again");
}

board.addEventListener("refuse", async ({ detail: { name } }) => {
  if (done || !shown) return;
  if (waiting) return void (ahead = name);
  const tried = [...before, name], meant = step.refused && tried.join(" ") === step.press.join(" ");
  const told = await ask(`/why-not?text=${encodeURIComponent(meant ? step.refused : name)}`, { turns: turn });
  if (!told) return;
  if (told.legal || !told.clause) return say("elsewhere");
  say("clause");
  part("said").textContent = told.reason;
  part("clause").querySelector("span").textContent = told.clause;
  part("clause").querySelector("a").href = `/rules/${lesson.dataset.game}#r${told.clause}`;
  board.light(told.points);
  if (meant) finish();
});

function finish() {
  done = true;
  part("then").hidden = false;
  if (step.refused) board.offer([]);
  next.classList.add("ready");
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

begin();
