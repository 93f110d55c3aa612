// After a game that was lost to the machine: the server looks for the turn that gave most away, and one may try again.

import { lines } from "./stream.js";
import { _, sentences } from "./words.js";

const place = document.getElementById("turning");

/** Begins to look where the page asks for it; what is found stays there. */
export async function consider(id) {
  const form = place?.querySelector("form[action$=turning-point]");
  if (!form || place.hidden) return;
  const progress = document.createElement("progress"), words = document.createElement("p");
  words.textContent = _("Looking for the turning point …");
  words.setAttribute("role", "status");
  words.append(progress);
  form.replaceWith(words);
  try {
    const answer = await fetch(`/api/games/${id}/turning-point`);
    if (!answer.ok) return void (words.textContent = sentences((await answer.json()).message));
    for await (const step of lines(answer)) {
      [progress.max, progress.value] = [step.of, step.looked];
      if (step.message) words.textContent = sentences(step.message);
      else if (step.done) tell(id, step.point, words);
    }
  } catch { // the line broke; a form does it without one
    words.replaceWith(form);
  }
}

const percent = (chance) => Math.round(100 * chance);

function tell(id, point, words) {
  if (!point) return void (words.textContent = _("No single turn decided this game."));
  const link = document.createElement("a"), button = document.createElement("button");
  link.href = `?turn=${point.turn + 1}`;
  link.textContent = _("Turn {n}, {turn}", { n: point.turn + 1, turn: point.played });
  const fell = _("your chance fell from {before} % to {after} %; better was {better}.", { before: percent(point.before), after: percent(point.after), better: point.better });
  words.replaceChildren(link, `: ${fell}`);
  button.type = "button";
  button.className = "first";
  button.textContent = _("Try again from there");
  button.addEventListener("click", () => again(id, point.turn, words));
  place.append(button);
}

async function again(id, turn, words) {
  const asked = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ turn }) };
  const answer = await fetch(`/api/games/${id}/again`, asked).catch(() => null);
  const made = answer ? await answer.json() : { message: _("The server cannot be reached just now. Try again in a moment.") };
  if (made.id) location.assign(`/games/${made.id}`);
  else words.textContent = sentences(made.message);
}
