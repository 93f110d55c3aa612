// What is said about a game: every message is shown once, in its room.

/** @type {HTMLElement} */
const place = document.getElementById("lines");
/** @type {HTMLTemplateElement} */
const pattern = /** @type {any} */ (document.getElementById("line-said"));

/** The number of the last message that is shown. */
export const last = () => Math.max(0, ...[...place.querySelectorAll("[data-said]")].map((/** @type {any} */ line) => Number(line.dataset.said)));

/** @param {{id: number, room: string, account: number, name: string, text: string, bot?: boolean}} said @param {number} own */
export function show(said, own) {
  const room = place.querySelector(`[data-room="${said.room}"]`);
  if (!room || room.querySelector(`[data-said="${said.id}"]`)) return;
  /** @type {any} */
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
  const silent = room.querySelector(".silent");
  silent.before(line);
  /** @type {any} */ (silent).hidden = true;
  room.scrollTop = room.scrollHeight;
}
