// A closer look at a board: where its points are too near to each other for a finger, the part around it is magnified,
// and a button leads back to the whole board.
//
//   const lens = new Lens(board)   it tells the board's `close` and `wide`
//   lens.tight(svg)                a finger could not tell neighbouring points
//   lens.look(svg, event)          magnifies what is around a press; lens.near says that it is
//   lens.wide()                    the whole board again
//   lens.forget()                  the picture is another one, and whole

import { button } from "./dom.js";
import { _ } from "./words.js";

/** Points closer than this many pixels are magnified for a finger first; in the picture they are so many units apart. */
const NEAR = 30, UNITS = 40;
const ZOOM = 2.6;

export class Lens {
  #svg = null;
  #full = "";
  /** @type {HTMLButtonElement | null} */
  #back = null;

  constructor(board) { this.board = board; }

  get near() { return !!this.#full; }

  /** @param {SVGSVGElement} svg */
  tight(svg) { return UNITS * Math.abs(svg.getScreenCTM().a) < NEAR; }

  /** @param {SVGSVGElement} svg @param {PointerEvent} event */
  look(svg, event) {
    const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const { x, y, width, height } = svg.viewBox.baseVal, w = width / ZOOM, h = height / ZOOM;
    const left = Math.min(Math.max(spot.x - w / 2, x), x + width - w), top = Math.min(Math.max(spot.y - h / 2, y), y + height - h);
    [this.#svg, this.#full] = [svg, svg.getAttribute("viewBox")];
    svg.setAttribute("viewBox", `${left} ${top} ${w} ${h}`);
    this.board.classList.add("close");
    this.#offer(spot.x < x + width / 2, spot.y < y + height / 2);
    this.#tell("close");
  }

  /** The way back stands in the corner across, where the finger does not go. */
  #offer(right, below) {
    this.#back ??= this.#button();
    this.#back.className = `whole${right ? " right" : ""}${below ? " below" : ""}`;
    this.board.append(this.#back);
  }

  #button() {
    return button(_("Whole board"), (event) => { event.stopPropagation(); this.wide(); });
  }

  wide() {
    if (!this.#full) return;
    this.#svg.setAttribute("viewBox", this.#full);
    this.forget();
  }

  forget() {
    if (!this.#full) return;
    this.#full = "";
    this.board.classList.remove("close");
    if (document.activeElement === this.#back) this.board.visit();
    this.#back.remove();
    this.#tell("wide");
  }

  #tell(type) { this.board.dispatchEvent(new CustomEvent(type, { detail: {}, bubbles: true })); }
}
