// Laws of the heads lab's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answers, byFact, everySentence, logits, shares, shuffled, spelled, weights,
} from "../../book/_static/widgets/heads-lab.core.js";
import { MODELS } from "../../book/_static/widgets/heads-lab.data.js";

const order = [0, 1, 2, 3, 4];
const facts = [6, 0, 10, 7, 1];
const close = (a, b) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-9));

test("the words of the page are spelled with their endings", () => {
  assert.deepEqual(order.map((f) => spelled(facts[f], f)), ["kena", "bela", "vidi", "famo", "toro"]);
});

test("each head divides one unit among the words", () => {
  for (const model of Object.values(MODELS)) {
    for (const row of weights(model, facts, [4, 2, 0, 1, 3])) {
      close([row.reduce((a, b) => a + b)], [1]);
    }
  }
});

test("the order of the words changes no answer and moves the weights along", () => {
  const mixed = [3, 1, 4, 0, 2];
  for (const model of Object.values(MODELS)) {
    close(logits(model, facts, order), logits(model, facts, mixed));
    const [first, other] = [order, mixed].map((o) => byFact(weights(model, facts, o)[0], o));
    close(first, other);
  }
});

test("the output is a sum over heads", () => {
  const model = MODELS[4];
  const whole = logits(model, facts, order);
  const parts = order.slice(0, 4).map((r) => logits(model, facts, order, [0, 1, 2, 3].filter((s) => s !== r)));
  close(whole, whole.map((_, a) => parts.reduce((all, p) => all + p[a], 0) - 3 * model.start[a]));
});

test("with all heads silenced every sentence gets the same answer", () => {
  const said = [...everySentence()].slice(0, 50).map((f) =>
    answers(MODELS[2], f, order, [0, 1]).map((each) => each.said).join());
  assert.equal(new Set(said).size, 1);
});

test("there are 1728 different sentences", () => {
  assert.equal(new Set([...everySentence()].map(String)).size, 1728);
});

test("two and four heads read everything, one head does not, and every head of two is needed", () => {
  assert.ok(shares(MODELS[2])[5] > 0.99 && shares(MODELS[4])[5] > 0.99 && shares(MODELS[1])[5] < 0.6);
  for (const r of [0, 1]) assert.ok(shares(MODELS[2], [r])[5] < 0.1);
});

test("shuffled gives a permutation", () => {
  assert.deepEqual(shuffled(5, () => 0.5).sort(), order);
});
