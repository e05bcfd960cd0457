// The numbers of the attention explorer: queries, keys and values in the plane.
import { dots, entropy, mix, softmaxColumns, softmaxRows, sum } from "./softmax.core.js";

export const LIMIT = 3; // points live in the square from -LIMIT to LIMIT
export const STEP = 0.25; // and move in steps, so that two of them can be made equal

/** All that the picture shows, for queries (q, 2), keys (k, 2) and values (k, 2). */
export function explore({ queries, keys, values, axis = "keys" }) {
  const products = dots(queries, keys);
  const scores = products.map((row) => row.map((x) => x / Math.sqrt(2)));
  const weights = axis === "keys" ? softmaxRows(scores) : softmaxColumns(scores);
  const outputs = mix(weights, values);
  return { products, scores, weights, outputs, hull: hull(values), rowSums: weights.map(sum) };
}

/** How many equal keys would spread the weights as much: e to the power of the entropy. */
export function effectiveKeys(row) {
  return Math.exp(entropy(row));
}

/** The largest slope of a weight by its own score, w(1 − w): what is left for the gradient. */
export function steepest(row) {
  return Math.max(...row.map((w) => w * (1 - w)));
}

/** Corners of the convex hull of points in the plane, anticlockwise (Andrew's monotone chain). */
export function hull(points) {
  const sorted = [...points]
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .filter(([x, y], i, all) => i === 0 || x !== all[i - 1][0] || y !== all[i - 1][1]);
  if (sorted.length === 1) return sorted;
  const half = (ordered) => {
    const chain = [];
    for (const point of ordered) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** Whether a point lies in the hull, its edge included. */
export function inside(point, corners, slack = 1e-9) {
  return corners.every((a, i) => {
    const b = corners[(i + 1) % corners.length];
    if (corners.length === 1) return Math.hypot(point[0] - a[0], point[1] - a[1]) <= slack;
    const along = corners.length === 2 ? between(point, a, b, slack) : true;
    return along && turn(a, b, point) >= -slack;
  });
}

/** Move a point, keep it on the grid and in the square. */
export function snap([x, y]) {
  const onGrid = (v) => Math.max(-LIMIT, Math.min(LIMIT, Math.round(v / STEP) * STEP)) + 0;
  return [onGrid(x), onGrid(y)];
}

/** Pairs of keys that are equal, as [i, j] with i < j. */
export function equalKeys(keys) {
  return keys.flatMap((a, i) =>
    keys.flatMap((b, j) => (i < j && a[0] === b[0] && a[1] === b[1] ? [[i, j]] : [])),
  );
}

const VALUES = [[-1.5, 2], [1.5, 2.25], [2.5, 0], [0.5, -2.25], [-2.25, -1]];
const QUERIES = [[1.5, 0.5], [-1, 1.25], [-0.5, -1.5]];

/** Starting pictures. Only the first query is used unless softmax runs over the queries. */
export const PICTURES = {
  spread: { keys: [[0.5, 1.75], [1.75, 1], [1.5, -0.75], [-1, -1.25], [-1.5, 0.75]] },
  twins: { keys: [[1.25, 1], [1.25, 1], [1.5, -0.75], [-1, -1.25], [-1.5, 0.75]] },
  same: { keys: Array.from({ length: 5 }, () => [1, 1]) },
  one: { keys: [[0.5, 1.75], [1.75, 1], [0.5, 0.25], [-1, -1.25], [-1.5, 0.75]] },
  opposite: { keys: [[0.5, 1.75], [1.75, 1], [1.5, -0.75], [-1, -1.25], [-2.75, -1]] },
};

/** A fresh copy of a starting picture. */
export function picture(name) {
  const copy = (points) => points.map((point) => [...point]);
  return { queries: copy(QUERIES), keys: copy(PICTURES[name].keys), values: copy(VALUES) };
}

function turn(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

function between(point, a, b, slack) {
  const dot = (point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1]);
  const length = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2;
  return dot >= -slack && dot <= length + slack;
}
