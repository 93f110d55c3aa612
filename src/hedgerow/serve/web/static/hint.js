// A hint on the board: first where to look, then the turn.

import { ask } from "./line.js";
import { _, sentences } from "./words.js";

/** What the engine would play in a version of the game, and how much of it has been told. */
let known = { version: -1, turn: "", points: [], told: 0 };

/** @param {string} id @param {number} version @param {any} board @param {(words: string) => void} say */
export async function hint(id, version, board, say) {
  if (known.version !== version) {
    say(_("Thinking …"));
    const slow = setTimeout(() => say(_("Preparing the engine for this game. This takes a while only the first time.")), 4000);
    const answer = await ask(`/api/games/${id}/analysis?lines=1&seconds=1`), found = await answer.json();
    clearTimeout(slow);
    if (!answer.ok) return say(sentences(found.message ?? _("The engine cannot help now.")));
    if (!found.lines.length) return say(_("The engine cannot help now."));
    known = { version, turn: found.lines[0].turn, points: found.lines[0].points.flat(), told: 0 };
  }
  const area = board.area(known.points[0]);
  if (known.told++ || !area.length) {
    board.light(known.points);
    return say(_("Consider {turn}.", { turn: known.turn }));
  }
  board.light(area);
  say(_("Look around here. Press Hint again for the turn."));
}
