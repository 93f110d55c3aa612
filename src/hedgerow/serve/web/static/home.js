// The miniatures of the first page live: now and then one of them plays its next turn. They rest where somebody asks for
// less motion, while the page is not looked at, and when the button says so. The frames are drawn by the server.

import { _ } from "./words.js";

const PAUSE = 700, REST = 2;
/** @type {{ svg: Element, lines: string[], frames: number[][], at: number }[]} */
const alive = [];
let next = 0, still = false;

const calm = () => document.documentElement.dataset.motion === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {HTMLElement} place */
async function wake(place) {
  const answer = await fetch(`/miniatures/${place.dataset.game}`);
  const svg = place.querySelector("svg");
  if (!answer.ok || !svg) return;
  const { lines, frames } = await answer.json();
  alive.push({ svg, lines, frames, at: frames.length + REST - 1 });
}

/** The next turn on one board; after its last turn a board rests, then begins again. */
function step() {
  if (still || document.hidden || calm() || !alive.length) return;
  const one = alive[next++ % alive.length];
  one.at = (one.at + 1) % (one.frames.length + REST);
  const frame = one.frames[one.at];
  if (frame) one.svg.innerHTML = frame.map((line) => one.lines[line]).join("\n");
}

/** The button that holds the boards still, and lets them go on. */
function hold() {
  const button = /** @type {HTMLButtonElement} */ (document.querySelector(".hold"));
  button.disabled = false;
  button.addEventListener("click", () => {
    still = !still;
    button.textContent = still ? _("Animate the boards") : _("Stop the animation");
  });
}

async function begin() {
  hold();
  for (const place of document.querySelectorAll(".miniature[data-game]")) await wake(/** @type {HTMLElement} */ (place));
  setInterval(step, PAUSE);
}

if (!calm()) addEventListener("load", () => begin().catch(() => { /* still pictures are fine, too */ }));
