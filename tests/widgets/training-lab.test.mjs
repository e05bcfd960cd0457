// Laws of the training lab that need no PyTorch to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { ballad, copied, dice, surprisals, WORDS } from "../../book/_static/widgets/training-lab.ballads.js";
import { CONTEXT, schedule } from "../../book/_static/widgets/training-lab.core.js";
import { hasSimd, kernel, place } from "../../book/_static/widgets/training-lab.kernel.js";
import { heldOut, Lab } from "../../book/_static/widgets/training-lab.run.js";
import { WASM } from "../../book/_static/widgets/training-lab.wasm.js";

const few = heldOut().slice(0, 4);

test("the compiled kernel is at most 20 KB compressed", () => {
  assert.ok(hasSimd());
  assert.ok(gzipSync(Buffer.from(WASM, "base64")).length <= 20_000);
});

test("products of any size, transposed and added, with and without WebAssembly", () => {
  for (const [n, k, m] of [[4, 3, 8], [5, 7, 11], [1, 2, 3], [9, 1, 16]]) {
    const results = [true, false].map((simd) => {
      const it = kernel(4096, simd);
      const [a, b, c] = [it.floats(n * k), it.floats(k * m), it.floats(n * m)];
      a.forEach((_, i) => { a[i] = Math.sin(i); });
      b.forEach((_, i) => { b[i] = Math.cos(3 * i); });
      c.fill(1);
      it.product(place(c), m, place(a), 1, n, place(b), m, n, k, m, 1); // A lies transposed
      for (let i = 0; i < n; i += 1) {
        for (let j = 0; j < m; j += 1) {
          let right = 1;
          for (let p = 0; p < k; p += 1) right += a[p * n + i] * b[p * m + j];
          assert.ok(Math.abs(c[i * m + j] - right) < 1e-5, `${n} × ${k} × ${m}: ${i}, ${j}`);
        }
      }
      return Array.from(c);
    });
    assert.deepEqual(results[0], results[1]);
  }
});

test("two training runs with one seed have the same bits, and another seed has others", () => {
  const [one, two, other] = [7, 7, 8].map((seed) => {
    const lab = new Lab({ seed, unseen: few });
    for (let i = 0; i < 3; i += 1) lab.train();
    return lab;
  });
  assert.deepEqual(one.model.weights, two.model.weights);
  assert.deepEqual(one.look(), two.look());
  assert.deepEqual(one.write(), two.write());
  assert.notDeepEqual(one.model.weights, other.model.weights);
});

test("training lowers the loss towards the floor, and the scores are shares", () => {
  const lab = new Lab({ seed: 1, unseen: few, steps: 40, warmup: 4 });
  const before = lab.look();
  assert.ok(Math.abs(before.loss - Math.log(WORDS.length)) < 0.8, `random weights: ${before.loss}`);
  while (!lab.done) lab.train();
  const after = lab.look();
  assert.ok(after.loss < before.loss - 1, `${before.loss} to ${after.loss}`);
  assert.ok(after.loss > after.floor);
  const scores = [...after.previous.flat(), ...after.induction.flat()];
  assert.equal(scores.length, 16);
  assert.ok(scores.every((score) => score >= 0 && score <= 1));
});

test("the maps are causal and their rows sum to 1", () => {
  const { words, maps } = new Lab({ seed: 1, unseen: few }).maps();
  maps.flat().forEach((map) => map.forEach((row, q) => {
    assert.ok(Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 1e-5);
    assert.ok(row.slice(q + 1).every((weight) => weight === 0));
  }));
  assert.equal(words.length, maps[0][0].length);
});

test("a ballad can be drawn with any seed, and its copied words cost nothing", () => {
  for (const seed of [0, 1, 9999, 2 ** 31]) {
    const document = ballad(CONTEXT + 1, dice(seed));
    assert.equal(document.length, CONTEXT + 1);
    const [cost, copies] = [surprisals(document), copied(document)];
    assert.ok(cost.every((each) => Number.isFinite(each) && each >= 0));
    copies.forEach((copy, t) => copy && assert.equal(cost[t], 0));
  }
});

test("the rate rises to its peak and falls to a tenth", () => {
  const recipe = { rate: 1, warmup: 10, steps: 100 };
  assert.equal(schedule(0, recipe), 0.1);
  assert.equal(schedule(9, recipe), 1);
  assert.ok(Math.abs(schedule(99, recipe) - 0.1) < 1e-3);
});
