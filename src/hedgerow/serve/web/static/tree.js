// A tree of turns: the main line is every node's first child, the others are variations. It knows no rules: a node is a
// text that the server has accepted. As text for links it is written like `A1,E1(B2,C3),D4+E4`: turns between commas, the
// words of a turn joined by plus signs, and in brackets what could have been played instead of the turn before them.

import { make } from "./dom.js";
import { _ } from "./words.js";

const EVENT = /^(?:(?:resign|flag) \d|draw)$/;

/** One turn, or somebody who left; the root has no text. */
export class Turn {
  /** @param {string} text @param {Turn | null} parent */
  constructor(text = "", parent = null) {
    this.text = text;
    this.parent = parent;
    /** @type {Turn[]} */
    this.children = [];
    /** How many turns were played, this one included. @type {number} */
    this.number = (parent?.number ?? 0) + (parent && !this.event ? 1 : 0);
    /** Whose turn it is, where that matters; null for nobody's in particular. @type {number | null} */
    this.seat = null;
    /** What the server told of the position after it. @type {any} */
    this.told = null;
    /** The chances of the seats here, where the graph knows them. @type {any} */
    this.chance = null;
  }

  get event() { return EVENT.test(this.text); }

  /** The child with that text, a new one if there is none yet. @param {string} text */
  add(text) {
    const known = this.children.find((child) => child.text === text);
    if (known) return known;
    const made = new Turn(text, this);
    this.children.push(made);
    return made;
  }

  /** From the first turn to this one. @returns {Turn[]} */
  get path() { return this.parent ? [...this.parent.path, this] : []; }

  /** All that has been played here, as the server reads it. */
  get words() { return this.path.map((turn) => turn.text).join(" "); }

  /** This turn and the first children after it. */
  get line() {
    const found = [];
    for (let turn = /** @type {Turn | undefined} */ (this); turn; turn = turn.children[0]) if (turn.parent) found.push(turn);
    return found;
  }

  get last() { return this.line.at(-1) ?? this; }

  /** It is on the main line. */
  get main() { return this.path.every((turn) => turn.parent?.children[0] === turn); }

  /** Goes with everything after it; what it was an answer to. */
  remove() {
    const parent = /** @type {Turn} */ (this.parent);
    parent.children = parent.children.filter((child) => child !== this);
    return parent;
  }

  /** Makes the line that leads here the main line. */
  promote() {
    for (const turn of this.path) {
      const among = /** @type {Turn} */ (turn.parent).children;
      among.splice(among.indexOf(turn), 1);
      among.unshift(turn);
    }
  }

  /** All after this one, in the order in which they are written. @returns {Turn[]} */
  get all() {
    const [first, ...others] = this.children;
    return first ? [first, ...others.flatMap((other) => [other, ...other.all]), ...first.all] : [];
  }

  /** Everything after this one as text. @returns {string} */
  write() {
    const [first, ...others] = this.children;
    if (!first) return "";
    const instead = others.map((other) => `(${joined([spelled(other), other.write()])})`).join("");
    return joined([spelled(first) + instead, first.write()]);
  }

  /** Puts a text here. @param {string} text */
  read(text) {
    let at = /** @type {Turn} */ (this);
    const before = [];
    for (const part of text.match(/[(),]|[^(),]+/g) ?? []) {
      if (part === "(") { before.push(at); at = at.parent ?? at; }
      else if (part === ")") at = before.pop() ?? at;
      else if (part !== ",") at = at.add(part.replaceAll("+", " ").trim());
    }
  }
}

const spelled = (turn) => turn.text.replaceAll(" ", "+");
const joined = (parts) => parts.filter(Boolean).join(",");

// --- on the page -----------------------------------------------------------------------------------------------------

/** Draws a tree as nested lists of buttons. @param {Turn} root @param {(turn: Turn) => void} go */
export function drawn(root, go) {
  const buttons = new Map();
  return { list: line(root, go, buttons), buttons };
}

/** The line of first children after a turn, and below each of them what else was tried. */
function line(turn, go, buttons) {
  const list = document.createElement("ol");
  for (let at = turn; at.children.length; at = at.children[0]) {
    const [first, ...others] = at.children;
    list.append(item(first, go, buttons));
    for (const other of others) list.append(variation(other, go, buttons));
  }
  return list;
}

function variation(turn, go, buttons) {
  const made = document.createElement("li"), list = line(turn, go, buttons);
  made.className = "variation";
  list.prepend(item(turn, go, buttons));
  list.setAttribute("aria-label", _("Instead of turn {n}", { n: turn.number }));
  made.append(list);
  return made;
}

function item(turn, go, buttons) {
  const made = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  if (!turn.event) button.append(make("span", { className: "n", textContent: `${turn.number}.` }), " ");
  button.append(turn.text);
  button.addEventListener("click", () => go(turn));
  buttons.set(turn, button);
  made.append(button);
  return made;
}
