// A query and five keys of any width, drawn at random: how far do their scores spread?
import { dots, softmaxRow, sum } from "./softmax.core.js";

export const WIDTHS = [4, 16, 64, 256, 1024];
export const KEYS = 5;
export const KEPT = 50; // draws that are remembered
const ENDS = [3, 10, 30, 100, 300];

/** A source of independent numbers of mean 0 and variance 1, the same for the same seed. */
export function normals(seed) {
  let state = seed >>> 0;
  const uniform = () => { // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** The dot products (k,) of a fresh query with fresh keys of width d. */
export function products(d, normal) {
  const vector = () => Array.from({ length: d }, normal);
  const query = vector();
  return dots([query], Array.from({ length: KEYS }, vector))[0];
}

/** Scores of dot products at width d, and their weights. */
export function scored(dotProducts, d, scaled) {
  const scores = dotProducts.map((x) => x / (scaled ? Math.sqrt(d) : 1));
  return { scores, weights: softmaxRow(scores) };
}

/** Standard deviation of all numbers of several rows. */
export function deviation(rows) {
  const all = rows.flat();
  const mean = sum(all) / all.length;
  return Math.sqrt(sum(all.map((x) => (x - mean) ** 2)) / all.length);
}

/** The shortest of a few axes that holds all numbers. */
export function reach(rows) {
  const largest = Math.max(...rows.flat().map(Math.abs));
  return ENDS.find((end) => end >= largest) ?? ENDS.at(-1);
}
