// A plan as a tree of turns, theirs and one's own: made of the lines that the server keeps, written as such lines again,
// and drawn as nested lists in which every turn is a button.

import { make } from "./dom.js";
import { Turn } from "./tree.js";
import { _ } from "./words.js";

/** Instead of a turn: whatever they play. */
export const any = (turn) => turn.text.startsWith("*");

/** @param {string[][]} lines @param {(number | null)[][]} seats */
export function planted(lines, seats) {
  const root = new Turn();
  lines.forEach((line, n) => {
    let at = root;
    line.forEach((text, place) => { at = at.add(text); at.seat = seats[n][place]; });
  });
  return root;
}

/** The lines that can be kept: each ends with an answer of one's own. @param {Turn} root @param {number} you @returns {string[][]} */
export function answered(root, you) {
  const found = root.children.flatMap((child) => answered(child, you).map((line) => [child.text, ...line]));
  const alone = root.children.filter((child) => child.seat === you && !found.some(([first]) => first === child.text));
  return [...found, ...alone.map((child) => [child.text])];
}

/** So many turns come after a turn. @param {Turn} turn @returns {number} */
export const size = (turn) => turn.children.reduce((sum, child) => sum + 1 + size(child), 0);

const arrow = () => { const made = document.createElement("span"); made.setAttribute("aria-hidden", "true"); made.textContent = " → "; return made; };

/**
 * Draws a plan. @param {Turn} root
 * @param {{you: number, names: string[], start: string, go: (turn: Turn) => void}} how
 */
export function drawn(root, how) {
  const buttons = new Map(), box = document.createElement("div");
  box.append(press(root, [how.start], how, buttons), list(root, how, buttons));
  return { box, buttons };
}

function list(turn, how, buttons) {
  const made = document.createElement("ul");
  made.append(...turn.children.map((child) => branch(child, how, buttons)));
  return made;
}

/** A turn and what follows it: in one row until there are several ways on. */
function branch(turn, how, buttons) {
  const made = document.createElement("li");
  for (let at = turn; ; at = at.children[0]) {
    made.append(press(at, called(at, how), how, buttons));
    if (at.children.length !== 1) return ended(made, at, how, buttons);
    made.append(arrow());
  }
}

function ended(made, turn, how, buttons) {
  if (turn.children.length) made.append(arrow(), list(turn, how, buttons));
  else if (turn.seat !== how.you && !turn.told?.outcome) made.append(" ", make("span", { className: "hint", textContent: _("no answer yet") }));
  return made;
}

/** Whose turn it is and what, in words and by the piece of the seat. */
function called(turn, { you, names }) {
  const who = document.createElement("span"), token = document.querySelector(`#seats li:nth-child(${(turn.seat ?? -1) + 1}) .token`);
  who.className = "aside";
  who.textContent = turn.seat === you ? _("you: ") : turn.seat === null ? "" : `${names[turn.seat]}: `;
  return [...token ? [token.cloneNode(true)] : [], who, any(turn) ? _("whatever they play") : turn.text];
}

function press(turn, words, { you, go }, buttons) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = !turn.parent ? "start" : turn.seat === you ? "answer" : "";
  made.append(...words);
  made.addEventListener("click", () => go(turn));
  buttons.set(turn, made);
  return made;
}
