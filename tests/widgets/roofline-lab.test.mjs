// Laws of the roofline lab's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, KERNELS, MACHINES, place } from "../../book/_static/widgets/roofline-lab.core.js";
import { digits, percent, short, time, verdict } from "../../book/_static/widgets/roofline-lab.view.js";

const BASE = { kernel: "fused", q: 64, k: 8192, d: 128, r: 1, itemsize: 2, machine: "h100" };
const near = (a, b, slack) => assert.ok(Math.abs(a / b - 1) <= slack, `${a} is not ${b}`);

test("three queries, four keys and width 2 are counted as on paper", () => {
  const small = { q: 3, k: 4, d: 2, r: 1, itemsize: 4 };
  assert.deepEqual(count({ ...small, kernel: "steps" }), { flops: 162, nbytes: 400 });
  assert.deepEqual(count({ ...small, kernel: "fused" }), { flops: 162, nbytes: 112 });
  assert.deepEqual(count({ ...small, kernel: "softmax" }), { flops: 54, nbytes: 96 });
});

test("the time is the work over what is attainable, under every roof", () => {
  for (const kernel of KERNELS) {
    for (const machine of Object.keys(MACHINES)) {
      for (const itemsize of [1, 2, 4]) {
        const found = place({ ...BASE, kernel, machine, itemsize });
        near(found.seconds, found.flops / found.attainable, 1e-12);
        assert.equal(found.bound === "memory", found.nbytes / found.bandwidth > found.flops / found.peak);
      }
    }
  }
});

test("half the bytes take half the time where memory is the limit", () => {
  const [two, one] = [2, 1].map((itemsize) => place({ ...BASE, kernel: "weights", q: 1, itemsize }));
  assert.equal(one.bound, "memory");
  near(two.seconds / one.seconds, 2, 1e-12);
});

test("query heads that share a key head multiply the FLOPs and share the keys", () => {
  const [alone, eight] = [1, 8].map((r) => place({ ...BASE, q: 1, r }));
  assert.equal(eight.flops, 8 * alone.flops);
  near(eight.intensity, 8, 0.02);
});

test("numbers are written so that they can be read", () => {
  assert.equal(short(989e12), "989 T");
  assert.equal(short(1234), "1.23 k");
  assert.equal(short(12), "12 ");
  assert.equal(time(4.52e-3), "4.52 ms");
  assert.equal(time(2e-10), "0.2 ns");
  assert.equal(digits(32_768), "32,768");
  assert.equal(percent(0.00339), "0.34 %");
  assert.match(verdict(place({ ...BASE, q: 1 })), /^Memory-bound: 1.01 .* 0.34 % of the arithmetic/);
  assert.match(verdict(place({ ...BASE, q: 8192 })), /^Compute-bound/);
});
