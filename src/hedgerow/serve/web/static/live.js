// The live line of every page: what calls for the reader. The server says that something may be new, and the line is
// fetched again; what is new is also in the title, on the badge and, where that is wanted, heard. Whoever waits for a game
// in the lobby or at a list is taken to it. One tab of the browser listens and tells the others.

import { play as sound } from "./sound.js";

const SOON = 150;
const AGAIN = 30_000, LONGEST = 600_000;
const WAITS = ["/lobby", "/your-games"];
const place = /** @type {HTMLElement} */ (document.getElementById("live")), others = new BroadcastChannel("live");
const calls = () => /** @type {HTMLElement[]} */ ([...place.querySelectorAll("[data-news]")]);
const key = (/** @type {HTMLElement} */ call) => call.dataset.news ?? "";
let known = new Set(calls().map(key)), asked = 0, soon = 0;
/** The title that the page had before something new stood there. */
let before = "";

/** Something may be new. */
function ring() {
  clearTimeout(soon);
  soon = setTimeout(() => look().catch(() => { /* the next ring may bring it */ }), SOON);
}

async function look() {
  asked = performance.now();
  const answer = await fetch(`/live?at=${encodeURIComponent(location.pathname)}`);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const badge = fresh.querySelector(".notices"), line = fresh.getElementById("live");
  if (!line) return;
  if (badge) document.querySelector(".own > .notices")?.replaceWith(badge);
  if (line.innerHTML !== place.innerHTML && !place.contains(document.activeElement)) place.replaceChildren(...line.childNodes);
  tell(calls().filter((call) => !known.has(key(call))));
  known = new Set(calls().map(key));
}

/** @param {HTMLElement[]} some */
function tell(some) {
  const begun = some.find((call) => key(call).startsWith("begun:"));
  if (begun && WAITS.includes(location.pathname)) return location.assign(`/games/${key(begun).slice(6)}`);
  if (some.length) {
    before ||= document.title;
    document.title = `${some[0].querySelector(".words")?.textContent} · Hedgerow`;
    sound("turn");
  } else if (before && !calls().length) [document.title, before] = [before, ""];
  mark(calls().length);
}

/** The number in the title, and on the icon where the browser shows one. @param {number} count */
function mark(count) {
  document.title = document.title.replace(/^(\(\d+\) )?/, count ? `(${count}) ` : "");
  const { setAppBadge } = /** @type {any} */ (navigator);
  setAppBadge?.call(navigator, count).catch(() => {});
}

/** What can be answered without leaving the page is answered here. */
place.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.dataset.stay === undefined) return;
  event.preventDefault();
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  /** @type {HTMLElement} */ (document.activeElement)?.blur();
  await fetch(form.action, { method: "POST", body: fields, redirect: "manual" }).catch(() => {});
  ring();
});

/** Hangs the bell; the browser takes a line that breaks up again, but not one that is refused. */
function hang(wait = AGAIN) {
  const bell = new EventSource("/api/bell");
  bell.addEventListener("open", () => { wait = AGAIN; });
  bell.addEventListener("message", () => { others.postMessage(""); ring(); });
  bell.addEventListener("bye", () => bell.close());
  bell.addEventListener("error", () => {
    if (bell.readyState === EventSource.CLOSED) setTimeout(hang, wait, Math.min(2 * wait, LONGEST));
  });
}

/** Until the page is left. */
const listen = () => new Promise(() => hang());

others.addEventListener("message", ring);
document.addEventListener("visibilitychange", () => { if (!document.hidden && performance.now() - asked > 5000) ring(); });
// A page that listens holds one of the few connections that a browser has to a server: one does it for all.
if (navigator.locks) navigator.locks.request("live", listen);
else listen();
