// The line to a game on the server: what happens comes down it, turns go up it; where it breaks, that is said, and it is
// taken up again.
//
//   const line = new Line(id, { hear, query });           hear(message); query() is added to the address: what is known
//   line.send({ type: "turn", … })                        true if it is on its way
//   await line.attempt(async () => { await ask(url) })    a request that breaks is a line that breaks

class Broken extends Error {}

/** Like fetch, but a line that breaks is a Broken. @param {string} where @param {RequestInit} [how] */
export const ask = (where, how) => fetch(where, how).catch(() => { throw new Broken(); });

const FIRST = 500, LONGEST = 8000;

export class Line {
  /** @type {WebSocket | null} */
  #socket = null;
  #wait = FIRST;

  /** @param {string} id @param {{hear: (message: any) => void, query: () => string}} handlers */
  constructor(id, { hear, query }) {
    this.id = id;
    this.sign = document.getElementById("line");
    this.hear = hear;
    this.query = query;
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

  /** Follows the game. */
  follow() {
    if (this.#socket) return;
    const at = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/games/${this.id}/socket?view=page&${this.query()}`;
    const socket = this.#socket = new WebSocket(at);
    const still = (what) => (event) => { if (this.#socket === socket) what(event); };
    socket.addEventListener("open", still(() => { this.sign.hidden = true; this.#wait = FIRST; }));
    socket.addEventListener("message", still((event) => this.hear(JSON.parse(event.data))));
    socket.addEventListener("close", still(() => this.broken()));
  }

  /** @param {object} message */
  send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }
}
