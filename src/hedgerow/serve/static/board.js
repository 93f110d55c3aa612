// The board: one element for every game and geometry. It shows what the server drew, narrows what may be pressed, and
// says what was chosen. There is no rule in here: which presses mean what comes with every state.
//
//   board.show(svg, seats)   draws a position; what changed is moved, not drawn anew
//   board.offer(legal)       what may be done: [{text, clicks}]; an empty list to only look
//   board.light(names)       points at these points
//   board.gone(names)        crosses where pieces have just been taken off, until the next press
//
// It tells `choose` (an action was pressed to its end), `refuse` (a point that nothing begins with), `narrow` (words
// that are no points, to be pressed elsewhere) and `visit` (the point that the keyboard is at).

const SVG = "http://www.w3.org/2000/svg";
const NEAR = 30;
/** Points closer than this many pixels are magnified for a finger first. */
const ZOOM = 2.6;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.dataset.motion === "off";

export class RootBoard extends HTMLElement {
  #legal = [];
  #pressed = [];
  #points = new Map();
  #seats = [];
  #at = null;
  #typed = "";
  #svg = null;
  #full = null;
  #finger = false;

  connectedCallback() {
    if (this.#svg) return;
    const drawn = this.querySelector("svg");
    this.#seats = (this.dataset.seats ?? "").split(",");
    if (drawn) this.#adopt(drawn);
    this.addEventListener("pointerdown", (event) => { this.#finger = event.pointerType === "touch"; });
    this.addEventListener("click", (event) => this.#tap(event));
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusin", (event) => this.#visit(event.target.closest(".point")));
  }

  // --- showing ------------------------------------------------------------------------------------------------------

  show(text, seats = this.#seats) {
    this.#seats = seats;
    // the picture brings its colours along, which the page's policy would refuse; /board.css has them
    const bare = text.replace(/<style>[^]*?<\/style>/, "");
    const drawn = document.importNode(new DOMParser().parseFromString(bare, "image/svg+xml").documentElement, true);
    const before = this.#points, at = this.#at, focused = this.#svg?.contains(document.activeElement);
    this.#leave(before, drawn);
    this.#adopt(drawn);
    if (before.size) for (const [name, point] of this.#points) if (piece(point) && look(point) !== look(before.get(name))) point.classList.add("arriving");
    if (at && this.#points.has(at)) this.#rove(at, focused);
  }

  #adopt(drawn) {
    if (this.#svg) this.#svg.replaceWith(drawn); else if (!drawn.isConnected) this.replaceChildren(drawn);
    this.#svg = drawn;
    this.#full = null;
    drawn.removeAttribute("aria-labelledby");
    drawn.setAttribute("role", "grid");
    drawn.setAttribute("aria-label", drawn.querySelector("title")?.textContent ?? "Board");
    drawn.querySelector("title")?.remove(); // it would be a tooltip all over the board
    drawn.querySelectorAll(".row").forEach((row) => row.setAttribute("role", "row"));
    this.#points = new Map([...drawn.querySelectorAll(".point")].map((point) => [point.dataset.point, point]));
    for (const point of this.#points.values()) {
      point.setAttribute("role", "gridcell");
      point.setAttribute("tabindex", "-1");
      point.append(circle("dot", 5));
    }
    this.#mark();
    const first = this.#at ?? this.#points.keys().next().value;
    this.#points.get(first)?.setAttribute("tabindex", "0");
  }

  /** Pieces that are not there any more fade out where they stood. */
  #leave(before, drawn) {
    if (!before.size || still()) return;
    const now = new Map([...drawn.querySelectorAll(".point")].map((point) => [point.dataset.point, point]));
    for (const [name, point] of before) {
      const old = piece(point);
      if (!old || old.classList.contains("coming") || piece(now.get(name))) continue;
      const ghost = document.createElementNS(SVG, "g");
      ghost.setAttribute("class", "leaving");
      ghost.setAttribute("transform", point.getAttribute("transform"));
      ghost.append(old.cloneNode(true));
      ghost.addEventListener("animationend", () => ghost.remove());
      drawn.append(ghost);
    }
  }

  light(names) {
    this.#svg?.querySelectorAll(".lit").forEach((mark) => mark.remove());
    for (const name of names) {
      this.#points.get(name)?.append(circle("highlight lit", 19));
    }
  }

  gone(names) {
    this.#svg?.querySelectorAll(".gone").forEach((mark) => mark.remove());
    for (const name of names) this.#points.get(name)?.append(cross());
  }

  // --- pressing -----------------------------------------------------------------------------------------------------

  offer(legal) {
    this.#legal = legal;
    this.#pressed = [];
    this.#mark();
  }

  get pressed() { return this.#pressed; }

  #fits(pressed) { return this.#legal.filter((action) => pressed.every((name, n) => action.clicks[n] === name)); }

  /** Marks every point that may be pressed next, and tells which other words may be. */
  #mark() {
    const fits = this.#fits(this.#pressed), next = new Set(fits.map((action) => action.clicks[this.#pressed.length]));
    for (const [name, point] of this.#points) {
      point.classList.toggle("may", next.has(name));
      point.classList.toggle("pressed", this.#pressed.includes(name));
      point.setAttribute("aria-label", this.#told(name, point, next.has(name)));
    }
    const words = [...next].filter((word) => word !== undefined && !this.#points.has(word));
    this.#tell("narrow", { pressed: this.#pressed, words });
  }

  #told(name, point, may) {
    const found = piece(point), seat = found?.getAttribute("class").match(/seat-(\d)/)?.[1];
    const what = found ? `${this.#seats[seat] ?? ""} ${found.classList[found.classList.length - 1]}` : "empty";
    const claim = point.querySelector(".claimed")?.getAttribute("class").match(/seat-(\d)/)?.[1];
    const last = point.querySelector(".last, .last-frame") ? ", last turn" : "";
    return `${name}, ${what}${claim ? `, claimed by ${this.#seats[claim]}` : ""}${last}${may ? ", may be pressed" : ""}`;
  }

  press(name) {
    this.light([]);
    this.gone([]);
    const tried = [...this.#pressed, name], fits = this.#fits(tried);
    if (!fits.length) {
      const fresh = this.#pressed.length && this.#fits([name]).length;
      this.#pressed = [];
      this.#mark();
      if (fresh) this.press(name);
      else if (this.#points.has(name)) this.#tell("refuse", { name });
      return;
    }
    this.#pressed = tried;
    const chosen = fits.find((action) => action.clicks.length === tried.length);
    if (chosen) this.#tell("choose", { action: chosen });
    else this.#mark();
  }

  /** A piece that is on its way: drawn before the server has answered. */
  put(name, seat) {
    const point = this.#points.get(name);
    if (!point) return;
    piece(point)?.remove();
    const body = document.createElementNS(SVG, "g");
    body.setAttribute("class", `seat-${seat} piece coming`);
    body.append(circle("body", 16.5));
    point.append(body);
    point.classList.remove("may");
  }

  #tap(event) {
    const point = event.target.closest(".point");
    if (!this.#svg) return;
    if (this.#finger && !this.#full && this.#legal.length && this.#spacing() < NEAR) return this.#magnify(event);
    if (this.#full && !point) return this.wide();
    if (!point) return;
    const name = point.dataset.point;
    this.#rove(name, false);
    this.wide();
    this.press(name);
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true })); }

  // --- a closer look ------------------------------------------------------------------------------------------------

  /** How many pixels lie between neighbouring points: in the picture it is 40 units. */
  #spacing() { return 40 * Math.abs(this.#svg.getScreenCTM().a); }

  #magnify(event) {
    const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.#svg.getScreenCTM().inverse());
    const { x, y, width, height } = this.#svg.viewBox.baseVal;
    this.#full = this.#svg.getAttribute("viewBox");
    const w = width / ZOOM, h = height / ZOOM;
    const left = Math.min(Math.max(spot.x - w / 2, x), x + width - w), top = Math.min(Math.max(spot.y - h / 2, y), y + height - h);
    this.#svg.setAttribute("viewBox", `${left} ${top} ${w} ${h}`);
    this.classList.add("close");
    this.#tell("close", {});
  }

  /** The whole board again. */
  wide() {
    if (!this.#full) return;
    this.#svg.setAttribute("viewBox", this.#full);
    this.#full = null;
    this.classList.remove("close");
    this.#tell("wide", {});
  }

  // --- the keyboard -------------------------------------------------------------------------------------------------

  #rove(name, focus = true) {
    this.#points.get(this.#at)?.setAttribute("tabindex", "-1");
    this.#at = name;
    const point = this.#points.get(name);
    point?.setAttribute("tabindex", "0");
    if (focus) point?.focus();
  }

  #visit(point) {
    if (!point) return;
    this.#rove(point.dataset.point, false);
    this.#tell("visit", { name: this.#at });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) this.#step(...way);
    else if (event.key === "Escape") { this.#typed = ""; this.wide(); this.offer(this.#legal); }
    else if (event.key === "Enter" || event.key === " ") {
      const name = this.#named(this.#typed) ?? this.#at;
      this.#typed = "";
      if (name) { this.#rove(name); this.press(name); }
    } else if (/^[a-z0-9]$/i.test(event.key)) {
      this.#typed = (this.#typed + event.key).slice(-4);
      const name = this.#named(this.#typed) ?? this.#named((this.#typed = event.key));
      if (name) this.#rove(name);
    } else return;
    event.preventDefault();
  }

  #named(text) { return text ? [...this.#points.keys()].find((name) => name.toLowerCase() === text.toLowerCase()) : undefined; }

  /** The nearest point that way; along a row first, else the row above or below. */
  #step(dx, dy) {
    const from = spot(this.#points.get(this.#at) ?? this.#points.values().next().value);
    let best = null, least = Infinity;
    for (const [name, point] of this.#points) {
      const to = spot(point), along = (to[0] - from[0]) * dx + (to[1] - from[1]) * dy, aside = Math.abs((to[0] - from[0]) * dy) + Math.abs((to[1] - from[1]) * dx);
      if (along < 10 || (dx && aside > 10)) continue;
      const far = along + 2 * aside;
      if (far < least - 0.01) [best, least] = [name, far];
    }
    if (best) this.#rove(best);
  }
}

function circle(kind, radius) {
  const made = document.createElementNS(SVG, "circle");
  made.setAttribute("class", kind);
  made.setAttribute("r", radius);
  return made;
}

function cross() {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("class", "gone");
  made.setAttribute("d", "M-7 -7L7 7M-7 7L7 -7");
  return made;
}

const piece = (point) => point?.querySelector(".piece");
const look = (point) => piece(point)?.getAttribute("class");
const spot = (point) => point.getAttribute("transform").match(/-?[\d.]+/g).map(Number);

customElements.define("root-board", RootBoard);
