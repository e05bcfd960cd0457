// Progress: kept, merged, and never the reason why a page breaks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { demand, standing } from "../../book/_static/course/mastery.js";
import { keyOf, Progress, read, SHARED as KEY } from "../../book/_static/course/progress.js";

function memory(start = {}) {
  const kept = new Map(Object.entries(start));
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, String(value)),
    removeItem: (key) => kept.delete(key),
  };
}

/** What a page hears of its window while `run` has one. */
function inWindow(run) {
  const window = new EventTarget();
  globalThis.addEventListener = window.addEventListener.bind(window);
  try {
    return run((type, more) => window.dispatchEvent(Object.assign(new Event(type), more)));
  } finally {
    delete globalThis.addEventListener;
  }
}

function card(day, good = null) {
  const at = `2026-01-0${day}T00:00:00.000Z`;
  const fsrs = { due: at, last_review: at, state: 1, stability: 1, difficulty: 5, reps: 1, lapses: 0 };
  return { fsrs, good, answers: 1 };
}

test("what is stored is there for the next page", () => {
  const storage = memory();
  new Progress(() => storage).setCard("02-c01", card(1));
  new Progress(() => storage).setGate("02", 21.5);
  const later = new Progress(() => storage);
  assert.deepEqual(later.card("02-c01"), card(1));
  assert.equal(later.gate("02").score, 21.5);
  assert.equal(later.problem, "");
});

/** A page of the site in a folder of a host, and its address. */
function pageOf(folder, up) {
  const address = new URL(`https://example.org${folder}book/02.html`);
  return [{ documentElement: { dataset: { content_root: up } } }, address];
}

for (const [what, type, more] of [
  ["another page wrote", "storage", { key: KEY }],
  ["Back shows a page again", "pageshow", { persisted: true }],
]) {
  test(`when ${what}, what is kept is read again`, () => inWindow((happens) => {
    const storage = memory();
    const asleep = new Progress(() => storage, KEY);
    let told = 0;
    asleep.addEventListener("change", () => { told += 1; });
    new Progress(() => storage, KEY).setGate("02", 3);
    assert.equal(asleep.gate("02"), undefined);
    happens(type, more);
    assert.equal(asleep.gate("02").score, 3);
    assert.equal(told, 1);
  }));
}

const spring = keyOf(...pageOf("/course/spring/", "../"));

test("the entry of a site is that of all its pages", () => {
  assert.equal(keyOf(...pageOf("/course/spring/book/api/", "../../../")), spring);
});

for (const at of ["/course/autumn/", "/course/", "/", "/spring/", "/course/spring/2027/", "/course/Spring/"]) {
  test(`a site in ${at} has an entry of its own`, () => {
    assert.notEqual(keyOf(...pageOf(at, "../")), spring);
  });
}

test("two sites of one host keep their progress apart", () => {
  const storage = memory();
  new Progress(() => storage, "a").setCard("02-c01", card(1));
  const other = new Progress(() => storage, "b");
  assert.equal(other.card("02-c01"), undefined);
  other.setGate("02", 3);
  assert.equal(new Progress(() => storage, "a").gate("02"), undefined);
  assert.deepEqual(new Progress(() => storage, "a").card("02-c01"), card(1));
});

test("what all sites shared once goes to the first that is opened, and nothing of it is lost", () => {
  const old = JSON.stringify({ version: 1, cards: { a: card(1) }, gates: {} });
  const storage = memory({ [KEY]: old });
  assert.deepEqual(new Progress(() => storage, "a").card("a"), card(1));
  assert.deepEqual(new Progress(() => storage, "b").card("a"), undefined);
  assert.deepEqual([...storage.kept], [["a", old]]);
  const full = { ...memory({ [KEY]: old }), setItem: () => { throw new Error("full"); } };
  assert.match(new Progress(() => full, "a").problem, /cannot be read here: full/);
  assert.equal(full.getItem(KEY), old, "what could not be moved stays");
  const own = memory({ [KEY]: old, a: JSON.stringify({ version: 1, cards: {}, gates: {} }) });
  assert.deepEqual(new Progress(() => own, "a").card("a"), undefined);
  assert.equal(own.getItem(KEY), old, "another site's, for all that this one knows");
});

test("two open pages do not undo each other", () => {
  const storage = memory();
  const [one, other] = [new Progress(() => storage), new Progress(() => storage)];
  one.setCard("02-c01", card(1));
  other.setCard("02-c02", card(2));
  assert.deepEqual(Object.keys(new Progress(() => storage).data.cards), ["02-c01", "02-c02"]);
});

test("damaged storage is said, copied and replaced, not thrown", () => {
  for (const text of ["{", "[]", "null", '{"version":1}', '{"version":9,"cards":{},"gates":{}}']) {
    const storage = memory({ [KEY]: text });
    const progress = new Progress(() => storage);
    assert.match(progress.problem, /damaged.*copy/);
    progress.setCard("02-c01", card(1));
    assert.ok([...storage.kept.values()].includes(text), "the copy outlives the next answer");
    assert.deepEqual(new Progress(() => storage).card("02-c01"), card(1));
  }
});

test("one damaged record does not take the others with it", () => {
  const data = { version: 1, cards: { a: card(1), b: { fsrs: {} }, c: 3 }, gates: { "02": {} } };
  const found = read(JSON.stringify(data));
  assert.deepEqual(Object.keys(found.data.cards), ["a"]);
  assert.match(found.problem, /3 unreadable/);
});

test("a browser that forbids storage gets a page that works", () => {
  const refusals = [
    () => { throw new Error("SecurityError"); },
    () => null,
    () => ({ ...memory(), forgets: true }), // from head.html
  ];
  for (const refuse of refusals) {
    const forbidden = new Progress(refuse);
    assert.match(forbidden.problem, /stores nothing/);
    forbidden.setCard("02-c01", card(1));
    assert.deepEqual(forbidden.card("02-c01"), card(1));
  }
});

test("a full storage is said, and progress lasts while the page is open", () => {
  const storage = memory();
  storage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  const progress = new Progress(() => storage);
  progress.setGate("02", 3);
  assert.match(progress.problem, /could not be stored \(QuotaExceededError\)/);
  assert.equal(progress.gate("02").score, 3);
});

test("importing keeps the later of two records and says how many it took", () => {
  const mine = new Progress(() => memory());
  mine.setCard("a", card(2));
  mine.setCard("b", card(2));
  const other = new Progress(() => memory());
  other.setCard("a", card(1));
  other.setCard("b", card(3, "2026-01-03T00:00:00.000Z"));
  other.setGate("02", 30);
  assert.match(mine.import(other.export()), /2 records/);
  assert.deepEqual([mine.card("a"), mine.card("b").good !== null], [card(2), true]);
  assert.match(mine.import("not json"), /Nothing was taken over: it is not JSON/);
});

test("names of Object's own are no cards", () => {
  const progress = new Progress(() => memory());
  assert.equal(progress.card("constructor"), undefined);
  assert.match(progress.import('{"version":1,"cards":{"__proto__":1},"gates":{}}'), /0 records/);
});

test("forgetting leaves nothing", () => {
  const storage = memory();
  const progress = new Progress(() => storage);
  progress.setCard("a", card(1));
  progress.reset();
  assert.equal(new Progress(() => storage).card("a"), undefined);
});

test("the gate opens at 80 % of the points and all cards good, and not before", () => {
  const asked = demand({ dataset: { chapter: "02", cards: "a b", points: "35", needed: "0.8" } });
  const progress = new Progress(() => memory());
  assert.equal(standing(asked, progress).open, false);
  progress.setCard("a", card(1, "2026-01-01T00:00:00.000Z"));
  progress.setCard("b", card(1));
  progress.setGate("02", 27.9);
  assert.deepEqual(standing(asked, progress),
    { known: 1, of: 2, score: 27.9, scored: false, answered: false, open: false });
  progress.setGate("02", 28);
  progress.setCard("b", card(2, "2026-01-02T00:00:00.000Z"));
  assert.equal(standing(asked, progress).open, true);
  progress.setGate("02", null);
  assert.equal(standing(asked, progress).open, false);
});

test("points for own words are kept beside those of the checks, and both count", () => {
  const asked = demand({ dataset: { chapter: "02", cards: "a", points: "36", needed: "0.8" } });
  const storage = memory();
  const progress = new Progress(() => storage);
  progress.setWords("02", 4.1);
  assert.equal(standing(asked, progress).score, 4.1);
  progress.setGate("02", 26.2);
  assert.equal(standing(asked, new Progress(() => storage)).score, 30.3, "no 30.299999999999997");
  progress.setGate("02", 36);
  assert.equal(standing(asked, progress).score, 36, "no more than there are");
  progress.setWords("02", null);
  assert.deepEqual(Object.keys(progress.gate("02")).sort(), ["at", "score"]);
  progress.setWords("02", 2);
  progress.setGate("02", null);
  assert.equal(progress.gate("02"), undefined);
  const gates = { "02": { score: 3, words: "5", at: "2026-01-01" } };
  assert.match(read(JSON.stringify({ version: 1, cards: {}, gates })).problem, /1 unreadable/);
});

test("without cards there is no gate to open", () => {
  const asked = demand({ dataset: { chapter: "05" } });
  const progress = new Progress(() => memory());
  progress.setGate("05", 0);
  assert.equal(standing(asked, progress).open, false);
});

test("predictions are kept, merged by age, and older files without them are read", () => {
  const storage = memory({ [KEY]: JSON.stringify({ version: 1, cards: { a: card(1) }, gates: {} }) });
  const progress = new Progress(() => storage);
  assert.equal(progress.problem, "");
  progress.setPrediction("02-1f", "b", new Date("2026-01-02T00:00:00Z"));
  assert.equal(new Progress(() => storage).prediction("02-1f").chosen, "b");
  assert.deepEqual(Object.keys(new Progress(() => storage).data.cards), ["a"]);
  const older = { "02-1f": { chosen: "a", at: "2026-01-01T00:00:00Z" }, x: { chosen: "z", at: "2026-01-01" } };
  const said = progress.import(JSON.stringify({ version: 1, cards: {}, gates: {}, predictions: older }));
  assert.match(said, /0 records.*1 unreadable/s);
  assert.equal(progress.prediction("02-1f").chosen, "b");
});
