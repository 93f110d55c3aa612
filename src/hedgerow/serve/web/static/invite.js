// The link of a game that waits for somebody: copied by a press, and handed to other programs where the browser can.

import { make } from "./dom.js";
import { _ } from "./words.js";

/** @param {HTMLElement} place */
export function invite(place) {
  const link = place.querySelector("a")?.href;
  if (!link) return;
  const does = { copy: () => copy(link), share: () => navigator.share({ title: document.title, url: link }).catch(() => {}) };
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-do]"))) {
    const what = /** @type {keyof does} */ (button.dataset.do);
    if (what === "share" && !navigator.share) { button.hidden = true; continue; }
    button.classList.remove("later");
    button.addEventListener("click", does[what]);
  }
}

/** Without HTTPS a page may only copy what is selected. @param {string} link */
async function copy(link) {
  const told = /** @type {HTMLElement} */ (document.getElementById("copied"));
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(link);
    else select(link);
    told.textContent = _("Copied.");
  } catch {
    told.textContent = _("It could not be copied.");
  }
}

/** @param {string} link */
function select(link) {
  const field = make("input", { value: link });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("not copied");
}
