// Laws of the head detective's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  agreements, HEADS, mattersMost, queries, roleOf, ROLES, scores, sharpest, TEXTS, weights, words,
  worth,
} from "../../book/_static/widgets/head-detective.core.js";

const places = TEXTS.flatMap((text) =>
  Array.from({ length: queries(text) }, (_, query) => [text, query]));

test("weights are causal, none negative, and sum to 1", () => {
  for (const [text, query] of places) {
    HEADS.forEach((_, head) => {
      const row = weights(text, head, query);
      assert.equal(row.length, query + 1);
      assert.ok(row.every((w) => w >= 0));
      assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 0.001 * row.length);
    });
  }
});

test("each word but the last can be the query, and has a next word", () => {
  for (const text of TEXTS) assert.equal(queries(text), words(text).length - 1);
});

test("a role is the name of the one score of at least one half", () => {
  HEADS.forEach((_, head) => {
    const high = scores(head).filter(({ score }) => score >= 0.5);
    assert.ok(high.length <= 1);
    assert.equal(roleOf(head), high[0]?.role ?? "none");
  });
  const found = new Set(HEADS.map((_, head) => roleOf(head)));
  assert.deepEqual([...found].sort(), ROLES.map(([role]) => role).sort());
});

test("the sharpest head has the largest weight, the one that matters costs most", () => {
  for (const [text, query] of places) {
    const top = Math.max(...weights(text, sharpest(text, query), query));
    const cost = worth(text, mattersMost(text, query), query);
    HEADS.forEach((_, head) => {
      assert.ok(Math.max(...weights(text, head, query)) <= top);
      assert.ok(worth(text, head, query) <= cost);
    });
  }
});

test("what the answer under the picture says is so", () => {
  assert.deepEqual(agreements(), { same: 10, of: 48 });
  const text = TEXTS[1];
  const owls = words(text).indexOf("owls");
  assert.equal(HEADS[sharpest(text, owls)], "1.2");
  assert.equal(HEADS[mattersMost(text, owls)], "0.2");
  assert.ok(weights(text, 5, owls).at(-2) > 0.9 && worth(text, 5, owls) < 0.5);
});
