// What is said about a game: every message is shown once, in its room. Who reads on stays at the newest line; what came
// unseen is counted on the panel's head; what is refused is said where it was typed.

import { find } from "./dom.js";
import { _, _n } from "./words.js";

const panel = find("talk"), place = find("lines"), mark = find("unread"), pattern = find("line-said");
const game = find("game").dataset.game, own = Number(find("game").dataset.account);
/** A line that is so many pixels above the end still counts as the end. */
const END = 24;
/** Of so many games it is kept which line was seen last. */
const GAMES = 100;
const KEPT = "hedgerow.said";

/** @returns {any[]} */
const lines = () => [...place.querySelectorAll("[data-said]")];
/** @returns {any[]} */
const rooms = () => [...place.querySelectorAll(".chat")];

/** The number of the last message that is shown. */
export const last = () => Math.max(0, ...lines().map((line) => Number(line.dataset.said)));

// --- showing ---------------------------------------------------------------------------------------------------------

/** @param {{id: number, room: string, account: number, name: string, text: string, bot?: boolean}} said */
export function show(said) {
  const room = place.querySelector(`[data-room="${said.room}"]`);
  if (!room || room.querySelector(`[data-said="${said.id}"]`)) return;
  const stays = said.account === own || ended(room);
  const silent = room.querySelector(".silent");
  silent.before(filled(said));
  silent.hidden = true;
  panel.classList.add("peopled");
  if (stays) room.scrollTop = room.scrollHeight;
  look();
}

function filled(said) {
  const line = document.importNode(pattern.content, true).querySelector("li");
  Object.assign(line.dataset, { said: said.id, by: said.account });
  line.querySelector("b").textContent = said.name;
  line.querySelector(".bot").hidden = !said.bot;
  line.querySelector(".words").textContent = said.text;
  if (said.account === own) line.querySelector("details")?.remove();
  for (const form of line.querySelectorAll("form")) {
    form.action = form.action.replace(/\/0(?=\/report$|$)/, `/${form.dataset.to === "report" ? said.id : said.account}`);
  }
  for (const mute of line.querySelectorAll("[value=mute]")) mute.textContent = mute.textContent.replace("…", said.name);
  return line;
}

// --- seen or not -----------------------------------------------------------------------------------------------------

/** The reader is at the newest line, or there is nothing to scroll. @param {Element} room */
const ended = (room) => room.scrollHeight - room.scrollTop - room.clientHeight < END;

/** The last line of every game that was seen. @returns {Record<string, number>} */
function kept() {
  try { return JSON.parse(localStorage.getItem(KEPT) ?? "{}"); } catch { return {}; }
}

let seen = kept()[game] ?? 0;

/** Whether a room's newest line is before the reader's eyes. @param {Element} room */
function watched(room) {
  const { top, bottom, height } = room.getBoundingClientRect();
  return panel.open && !document.hidden && height > 0 && bottom > 0 && top < innerHeight && ended(room);
}

/** Counts what was not seen yet, or keeps that all of it was. */
function look() {
  const shown = rooms().filter((room) => !room.parentElement.hidden);
  const missed = lines().filter((line) => Number(line.dataset.said) > seen && Number(line.dataset.by) !== own && shown.includes(line.parentElement));
  if (missed.length && missed.every((line) => watched(line.parentElement))) return saw();
  mark.hidden = !missed.length;
  mark.textContent = missed.length ? _n("{n} new", "{n} new", missed.length) : "";
}

function saw() {
  [seen, mark.hidden, mark.textContent] = [last(), true, ""];
  const all = Object.entries({ ...kept(), [game]: seen });
  try { localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(all.slice(-GAMES)))); } catch { /* then only this page knows */ }
}

/** To the newest lines. */
function newest() { for (const room of rooms()) room.scrollTop = room.scrollHeight; }

const tab = matchMedia("(max-width: 74.99rem), (max-height: 37.99rem)");
if (tab.matches && panel.classList.contains("peopled") && location.hash !== "#talk" && !panel.querySelector(":scope > form .said:not(:empty)")) panel.open = false;
panel.classList.add("ready");
newest();
look();
panel.addEventListener("toggle", () => { if (panel.open) newest(); look(); });
panel.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !tab.matches || !panel.classList.contains("peopled")) return;
  panel.open = false;
  panel.querySelector("summary").focus();
});
place.addEventListener("scroll", look, true);
document.addEventListener("visibilitychange", look);
new IntersectionObserver(look).observe(place);

// --- saying ----------------------------------------------------------------------------------------------------------

/** What was sent last, until another is; a refusal gives it back. */
let sent = { form: null, text: "" };

/** Sends what was typed. @param {HTMLFormElement} form @param {{text: any}} told @param {{send: (told: object) => boolean}} line */
export function send(form, told, line) {
  complain(form, "");
  if (!line.send(told)) return complain(form, _("Not sent: there is no connection just now."));
  sent = { form, text: told.text };
  form.reset();
}

/** The server did not take it. @param {string} why */
export function refused(why) {
  const { form, text } = sent, field = form?.elements.namedItem("text");
  if (!field) return;
  field.value ||= text;
  complain(form, why);
}

/** @param {any} form @param {string} why */
function complain(form, why) {
  form.querySelector(".said").textContent = why;
  form.elements.namedItem("text").setAttribute("aria-invalid", String(!!why));
}

panel.addEventListener("input", ({ target }) => { if (target.name === "text" && target.form?.querySelector(".said")) complain(target.form, ""); });
