// Laws of the recipe tin's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ask, holdings, LIMIT, snap, start, TEMPERATURES, territories, winners,
} from "../../book/_static/widgets/recipe-tin.core.js";
import { sum } from "../../book/_static/widgets/softmax.core.js";

const near = (a, b, slack = 1e-12) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`);

test("it opens with the basket that the chapter works out by hand", () => {
  const { basket } = ask(start());
  near(basket[0], (15 * Math.E) / (2 * Math.E + 1));
  near(basket[1], (10 + 5 * Math.E) / (2 * Math.E + 1));
});

test("weights sum to 1 at every temperature, and so does the choice", () => {
  for (const tau of TEMPERATURES) {
    for (const hard of [true, false]) {
      for (const score of ["dot", "cosine"]) {
        near(sum(ask({ ...start(), query: [0.5, -2], tau, hard, score }).weights), 1);
      }
    }
  }
});

test("half the temperature is a query twice as long, for the dot product alone", () => {
  const weights = (query, tau, score) => ask({ ...start(), query, tau, score }).weights;
  weights([1, 0.5], 0.5, "dot").forEach((w, j) => near(w, weights([2, 1], 1, "dot")[j]));
  weights([1, 0.5], 1, "cosine").forEach((w, j) => near(w, weights([2, 1], 1, "cosine")[j]));
  assert.ok(Math.abs(weights([1, 0.5], 1, "dot")[0] - weights([2, 1], 1, "dot")[0]) > 0.01);
});

const shortened = (t, score) => holdings({ ...start(), keys: [[1, 0], [0, 1], [t, t]], score });

test("under the dot product the middle card has no territory at one half, and there alone", () => {
  assert.ok(shortened(1, "dot")[2] > 0.2);
  assert.ok(shortened(0.75, "dot")[2] > 0);
  assert.equal(shortened(0.5, "dot")[2], 0);
  assert.ok(shortened(0.25, "dot")[2] > 0.1);
});

test("a shorter card wins where the query wants neither", () => {
  const wins = (t, query) => ask({ ...start(), keys: [[1, 0], [0, 1], [t, t]], query }).best;
  assert.deepEqual(wins(0.75, [-1, -1]), [0, 1]);
  assert.deepEqual(wins(0.25, [-1, -1]), [2]);
});

test("under cosine its territory does not depend on its length", () => {
  assert.equal(shortened(1, "cosine")[2], shortened(0.25, "cosine")[2]);
  assert.ok(shortened(0.25, "cosine")[2] > 0.1);
});

test("row 0 of the territories lies at the top", () => {
  const map = territories(start(), 6);
  assert.equal(map[0][0], 1); // not sweet, savoury: soup
  assert.equal(map[0][5], 2); // both: heaven and earth
  assert.equal(map[5][5], 0); // sweet, not savoury: cake
});

test("a hard answer is a whole card, or is shared by those that tie", () => {
  assert.deepEqual(ask({ ...start(), query: [1, 1], hard: true }).weights, [0, 0, 1]);
  assert.deepEqual(ask({ ...start(), query: [1, 0], hard: true }).weights, [0.5, 0, 0.5]);
  assert.deepEqual(winners([2, 1, 2]), [0, 2]);
});

test("points stay on the grid and in the square", () => {
  assert.deepEqual(snap([0.3, -0.1]), [0.25, 0]);
  assert.deepEqual(snap([99, -99]), [LIMIT, -LIMIT]);
});
