// The parts of a game's page: which of them are there, and what they say. The server tells flags and slots (gameview.py);
// a part names the flags that it needs (data-when="over !seated"), words their slots (data-text="{name-0} won"), and a
// link the slot of its address (data-link="rematch").

/** @type {HTMLElement} */
const place = document.getElementById("game");
/** @param {string} what @returns {any[]} */
const all = (what) => [...place.querySelectorAll(what)];
const parts = all("[data-when]"), texts = all("[data-text]"), links = all("[data-link]"), seats = all(".seats li");

/** @type {Set<string>} */
export let flags = new Set(place.dataset.flags.split(" "));
/** @type {Record<string, string>} */
export let slots = {};

/** @param {string} when */
const holds = (when) => when.split(" ").filter(Boolean).every((flag) => flag.startsWith("!") ? !flags.has(flag.slice(1)) : flags.has(flag));

/** @param {string} words */
function filled(words) {
  let missing = false;
  const text = words.replace(/\{([\w-]+)\}/g, (_, name) => { missing ||= !slots[name]; return slots[name] ?? ""; });
  return missing ? "" : text;
}

/** Shows what the server told; what has not changed is left alone. @param {{flags: string[], slots: Record<string, string>}} told */
export function update(told) {
  [flags, slots] = [new Set(told.flags), told.slots];
  place.dataset.flags = told.flags.join(" ");
  for (const part of texts) {
    const words = filled(part.dataset.text);
    if (part.textContent !== words) part.textContent = words;
  }
  for (const link of links) if (slots[link.dataset.link]) link.href = slots[link.dataset.link];
  for (const part of parts) {
    const hidden = !holds(part.dataset.when);
    if (part.hidden !== hidden) part.hidden = hidden;
  }
  seats.forEach((seat, n) => { for (const mark of ["mover", "out"]) seat.classList.toggle(mark, flags.has(`${mark}-${n}`)); });
}

/** The keyboard is at something that is not there any more. */
export const lost = () => !!document.activeElement?.closest("[hidden]");
