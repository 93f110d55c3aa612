// A choice at a point where several things may be done: it stands beside the point that was pressed, always on the
// screen. Escape ends it, and so does a press elsewhere, which then does nothing else on the board.
//
//   const choices = new Choices(board)              it calls the board's press, peek, drop and visit
//   choices.ask(point, name, [{word, hint}], keys)  asks there; keys: the keyboard pressed it, and goes on in here
//   choices.end()                                   there is nothing to choose

import { make } from "./dom.js";
import { _ } from "./words.js";

/** So many pixels stay free around the point, and at the edges of the screen. */
const GAP = 6, EDGE = 8;
/** A second press on the point within so many milliseconds belongs to the first. */
const TWICE = 400;

export class Choices {
  /** @type {HTMLElement | null} */
  #box = null;
  #asked = "";
  /** @type {Element | null} */
  #point = null;
  #since = 0;

  constructor(board) {
    this.board = board;
    this.away = (event) => this.#away(event);
    this.escape = (event) => { if (event.key === "Escape") { event.stopPropagation(); board.drop(); } };
    this.place = () => this.#place();
  }

  ask(point, name, choices, keys) {
    const asked = [name, ...choices.map(({ word }) => word)].join(" ");
    this.#point = point;
    if (asked === this.#asked) return this.#place();
    this.end();
    [this.#asked, this.#since] = [asked, performance.now()];
    this.#box = this.#made(name, choices);
    this.board.append(this.#box);
    this.#place();
    if (keys) this.#box.querySelector("button").focus(); else this.#box.focus({ preventScroll: true });
    document.addEventListener("click", this.away, true);
    document.addEventListener("keydown", this.escape, true);
    addEventListener("resize", this.place);
  }

  end() {
    if (!this.#box) return;
    const box = this.#box, inside = box.contains(document.activeElement);
    [this.#box, this.#asked] = [null, ""];
    document.removeEventListener("click", this.away, true);
    document.removeEventListener("keydown", this.escape, true);
    removeEventListener("resize", this.place);
    if (inside) this.board.visit();
    box.remove();
  }

  #made(name, choices) {
    const box = document.createElement("div");
    Object.assign(box, { className: "choices", tabIndex: -1, role: "dialog", ariaLabel: _("What goes on {point}?", { point: name }) });
    box.append(...choices.map((choice) => this.#button(choice)));
    box.addEventListener("keydown", (event) => this.#key(event));
    // what happens in here is no matter of the board below
    for (const type of ["click", "pointerover", "keydown"]) box.addEventListener(type, (event) => event.stopPropagation());
    return box;
  }

  /** Who only points at it sees what it would do; how much it takes off stands on it. */
  #button({ word, hint }) {
    const made = document.createElement("button"), board = this.board;
    made.type = "button";
    made.append(word[0].toUpperCase() + word.slice(1));
    if (hint?.removed.length) made.append(make("small", { textContent: `× ${hint.removed.length}`, ariaHidden: "true" }));
    if (hint) made.setAttribute("aria-description", hint.words);
    made.addEventListener("click", () => { this.end(); board.press(word); });
    for (const begin of ["pointerenter", "focus"]) made.addEventListener(begin, () => board.peek(word));
    for (const end of ["pointerleave", "blur"]) made.addEventListener(end, () => board.peek());
    return made;
  }

  /** Above the point where that is on the screen, or below it. */
  #place() {
    const spot = (this.#point.querySelector(".spot") ?? this.#point).getBoundingClientRect(), base = this.board.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.#box, right = document.documentElement.clientWidth - width - EDGE, low = innerHeight - height - EDGE;
    const above = spot.top - height - GAP, below = spot.bottom + GAP;
    const left = Math.max(EDGE, Math.min(spot.left + (spot.width - width) / 2, right));
    const top = above >= EDGE ? Math.min(above, low) : Math.max(EDGE, Math.min(below, low));
    this.#box.style.left = `${left - base.left}px`;
    this.#box.style.top = `${top - base.top}px`;
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...this.#box.querySelectorAll("button")], at = all.indexOf(/** @type {any} */ (document.activeElement));
    all.at(at < 0 && step < 0 ? -1 : (at + step) % all.length).focus();
  }

  #away(event) {
    if (this.#box.contains(event.target)) return;
    const point = event.target.closest?.(".point");
    if (point?.classList.contains("may") && this.board.contains(point)) return; // it goes on there
    if (this.board.contains(event.target) && !event.target.closest("button")) { event.stopPropagation(); event.preventDefault(); }
    if (point !== this.#point || event.timeStamp - this.#since > TWICE) this.board.drop();
  }
}
