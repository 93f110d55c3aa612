// What the machine thinks of the position on the board: a stream that gets better while one looks, told beside the board
// and drawn on it. It stops when the page is hidden or the position changes.

import { shape, way } from "./shapes.js";
import { lines } from "./stream.js";
import { _ } from "./words.js";

const SECONDS = 30;
const HATCHES = ["M-13 9L9 -13M-13 0L0 -13M-9 13L13 -9M0 13L13 0", "M-13 -9L9 13M-13 0L0 13M-9 -13L13 9M0 -13L13 0"];
/** Below this chance nobody is expected to own a point. */
const LIKELY = 0.6;
/** Below this lead nobody is expected to lead. */
const LEAST_LEAD = 0.5;

export const percent = (chance) => `${Math.round(100 * chance)} %`;

/** Everybody's chances in whole per cent that add up: what rounding down leaves goes to those who lost most by it. @param {number[]} values */
export function percents(values) {
  const exact = values.map((value) => 100 * value), shares = exact.map((share) => Math.floor(share + 1e-9));
  const left = Math.round(exact.reduce((sum, share) => sum + share, 0)) - shares.reduce((sum, share) => sum + share, 0);
  const hurt = [...shares.keys()].sort((one, other) => exact[other] - shares[other] - (exact[one] - shares[one]));
  for (const seat of hurt.slice(0, left)) shares[seat] += 1;
  return shares.map((share) => `${share} %`);
}

/** Asks for a stream, and hands over one object after the other until it ends or `signal` ends it. */
export async function follow(path, body, signal, each) {
  try {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
    if (!answer.ok) return each(await answer.json());
    for await (const found of lines(answer)) if (!signal.aborted) each(found);
  } catch (error) {
    if (!signal.aborted) each({ message: _("The server cannot be reached just now. Try again in a moment.") });
  }
}

/** One stream at a time about whatever is on the board. */
export class Engine {
  #leave = new AbortController();
  #asked = null;
  /** @param {(found: any, ended: boolean) => void} tell */
  constructor(tell) {
    this.tell = tell;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.#asked && this.think(this.#asked)));
    addEventListener("pagehide", () => this.stop());
  }

  /** Thinks about a position, and about no other any more. */
  async think(asked) {
    this.stop();
    this.#asked = asked;
    if (document.hidden) return;
    const mine = (this.#leave = new AbortController());
    let last = /** @type {any} */ (null);
    await follow(`/api/positions/analysis/stream?seconds=${SECONDS}`, asked, mine.signal, (found) => this.tell((last = found), false));
    if (!mine.signal.aborted && last?.lines) this.tell(last, true);
  }

  /** Stops until it is asked again, or, where the page was only hidden, until it is seen again. */
  stop() { this.#leave.abort(); }

  /** Stops for good. */
  rest() { this.#asked = null; this.stop(); }
}

// --- beside the board ------------------------------------------------------------------------------------------------

/** The classes with which a picture beside the board has its colours. */
export const colours = () => `hedgerow ${/theme-\S+/.exec(document.querySelector("root-board svg")?.getAttribute("class") ?? "")?.[0] ?? "theme-hedgerow"}`;

/** Everybody's chances as one bar. */
export function bar(values, seats) {
  const made = shape("svg", { class: `${colours()} bar`, viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": told(values, seats) });
  let from = 0;
  values.forEach((value, seat) => {
    made.append(shape("g", { class: `seat-${seat}` }, shape("rect", { class: "share", x: from * 100, width: value * 100, height: 10 })));
    from += value;
  });
  return made;
}

/** Chances in words. */
export const told = (values, seats) => percents(values).map((share, seat) => `${seats[seat]} ${share}`).join(", ");

/** What is known for certain, or expected, in a sentence. */
export function verdict(found, seats) {
  if (found.proven === -1) return _("It is a draw.");
  if (found.proven !== null) return _("{seat} wins by force.", { seat: seats[found.proven] });
  const best = found.lines[0];
  if (!best) return "";
  const leads = best.values.indexOf(Math.max(...best.values)), even = 1 / seats.length;
  const who = best.values[leads] - even < 0.05 ? _("The chances are even.") : _("{seat} is more likely to win.", { seat: seats[leads] });
  const scores = found.scores ? ` ${_("Expected score: {scores}.", { scores: found.scores.map((score, seat) => `${seats[seat]} ${Math.round(score)}`).join(", ") })}` : "";
  const lead = found.lead === null || Math.abs(found.lead) < LEAST_LEAD ? "" : ` ${_("Expected lead: {seat} by {points}.", { seat: seats[found.lead < 0 ? 1 : 0], points: Math.abs(found.lead).toFixed(1) })}`;
  return who + scores + lead;
}

/** Who speaks, and after how much work. */
export const speaker = (found) => {
  const n = found.iterations.toLocaleString(document.documentElement.lang), s = found.seconds.toFixed(1);
  return found.engine === "network" ? _("By the network: {n} visits in {s} s", { n, s }) : _("By search: {n} playouts in {s} s", { n, s });
};

/** A row for every good turn; pressing its turn plays it. */
export function rows(found, seats, play) {
  return found.lines.flatMap((line, n) => {
    const row = document.createElement("tr"), first = cell("th", String(n + 1), "rank"), turn = cell("td"), button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: line.turn, className: "quiet" });
    button.addEventListener("click", () => play(line.turn));
    turn.append(button);
    first.scope = "row";
    row.append(first, turn, ...percents(line.values).map((share, seat) => cell("td", certain(line, seat) ?? share, "number")));
    if (found.scores) row.append(cell("td", line.lead === null ? "" : signed(line.lead), "number"));
    const then = document.createElement("tr"), rest = cell("td", line.variation.slice(1).join(", "), "rest");
    then.className = "then";
    rest.colSpan = row.children.length - 1;
    then.append(cell("td"), rest);
    return [row, then];
  });
}

const signed = (lead) => `${Math.abs(lead) < 0.05 ? "" : lead > 0 ? "+" : "−"}${Math.abs(lead).toFixed(1)}`;
const certain = (line, seat) => (line.proven === null ? null : line.proven === -1 ? _("draw") : line.proven === seat ? _("wins") : _("loses"));

function cell(name, text = "", kind = "") {
  const made = /** @type {HTMLTableCellElement} */ (document.createElement(name));
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

// --- on the board ----------------------------------------------------------------------------------------------------

/** Takes off the board what was drawn there. @param {HTMLElement} board */
export const clean = (board) => board.querySelectorAll(".analysis").forEach((mark) => mark.remove());

/** Draws on the board what the machine sees there. @param {HTMLElement} board @param {{best: boolean, owners: boolean, heat: boolean, policy: boolean}} wanted */
export function paint(board, found, wanted) {
  clean(board);
  const point = (name) => board.querySelector(`.point[data-point="${CSS.escape(name)}"]`);
  if (wanted.owners && found.owners) for (const [name, shares] of Object.entries(found.owners)) own(point(name), shares);
  if (wanted.heat) for (const [name, heat] of Object.entries(found.heat)) warm(point(name), heat);
  if (wanted.best) found.lines.toReversed().forEach((line, back) => ghost(point, line, found.lines.length - back, found.to_move));
  if (wanted.policy && found.policy) for (const [name, chance] of Object.entries(found.policy)) first(point(name), chance);
}

/** Who will own a point: a tint, stronger the likelier it is, and that seat's hatch. */
function own(point, shares) {
  const seat = shares.indexOf(Math.max(...shares)), share = shares[seat];
  if (!point || share < LIKELY || point.querySelector(".piece")) return;
  const mark = shape("g", { class: `analysis expected seat-${seat}`, opacity: (share - 0.3).toFixed(2), "aria-hidden": "true" });
  mark.append(shape("circle", { class: "tint", r: 17 }), shape("path", { class: "hatch-edge", d: HATCHES[seat % 2] }), shape("path", { class: "hatch", d: HATCHES[seat % 2] }));
  point.prepend(mark);
}

/** Where the machine looks: the wider a ring, the more. */
function warm(point, heat) {
  if (heat >= 0.02) point?.append(shape("circle", { class: "analysis heat", r: (4 + 14 * Math.sqrt(heat)).toFixed(1), "aria-hidden": "true" }));
}

/** The network's first thought, before it searched: a percentage below the point. */
function first(point, chance) {
  if (!point || chance < 0.01) return;
  const number = shape("text", { class: "analysis policy label", y: 25, "aria-hidden": "true" });
  number.textContent = String(Math.round(100 * chance));
  point.append(number);
}

/** One of the best turns: a pale piece with its rank, and an arrow where a piece moves. */
function ghost(point, line, rank, seat) {
  for (const names of line.points) {
    const [from, to] = [point(names[0]), point(names.at(-1))];
    if (!from || !to || to.querySelector(".ghost")?.textContent === String(rank)) continue;
    if (from !== to) to.closest(".play")?.append(shape("g", { class: `analysis arrow rank-${rank}`, "aria-hidden": "true" }, way([spot(from), spot(to)])));
    to.querySelector(".ghost")?.remove();
    const number = shape("text", { class: "label" });
    number.textContent = String(rank);
    to.append(shape("g", { class: `analysis ghost rank-${rank} seat-${seat}`, "aria-hidden": "true" }, shape("circle", { class: "face", r: rank === 1 ? 15 : 11.5 }), number));
  }
}

const spot = (point) => (point.getAttribute("transform") ?? "0 0").match(/-?[\d.]+/g).slice(0, 2).map(Number);
