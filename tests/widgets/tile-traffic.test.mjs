// Laws of the tile traffic's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blocks, chip, keepsKeys, plain, steps, tiles, traffic,
} from "../../book/_static/widgets/tile-traffic.core.js";

const BASE = {
  q: 512, k: 512, d: 64, e: 64, height: 64, width: 64, causal: false, kept: "queries",
  backward: false, itemsize: 2,
};
const with_ = (patch) => ({ ...BASE, ...patch });
const KINDS = [{}, { kept: "keys" }, { backward: true }];

test("blocks cover everything once, the last one perhaps smaller", () => {
  assert.deepEqual(blocks(7, 3), [[0, 3], [3, 6], [6, 7]]);
});

test("what is kept changes in the outer loop only", () => {
  for (const kind of KINDS) {
    const setting = with_({ ...kind, causal: true });
    const outer = tiles(setting).map(({ i, j }) => (keepsKeys(setting) ? j : i));
    assert.deepEqual(outer, [...outer].sort((a, b) => a - b));
  }
});

test("the bytes so far grow by the bytes of each step", () => {
  for (const kind of KINDS) {
    const all = steps(with_({ ...kind, causal: true }));
    all.slice(1).forEach((step, n) => assert.equal(step.total, all[n].total + step.bytes));
  }
});

test("queries kept: doubling the height halves what passes, doubling the width changes nothing", () => {
  const ends = 512 * 128 * 2 + 512 * 4;
  assert.equal(traffic(with_({ width: 128 })), traffic(BASE));
  assert.equal(traffic(BASE) - ends, 2 * (traffic(with_({ height: 128 })) - ends));
});

test("keys kept: the other way round", () => {
  const keys = with_({ kept: "keys" });
  assert.equal(traffic({ ...keys, height: 128 }), traffic(keys));
  assert.ok(traffic({ ...keys, width: 128 }) < 0.6 * traffic(keys));
});

test("a causal mask skips tiles, and a whole square of 8 by 8 keeps 36", () => {
  assert.equal(tiles(with_({ causal: true })).length, 36);
  assert.ok(traffic(with_({ causal: true })) < traffic(BASE));
});

test("backward needs more of the chip and moves more", () => {
  assert.ok(chip(with_({ backward: true })) > chip(BASE));
  assert.ok(traffic(with_({ backward: true })) > traffic(BASE));
});

test("plain attention moves many times as much", () => {
  assert.ok(plain(BASE) > 2.5 * traffic(BASE));
});
