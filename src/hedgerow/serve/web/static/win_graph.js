// The win graph on the page: asked for by a button, drawn while it comes, and a way to every turn it shows.

import { find, make } from "./dom.js";
import { drawn, fell, legend, progress, spoken, table } from "./graph.js";
import { _, sentences } from "./words.js";

export class WinGraph {
  /** The turns that the graph is about, from the start of the game, and everybody's chances after each. @type {any[]} */
  #turns = [];
  /** @type {any[]} */
  #chances = [];
  /** @type {any[]} */
  #turning = [];
  #root = /** @type {any} */ (null);
  #at = /** @type {any} */ (null);
  #leave = new AbortController();

  /** @param {{go: Function, asked: Function, seats: Function, light: Function}} page @param {Function} follow */
  constructor(page, follow) {
    this.page = page;
    this.follow = follow;
    this.button = find("went");
    if (!this.button) return;
    this.button.addEventListener("click", () => this.#draw());
    find("when").addEventListener("input", () => this.#to(Number(find("when").value)));
    find("curves").addEventListener("click", (event) => this.#click(event));
  }

  /** The tree has changed. @param {any} root */
  changed(root) {
    this.#root = root;
    if (!this.button) return;
    this.button.disabled = !root.children.length;
    const same = root.line.map((turn) => turn.text).join() === this.#turns.slice(1).map((turn) => turn.text).join();
    this.button.textContent = this.#turns.length && !same ? _("Update the win graph") : _("Draw the win graph");
    this.button.hidden = this.#turns.length > 1 && same;
  }

  /** We are somewhere else now. */
  mark(at) {
    this.#at = at;
    const here = this.#turns.lastIndexOf(at);
    if (here < 0 || !this.#chances.length) return void find("graph")?.querySelector(".now")?.remove();
    find("when").value = at.number;
    find("when").setAttribute("aria-valuetext", spoken(at.number, this.#chances[at.number], this.page.seats()));
    this.#line(at.number);
  }

  async #draw() {
    const last = this.#root.last;
    this.#leave.abort();
    this.#leave = new AbortController();
    [this.#turns, this.#chances, this.#turning] = [[this.#root, ...last.path], [], []];
    find("when").max = last.number;
    find("graph").hidden = false;
    find("legend").replaceChildren(legend(this.page.seats()));
    find("falls").replaceChildren();
    this.changed(this.#root);
    this.#show();
    await this.follow("/api/positions/analysis/graph", this.page.asked(last), this.#leave.signal, (one) => this.#take(one, last.number));
  }

  #take(one, all) {
    if (one.preparing) return void (find("progress").textContent = _("Preparing the engine for this game. This takes a while only the first time."));
    if (one.message) { find("progress").textContent = sentences(one.message); this.#turns = []; return this.changed(this.#root); }
    if (one.turning) {
      one.values.forEach((values, n) => { this.#chances[n].values = values; });
      this.#turning = one.turning;
      this.#done();
    }
    else { this.#chances.push(one); find("progress").textContent = progress(this.#chances.length, all + 1); }
    this.#show();
  }

  /** All is known: the turning points in words, and the whole as a table. */
  #done() {
    const seats = this.page.seats();
    find("progress").textContent = this.#turning.length ? "" : _("No single turn decided this game.");
    find("falls").replaceChildren(...this.#turning.map((point) => {
      const item = document.createElement("li"), button = make("button", { type: "button", className: "quiet", textContent: fell(point, seats) });
      button.addEventListener("click", () => this.#try(point));
      item.append(button);
      return item;
    }));
    find("table").replaceChildren(table(this.#chances, seats));
    find("table").closest("details").hidden = false;
  }

  /** The position before a turning point, with the better turn pointed at. */
  async #try(point) {
    const turn = this.#turn(point.turn);
    await this.page.go(turn);
    this.page.light(turn, point.better);
    find("board").scrollIntoView({ block: "nearest" });
  }

  #show() {
    find("curves").replaceChildren(drawn(this.#chances, Number(find("when").max), this.page.seats(), this.#turning));
    if (this.#at) this.mark(this.#at);
  }

  #line(number) {
    find("curves").querySelector(".now")?.remove();
    const x = (number / Math.max(1, Number(find("when").max))) * 600, line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", "now");
    line.setAttribute("d", `M${x} 0V120`);
    find("curves").firstElementChild?.append(line);
  }

  #turn(number) { return this.#turns.filter((turn) => turn.number <= number).at(-1); }

  #to(number) { const turn = this.#turn(number); if (turn && turn !== this.#at) this.page.go(turn); }

  #click(event) {
    const box = find("curves").getBoundingClientRect();
    this.#to(Math.round(((event.clientX - box.left) / box.width) * Number(find("when").max)));
  }
}
