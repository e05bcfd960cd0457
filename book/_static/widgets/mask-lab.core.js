// The numbers of the mask lab: masks as plainformer.masks makes them, used rightly and wrongly.
// A mask is a matrix of booleans, true = may look; rows are queries, columns are keys.
import { softmaxRow, sum } from "./softmax.core.js";

/** A mask (q, k), with `allows(i, j, p)` where p is the position of query i, aligned bottom-right. */
function build(q, k, allows) {
  return Array.from({ length: q }, (_, i) =>
    Array.from({ length: k }, (_, j) => allows(i, j, i + k - q)),
  );
}

export const everywhere = (q, k) => build(q, k, () => true);
export const causal = (q, k) => build(q, k, (i, j, p) => j <= p);
export const slidingWindow = (q, k, window) => build(q, k, (i, j, p) => p - window < j && j <= p);
export const prefix = (q, k, open) => build(q, k, (i, j, p) => j < open || j <= p);

/** Real tokens are seen, padding is not; the padding stands on the right, or on the left. */
export const padding = (q, k, length, side = "right") =>
  build(q, k, (i, j) => (side === "right" ? j < length : j >= k - length));

export const combine = (a, b) => a.map((row, i) => row.map((seen, j) => seen && b[i][j]));

/** The mask of a kind, from the numbers that the kind needs. */
export function maskOf({ kind, q, k, length, side, window, open }) {
  const kinds = {
    none: () => everywhere(q, k),
    causal: () => causal(q, k),
    padding: () => padding(q, k, length, side),
    both: () => combine(causal(q, k), padding(q, k, length, side)),
    window: () => slidingWindow(q, k, window),
    prefix: () => prefix(q, k, open),
  };
  if (!(kind in kinds)) {
    throw new RangeError(`mask kind "${kind}" is none of: ${Object.keys(kinds).join(", ")}`);
  }
  return kinds[kind]();
}

/** Masked before softmax: the right way. With `guard` false, a row of −∞ gives NaN. */
export function maskedBefore(scores, mask, guard = true) {
  return scores.map((row, i) => {
    const nowhere = !mask[i].some(Boolean);
    return nowhere && !guard ? row.map(() => NaN) : softmaxRow(row, mask[i]);
  });
}

/** Masked after softmax: the wrong way. Hidden keys have taken their share of the sum already. */
export function maskedAfter(scores, mask) {
  return scores.map((row, i) => softmaxRow(row).map((w, j) => (mask[i][j] ? w : 0)));
}

export const rowSums = (weights) => weights.map(sum);

/** Rows that may look nowhere. */
export const nowhereRows = (mask) =>
  mask.flatMap((row, i) => (row.some(Boolean) ? [] : [i]));

/** Cells through which a query sees a later position, as [i, j]. */
export function futureCells(mask) {
  return mask.flatMap((row, i) => {
    const position = i + row.length - mask.length;
    return row.flatMap((seen, j) => (seen && j > position ? [[i, j]] : []));
  });
}

/** The scores with `change` added to one key, for all queries. */
export const perturbed = (scores, key, change) =>
  scores.map((row) => row.map((score, j) => (j === key ? score + change : score)));

/**
 * Rows that answer to a key which they may not see: the perturbation test for leakage.
 *
 * `method` is maskedBefore or maskedAfter. A row leaks when the key is hidden from it and yet one
 * of its weights moves, by more than `slack`, as the key's score changes.
 */
export function leaks(method, scores, mask, key, change, slack = 1e-12) {
  const still = method(scores, mask);
  const moved = method(perturbed(scores, key, change), mask);
  return mask.flatMap((row, i) => {
    const moves = moved[i].some((w, j) => Math.abs(w - still[i][j]) > slack);
    return !row[key] && moves ? [i] : [];
  });
}

// Scores of eight positions with each other. Row 1 begins with 0, 3, 4: the worked example.
const SCORES = [
  [2.0, 1.0, 0.5, 1.5, 0.0, 1.0, 0.5, 1.0],
  [0.0, 3.0, 4.0, 1.0, 2.0, 0.5, 1.0, 0.0],
  [1.0, 0.5, 2.0, 2.5, 1.0, 0.0, 1.5, 0.5],
  [1.5, 0.0, 1.0, 2.0, 3.0, 1.0, 0.0, 2.0],
  [0.5, 2.0, 1.0, 0.0, 1.5, 2.5, 1.0, 0.5],
  [1.0, 1.0, 0.0, 1.5, 0.5, 2.0, 3.0, 1.0],
  [0.0, 1.5, 2.0, 0.5, 1.0, 0.0, 2.5, 1.5],
  [2.0, 0.5, 1.0, 1.0, 0.0, 1.5, 0.5, 3.0],
];

/** Scores (q, k) of the last q of k positions: fewer queries are the same rows, not new ones. */
export const scoresOf = (q, k) => SCORES.slice(k - q, k).map((row) => row.slice(0, k));
