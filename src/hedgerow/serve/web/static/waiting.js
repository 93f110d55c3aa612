// While a game of the reader's waits for others, every page listens for its beginning. Who waits in the lobby is taken to
// it; other pages say so, with a link. One tab of the browser listens and tells the others.

import { play as sound } from "./sound.js";
import { lines } from "./stream.js";
import { _ } from "./words.js";

const FIRST = 1000, LONGEST = 30000;
const waiting = new Set(document.body.dataset.waiting?.split(" "));
const others = new BroadcastChannel("begun");
const leave = new AbortController();

/** Something of the account's stream of events. @param {{type: string, game?: string}} told */
function hear({ type, game = "" }) {
  if (!waiting.has(game) || (type !== "game_began" && type !== "challenge_gone")) return;
  waiting.delete(game);
  if (type === "game_began") begun(`/games/${game}`);
  if (!waiting.size) leave.abort();
}

/** @param {string} where */
function begun(where) {
  if (location.pathname === "/lobby") return location.assign(where);
  const place = /** @type {HTMLElement} */ (document.querySelector("#begun span"));
  /** @type {HTMLAnchorElement} */ (place.querySelector("a")).href = where;
  place.hidden = false;
  document.title = `${_("Your game has begun.")} · Hedgerow`;
  sound("turn");
}

/** Listens until there is nothing left to wait for; where the line breaks, it is taken up again. */
async function listen() {
  for (let wait = FIRST; waiting.size; wait = Math.min(2 * wait, LONGEST)) {
    try {
      const answer = await fetch("/api/stream", { signal: leave.signal });
      if (answer.status === 401) return;
      if (answer.ok) for await (const told of lines(answer)) {
        wait = FIRST;
        if (told.game) others.postMessage(told);
        hear(told);
      }
    } catch { /* it is tried again, unless there is nothing to wait for */ }
    if (waiting.size) await pause(wait);
  }
  await pause(FIRST); // until the other tabs have heard it, too, and do not listen in their turn
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

others.addEventListener("message", ({ data }) => hear(data));
// A page that listens would hold one of the few connections that a browser has to a server: one does it for all.
if (navigator.locks) navigator.locks.request("begun", listen);
else listen();
