// Laws of the attention explorer's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  effectiveKeys, equalKeys, explore, hull, inside, LIMIT, PICTURES, picture, snap, steepest, STEP,
} from "../../book/_static/widgets/attention-explorer.core.js";
import { sum } from "../../book/_static/widgets/softmax.core.js";

const near = (a, b, slack = 1e-12) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`);
const states = Object.keys(PICTURES).map(picture);
const grid = Array.from({ length: 2 * LIMIT / STEP + 1 }, (_, i) => i * STEP - LIMIT);
const everywhere = grid.flatMap((x) => grid.map((y) => [x, y]));
const favourites = ({ keys, values }) => new Set(everywhere.flatMap((query) => {
  const [row] = explore({ queries: [query], keys, values }).weights;
  const best = Math.max(...row);
  const winners = row.flatMap((w, j) => (w > best - 1e-12 ? [j] : []));
  return winners.length === 1 ? winners : [];
}));

test("over the keys, rows sum to 1 and the output stays in the hull", () => {
  for (const state of states) {
    const { rowSums, outputs, hull: corners } = explore(state);
    for (const total of rowSums) near(total, 1);
    for (const output of outputs) assert.ok(inside(output, corners, 1e-9));
  }
});

test("over the queries, columns sum to 1 and the output leaves the hull", () => {
  const { weights, rowSums, outputs, hull: corners } = explore({ ...picture("spread"), axis: "queries" });
  weights[0].forEach((_, j) => near(sum(weights.map((row) => row[j])), 1));
  assert.ok(rowSums.every((total) => Math.abs(total - 1) > 0.1));
  assert.ok(!inside(outputs[0], corners));
});

test("a key inside the hull of the others is nowhere the favourite, one dragged out is", () => {
  const { keys, values } = picture("one");
  assert.ok(inside(keys[2], hull(keys.filter((_, j) => j !== 2))));
  assert.deepEqual([...favourites({ keys, values })].sort(), [0, 1, 3, 4]);
  keys[2] = [1.5, -0.75];
  assert.deepEqual([...favourites({ keys, values })].sort(), [0, 1, 2, 3, 4]);
});

test("far out the weights saturate", () => {
  const far = explore({ ...picture("spread"), queries: [[3, 3]] }).weights[0];
  assert.ok(Math.max(...far) > 0.6 && steepest(far) < 0.25);
});

test("a key that points away still gets more than nothing", () => {
  assert.ok(explore(picture("opposite")).weights[0][4] > 0);
});

test("equal keys get equal weights, five equal keys a fifth each", () => {
  const [row] = explore(picture("twins")).weights;
  assert.equal(row[0], row[1]);
  assert.deepEqual(equalKeys(picture("twins").keys), [[0, 1]]);
  const even = explore(picture("same")).weights[0];
  even.forEach((w) => near(w, 0.2));
  near(effectiveKeys(even), 5);
});

test("the hull of a square with a point in it is the square", () => {
  const square = [[0, 0], [1, 0], [1, 1], [0, 1]];
  assert.equal(hull([...square, [0.5, 0.5], [0.5, 0]]).length, 4);
  assert.ok(inside([0.5, 0.5], hull(square)) && inside([1, 0.5], hull(square)));
  assert.ok(!inside([1.01, 0.5], hull(square)));
});

test("a hull may be a line or a point", () => {
  assert.ok(inside([1, 1], hull([[0, 0], [2, 2]])) && !inside([3, 3], hull([[0, 0], [2, 2]])));
  assert.ok(inside([1, 1], hull([[1, 1], [1, 1]])) && !inside([1, 2], hull([[1, 1], [1, 1]])));
});

test("points stay on the grid and in the square", () => {
  assert.deepEqual(snap([0.3, -0.1]), [0.25, 0]);
  assert.deepEqual(snap([99, -99]), [LIMIT, -LIMIT]);
  assert.ok(!Object.is(snap([-0.01, 0])[0], -0));
});
