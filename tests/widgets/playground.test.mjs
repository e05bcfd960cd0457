// Laws of the playground: its words, its addresses, its tour, its losses and its counts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  address, BEGINNINGS, cost, distance, fromAddress, loss, measure, NAMES, near, parse, read, START, step,
  tell, TOUR,
} from "../../book/_static/widgets/playground.core.js";
import { CONTEXT, logits, softmax, WORDS } from "../../book/_static/widgets/storyteller.core.js";
import { copied } from "../../book/_static/widgets/training-lab.ballads.js";

const CHAPTERS = { "02": "02-scaled-dot-product-attention", "04": "04-many-heads", "05": "05-position",
  "09": "09-looking-inside", "13": "13-the-kv-cache", "14": "14-generation" };
const text = (words) => words.split(" ").map((word) => WORDS.indexOf(word));
const close = (one, other) => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);

test("a beginning is words of the vocabulary, with stop and star wherever they are typed", () => {
  assert.deepEqual(parse(" The owl sings. *Mice\n"), { tokens: text("the owl sings . * mice") });
  for (const each of BEGINNINGS) assert.deepEqual(parse(each), { tokens: text(each) });
  assert.equal(parse(Array(63).fill("owl").join(" ")).tokens.length, 63);
});

test("a wrong word is named, with near ones; an empty or long beginning says what to do", () => {
  assert.match(parse("the owll sings").wrong, /“owll”.* owl,/);
  assert.match(parse("x".repeat(500)).wrong, /“x{20}…”/);
  assert.match(parse("the <b>").wrong, /“<b>”/);
  assert.match(parse("constructor").wrong, /does not know “constructor”/);
  assert.match(parse(" \n").wrong, /at least one word/);
  assert.match(parse(Array(64).fill("owl").join(" ")).wrong, /64 words: .* at most 63/);
  assert.equal(near("foxs")[0], "fox");
  assert.deepEqual([distance("", "owl"), distance("kitten", "sitting"), distance("owl", "owl")], [3, 3, 0]);
});

test("an address leads back to its state", () => {
  const states = [
    { ...START }, { ...START, beginning: text("* mice ."), count: 50, seed: 999, at: 3, head: "0.3" },
    { ...START, off: ["0.2", "1.3"], temperature: 0, k: 3, p: 0.07, again: true, at: 0 },
    ...TOUR.map((_, i) => step(i + 1)),
  ];
  for (const state of states) {
    assert.deepEqual(fromAddress(`#${address(state)}`).state, state);
    assert.ok(address(state).length < 130);
  }
  assert.equal(address(START), "play");
  assert.deepEqual(fromAddress("#step-10"), { state: step(10), step: 10 });
});

test("a broken or foreign address is refused with a sentence, and a section's is left alone", () => {
  const broken = [
    "#b=", "#b=?", `#b=${"1".repeat(64)}`, "#n=65", "#n=-1", "#n=1.5", "#s=0", "#s=1e2", "#t=3", "#k=0", "#p=0", "#p=NaN",
    "#h=2.0", "#off=", "#off=0.0-0.0", "#off=9.9", "#again=0", "#zz=1", "#n=1&n=2", "#n=1&", "#=", "#constructor=1",
    "#toString=1", "#%E0%A4%A=1", "#n=%31", `#${"a=1&".repeat(9999)}`, "#at=64",
  ];
  for (const each of broken) {
    const found = fromAddress(each);
    assert.match(found.wrong, /^The address .*\.$/, each);
    assert.ok(found.wrong.length < 140);
  }
  for (const each of ["#step-0", "#step-11", `#step-${"9".repeat(400)}`]) assert.match(fromAddress(each).wrong, /steps 1 to 10/);
  for (const each of ["", "#", "#tour-steps", "#the-storyteller", "#step-x"]) assert.equal(fromAddress(each), null);
});

test("a seed tells one text; more words continue it; heads that are off change it", () => {
  const told = (change) => tell({ ...START, ...change });
  assert.deepEqual(told({ count: 9 }), told({ count: 9 }));
  assert.deepEqual(told({ count: 20 }).slice(0, START.beginning.length + 9), told({ count: 9 }));
  assert.notDeepEqual(told({ count: 20, seed: 2 }), told({ count: 20 }));
  assert.notDeepEqual(told({ count: 3, off: ["1.0"] }), told({ count: 3 }));
  assert.equal(told({ count: CONTEXT }).length, CONTEXT);
  const greedy = told({ count: 1, temperature: 0 }).at(-1);
  const row = logits(START.beginning);
  assert.equal(greedy, row.indexOf(Math.max(...row)));
});

test("copied words are those of a repeated refrain after its first", () => {
  const words = "* owl hen . the fox sings . * hen . * owl hen";
  const marks = "0 0 0 0 0 0 0 0 0 0 1 0 0 1".split(" ").map((mark) => mark === "1");
  assert.deepEqual(copied(text(words)), marks);
});

test("the loss is the mean surprisal from the second word on", () => {
  const tokens = text("* owl hen . * owl hen .");
  const nats = tokens.slice(1).map((token, n) => -Math.log(softmax(logits(tokens.slice(0, n + 1)))[token]));
  const found = loss(tokens, read(tokens).steps);
  close(found.all, nats.reduce((a, b) => a + b) / 7);
  close(found.copied, (nats[5] + nats[6]) / 2);
  assert.equal(found.count, 2);
  assert.deepEqual(loss([5], read([5]).steps), { all: null, copied: null, count: 0 });
});

test("work: with a cache a text costs what its words cost, without one each is read again and again", () => {
  const { cached, again } = cost(5);
  const totals = [1, 2, 3, 4, 5].map((n) => cost(n).cached.all);
  assert.equal(again.last, cached.all);
  assert.equal(again.all, totals.reduce((a, b) => a + b));
  assert.equal(cached.last, totals[4] - totals[3]);
});

test("the measurement reads each word once, and then the last one again", () => {
  let now = 0;
  const times = measure(START.beginning, [], () => (now += 12), 4);
  assert.deepEqual(times, { again: 12, cached: 3 });
});

/** The weights of a step's head from its place. */
const seen = (number) => {
  const state = step(number);
  const tokens = tell(state);
  const at = state.at ?? tokens.length - 1;
  return read(tokens, state.off).steps[at].weights[NAMES.indexOf(state.head)];
};

test("the tour's sentences are true of what it shows", () => {
  assert.ok(seen(2)[11] > seen(2)[10] && seen(2)[11] + seen(2)[10] > 0.9); // the star, then the full stop
  for (const [number, before] of [[3, 2], [4, 8]]) assert.ok(seen(number)[before] > 0.9);
  assert.ok(seen(5)[3] > 0.9); // the word that followed the first time
  const all = tell(step(6), []);
  const [intact, without] = [loss(all, read(all).steps), loss(all, read(all, ["1.0"]).steps)];
  assert.ok(intact.copied < 0.01 && without.copied - intact.copied > 2 * (without.all - intact.all));
  assert.equal(read(tell(step(7))).bytes - read(START.beginning).bytes, 1024);
});

test("each step has its text on the page, and each text links its own step and a chapter", () => {
  const page = readFileSync(new URL("../../book/playground.md", import.meta.url), "utf8");
  const items = page.split("(tour-steps)=")[1].match(/^\d+\. .*(\n {3}.*)*/gm);
  assert.equal(items.length, TOUR.length);
  items.forEach((item, i) => {
    assert.ok(item.includes(`](#step-${i + 1})`) && page.includes(`\n(step-${i + 1})=\n`), item);
    const [, label] = item.match(/\]\((sec-(\d\d)-[a-z-]+)\)/);
    const chapter = readFileSync(new URL(`../../book/${CHAPTERS[label.slice(4, 6)]}.md`, import.meta.url), "utf8");
    const section = chapter.split(`(${label})=`)[1].split(/^## /m).slice(0, 2).join("");
    assert.ok(section.includes(`](step-${i + 1})`), `${label} links back to step ${i + 1}`);
  });
});
