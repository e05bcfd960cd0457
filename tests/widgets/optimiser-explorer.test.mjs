// Laws of the optimiser explorer's numbers that need no PyTorch to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clipped, fate, gradient, loss, rateAt, RATES, snap, STARTS, STEPS, SUCCESS, sweep, train,
} from "../../book/_static/widgets/optimiser-explorer.core.js";

const setting = {
  start: STARTS.wall, optimiser: "sgd", rate: 0.05, warmup: 0, clip: Infinity, momentum: 0,
};
const largest = (patch) => RATES[sweep({ ...setting, ...patch }).lastIndexOf(true)];

test("the gradient is the slope of the loss", () => {
  for (const [a, b] of [[3, 2.5], [0.5, -0.3], [1, 1], [-1, 2]]) {
    const h = 1e-6;
    const slopes = [
      (loss([a + h, b]) - loss([a - h, b])) / (2 * h),
      (loss([a, b + h]) - loss([a, b - h])) / (2 * h),
    ];
    gradient([a, b]).forEach((g, i) => assert.ok(Math.abs(g - slopes[i]) < 1e-4));
  }
});

test("a clipped gradient keeps its direction and is no longer than the clip", () => {
  const g = clipped([3, 4], 1);
  assert.ok(Math.abs(Math.hypot(...g) - 1) < 1e-5 && Math.abs(g[1] / g[0] - 4 / 3) < 1e-12);
  assert.deepEqual(clipped([0.3, 0.4], 1), [0.3, 0.4]);
});

test("the first step of AdamW is the rate, for each weight that has a gradient", () => {
  const own = { ...setting, optimiser: "adamw", momentum: 0.9, rate: 0.1 };
  const { path } = train(own);
  path[1].forEach((x, i) => assert.ok(Math.abs(path[0][i] - x - rateAt(0, own)) < 1e-6));
});

test("the rate climbs to its peak and sinks to a tenth", () => {
  const rates = Array.from({ length: STEPS }, (_, step) => rateAt(step, { rate: 1, warmup: 10 }));
  assert.equal(rates[9], 1);
  assert.ok(rates.slice(0, 9).every((r, i) => r < rates[i + 1]));
  assert.ok(rates.slice(10).every((r, i, rest) => i === 0 || r < rest[i - 1]));
  assert.ok(rates.at(-1) > 0.1 && rates.at(-1) < 0.11);
});

test("what the page says of the steep wall is so", () => {
  assert.equal(largest({}).toFixed(2), "0.07");
  assert.equal(largest({ warmup: 10 }).toFixed(2), "0.68");
  const adam = { optimiser: "adamw", momentum: 0.9, clip: 1 };
  assert.equal(largest(adam).toFixed(2), "2.15");
  assert.equal(largest({ ...adam, warmup: 10 }).toFixed(2), "0.32");
  assert.equal(sweep({ ...setting, momentum: 0.9 }).filter(Boolean).length, 0);
  assert.equal(sweep({ ...setting, momentum: 0.9, clip: 1 }).filter(Boolean).length, 8);
  const gentle = { ...adam, clip: Infinity, start: STARTS.slope };
  assert.ok(largest({ ...gentle, warmup: 10 }) > largest(gentle));
});

test("from the plain nothing moves", () => {
  for (const optimiser of ["sgd", "adamw"]) {
    const run = train({ ...setting, start: STARTS.plain, optimiser, momentum: 0.9 });
    assert.deepEqual(run.path.at(-1), STARTS.plain);
    assert.equal(fate(run), "dead");
  }
});

test("the fates are told apart", () => {
  assert.equal(fate({ path: [[1, 1]], end: SUCCESS / 2 }), "trained");
  assert.equal(fate({ path: [[NaN, 1]], end: NaN }), "blown up");
  assert.equal(fate({ path: [[1, 3]], end: 4 }), "not there yet");
});

test("a start stays on the grid and in the plane", () => {
  assert.deepEqual(snap([9, -0.3]), [4, -0.25]);
});
