// What is found for some words, and in which order. Needs no page: the tests run it too.
import MiniSearch from "minisearch";

import { forms, joined, words } from "./words.js";

/** How much a word counts by where in a section it stands. */
const BOOST = { heading: 6, terms: 4, also: 5, text: 1.5, rare: 0.7, path: 0.6 };
/** How much a place counts: a chapter first, then its frame (practice, references), then the API. */
const WORTH = { chapter: 1, reference: 0.6, frame: 0.4, api: 0.12 };

/** The heading of a section; of a name of the API the index has only how many parts of its label. */
function heading([, anchor, written]) {
  if (typeof written !== "number") return written;
  return written ? anchor.split(".").slice(-written).join(".") : anchor.replace("module-", "");
}

/** The headings around a section, the page's title first. */
export function path(index, number) {
  const headings = [];
  for (let at = index.sections[number][3]; at >= 0; at = index.sections[at][3]) {
    headings.unshift(index.sections[at][2]);
  }
  return headings;
}

export class Search {
  /** @param index what section_index.py writes: { pages, sections } */
  constructor(index) {
    this.index = index;
    for (const section of index.sections) section[2] = heading(section);
    this.known = new Set();
    this.engine = new MiniSearch({
      fields: Object.keys(BOOST),
      tokenize: words,
      processTerm: (word) => {
        const found = forms(word);
        for (const form of found) this.known.add(form);
        return found;
      },
    });
    this.engine.addAll(index.sections.map((section, id) => {
      const [, anchor, title, , kind, text, terms, also, rare] = section;
      const lists = { terms: kind === "api" ? [anchor] : terms, also, path: path(index, id) };
      const joint = Object.entries(lists).map(([field, all]) => [field, all.join(" . ")]);
      return { id, heading: title, text, rare, ...Object.fromEntries(joint) };
    }));
  }

  /** Sections for what was typed, best first: { number, score }. */
  find(typed) {
    const asked = words(typed).filter((word) => forms(word).length);
    if (!asked.length) return [];
    const pairs = joined(typed).filter((pair) => this.known.has(pair));
    const last = asked.at(-1);
    const queries = [...new Set([...asked, ...pairs])];
    const hits = this.engine.search({ combineWith: "OR", queries }, {
      boost: BOOST,
      tokenize: (word) => [word],
      processTerm: forms,
      prefix: (form) => form === last, // its end may not be typed yet
      fuzzy: (form) => (form.length > 4 && !form.endsWith("~") && !this.known.has(form) ? 0.25 : 0),
      weights: { prefix: 0.4, fuzzy: 0.3 },
      bm25: { k: 1.2, b: 0.5, d: 0.5 },
    });
    const isName = /[._]|[a-z][A-Z]/.test(typed);
    const worth = ({ id }) => {
      const [, anchor, heading, , kind] = this.index.sections[id];
      if (kind === "api" && isName && anchor === typed) return 10;
      return kind === "api" && isName && heading === typed ? 1 : WORTH[kind];
    };
    return hits
      .map((hit) => ({ number: hit.id, score: hit.score * worth(hit) }))
      .sort((a, b) => b.score - a.score || a.number - b.number);
  }

  /** Words of a question that no section has, and none begins with, if it is the last. */
  unknown(typed) {
    const asked = typed.toLowerCase().split(/[^\p{L}\p{N}√∞]+/u).filter((word) => forms(word).length);
    const begun = (word) =>
      word === asked.at(-1) && [...this.known].some((one) => one.startsWith(word));
    return asked.filter((word) => !forms(word).some((form) => this.known.has(form)) && !begun(word));
  }

  /** Words of the course that are spelt nearly so, for when nothing was found. */
  nearest(typed, count = 3) {
    const near = this.engine.autoSuggest(typed, {
      fields: ["heading", "terms", "also"],
      fuzzy: typed.length > 6 ? 0.5 : 0.35,
      tokenize: words,
      processTerm: (word) => word,
      combineWith: "OR",
    });
    const single = near.flatMap(({ terms }) => terms).filter((word) => /^\p{L}{3,}$/u.test(word));
    return [...new Set(single)].slice(0, count);
  }
}
