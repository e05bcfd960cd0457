// The numbers of the head detective: which role a score earns, and what a head is worth.
import { DATA } from "./head-detective.data.js";

export const TEXTS = Object.keys(DATA.texts);
export const HEADS = ["0.0", "0.1", "0.2", "0.3", "1.0", "1.1", "1.2", "1.3"];
export const ROLES = [
  ["previous", "previous token"],
  ["delimiter", "delimiter"],
  ["induction", "induction"],
  ["none", "none of these"],
];
export const ENOUGH = 0.5; // a role is earned by at least half of the weight

export const words = (text) => DATA.texts[text].words;

/** How many words can be asked: the last one has no next word in the text. */
export const queries = (text) => DATA.texts[text].loss.length;

/** The weights that a head gives at one query: one for each word up to it. */
export const weights = (text, head, query) => DATA.texts[text].maps[head][query];

export const loss = (text, query) => DATA.texts[text].loss[query];

/** By how much the loss of the next word rises when the head's output is set to zero. */
export const worth = (text, head, query) => DATA.texts[text].worth[head][query];

/** The three scores of a head, each with what uniform weights score. */
export function scores(head) {
  return ROLES.slice(0, 3).map(([role, name], i) => ({
    role, name, score: DATA.scores.heads[head][i], uniform: DATA.scores.uniform[i],
  }));
}

/** The role that a head has earned: its highest score, if that is at least one half. */
export function roleOf(head) {
  const best = scores(head).reduce((a, b) => (b.score > a.score ? b : a));
  return best.score >= ENOUGH ? best.role : "none";
}

/** Where the largest of some numbers stands. */
export const largest = (numbers) => numbers.indexOf(Math.max(...numbers));

/** The head with the largest single weight at a query. */
export function sharpest(text, query) {
  return largest(HEADS.map((_, head) => Math.max(...weights(text, head, query))));
}

/** The head whose loss costs most for the next word. */
export function mattersMost(text, query) {
  return largest(HEADS.map((_, head) => worth(text, head, query)));
}

/** Of all queries with a word before them: in how many the sharpest head is the one that matters. */
export function agreements() {
  const places = TEXTS.flatMap((text) =>
    Array.from({ length: queries(text) - 1 }, (_, i) => [text, i + 1]));
  const same = places.filter(([text, i]) => sharpest(text, i) === mattersMost(text, i));
  return { same: same.length, of: places.length };
}
