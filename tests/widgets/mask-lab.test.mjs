// Laws of the mask lab's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  causal, everywhere, futureCells, leaks, maskedAfter, maskedBefore, maskOf, nowhereRows, padding,
  rowSums, scoresOf,
} from "../../book/_static/widgets/mask-lab.core.js";

const kinds = ["none", "causal", "padding", "both", "window", "prefix"];
const settings = kinds.flatMap((kind) => [[5, 5], [2, 5], [8, 8]].map(([q, k]) =>
  ({ kind, q, k, length: 3, side: "left", window: 2, open: 2 })));

test("masked before softmax, no row answers to a key that it may not see", () => {
  for (const setting of settings) {
    const { q, k } = setting;
    for (let key = 0; key < k; key += 1) {
      assert.deepEqual(leaks(maskedBefore, scoresOf(q, k), maskOf(setting), key, 3), []);
    }
  }
});

test("masked after softmax, every row that sees something answers to a hidden key", () => {
  assert.deepEqual(leaks(maskedAfter, scoresOf(5, 5), causal(5, 5), 4, 3), [0, 1, 2, 3]);
});

test("masked before, rows sum to 1 or may look nowhere; masked after, hidden ones fall short", () => {
  for (const setting of settings) {
    const [mask, scores] = [maskOf(setting), scoresOf(setting.q, setting.k)];
    const empty = nowhereRows(mask);
    rowSums(maskedBefore(scores, mask)).forEach((total, i) =>
      assert.ok(Math.abs(total - (empty.includes(i) ? 0 : 1)) < 1e-12));
    rowSums(maskedAfter(scores, mask)).forEach((total, i) =>
      assert.equal(total < 1 - 1e-12, mask[i].includes(false)));
  }
});

test("left padding under a causal mask leaves rows that look nowhere; unguarded they are NaN", () => {
  const mask = maskOf({ kind: "both", q: 4, k: 4, length: 2, side: "left" });
  assert.deepEqual(nowhereRows(mask), [0, 1]);
  const bare = maskedBefore(scoresOf(4, 4), mask, false);
  assert.ok(bare[0].every(Number.isNaN) && !bare[2].some(Number.isNaN));
});

test("a causal mask has no cell in the future, the full one has all above the diagonal", () => {
  assert.deepEqual(futureCells(causal(2, 5)), []);
  assert.equal(futureCells(everywhere(4, 4)).length, 6);
  assert.deepEqual(futureCells(padding(2, 3, 3)), [[0, 2]]);
});

test("fewer queries have the last rows of the same scores", () => {
  assert.deepEqual(scoresOf(2, 5), scoresOf(5, 5).slice(3));
});

test("an unknown kind is refused by name", () => {
  assert.throws(() => maskOf({ kind: "causl", q: 2, k: 2 }), /causl.*causal, padding/);
});
