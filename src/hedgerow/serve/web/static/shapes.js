// What the board draws over the server's picture: small shapes, told apart by form and not by colour.

const SVG = "http://www.w3.org/2000/svg";
/** How far neighbouring points are apart in a picture. */
const STEP = 40;

/** @param {string} name @param {Record<string, string | number>} [how] @param {...Node} inside @returns {SVGElement} */
export function shape(name, how = {}, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(how)) made.setAttribute(key, String(value));
  made.append(...inside);
  return made;
}

/** @param {string} kind @param {number} radius */
export const circle = (kind, radius) => shape("circle", { class: kind, r: radius });
export const cross = () => shape("path", { class: "gone", d: "M-7 -7L7 7M-7 7L7 -7" });
/** A piece that would go: struck out. One that would become another: turning. */
export const strike = () => shape("g", { class: "strike" }, circle("rim", 17.5), shape("path", { d: "M-12 12L12 -12" }));
export const turning = () => shape("path", { class: "turning", d: "M-17 -7A18.4 18.4 0 0 1 17 -7l0 -7m0 7l-7 0M17 7A18.4 18.4 0 0 1 -17 7l0 7m0 -7l7 0" });

/** @param {string} kind @param {string} words @param {number} [x] @param {number} [y] */
export function letters(kind, words, x = 0, y = 0) {
  const said = shape("text", { class: "letters" });
  said.textContent = words;
  return shape("g", { class: kind, transform: `translate(${x} ${y})` }, circle("plate", 9.5), said);
}

const FORMS = ["M-5 -5H5V5H-5Z", "M5.5 0A5.5 5.5 0 1 0 -5.5 0A5.5 5.5 0 1 0 5.5 0Z", "M0 -6.2L6 4.6H-6Z", "M0 -6.6L6.6 0L0 6.6L-6.6 0Z"];
const SIGNS = ["■", "○", "▲", "◆"];

/** The sign of a kind, which is its number where its name begins with one. @param {string} kind @param {number} order */
export const sign = (kind, order) => /^\d+/.exec(kind)?.[0] ?? SIGNS[order % SIGNS.length];

/** @param {string} kind @param {number} order */
export function badge(kind, order) {
  const form = shape("path", { class: `form form-${order % FORMS.length}`, d: FORMS[order % FORMS.length] });
  const made = /^\d/.test(kind) ? letters("apart", sign(kind, order)) : shape("g", { class: "apart" }, circle("plate", 9.5), form);
  made.setAttribute("aria-hidden", "true"); // the point's own name says it
  return made;
}

/** The way of a piece, with a head where it lands. @param {number[][]} spots */
export function way(spots) {
  const [x, y] = spots.at(-1), [from, down] = spots.at(-2), far = Math.hypot(x - from, y - down);
  const [right, low] = [(x - from) / far * 8, (y - down) / far * 8];
  const head = `M${x - right * 3 - low} ${y - low * 3 + right}L${x - right * 1.6} ${y - low * 1.6}L${x - right * 3 + low} ${y - low * 3 - right}`;
  return shape("path", { class: "way", d: `M${spots[0].join(" ")}L${x - right * 1.6} ${y - low * 1.6}${head}` });
}

/** A ring from where something lands round all that it reaches. @param {number[]} spot @param {number[][]} reached */
export function ripple(spot, reached) {
  const far = Math.max(...reached.map((other) => Math.hypot(other[0] - spot[0], other[1] - spot[1])));
  return shape("g", { transform: `translate(${spot.join(" ")})` }, circle("ripple", far + 14));
}

/** The border of a set of squares. @param {number[][]} spots @param {number} order */
export function border(spots, order) {
  const there = new Set(spots.map(String)), half = STEP / 2;
  let drawn = "";
  for (const [x, y] of spots) {
    if (!there.has(String([x, y - STEP]))) drawn += `M${x - half} ${y - half}h${2 * half}`;
    if (!there.has(String([x, y + STEP]))) drawn += `M${x - half} ${y + half}h${2 * half}`;
    if (!there.has(String([x - STEP, y]))) drawn += `M${x - half} ${y - half}v${2 * half}`;
    if (!there.has(String([x + STEP, y]))) drawn += `M${x + half} ${y - half}v${2 * half}`;
  }
  return shape("path", { class: `range range-${order}`, d: drawn });
}
