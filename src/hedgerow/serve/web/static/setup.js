// Setting up a position: a palette beside the board, and what is pressed there gets the chosen piece. It is loaded when it
// is asked for. The server draws what lies there and says whether it can be a position of the game.

import { find, make } from "./dom.js";
import { _, sentences } from "./words.js";

/** How a kind of piece is called; where all are of one kind, by their owner alone. */
const called = (piece, seats, pieces) => (pieces.length > seats.length ? `${seats[piece.seat]}: ${piece.kind}` : seats[piece.seat]);

export class Setup {
  #draft = /** @type {any} */ (null);
  #glyph = "";
  #asked = Promise.resolve();

  /** @param {{board: any, rules: string, seats: string[], say: (text: string) => void, done: (position: string) => void, left: () => void}} page */
  constructor(page) {
    this.page = page;
    this.place = find("palette");
    page.board.addEventListener("refuse", this.#press);
    find("palette-empty").onclick = () => this.#ask({ rows: this.#draft.rows.replace(/[^/.\d]/g, ".") });
    find("palette-start").onclick = () => this.#ask({ rows: "", to_move: 0 });
    find("palette-move").onchange = () => this.#ask({ to_move: Number(find("palette-move").value) });
    find("palette-done").onclick = () => page.done(this.#draft.position);
    find("palette-cancel").onclick = () => page.left();
  }

  /** Begins with the pieces of a position. @param {string} position */
  async begin(position) {
    const [rows, to_move] = position.split(" ");
    await this.#ask({ rows, to_move: Number(to_move) });
    if (!this.#draft) return;
    this.place.hidden = false;
    this.#offer();
    find("palette-move").replaceChildren(...this.page.seats.map((seat, n) => new Option(seat, String(n), false, n === this.#draft.to_move)));
    this.place.querySelector("input")?.focus({ preventScroll: true });
    this.page.board.scrollIntoView({ block: "nearest" });
  }

  /** Something else is on the board now. */
  end() {
    this.place.hidden = true;
    this.page.board.removeEventListener("refuse", this.#press);
  }

  /** A choice of pieces, and none at all. */
  #offer() {
    const { pieces } = this.#draft, { seats } = this.page;
    const choice = (glyph, name) => {
      const label = document.createElement("label"), field = make("input", { type: "radio", name: "piece", value: glyph, checked: glyph === this.#glyph });
      field.addEventListener("change", () => { this.#glyph = glyph; });
      label.append(field, ` ${name}`);
      return label;
    };
    this.#glyph = pieces[0].glyph;
    find("palette-pieces").replaceChildren(...pieces.map((piece) => choice(piece.glyph, called(piece, seats, pieces))), choice("", _("take off")));
  }

  #press = (event) => {
    this.#ask({ point: event.detail.name, glyph: this.#glyph });
  };

  /** Asks for a change of what lies there, after those before it, and shows it. */
  #ask(change) { return (this.#asked = this.#asked.then(() => this.#change(change))); }

  async #change(change) {
    const { rows, to_move } = this.#draft ?? {};
    const body = JSON.stringify({ rules: this.page.rules, rows, to_move, ...change });
    const answer = await fetch("/api/positions/draft", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(() => null);
    if (!answer) return this.page.say(_("The server cannot be reached just now. Try again in a moment."));
    const told = await answer.json();
    if (!answer.ok) return this.page.say(sentences(told.message));
    this.#draft = told;
    this.page.board.show(told.svg, this.page.seats);
    this.page.board.offer([]);
    this.page.say(told.position === null ? sentences(told.wrong) : "");
    find("palette-move").value = String(told.to_move);
    find("palette-done").disabled = told.position === null;
    const game = find("palette-game");
    game.hidden = told.setup === null && !told.not_setup;
    game.querySelectorAll("button").forEach((button) => { button.disabled = told.setup === null; });
    game.querySelector("[name=rules]").value = told.setup ?? "";
    find("palette-why").textContent = told.setup === null ? sentences(told.not_setup) : "";
  }
}
