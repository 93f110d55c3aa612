// The button that turns the browser's own notifications on and off: nothing is asked for before it is pressed.

import { _, sentences } from "./words.js";

const WHERE = "/api/account/push";
const place = /** @type {HTMLElement} */ (document.getElementById("push"));
const button = /** @type {HTMLButtonElement} */ (place.querySelector("button"));
const told = /** @type {HTMLElement} */ (place.querySelector("[role=status]"));

/** @param {string} text */
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));

/** @param {boolean} on */
function show(on) {
  button.hidden = false;
  button.dataset.on = String(on);
  button.textContent = on ? _("Turn notifications off in this browser") : _("Turn notifications on in this browser");
}

async function turnOn() {
  if (await Notification.requestPermission() !== "granted") return _("The browser does not allow it. Its own settings for this page decide.");
  const { key } = await (await fetch(WHERE)).json();
  const worker = await navigator.serviceWorker.register("/worker.js");
  await navigator.serviceWorker.ready;
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  const answer = await fetch(WHERE, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(made) });
  if (!answer.ok) return sentences((await answer.json()).message);
  show(true);
  return _("This browser tells you now, even when no page is open.");
}

async function turnOff() {
  const worker = await navigator.serviceWorker.getRegistration("/");
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
  await fetch(WHERE, { method: "DELETE" });
  show(false);
  return _("This browser tells you nothing any more.");
}

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    told.textContent = await (button.dataset.on === "true" ? turnOff() : turnOn());
  } catch {
    told.textContent = _("It did not work: this browser has no push service here.");
  }
  button.disabled = false;
});

if ("serviceWorker" in navigator && "PushManager" in window) show(place.dataset.on === "true");
else told.textContent = _("This browser cannot show notifications here.");
