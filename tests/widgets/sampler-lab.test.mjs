// Laws of the sampler lab's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dice, drawnFrom, heat, minP, pick, topK, topP,
} from "../../book/_static/widgets/sampler-lab.core.js";
import { half, logits, softmax, WORDS } from "../../book/_static/widgets/storyteller.core.js";

const FIVE = [0.5, 0.25, 0.125, 0.0625, 0.0625];
const all = { temperature: 1, k: 99, p: 1, min: 0, last: false };
const kept = (shares) => shares.filter((share) => share > 0).length;
const near = (found, right) =>
  found.forEach((x, i) => assert.ok(Math.abs(x - right[i]) < 1e-9, `${found} is not ${right}`));

test("each rule keeps what the definition says, and ties stay together", () => {
  assert.equal(kept(topP(FIVE, 0.7)), 2);
  assert.equal(kept(topP(FIVE, 0.75)), 2);
  assert.equal(kept(topP(FIVE, 0.76)), 3);
  assert.equal(kept(topP(FIVE, 0.9)), 5); // the last two tie
  assert.equal(kept(topK(FIVE, 4)), 5);
  assert.equal(kept(topK(FIVE, 3)), 3);
  assert.equal(kept(minP(FIVE, 0.25)), 3);
  assert.equal(kept(minP(FIVE, 1)), 1);
});

test("what is left sums to 1", () => {
  for (const shares of [topK(FIVE, 2), topP(FIVE, 0.6), minP(FIVE, 0.3), heat(FIVE, 0.3)]) {
    near([shares.reduce((a, b) => a + b, 0)], [1]);
  }
});

test("temperature one half squares, 0 is greedy, and the order matters", () => {
  near(heat(FIVE, 0.5), [64, 16, 4, 1, 1].map((x) => x / 86));
  assert.deepEqual(heat(FIVE, 0), [1, 0, 0, 0, 0]);
  const row = FIVE.map(Math.log);
  near(drawnFrom(row, { ...all, temperature: 0.5, p: 0.7 }), [1, 0, 0, 0, 0]);
  near(drawnFrom(row, { ...all, temperature: 0.5, p: 0.7, last: true }), [0.8, 0.2, 0, 0, 0]);
});

test("no rule at all is the softmax", () => {
  const row = logits([0, 1, 2]);
  near(drawnFrom(row, all), softmax(row));
});

test("a word is drawn as often as it should be, and one that is cut never", () => {
  const [next, counts] = [dice(1), [0, 0, 0, 0]];
  for (let i = 0; i < 20_000; i += 1) counts[pick([0.5, 0, 0.3, 0.2], next())] += 1;
  assert.equal(counts[1], 0);
  assert.ok(Math.abs(counts[0] / 20_000 - 0.5) < 0.015);
  assert.ok(Math.abs(counts[2] / 20_000 - 0.3) < 0.015);
  assert.equal(pick([0.5, 0.5, 0], 0.9999999999), 1);
});

test("a seed repeats its numbers", () => {
  const [one, two] = [dice(7), dice(7)];
  assert.deepEqual([one(), one()], [two(), two()]);
  assert.notEqual(dice(8)(), dice(7)());
});

test("numbers in half precision", () => {
  assert.equal(half(0x3c00), 1);
  assert.equal(half(0xc000), -2);
  assert.equal(half(0x0001), 2 ** -24);
});

test("a text must have words, and not too many", () => {
  assert.equal(logits([46, 35]).length, WORDS.length);
  assert.throws(() => logits([]), /expected 1 to 64/);
  assert.throws(() => logits(Array(65).fill(0)), /expected 1 to 64/);
});
