// Laws of the rotary dials' numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  curve, FREQUENCIES, gap, hand, LONGEST, score, seen, shares, unseen,
} from "../../book/_static/widgets/rotary-dials.core.js";

const near = (a, b, slack = 1e-9) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`);
const ALL = [true, true, true, true];
const only = (...dials) => FREQUENCIES.map((_, r) => dials.includes(r));
const best = (on) => {
  const scores = curve(on).slice(1);
  return 1 + scores.indexOf(Math.max(...scores));
};

test("the four frequencies are 1, a tenth, a hundredth, a thousandth", () => {
  [1, 0.1, 0.01, 0.001].forEach((wanted, r) => near(FREQUENCIES[r], wanted, 1e-15));
});

test("the angle between the hands is that of the offset, wherever they stand", () => {
  for (const frequency of FREQUENCIES) {
    for (const start of [0, 5, 117]) {
      for (const offset of [0, 1, 44, 128]) {
        const between = hand(start + offset, frequency) - hand(start, frequency);
        near(Math.cos(between), Math.cos(gap(offset, frequency)));
      }
    }
  }
});

test("a hand stays on its dial and the short way is at most half a turn", () => {
  for (const position of [-3, 0, 7, 1000]) {
    for (const frequency of FREQUENCIES) {
      assert.ok(hand(position, frequency) >= 0 && hand(position, frequency) < 2 * Math.PI);
      assert.ok(gap(position, frequency) >= 0 && gap(position, frequency) <= Math.PI);
    }
  }
});

test("the score is largest at offset 0 and the same before and after", () => {
  assert.equal(score(0, ALL), 4);
  assert.equal(curve(ALL).length, LONGEST + 1);
  for (let offset = 1; offset <= LONGEST; offset += 1) {
    assert.ok(score(offset, ALL) < 4);
    near(score(offset, ALL), score(-offset, ALL));
  }
});

test("the answer of the chapter: 44 for dial 0, then 88; 63 for dials 0 and 1", () => {
  assert.equal(best(only(0)), 44);
  assert.ok(Math.cos(44) > 0.9998 && Math.cos(88) > 0.999);
  assert.ok(score(44, only(0, 1)) < 1);
  assert.equal(best(only(0, 1)), 63);
  assert.ok(shares(63, only(0, 1)).slice(0, 2).every((share) => share > 0.98));
});

test("a dial that is off adds nothing", () => {
  near(score(9, only(1)), Math.cos(0.9));
  assert.equal(score(9, only()), 0);
});

test("an angle is new where a dial has not gone so far, and familiar again once it comes round", () => {
  near(seen(16, 0.1), 1.5);
  assert.deepEqual(unseen(15, 16, ALL), []);
  assert.deepEqual(unseen(16, 16, ALL), [1, 2, 3]);
  assert.deepEqual(unseen(62, 16, ALL), [1, 2, 3]);
  assert.deepEqual(unseen(63, 16, ALL), [2, 3]);
  assert.deepEqual(unseen(63, 64, ALL), []);
  assert.deepEqual(unseen(128, 64, ALL), [2, 3]);
  assert.deepEqual(unseen(100, 16, only(0)), []);
});

test("the page's answer names the offsets at which one dial, and two, come nearest to 0", () => {
  const text = readFileSync(new URL("../../book/05-position.md", import.meta.url), "utf8").replaceAll("\n", " ");
  const nearest = (dials) => {
    const sum = (t) => dials.reduce((all, r) => all + Math.cos(t * FREQUENCIES[r]), 0);
    return Array.from({ length: 128 }, (_, i) => i + 1).reduce((best, t) => (sum(t) > sum(best) ? t : best));
  };
  const [turns, all] = [(14 * Math.PI).toFixed(2), (20 * Math.PI).toFixed(2)];
  assert.ok(text.includes(`Offset ${nearest([0])}: seven turns are ${turns} radians`), `${nearest([0])}, ${turns}`);
  assert.ok(text.includes(`With both dials it is offset ${nearest([0, 1])}: ten turns of dial 0 are ${all} radians`));
});
