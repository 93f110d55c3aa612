// How a game went: everybody's chances after every turn as curves, the turning points marked. For two players one curve
// divides the ground between them; for more, everybody has a line of their own, told apart by dashes.

import { make } from "./dom.js";
import { colours, percent, percents, told } from "./engine.js";
import { shape } from "./shapes.js";
import { _, _n } from "./words.js";

const WIDE = 600, HIGH = 120;
const DASHES = ["", "9 4", "3 3", "12 3 3 3", "1 4", "6 6"];

/** @param {{turn: number, values: number[]}[]} chances @param {number} turns @param {string[]} seats @param {{turn: number}[]} turning */
export function drawn(chances, turns, seats, turning) {
  // among many, nobody comes near to certainty for long: the graph is as high as the highest chance
  const most = seats.length === 2 ? 1 : Math.min(1, 1.1 * Math.max(2 / seats.length, ...chances.flatMap((chance) => chance.values)));
  const x = (turn) => ((turn / Math.max(1, turns)) * WIDE).toFixed(1), y = (value) => ((1 - value / most) * HIGH).toFixed(1);
  const made = shape("svg", { class: `${colours()} went`, viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const path = (seat) => chances.map((chance) => `${x(chance.turn)} ${y(chance.values[seat])}`).join("L");
  if (seats.length === 2 && chances.length) {
    const end = x(chances.at(-1)?.turn ?? 0);
    made.append(
      shape("g", { class: "seat-1" }, shape("path", { class: "share", d: `M0 0L${path(0)}L${end} 0Z` })),
      shape("g", { class: "seat-0" }, shape("path", { class: "share", d: `M0 ${HIGH}L${path(0)}L${end} ${HIGH}Z` })),
    );
  }
  made.append(shape("path", { class: "middle", d: `M0 ${y(1 / seats.length)}H${WIDE}` }));
  const curves = seats.length === 2 ? [0] : seats.map((_seat, seat) => seat);
  for (const seat of chances.length ? curves : []) made.append(curve(`M${path(seat)}`, seat, seats.length));
  for (const point of turning) made.append(shape("path", { class: "fell", d: `M${x(point.turn + 1)} 0V${HIGH}` }));
  return made;
}

function curve(d, seat, seats) {
  if (seats === 2) return shape("path", { class: "curve", d });
  return shape("g", { class: `seat-${seat}` }, shape("path", { class: "under", d }), shape("path", { class: "curve", d, "stroke-dasharray": DASHES[seat] }));
}

/** Which line is whose. @param {string[]} seats */
export function legend(seats) {
  const list = make("ul", { className: "legend" });
  seats.forEach((name, seat) => {
    const item = document.createElement("li");
    const sample = seats.length === 2
      ? shape("svg", { class: colours(), viewBox: "0 0 12 12", "aria-hidden": "true" }, shape("g", { class: `seat-${seat}` }, shape("rect", { class: "share", width: 12, height: 12 })))
      : shape("svg", { class: `${colours()} wide`, viewBox: "0 0 36 12", "aria-hidden": "true" }, curve("M0 6H36", seat, seats.length));
    item.append(sample, ` ${name}`);
    list.append(item);
  });
  return list;
}

/** The same for those who read it. @param {{turn: number, values: number[], played: string | null}[]} chances @param {string[]} seats */
export function table(chances, seats) {
  const made = document.createElement("table"), head = made.createTHead().insertRow(), body = made.createTBody();
  for (const name of [_("Turn"), _("Played"), ...seats]) head.append(make("th", { scope: "col", textContent: name }));
  chances.forEach((chance, n) => {
    const row = body.insertRow();
    for (const text of [String(chance.turn), n ? (chances[n - 1].played ?? "") : "", ...percents(chance.values)]) row.insertCell().textContent = text;
  });
  return made;
}

/** A turn of the graph in words. */
export const spoken = (turn, chance, seats) => (chance ? `${_("Turn {n}", { n: turn })}: ${told(chance.values, seats)}` : _("Turn {n}", { n: turn }));

/** How far it has got. */
export const progress = (done, all) => _n("{done} of one position looked at …", "{done} of {n} positions looked at …", all, { done });

/** A turning point in a sentence. */
export const fell = (point, seats) => _("Turn {n}: {seat} played {played}; {better} was better by {fall}.", { n: point.turn + 1, seat: seats[point.seat], played: point.played, better: point.better, fall: percent(point.fall) });
