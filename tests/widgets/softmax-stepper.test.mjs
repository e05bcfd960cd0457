// Laws of the softmax stepper's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blocks, EMPTY, extend, lse, ordered, output, ROWS, steps,
} from "../../book/_static/widgets/softmax-stepper.core.js";

const ORDERS = ["left", "right", "rising", "falling"];
const count = (setting) => steps({ slack: 0, width: 1, ...setting })
  .filter(({ rescaled }) => rescaled).length;

test("no order, block or slack changes output or log-sum-exp", () => {
  for (const keys of Object.values(ROWS)) {
    const whole = extend(EMPTY, keys);
    for (const order of ORDERS) {
      for (let width = 1; width <= 8; width += 1) {
        for (const slack of [0, 1, 8]) {
          const last = steps({ keys, order, width, slack }).at(-1);
          assert.ok(Math.abs(output(last) - output(whole)) < 1e-9);
          assert.ok(Math.abs(lse(last) - lse(whole)) < 1e-9);
        }
      }
    }
  }
});

test("the numbers of the answer: rescalings of the row of the text", () => {
  const keys = ROWS.text;
  assert.deepEqual(steps({ keys, order: "left", width: 2, slack: 0 }).map((s) => s.rescaled),
    [false, true, false]);
  assert.deepEqual(steps({ keys, order: "left", width: 1, slack: 0 }).map((s) => s.rescaled),
    [false, true, true, false, false, false]);
  assert.deepEqual(ORDERS.map((order) => count({ keys, order })), [2, 1, 4, 0]);
});

test("a slack that covers the rise leaves the reference where it is", () => {
  const rising = steps({ keys: ROWS.rising, order: "left", width: 1, slack: 8 });
  assert.ok(rising.every(({ m }) => m === 0));
  assert.ok(rising.at(-1).total > 1000);
  assert.equal(count({ keys: ROWS.rising, order: "left", slack: 3 }), 1);
});

test("a block of −∞ before anything was seen leaves the sums empty", () => {
  const [first] = steps({ keys: ROWS.masked, order: "left", width: 2, slack: 0 });
  assert.deepEqual([first.m, first.total, first.weighted, output(first)], [-Infinity, 0, 0, 0]);
  assert.equal(lse(first), -Infinity);
});

test("blocks hold every key once, in any order", () => {
  for (const order of ORDERS) {
    const places = blocks(ordered(ROWS.masked, order), 3).flat().map(([, , place]) => place);
    assert.deepEqual([...places].sort(), [0, 1, 2, 3, 4, 5, 6, 7]);
  }
  assert.throws(() => ordered(ROWS.text, "up"), /up.*left, right/);
});
