// The words of the scripts: English where they are used, and another language where the page brings one along.
//
//   _("{seat} is to move.", { seat })        one text
//   _n("one piece", "{n} pieces", n)         a text for one and one for many

// Under "" stands which form goes with which number below 200.
/** @type {Record<string, string | string[]>} */
const other = JSON.parse(document.getElementById("words")?.textContent || "{}");

/** @param {string} text @param {Record<string, unknown>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));

/** @param {number} n */
const form = (n) => Number(other[""][n < 200 ? n : 100 + (n % 100)]);

/** @param {string} text @param {Record<string, unknown>} [values] */
export const _ = (text, values = {}) => filled(/** @type {string} */ (other[text] ?? text), values);

/** What the server refuses, as a sentence; the name of a point is written as on the board. @param {string} message */
export const sentences = (message) => message.replace("; hint: ", ": ").replace(/^[a-z](?!\d)/, (letter) => letter.toUpperCase());

/** @param {string} one @param {string} many @param {number} n @param {Record<string, unknown>} [values] */
export const _n = (one, many, n, values = {}) => {
  const forms = other[one];
  return filled(Array.isArray(forms) ? forms[form(n)] : n === 1 ? one : many, { n, ...values });
};
