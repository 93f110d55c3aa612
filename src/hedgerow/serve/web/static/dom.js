// What several scripts need of the page: elements found and made.

import { _ } from "./words.js";

/** Where keys have a meaning of their own: they are typed there, or move about a board. */
export const ELSEWHERE = "input, textarea, select, root-board, [contenteditable]";

/** @param {string} id @returns {any} the element of that id */
export const find = (id) => document.getElementById(id);

/** @param {string} tag @param {object} [properties] @returns {any} a new element with these properties */
export const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

/** @param {string} textContent @param {(event: Event) => void} press @returns {any} a button that does something */
export function button(textContent, press) {
  const made = make("button", { type: "button", textContent });
  made.addEventListener("click", press);
  return made;
}

/** Says something in a place, with a link to the rule that has to do with it. @param {any} place @param {string} clause */
export function write(place, words, game = "", clause = "") {
  place.textContent = words;
  if (clause) place.append(" ", make("a", { href: `/rules/${game}#r${clause}`, textContent: _("rule {clause}", { clause }) }));
}
