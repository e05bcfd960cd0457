// Spaced repetition: what ts-fsrs decides, and what we make of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dueCards, nextDue, Schedule, span } from "../../book/_static/course/schedule.js";
import { read } from "../../book/_static/course/progress.js";

const library = await import("ts-fsrs").catch(() => null);
const skip = library ? false : "ts-fsrs is not installed: run `npm ci`";
const now = new Date("2026-03-01T08:00:00Z");
const later = (minutes) => new Date(now.getTime() + minutes * 60_000);

test("a better grade never brings a card back earlier", { skip }, () => {
  const schedule = new Schedule(library);
  let record;
  for (let round = 0; round < 4; round += 1) {
    const at = record ? new Date(record.fsrs.due) : now;
    const dues = schedule.preview(record, at).map(({ due }) => due - at);
    assert.deepEqual(dues, [...dues].sort((a, b) => a - b));
    record = schedule.answer(record, 3, at);
  }
  assert.ok(Date.parse(record.fsrs.due) - now > 3 * 24 * 3_600_000);
});

test("the button says when the card will come back, and it does", { skip }, () => {
  const schedule = new Schedule(library);
  for (const grade of [1, 2, 3, 4]) {
    const promised = schedule.preview(undefined, now)[grade - 1].due;
    assert.equal(schedule.answer(undefined, grade, now).fsrs.due, promised.toISOString());
  }
});

test("a card counts as known from its first Good, and a later Again does not take that back", { skip }, () => {
  const schedule = new Schedule(library);
  const first = schedule.answer(undefined, 1, now);
  assert.equal(first.good, null);
  const second = schedule.answer(first, 3, later(5));
  assert.equal(second.good, later(5).toISOString());
  assert.deepEqual([schedule.answer(second, 1, later(20)).good, second.answers], [second.good, 2]);
});

test("a record survives being stored as text", { skip }, () => {
  const schedule = new Schedule(library);
  const record = schedule.answer(schedule.answer(undefined, 3, now), 3, later(20));
  const text = JSON.stringify({ version: 1, cards: { a: record }, gates: {} });
  const back = read(text).data.cards.a;
  assert.deepEqual(back, record);
  assert.deepEqual(schedule.preview(back, later(9999)), schedule.preview(record, later(9999)));
});

test("due cards come first by their date, then new ones in their order", () => {
  const records = { a: 5, b: -20, c: -30 };
  const recordOf = (id) =>
    id in records ? { fsrs: { due: later(records[id]).toISOString() } } : undefined;
  assert.deepEqual(dueCards(["new1", "a", "b", "c", "new2"], recordOf, now), ["c", "b", "new1", "new2"]);
  assert.deepEqual(nextDue(["new1", "a"], recordOf), later(5));
  assert.equal(nextDue(["new1"], recordOf), null);
});

test("spans of time are in words", () => {
  const words = [0.2, 1, 10, 59.4, 59.7, 90, 23.8 * 60, 24 * 60, 8 * 24 * 60];
  assert.deepEqual(words.map((minutes) => span(now, later(minutes))),
    ["1 minute", "1 minute", "10 minutes", "59 minutes", "1 hour", "2 hours", "1 day", "1 day", "8 days"]);
});
