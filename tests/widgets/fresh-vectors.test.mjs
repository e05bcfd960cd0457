// Fresh vectors spread as the derivation says, and not because it was typed in.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deviation, KEYS, normals, products, reach, scored, WIDTHS,
} from "../../book/_static/widgets/fresh-vectors.core.js";

const near = (a, b, slack) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`);
const many = (d, times) => {
  const normal = normals(7);
  return Array.from({ length: times }, () => products(d, normal));
};

test("the entries have mean 0 and variance 1, and one seed gives one series", () => {
  const [first, again] = [normals(3), normals(3)];
  const drawn = Array.from({ length: 20000 }, first);
  near(drawn.reduce((a, b) => a + b) / drawn.length, 0, 0.03);
  near(deviation([drawn]), 1, 0.03);
  assert.deepEqual(drawn.slice(0, 9), Array.from({ length: 9 }, again));
  assert.notEqual(normals(4)(), drawn[0]);
});

test("dot products spread by the root of the width; divided by it, by 1", () => {
  for (const d of WIDTHS) {
    const rows = many(d, 400);
    assert.equal(rows[0].length, KEYS);
    near(deviation(rows) / Math.sqrt(d), 1, 0.12);
    near(deviation(rows.map((row) => scored(row, d, true).scores)), 1, 0.12);
  }
});

test("without the scale wide vectors put nearly all weight on one key, with it they do not", () => {
  const hard = (scaled) => many(1024, 100).filter((row) =>
    Math.max(...scored(row, 1024, scaled).weights) > 0.9).length;
  assert.ok(hard(false) > 80 && hard(true) < 10, `${hard(false)} and ${hard(true)}`);
});

test("the axis holds all scores and is no longer than need be", () => {
  assert.equal(reach([[1, -2]]), 3);
  assert.equal(reach([[1, -2], [-31]]), 100);
  assert.equal(reach([[4000]]), 300);
});
