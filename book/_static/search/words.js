// Words as the search compares them.
import { stemmer } from "stemmer";

const SILENT = new Set(
  ("a an and are as at be by can do does for from how i in is it of on or that the this to vs " +
    "versus what when where which who why with").split(" "),
);
const BRITISH = [[/is(e|ed|es|er|ers|ing|ation|ations)$/, "iz$1"], [/our(s|ed|ing|al)?$/, "or$1"]];
const PART = /[\p{L}\p{N}√∞]+(?:['’\-–_.][\p{L}\p{N}]+)*/gu;
const SEAM = /['’\-–_.]|(?<=[a-z])(?=[A-Z])/;
const SEEN = 3; // letters from which on a word is found by how it begins

/** What one word of a text counts as, in lower case: "Warm-up" is warm, up, and warmup. */
function readings(part) {
  const inner = part.split(SEAM);
  const all = inner.length > 1 ? [...inner, inner.join("")] : inner;
  return all.map((word) => word.toLowerCase());
}

/** The words of a text. */
export function words(text) {
  return [...text.matchAll(PART)].flatMap(([part]) => readings(part));
}

function made(word) {
  if (SILENT.has(word)) return [];
  if (!/^\p{L}{3,}$/u.test(word)) return [word];
  const spelt = BRITISH.reduce((now, [from, to]) => now.replace(from, to), word);
  return [word, `${stemmer(spelt)}~`]; // a stem is never the same as a whole word
}

const known = new Map();

/** A word as it is spelt, and its stem: "modelling" and "modeling" have one stem. */
export function forms(word) {
  if (!known.has(word)) known.set(word, made(word));
  return known.get(word);
}

/** Neighbours written as one: of "warm up", warmup. */
export function joined(text) {
  const plain = text.toLowerCase().split(/[^\p{L}\p{N}√∞]+/u).filter(Boolean);
  return plain.slice(1).map((word, i) => plain[i] + word);
}

/** Where in a text stands what was asked, as [start, end]. */
export function places(text, asked) {
  const wanted = new Set([...words(asked), ...joined(asked)].flatMap(forms));
  const last = words(asked).at(-1) ?? "";
  const begins = (word) => last.length >= SEEN && word.startsWith(last);
  return [...text.matchAll(PART)]
    .filter(([part]) => readings(part).some((word) =>
      begins(word) || forms(word).some((form) => wanted.has(form))))
    .map(({ 0: part, index }) => [index, index + part.length]);
}
