// The lobby as it is now, without loading the page again: looks every few seconds, and changes only what changed.

const EVERY = 4000;
const rooms = /** @type {HTMLElement} */ (document.getElementById("open"));

async function look() {
  if (document.hidden || rooms.contains(document.activeElement)) return;
  const answer = await fetch("/lobby", { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("open");
  if (fresh && fresh.innerHTML !== rooms.innerHTML) rooms.replaceChildren(...fresh.childNodes);
}

setInterval(() => look().catch(() => { /* the next look may find it */ }), EVERY);
document.addEventListener("visibilitychange", () => look().catch(() => {}));
