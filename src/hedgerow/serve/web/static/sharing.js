// What is kept of an analysis: a link that holds all of it, records, pictures, and what the reader likes.
//
// A link is `/analysis/hexbo(side=5)#turns=A1,E1(B2),C3&at=2`: the rules, the tree (see tree.js), where one is in it, and
// `position` where it does not begin at the start.

import { find, make } from "./dom.js";
import { _, sentences } from "./words.js";

/** Text for a link, with what may stand there left readable. */
const coded = (text) => encodeURIComponent(text).replace(/%(2C|2F|3D|40|3A)/g, decodeURIComponent);

/** The link to a tree and a turn in it. */
function link(study, root, at) {
  const turns = root.write(), parts = [];
  if (study.position) parts.push(`position=${coded(study.position)}`);
  if (turns) parts.push(`turns=${turns}`);
  if (at.parent) parts.push(`at=${root.all.indexOf(at) + 1}`);
  return `${place(study.rules)}${parts.length ? `#${parts.join("&")}` : ""}`;
}

/** Where a board of these rules is; a set-up with strokes in it is no part of a path. @param {string} rules */
const place = (rules) => `/analysis${rules.includes("/") ? "?rules=" : "/"}${coded(rules)}`;

/** It is still the game as it was played, without variations. */
const untouched = (study, root) => study.game && root.all.map((turn) => turn.text).join() === study.line.join();

/** The links to PDFs: of the game that the page was made with, or of what has become of it. */
function paper(study, root, at) {
  const sheet = find("sheet"), plate = find("plate"), { rules, position } = study;
  printed ??= plate.search.slice(1);
  const same = !study.linked && root.all.map((turn) => turn.text).join() === study.line.join();
  const line = (turns) => new URLSearchParams({ rules, ...(position ? { position } : {}), turns });
  sheet.search = same ? `${printed}&turn=${at.number}` : line(at.words);
  plate.search = same ? printed : line(at.last.words);
}
/** @type {string | undefined} */
let printed;

export const keep = {
  place,
  link,

  /** The address of the page says where we are. */
  here(study, root, at) {
    const now = untouched(study, root) ? `/analysis?game=${study.game}&turn=${at.number}` : link(study, root, at);
    if (`${location.pathname}${location.search}${location.hash}` !== now) history.replaceState(null, "", now);
    find("link").value = `${location.origin}${link(study, root, at)}`;
    paper(study, root, at);
  },

  /** What a link holds, or null. @param {string} hash */
  read(hash) {
    const parts = new Map(hash.slice(1).split("&").filter((part) => part.includes("=")).map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]));
    if (!["rules", "position", "turns"].some((name) => parts.has(name))) return null;
    const text = (name) => { try { return decodeURIComponent(parts.get(name) ?? ""); } catch { return ""; } };
    return { rules: text("rules"), position: text("position") || null, turns: text("turns"), at: Number(parts.get("at") ?? 0) };
  },

  get(name) { try { return localStorage.getItem(`analysis-${name}`) === "true"; } catch { return false; } },
  set(name, value) { try { localStorage.setItem(`analysis-${name}`, String(value)); } catch { /* then not */ } },

  /** Makes the buttons work that give things away. */
  offer({ study, root, at, say }) {
    const named = (kind) => `hedgerow-${study().rules.split("(")[0]}-${at().number}.${kind}`;
    const fetched = async (path, how) => {
      const answer = await fetch(`/api/positions/${path}`, how).catch(() => null);
      if (answer?.ok) return answer.text();
      say(answer ? sentences((await answer.json()).message) : _("The server cannot be reached just now. Try again in a moment."));
      return null;
    };
    /** Where the turns of the tree begin. @returns {Record<string, string>} */
    const start = () => study().position ? { rules: study().rules, position: study().position } : { rules: study().rules };
    const picture = (size) => fetched(`picture?${new URLSearchParams({ ...start(), turns: at().words, theme: find("theme").value, size: String(size) })}`);

    find("copy").addEventListener("click", () => copy(find("link"), find("copied")));
    find("svg").addEventListener("click", async () => {
      const drawn = await picture(800);
      if (drawn) save(new Blob([drawn], { type: "image/svg+xml" }), named("svg"));
    });
    find("png").addEventListener("click", async () => {
      const drawn = await picture(1600);
      if (drawn) save(await painted(drawn), named("png"));
    });
    find("record").addEventListener("click", async () => {
      const { Variations, ...tags } = study().tags, { rules, position } = study();
      const variations = root().last.path.length < root().all.length ? root().write() : "";
      const body = JSON.stringify({ rules, position, turns: root().last.words, variations, tags });
      const text = await fetched("record/text", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      if (text) save(new Blob([text], { type: "text/plain" }), named("txt"));
    });
    find("file").addEventListener("change", async () => {
      const [file] = find("file").files;
      if (!file) return;
      find("text").value = await file.text();
      find("text").form.requestSubmit();
    });
    find("file").closest("label").hidden = false;

  },
};

/** Copies a field, or selects it where the browser does not let us. */
async function copy(field, told) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    told.textContent = _("Copied.");
  } catch { told.textContent = _("Press Ctrl+C to copy it."); }
}

/** Offers something to be saved. @param {Blob} what @param {string} name */
function save(what, name) {
  const link = make("a", { href: URL.createObjectURL(what), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A picture in pixels. @param {string} drawn @returns {Promise<Blob>} */
async function painted(drawn) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn)}`;
  await image.decode();
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return new Promise((done) => canvas.toBlob((made) => done(/** @type {Blob} */ (made)), "image/png"));
}
