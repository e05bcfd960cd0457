// The numbers of the recipe tin: one query, three cards, and which card wins where.
import { dots, mix, softmaxRow } from "./softmax.core.js";

export const LIMIT = 2; // points live in the square from -LIMIT to LIMIT
export const STEP = 0.25; // and move in steps, so that ties can be found
export const CARDS = ["apple cake", "potato soup", "heaven and earth"];
export const VALUES = [[10, 0], [0, 10], [5, 5]]; // apples, potatoes
export const SCORES = ["dot", "cosine"];
export const TEMPERATURES = [0.125, 0.25, 0.5, 1, 2, 4, 8];

/** A fresh copy of the tin as the chapter has it. */
export function start() {
  return { query: [1, 0], keys: [[1, 0], [0, 1], [1, 1]], score: "dot", tau: 1, hard: false };
}

/** Scores of one query against all keys. A vector of length 0 has the cosine 0 with any other. */
export function scoresOf(query, keys, score) {
  const unit = (v) => v.map((x) => x / Math.max(Math.hypot(...v), 1e-12));
  return score === "cosine" ? dots([unit(query)], keys.map(unit))[0] : dots([query], keys)[0];
}

/** All that the picture says about one query. A hard answer shares itself among ties. */
export function ask({ query, keys, score, tau, hard }) {
  const scores = scoresOf(query, keys, score);
  const best = winners(scores);
  const weights = hard
    ? scores.map((_, j) => (best.includes(j) ? 1 / best.length : 0))
    : softmaxRow(scores.map((s) => s / tau));
  return { scores, weights, best, basket: mix([weights], VALUES)[0] };
}

/** The places of the largest score; several where they tie. */
export function winners(scores, slack = 1e-9) {
  const largest = Math.max(...scores);
  return scores.flatMap((s, j) => (s >= largest - slack ? [j] : []));
}

/**
 * Who wins where: a grid of n × n cells over the square, row 0 at the top. An entry is the card
 * with the largest score if the query stood in the middle of the cell, or -1 where cards tie.
 */
export function territories({ keys, score }, n) {
  const at = (i) => -LIMIT + ((i + 0.5) * 2 * LIMIT) / n;
  return Array.from({ length: n }, (_, row) =>
    Array.from({ length: n }, (_, column) => {
      const best = winners(scoresOf([at(column), -at(row)], keys, score));
      return best.length === 1 ? best[0] : -1;
    }),
  );
}

/** The share of the square in which each card wins. */
export function holdings(state, n = 60) {
  const cells = territories(state, n).flat();
  return state.keys.map((_, j) => cells.filter((card) => card === j).length / cells.length);
}

/** Move a point, keep it on the grid and in the square. */
export function snap([x, y]) {
  const onGrid = (v) => Math.max(-LIMIT, Math.min(LIMIT, Math.round(v / STEP) * STEP)) + 0;
  return [onGrid(x), onGrid(y)];
}
