// Laws of the cache lab's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fit, held, MODELS, PAGE, PLACES, SINKS, taken, WINDOW,
} from "../../book/_static/widgets/cache-lab.core.js";

const KINDS = ["grows", "reserved", "window", "sinks", "pages"];
const base = { name: "Llama 3 8B", context: 4096, batch: 4, bytes: 2, memory: 80e9 };

test("the bar adds up to the memory", () => {
  for (const { name } of MODELS) {
    const { weights, cache, free } = fit({ ...base, name });
    assert.equal(weights + cache + free, base.memory);
  }
});

test("the most sequences that fit do fit, and one more does not", () => {
  const { most } = fit(base);
  assert.ok(fit({ ...base, batch: most }).free >= 0);
  assert.ok(fit({ ...base, batch: most + 1 }).free < 0);
  assert.equal(fit({ ...base, memory: 1e9 }).most, 0);
});

test("half the bytes of a number, or half the context, is half the cache", () => {
  const whole = fit(base).cache;
  assert.equal(fit({ ...base, bytes: 1 }).cache, whole / 2);
  assert.equal(fit({ ...base, context: 2048 }).cache, whole / 2);
});

test("a cache holds the newest token, none twice, and forgets none but a window's", () => {
  for (const kind of KINDS) {
    for (let tokens = 1; tokens <= PLACES; tokens += 1) {
      const positions = held(kind, tokens).places.filter((p) => p !== null);
      assert.ok(positions.includes(tokens - 1), `${kind} ${tokens}`);
      assert.equal(new Set(positions).size, positions.length);
      const room = { window: WINDOW, sinks: WINDOW + SINKS }[kind] ?? Infinity;
      assert.equal(positions.length, Math.min(tokens, room));
    }
  }
});

test("the next token is written where `next` says", () => {
  for (const kind of KINDS.filter((each) => each !== "grows")) {
    for (let tokens = 0; tokens < PLACES; tokens += 1) {
      assert.equal(held(kind, tokens + 1).places[held(kind, tokens).next], tokens);
    }
  }
});

test("sinks are never written over", () => {
  assert.deepEqual(held("sinks", PLACES).places.slice(0, SINKS), [0, 1, 2, 3]);
});

test("pages waste less than one page", () => {
  for (let tokens = 0; tokens <= PLACES; tokens += 1) {
    const wasted = taken("pages", tokens) - tokens;
    assert.ok(wasted >= 0 && wasted < PAGE);
  }
});

test("an unknown kind or model is refused by name", () => {
  assert.throws(() => held("grow", 3), /grow/);
  assert.throws(() => fit({ ...base, name: "Llama" }), /Llama 3 8B/);
});
