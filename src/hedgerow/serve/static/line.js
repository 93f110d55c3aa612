// The line to a game on the server: what happens comes down it; where it breaks, that is said, and it is taken up again.
//
//   const line = new Line(id, version, { hear, back });   hear(message), and back() when it holds again
//   line.version = 12                                     what is known, so that only what is newer comes
//   await line.attempt(async () => { await ask(url) })    done again by back() where the line breaks in between

class Broken extends Error {}

/** Like fetch, but a line that breaks is a Broken. @param {string} where @param {RequestInit} [how] */
export const ask = (where, how) => fetch(where, how).catch(() => { throw new Broken(); });

const FIRST = 500, LONGEST = 8000;

export class Line {
  #socket = null;
  #wait = FIRST;

  constructor(id, version, { hear, back }) {
    this.id = id;
    this.version = version;
    this.sign = document.getElementById("line");
    this.hear = hear;
    this.back = back;
    addEventListener("offline", () => { const left = this.#socket; this.broken(); left?.close(); });
    addEventListener("online", () => { this.#wait = FIRST; this.follow(); });
    this.follow();
  }

  async attempt(what) {
    try {
      await what();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.broken();
    }
  }

  /** Says so, and tries again, a little later every time. */
  broken() {
    if (!this.#socket) return;
    this.#socket = null;
    this.sign.hidden = false;
    setTimeout(() => this.follow(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST);
  }

  /** Follows the game from the version known. */
  follow() {
    if (this.#socket) return;
    const at = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/games/${this.id}/socket?since=${this.version}`;
    const socket = this.#socket = new WebSocket(at);
    const still = (what) => (event) => { if (this.#socket === socket) what(event); };
    socket.addEventListener("open", still(() => this.#holds()));
    socket.addEventListener("message", still((event) => this.hear(JSON.parse(event.data))));
    socket.addEventListener("close", still(() => this.broken()));
  }

  #holds() {
    const away = !this.sign.hidden;
    this.sign.hidden = true;
    this.#wait = FIRST;
    if (away) this.back();
  }
}
