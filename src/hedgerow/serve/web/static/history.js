// Looking back: the list of turns, the position after each of them, and the way back to now.
//
//   const past = new Past(id, { show, now });   show(told) draws a position of then; now() the present one
//   past.list(turns, version)                   the turns as the server tells them
//   past.at                                     after how many turns one looks, or null for now

import { ELSEWHERE, find } from "./dom.js";
import { ask } from "./line.js";
import { _ } from "./words.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

export class Past {
  #turns = [];
  #version = -1;
  #seen = new Map();
  #asked = 0;

  constructor(id, { show, now, attempt }) {
    this.id = id;
    this.show = show;
    this.now = now;
    this.attempt = attempt;
    const given = find("game").dataset.turn;
    this.at = given === undefined ? null : Number(given);
    find("game").addEventListener("click", (event) => this.#click(event));
    addEventListener("keydown", (event) => this.#key(event));
  }

  list(turns, version) {
    if (version !== this.#version) this.#seen.clear();
    if (this.at !== null && turns.length > this.#turns.length && this.#version >= 0) find("newer").hidden = false;
    [this.#turns, this.#version] = [turns, version];
    const list = find("turns");
    turns.forEach((text, n) => this.#item(list, n, text));
    while (list.children.length > turns.length) list.lastElementChild.remove();
    find("none").hidden = turns.length > 0;
    if (this.at !== null && this.at > turns.length) this.go(turns.length);
    else this.mark();
  }

  #item(list, n, text) {
    const found = list.children[n];
    if (found) {
      if (found.firstElementChild.textContent !== text) found.firstElementChild.textContent = text;
      return;
    }
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = `?turn=${n + 1}`;
    link.textContent = text;
    item.append(link);
    list.append(item);
  }

  /** Marks the turn that is shown, brings it into view, and says which it is. */
  mark() {
    if (this.#version < 0) return;
    const at = this.at ?? this.#turns.length, list = find("turns"), all = this.#turns.length;
    [...list.children].forEach((item, n) => {
      if (n + 1 === at) item.firstElementChild.setAttribute("aria-current", "true");
      else item.firstElementChild.removeAttribute("aria-current");
    });
    const item = list.children[at - 1];
    if (!item) list.scrollTop = 0;
    else if (item.offsetTop < list.scrollTop || item.offsetTop + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = item.offsetTop - list.clientHeight / 2;
    if (this.at === null && find("then").contains(document.activeElement)) (item?.firstElementChild ?? list).focus({ preventScroll: true });
    find("then").hidden = this.at === null;
    find("doing").hidden = this.at !== null;
    if (this.at === null) return void (find("newer").hidden = true);
    find("when").textContent = at ? _("After turn {n} of {all}, {turn}.", { n: at, all, turn: this.#turns[at - 1] }) : _("The start.");
    find("branch")?.setAttribute("href", `/analysis?game=${this.id}&turn=${at}`);
    document.querySelectorAll("#then [name=turn], #engine [name=turn]").forEach((/** @type {any} */ field) => { field.value = at; });
  }

  /** Looks at the position after so many turns; the last is now. */
  async go(turn) {
    const all = this.#turns.length, at = Math.min(Math.max(turn, 0), all), mine = ++this.#asked;
    this.at = at === all ? null : at;
    history.replaceState(null, "", this.at === null ? location.pathname : `?turn=${at}`);
    this.mark();
    if (this.at === null) return this.now();
    const told = await this.#told(at);
    if (mine === this.#asked && told) this.show(told);
  }

  async #told(at) {
    if (!this.#seen.has(at)) {
      const answer = await ask(`/api/games/${this.id}?turn=${at}`);
      if (!answer.ok) return null;
      this.#seen.set(at, await answer.json());
    }
    return this.#seen.get(at);
  }

  #step(go) {
    const all = this.#turns.length, at = this.at ?? all;
    this.attempt(() => this.go({ first: 0, back: at - 1, on: at + 1, last: all }[go]));
  }

  #click(event) {
    const link = event.target.closest("a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const turn = link.getAttribute("href").match(/^\?turn=(\d+)$/);
    if (!turn && !link.dataset.go) return;
    event.preventDefault();
    if (link.dataset.go) this.#step(link.dataset.go);
    else this.attempt(() => this.go(Number(turn[1])));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(ELSEWHERE) || !KEYS[event.key]) return;
    event.preventDefault();
    this.#step(KEYS[event.key]);
  }
}
