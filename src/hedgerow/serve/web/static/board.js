// The board: one element for every game and geometry. It shows what the server drew, narrows what may be pressed, and
// says what was chosen. There is no rule in here: which presses mean what comes with every state.
//
//   board.show(svg, seats)   draws a position; what changed is moved, not drawn anew
//   board.offer(legal)       what may be done: [{text, clicks, hint?}]; an empty list to only look
//   board.press(word)        as if that point, or the button of that word, had been pressed
//   board.peek(word)         shows what pressing that word would do (for hover and focus of a page's button); peek() ends it
//   board.enact(action, seat)  draws an action that was chosen, before the server has answered: a piece that moves goes at
//                            once, a new one has its seat's own shape (board.put(name, seat) is the simple part of it)
//   board.light(names)       points at these points
//   board.area(name)         the points around there
//   board.gone(names, gained)  crosses where pieces have just been taken off, and rings where something was gained, until
//                            the next press
//   board.echo(did)          what the last turn did (`did` of the state: a kick's wave, a tree's range), until the next press
//   board.apart(kinds)       tells kinds apart by shape and by name (`kinds` of the state: {"Root": ["c4"]}); null ends it,
//                            show() keeps it up if it gets the new ones by apart(). Answers its legend: [{mark, kind, count}]
//   board.turn(degrees)      180 turns the board so that the far side is near, 0 as it is drawn; board.turned says how it is;
//                            a picture that the server has turned already begins so
//   board.face(seat, far)    turns it so that this seat is near (`far` of the state: the seats that sit across), unless the
//                            reader's looks say data-side="first"
//   board.visit()            the keyboard goes to the point where it was last
//   board.drop()             puts down again what was pressed
//   board.wide()             the whole board again, after a closer look
//   board.pressed            what has been pressed so far; board.finger whether by a finger
//
// A hint is {words, lead, mark, path, reach, changed, removed}: a sentence on what the action does, one for whoever has
// begun to choose it, a letter or number for the board (a distance, "O" for an Oak), and names of points.
//
// It tells `choose` {action} (an action was pressed to its end), `refuse` {name, before} (a
// point that nothing begins with, and what had been pressed before), `narrow` {pressed, words, hint} (words that are no
// points and belong to none, to be pressed elsewhere; hint: a sentence about what was pressed so far, or ""), `hint` {words}
// (what is peeked at; "" when it ends), `close` and `wide` (magnified or not) and `visit` {name} (the point that the keyboard
// is at). What is to be chosen at a point that was pressed is asked there.

import { Choices } from "./choices.js";
import { Lens } from "./lens.js";
import { badge, border, circle, cross, letters, ripple, shape, sign, strike, turning, way } from "./shapes.js";
import { play } from "./sound.js";
import { _ } from "./words.js";

/** Where more points than this may be pressed, they are marked more calmly. */
const MANY = 40;
/** A board of more points than this is small on a phone: marks are larger. */
const LARGE = 120;

/**
 * @typedef {{words: string, lead: string, mark: string, path: string[], reach: string[], changed: string[], removed: string[]}} Hint
 * @typedef {{text: string, clicks: string[], puts?: string, hint?: Hint | null}} Action
 */

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.dataset.motion === "off";

export class RootBoard extends HTMLElement {
  /** @type {Action[]} */
  #legal = [];
  /** @type {string[]} */
  #pressed = [];
  /** Every point by its name: its group, where it is drawn, and what it is called. @type {Map<string, SVGElement>} */
  #points = new Map();
  /** @type {Map<string, number[]>} */
  #spots = new Map();
  /** @type {Map<string, string>} */
  #called = new Map();
  #seats = [];
  /** Where the keyboard is, and the column that it goes up or down in. */
  #at = null;
  #aim = null;
  #typed = "";
  /** @type {SVGSVGElement | null} */
  #svg = null;
  #lens = new Lens(this);
  #choices = new Choices(this);
  /** How it was pressed last, "mouse", "touch", "pen" or "key", and the point that a pointer went down on. */
  #by = "";
  #down = null;
  #turned = false;
  #peeked = "";
  /** What may be done is drawn over the points, and what was done below it. @type {SVGElement | null} */
  #over = null;
  #echoed = null;
  #heard = "null";

  connectedCallback() {
    if (this.#svg) return;
    const drawn = this.querySelector("svg");
    this.#seats = (this.dataset.seats ?? "").split(",");
    this.#turned = !!drawn?.querySelector(".play[transform]");
    if (drawn) this.#adopt(drawn);
    this.addEventListener("pointerdown", (event) => { [this.#by, this.#down] = [event.pointerType, under(event)]; });
    this.addEventListener("pointerup", (event) => this.#up(event));
    this.addEventListener("click", (event) => this.#tap(event));
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusin", (event) => this.#visit(under(event)));
    this.addEventListener("focusout", () => this.peek());
    this.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") this.peek(under(event)?.dataset.point); });
    this.addEventListener("pointerleave", () => { this.#down = null; this.peek(); });
  }

  // --- showing ------------------------------------------------------------------------------------------------------

  show(text, seats = this.#seats) {
    this.#seats = seats;
    // the picture brings its colours along, which the page's policy would refuse; /board.css has them
    const bare = text.replace(/<style>[^]*?<\/style>/, "");
    const drawn = document.importNode(new DOMParser().parseFromString(bare, "image/svg+xml").documentElement, true);
    const before = this.#points, land = claims(this.#svg), at = this.#at, focused = this.#svg?.contains(document.activeElement);
    this.#adopt(drawn);
    if (before.size) this.#change(before, land);
    if (at && this.#points.has(at)) this.#rove(at, focused);
  }

  #adopt(drawn) {
    if (this.#svg) this.#svg.replaceWith(drawn); else if (!drawn.isConnected) this.replaceChildren(drawn);
    this.#svg = drawn;
    this.#lens.forget();
    this.#name(drawn);
    this.#points = new Map([...drawn.querySelectorAll(".point")].map((point) => [point.dataset.point, point]));
    for (const [name, point] of this.#points) {
      this.#spots.set(name, point.getAttribute("transform").match(/-?[\d.]+/g).slice(0, 2).map(Number));
      this.#called.set(name, this.#told(name, point));
      point.setAttribute("role", "gridcell");
      point.setAttribute("tabindex", "-1");
      point.setAttribute("aria-label", this.#called.get(name));
      point.append(circle("dot", 5));
    }
    this.#echoed = shape("g", { class: "over echo", "aria-hidden": "true" });
    this.#over = shape("g", { class: "over", "aria-hidden": "true" });
    drawn.querySelector(".play").append(this.#echoed, this.#over);
    if (this.#turned || drawn.querySelector(".play[transform]")) this.#rotate();
    this.#mark();
    const first = this.#at ?? this.#points.keys().next().value;
    this.#points.get(first)?.setAttribute("tabindex", "0");
  }

  /** For those who do not see it: the points are a grid, and what stands round the board is left out. */
  #name(drawn) {
    const title = drawn.querySelector("title"), grid = drawn.querySelector(".points");
    drawn.removeAttribute("aria-labelledby");
    drawn.setAttribute("role", "presentation");
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", title?.textContent ?? _("Board"));
    grid.setAttribute("aria-describedby", drawn.querySelector("desc")?.id ?? "");
    title?.remove(); // it would be a tooltip all over the board
    drawn.querySelectorAll(".row").forEach((row) => row.setAttribute("role", "row"));
    drawn.querySelectorAll(".labels").forEach((group) => group.setAttribute("aria-hidden", "true"));
  }

  /** What has come, what has gone, and what has been claimed since the picture before. */
  #change(before, land) {
    let come = 0, gone = 0;
    for (const [name, point] of this.#points) {
      const old = before.get(name), was = piece(old);
      if (piece(point) && look(point) !== look(old)) { point.classList.add("arriving"); come++; }
      if (was && !piece(point) && !was.classList.contains("coming")) { gone++; this.#leave(point, was); }
    }
    for (const [seat, cells] of claims(this.#svg)) {
      const fresh = cells.filter((cell) => !land.get(seat)?.includes(cell));
      if (fresh.length && !still()) this.#echoed.before(passing(shape("path", { class: `fresh ${seat}`, d: `${fresh.join("Z")}Z` })));
    }
    if (gone) play("remove"); else if (come) play("place");
  }

  /** A piece that is not there any more fades out where it stood. */
  #leave(point, was) {
    if (still()) return;
    const ghost = shape("g", { class: "leaving", transform: point.getAttribute("transform") }, was.cloneNode(true));
    this.#echoed.before(passing(ghost));
  }

  /** @param {string[]} names */
  light(names) {
    this.#svg?.querySelectorAll(".lit").forEach((mark) => mark.remove());
    for (const name of names) this.#points.get(name)?.append(circle("highlight lit", 19));
  }

  /** The points near a point, which is not in their middle. @param {string | undefined} name @returns {string[]} */
  area(name) {
    const near = (spot, far) => [...this.#spots].filter(([, [x, y]]) => Math.hypot(x - spot[0], y - spot[1]) < far).map(([other]) => other);
    const spot = this.#spots.get(name ?? "");
    return spot ? near(this.#spots.get(near(spot, 45).find((other) => other !== name) ?? name), 85) : [];
  }

  /** @param {string[]} names @param {string[]} gained */
  gone(names, gained = []) {
    this.#svg?.querySelectorAll(".gone, .gained").forEach((mark) => mark.remove());
    for (const name of names) this.#points.get(name)?.append(cross());
    for (const name of gained) this.#points.get(name)?.append(circle("gained", 9));
  }

  /** @param {Hint | null} did */
  echo(did) {
    const key = JSON.stringify(did ?? null);
    this.#echoed?.replaceChildren();
    this.#echoed?.classList.toggle("again", key === this.#heard); // it has been seen to move already
    this.#heard = key;
    if (did) this.#draw(did, this.#echoed);
  }

  /** @param {Record<string, string[]> | null} kinds */
  apart(kinds) {
    this.#svg?.querySelectorAll(".apart").forEach((mark) => mark.remove());
    for (const [name, point] of this.#points) this.#called.set(name, this.#told(name, point));
    const all = Object.entries(kinds ?? {});
    for (const [order, [kind, names]] of all.entries()) {
      for (const name of names) {
        this.#points.get(name)?.append(badge(kind, order));
        this.#called.set(name, `${this.#called.get(name)}, ${kind}`);
      }
    }
    this.#mark();
    return all.map(([kind, names], order) => ({ mark: sign(kind, order), kind, count: names.length }));
  }

  // --- turning ------------------------------------------------------------------------------------------------------

  get turned() { return this.#turned ? 180 : 0; }

  /** @param {number} degrees */
  turn(degrees) {
    if (this.#turned === (degrees % 360 === 180)) return;
    this.#turned = !this.#turned;
    if (this.#svg) this.#rotate();
  }

  /** @param {number | null} seat @param {number[]} far */
  face(seat, far) { this.turn(seat !== null && far.includes(seat) && document.documentElement.dataset.side !== "first" ? 180 : 0); }

  /** Turns the board, but nothing that is read or stands upright. */
  #rotate() {
    const all = /** @type {SVGElement} */ (this.#svg.querySelector(".play")), upright = this.#turned ? " rotate(180)" : "";
    if (this.#turned) all.setAttribute("transform", `rotate(180) translate(0 ${-all.dataset.turn})`);
    else all.removeAttribute("transform");
    all.querySelector(".shadow")?.setAttribute("transform", `translate(0 ${this.#turned ? -3 : 3})`);
    for (const [name, point] of this.#points) point.setAttribute("transform", `translate(${this.#spots.get(name).join(" ")})${upright}`);
    for (const label of all.querySelectorAll(".label")) {
      label.setAttribute("transform", this.#turned ? `rotate(180 ${label.getAttribute("x")} ${label.getAttribute("y")})` : "");
    }
    this.#over.replaceChildren();
    this.#foretell();
  }

  // --- hints --------------------------------------------------------------------------------------------------------

  /** What an action does: the way of its piece, what it reaches, and what becomes of the pieces there. */
  #draw(hint, layer, order = 0) {
    const spots = (names) => names.map((name) => this.#spots.get(name)).filter(Boolean);
    const path = spots(hint.path), reach = spots(hint.reach);
    if (path.length) layer.append(way(path), ripple(path.at(-1), reach));
    else if (reach.length) this.#range(reach, hint.mark, layer, order);
    for (const name of hint.changed) this.#stamp(name, turning(), layer);
    for (const name of hint.removed) this.#stamp(name, strike(), layer);
  }

  #range(reach, mark, layer, order) {
    layer.append(border(reach, order));
    if (!mark) return;
    for (const [x, y] of this.#ends(reach)) layer.append(this.#upright(letters("range-mark", mark, order ? 10 : -10, -10), x, y));
  }

  /** The first and the last point of a range, where its letter stands. */
  #ends(reach) { return reach.length > 1 ? [reach[0], reach.at(-1)] : reach; }

  #upright(what, x, y) { return shape("g", { transform: `translate(${x} ${y})${this.#turned ? " rotate(180)" : ""}` }, what); }

  #stamp(name, what, layer) {
    const spot = this.#spots.get(name);
    if (spot) layer.append(this.#upright(what, ...spot));
  }

  /** What is known of the actions that were begun: distances on the points, ranges of what has buttons. */
  #foretell(ranges = true) {
    const level = this.#pressed.length;
    if (!level) return;
    let order = 0;
    for (const { clicks, hint } of this.#fits(this.#pressed)) {
      if (!hint) continue;
      if (this.#points.has(clicks[level])) this.#stamp(clicks[level], letters("distance", hint.mark), this.#over);
      else if (ranges) this.#draw(hint, this.#over, order++);
    }
  }

  /** @param {string} [word] */
  peek(word = "") {
    if (word === this.#peeked || !this.#over) return;
    const tried = [...this.#pressed, word], found = word ? this.#fits(tried).filter((action) => action.hint) : [];
    const told = this.#peeked !== "" || found.length;
    this.#peeked = found.length ? word : "";
    this.#over.replaceChildren();
    this.#foretell(!found.length);
    if (found.length === 1) this.#draw(found[0].hint, this.#over);
    else if (found.length && !this.#points.has(found[0].clicks[tried.length])) found.forEach(({ hint }, order) => this.#draw(hint, this.#over, order));
    if (told) this.#tell("hint", { words: found.length === 1 ? found[0].hint.words : leads(found) });
  }

  // --- pressing -----------------------------------------------------------------------------------------------------

  /** @param {Action[]} legal */
  offer(legal) {
    this.#legal = legal;
    this.drop();
  }

  drop() {
    this.#pressed = [];
    this.#mark();
  }

  get pressed() { return this.#pressed; }

  /** It was last pressed by a finger. */
  get finger() { return this.#by === "touch"; }

  #fits(pressed) { return this.#legal.filter((action) => pressed.every((name, n) => action.clicks[n] === name)); }

  /** Marks every point that may be pressed next, asks for what is to be chosen there, and tells which other words may be. */
  #mark() {
    const level = this.#pressed.length, fits = this.#fits(this.#pressed), next = new Set(fits.map((action) => action.clicks[level]));
    this.#svg?.classList.toggle("many", next.size > MANY);
    this.#svg?.classList.toggle("large", this.#points.size > LARGE);
    for (const [name, point] of this.#points) {
      const may = next.has(name), label = this.#called.get(name) + (may ? _(", playable") : "");
      point.classList.toggle("may", may);
      point.classList.toggle("pressed", this.#pressed.includes(name));
      if (point.getAttribute("aria-label") !== label) point.setAttribute("aria-label", label);
    }
    this.#peeked = "";
    this.#over?.replaceChildren();
    this.#foretell();
    const words = [...next].filter((word) => word !== undefined && !this.#points.has(word)), at = this.#pressed[level - 1], point = this.#points.get(at);
    if (point && words.length) this.#choices.ask(point, at, words.map((word) => ({ word, hint: fits.find(({ clicks }) => clicks[level] === word).hint })), this.#by === "key");
    else this.#choices.end();
    this.#tell("narrow", { pressed: this.#pressed, words: point ? [] : words, hint: level ? leads(fits.filter((action) => action.hint)) : "" });
  }

  #told(name, point) {
    const found = piece(point), seat = seatOf(found), claim = seatOf(point.querySelector(".claimed"));
    const parts = [name, found ? `${this.#seats[seat] ?? ""} ${found.classList[found.classList.length - 1]}`.trim() : _("empty")];
    if (claim !== undefined) parts.push(_("claimed by {seat}", { seat: this.#seats[claim] }));
    if (point.querySelector(".last, .last-frame")) parts.push(_("last turn"));
    return parts.join(", ");
  }

  /** @param {string} name */
  press(name) {
    this.light([]);
    this.gone([]);
    this.echo(null);
    const before = this.#pressed, tried = [...before, name], fits = this.#fits(tried);
    if (!fits.length) return this.#refuse(name, before);
    this.#pressed = tried;
    const chosen = fits.find((action) => action.clicks.length === tried.length);
    if (chosen) this.wide();
    if (chosen) this.#tell("choose", { action: chosen });
    else this.#mark();
  }

  /** Nothing goes on like that: another beginning, the same one put down again, or a point that is refused. */
  #refuse(name, before) {
    this.drop();
    if (before.length === 1 && before[0] === name) return;
    if (before.length && this.#fits([name]).length) return this.press(name);
    if (!this.#points.has(name)) return;
    play("refused");
    this.#tell("refuse", { name, before });
  }

  /** @param {Action} action @param {number} seat */
  enact(action, seat) {
    const points = action.clicks.filter((word) => this.#points.has(word)), from = this.#points.get(points[0]);
    if (points.length > 1 && piece(from)) this.#move(piece(from), this.#points.get(points.at(-1)));
    else if (points.length) this.put(points.at(-1), seat, action.puts);
    if (action.hint) this.echo(action.hint);
  }

  /** A piece that is on its way: drawn before the server has answered. */
  put(name, seat, kind = "stone") {
    const point = this.#points.get(name);
    if (!point) return;
    const body = shape("g", { class: `seat-${seat} piece ${kind}` }, ...this.#body(seat, kind));
    this.#move(body, point);
  }

  #move(body, point) {
    piece(point)?.remove();
    body.classList.add("coming");
    point.querySelector(".spot").after(body);
    point.classList.remove("may");
    play("place");
  }

  /** What a piece looks like, as the picture has it somewhere, on the board or below it. */
  #body(seat, kind) {
    const found = this.#svg.querySelector(`.piece.seat-${seat}.${kind}`) ?? this.#svg.querySelector(`.footer .seat-${seat}.${kind}`) ?? this.#svg.querySelector(`.footer .seat-${seat}`);
    return found ? [...found.cloneNode(true).childNodes] : [circle("body", 16.5)];
  }

  /** A new picture between down and up keeps the mouse from clicking; who let go of the same point pressed it all the same. */
  #up(event) {
    const down = this.#down;
    this.#down = null;
    if (down && !down.isConnected && event.pointerType === "mouse" && event.button === 0 && under(event)?.dataset.point === down.dataset.point) this.#tap(event);
  }

  #tap(event) {
    const point = under(event);
    if (!this.#svg) return;
    if (this.finger && !this.#lens.near && this.#legal.length && this.#lens.tight(this.#svg)) return this.#lens.look(this.#svg, event);
    if (!point) return this.wide();
    const name = point.dataset.point;
    this.#rove(name, false);
    if (!this.#asks(name)) this.wide();
    this.press(name);
  }

  /** Something is to be chosen at that very point: one goes on looking there. */
  #asks(name) {
    const tried = [...this.#pressed, name], next = this.#fits(tried).map((action) => action.clicks[tried.length]);
    return next.length > 0 && next.every((word) => word !== undefined && !this.#points.has(word));
  }

  /** The whole board again. */
  wide() { this.#lens.wide(); }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true })); }

  // --- the keyboard -------------------------------------------------------------------------------------------------

  #rove(name, focus = true) {
    this.#points.get(this.#at)?.setAttribute("tabindex", "-1");
    if (name !== this.#at) this.#aim = null;
    this.#at = name;
    const point = this.#points.get(name);
    point?.setAttribute("tabindex", "0");
    if (focus) point?.focus();
  }

  visit() { this.#rove(this.#at ?? this.#points.keys().next().value, false); this.#points.get(this.#at)?.focus({ preventScroll: true }); }

  #visit(point) {
    if (!point) return;
    this.#rove(point.dataset.point, false);
    if (!this.finger) this.peek(this.#at);
    this.#tell("visit", { name: this.#at });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button")) return;
    this.#by = "key";
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) this.#step(...way);
    else if (event.key === "Escape") { this.#typed = ""; this.wide(); this.drop(); }
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

  /** The next point in the row, or the one in the next row that is nearest to where going up or down began. */
  #step(right, down) {
    const [dx, dy] = this.#turned ? [-right, -down] : [right, down];
    const from = this.#spots.get(this.#at ?? this.#points.keys().next().value), aim = this.#aim ?? from[0];
    let best = null, least = Infinity;
    for (const [name, to] of this.#spots) {
      const along = (to[0] - from[0]) * dx + (to[1] - from[1]) * dy;
      if (along < 10 || (dx && Math.abs(to[1] - from[1]) > 10)) continue;
      const far = dx ? along : 100 * along + Math.abs(to[0] - aim);
      if (far < least - 1) [best, least] = [name, far];
    }
    if (!best) return;
    this.#rove(best);
    this.#aim = dy ? aim : null;
  }
}

/** The point that something happened at. @type {(event: Event) => any} */
const under = (event) => /** @type {any} */ (event.target).closest(".point");
const piece = (point) => point?.querySelector(".piece");
const look = (point) => piece(point)?.getAttribute("class").replace(" coming", "");
const seatOf = (token) => token?.getAttribute("class").match(/seat-(\d)/)?.[1];
const leads = (actions) => [...new Set(actions.map((action) => action.hint.lead).filter(Boolean))].join(" ");

/** The cells of every seat's claimed land. */
const claims = (svg) => new Map([...(svg?.querySelectorAll(".claim") ?? [])].map((land) => [land.classList[1], land.getAttribute("d").split("Z").filter(Boolean)]));

/** Something that is gone when its animation is over. */
function passing(what) {
  what.addEventListener("animationend", () => what.remove());
  return what;
}

customElements.define("root-board", RootBoard);
