// Laws of the YaRN ramp's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attentionFactor, ENDS, kinds, METHODS, MODELS, planes,
} from "../../book/_static/widgets/yarn-ramp.core.js";

const read = (id, method, more = {}) =>
  planes({ ...MODELS[id], method, ...(ENDS[method] ?? ENDS.yarn), ...more });
const fresh = (rows) => rows.flatMap((row, i) => (row.fresh ? [i] : []));

test("no plane is ever slowed by more than the factor, nor made faster", () => {
  for (const id of Object.keys(MODELS)) {
    for (const method of Object.keys(METHODS)) {
      for (const { divisor, share } of read(id, method)) {
        assert.ok(divisor >= 1 && divisor <= MODELS[id].factor * (1 + 1e-12));
        assert.ok(share > -1e-12 && share < 1 + 1e-12);
      }
    }
  }
});

test("slower planes are slowed at least as much as faster ones", () => {
  for (const method of Object.keys(METHODS)) {
    const rows = read("llama", method);
    rows.slice(1).forEach((row, i) => assert.ok(row.divisor >= rows[i].divisor - 1e-12));
  }
});

test("the answers of the chapter: new angles of the storyteller", () => {
  assert.deepEqual(fresh(read("storyteller", "none")), [5, 6, 7]);
  assert.deepEqual(fresh(read("storyteller", "ntk")), [5, 6]);
  assert.deepEqual(fresh(read("storyteller", "yarn")), []);
  assert.deepEqual(fresh(read("storyteller", "linear")), []);
});

test("the answers of the chapter: the ramp's end on the storyteller", () => {
  const alone = (fast) => kinds(read("storyteller", "yarn", { fast })).alone;
  assert.deepEqual([2, 32, 64].map(alone), [3, 1, 1]);
});

test("the answers of the chapter: Llama 3.1, and with the wrong context", () => {
  assert.deepEqual(kinds(read("llama", "turns")), { alone: 29, blended: 6, whole: 29 });
  const wrong = read("llama", "turns", { context: 131_072, trained: 8_192, read: 0.5 });
  assert.deepEqual(kinds(wrong), { alone: 42, blended: 7, whole: 15 });
  assert.deepEqual(fresh(wrong), Array.from({ length: 14 }, (_, i) => 35 + i));
});

test("only YaRN has a temperature", () => {
  assert.equal(attentionFactor({ method: "turns", factor: 8 }), 1);
  assert.ok(Math.abs(attentionFactor({ method: "yarn", factor: 8 }) - 1.2079) < 1e-4);
});
