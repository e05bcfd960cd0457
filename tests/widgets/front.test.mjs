// What a card of the front page says of a chapter, and which chapter comes next.
import assert from "node:assert/strict";
import { test } from "node:test";
import { next, share, words } from "../../book/_static/course/front.js";

const ASKED = { chapter: "02", cards: ["a", "b"], points: 20, needed: 0.8 };
const at = (known, score, open = false) => ({ known, of: 2, score, open });

test("a chapter counts half by its cards and half by the points that it asks for", () => {
  assert.equal(share(ASKED, at(0, null)), 0);
  assert.equal(share(ASKED, at(2, null)), 0.5);
  assert.equal(share(ASKED, at(1, 8)), 0.5);
  assert.equal(share(ASKED, at(0, 20)), 0.5); // more points than asked count no more
  assert.equal(share(ASKED, at(2, 16, true)), 1);
});

test("a card says nothing of a chapter that is not begun", () => {
  assert.equal(words(ASKED, at(0, null)), "");
  assert.equal(words(ASKED, at(1, null)), "1 of 2 cards, no score yet");
  assert.equal(words(ASKED, at(0, 0)), "0 of 2 cards, 0 of 20 points");
  assert.equal(words(ASKED, at(2, 16, true)), "✓ gate open");
});

test("one goes on where something is begun, else after the last open gate", () => {
  const chapters = (...all) => all.map((now, i) => ({ i, now }));
  assert.equal(next(chapters(at(0, null), at(0, null))), null);
  assert.equal(next(chapters(at(2, 16, true), at(0, null), at(1, null))).i, 2);
  assert.equal(next(chapters(at(2, 16, true), at(0, null))).i, 1);
  assert.equal(next(chapters(at(2, 16, true), at(2, 16, true))), null);
});
