// Keeps a plan on the server: one request at a time, and the newest plan wins. What fails is told and tried again until
// it is kept; what is refused is told with the reason.
//
//   const keeper = new Keeper(id, tell);   tell(words, good) says how it went; good is null while it is on its way
//   keeper.keep(lines, version)            lines that begin at a version of the game
//   keeper.unsaved                         something is not kept yet

import { _, _n, sentences } from "./words.js";

const FIRST = 1000, LONGEST = 15_000, PATIENCE = 20_000;
/** The game has moved on: the plan is sent again when the page knows where it stands. */
const MOVED = ["stale", "your_turn"];

/** Asks the server; null where it cannot be reached. @param {string} where @param {string} method @param {object} [body] */
export async function asked(where, method, body) {
  const sent = body ? { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
  try {
    const answer = await fetch(where, { method, signal: /** @type {any} */ (AbortSignal).timeout(PATIENCE), ...sent });
    return { ok: answer.ok, later: answer.status === 429 || answer.status >= 500, told: await answer.json() };
  } catch { return null; }
}

/** What was refused, in words. */
export const refusal = (told) => sentences(told.message ?? _("The server cannot help just now."));

export const kept = (lines) => (lines.length ? _n("Saved: one line.", "Saved: {n} lines.", lines.length) : _("Saved: nothing is planned."));

export class Keeper {
  #going = false;
  #wait = FIRST;
  #timer = 0;
  /** What is to be kept and is not yet. @type {{lines: string[][], number: number} | null} */
  #wanted = null;
  /** What the server has, as text. */
  #known = "[]";

  /** @param {string} id @param {(words: string, good: boolean | null) => void} tell */
  constructor(id, tell) {
    this.where = `/api/games/${id}/plan`;
    this.tell = tell;
    addEventListener("online", () => { this.#wait = FIRST; this.#send(); });
    addEventListener("beforeunload", (event) => { if (this.unsaved) event.preventDefault(); });
  }

  get unsaved() { return this.#wanted !== null; }

  /** The server has these lines, and nothing else is wanted. @param {string[][]} lines */
  known(lines) { [this.#known, this.#wanted] = [JSON.stringify(lines), null]; }

  /** Tries nothing until it is asked to keep something again: nothing can be kept now. */
  hold() { clearTimeout(this.#timer); }

  /** @param {string[][]} lines @param {number} number */
  keep(lines, number) {
    if (!this.#wanted && JSON.stringify(lines) === this.#known) return;
    [this.#wanted, this.#wait] = [{ lines, number }, FIRST];
    this.#send();
  }

  async #send() {
    clearTimeout(this.#timer);
    if (this.#going || !this.#wanted) return;
    const sent = this.#wanted;
    this.#going = true;
    this.tell(_("Saving …"), null);
    const answer = await asked(this.where, "PUT", sent);
    this.#going = false;
    if (sent !== this.#wanted) return this.#send();
    if (!answer || answer.later) return this.#again(answer ? refusal(answer.told) : _("The server cannot be reached."));
    if (MOVED.includes(answer.told.code)) return; // what the game's line tells next brings it up again
    if (!answer.ok) return this.tell(_("Not saved. {why}", { why: refusal(answer.told) }), false);
    this.known(sent.lines);
    this.tell(kept(sent.lines), true);
  }

  /** A little later every time. */
  #again(why) {
    this.tell(_("Not saved yet. {why} Trying again …", { why: /[.!?]$/.test(why) ? why : `${why}.` }), false);
    this.#timer = setTimeout(() => this.#send(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST);
  }
}
