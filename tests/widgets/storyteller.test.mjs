// The storyteller with its cache, beside a short reference that reads the whole text for each token.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dice } from "../../book/_static/widgets/sampler-lab.core.js";
import {
  CONTEXT, HEADS, LAYERS, linear, logits, Model, multiplications, rmsNorm, rotary, softmax, swiglu,
  WEIGHTS, WORDS,
} from "../../book/_static/widgets/storyteller.core.js";

const WIDTH = WEIGHTS.norm.length;
const D = WIDTH / HEADS;
const ALL = Array.from({ length: LAYERS }, () => Array(HEADS).fill(true));
const next = dice(40);
const TEXT = Array.from({ length: CONTEXT }, () => Math.floor(next() * WORDS.length));
const add = (x, y) => x.map((value, i) => value + y[i]);

/** The logits after `tokens` without a cache: each layer for all tokens, then the next layer. */
function uncached(tokens, on = ALL) {
  let xs = tokens.map((token) => Float64Array.from(WEIGHTS.embedding.subarray(token * WIDTH, (token + 1) * WIDTH)));
  WEIGHTS.blocks.forEach(({ attentionNorm, attention: w, feedforwardNorm, feedforward }, layer) => {
    const normed = xs.map((x) => rmsNorm(x, attentionNorm));
    const query = normed.map((x, n) => rotary(linear(x, w.query), n));
    const key = normed.map((x, n) => rotary(linear(x, w.key), n));
    const value = normed.map((x) => linear(x, w.value));
    xs = xs.map((x, n) => {
      const found = new Float64Array(WIDTH);
      for (let head = 0; head < HEADS; head += 1) {
        const part = (row) => row.subarray(head * D, (head + 1) * D);
        const weights = softmax(key.slice(0, n + 1).map((each) =>
          linear(part(query[n]), part(each))[0] / Math.sqrt(D)));
        if (on[layer][head]) weights.forEach((weight, k) => part(value[k]).forEach((v, i) => { found[head * D + i] += weight * v; }));
      }
      return add(x, linear(found, w.output));
    });
    xs = xs.map((x) => add(x, swiglu(rmsNorm(x, feedforwardNorm), feedforward)));
  });
  return linear(rmsNorm(xs.at(-1), WEIGHTS.norm), WEIGHTS.embedding);
}

const furthest = (one, other) => Math.max(...one.map((x, i) => Math.abs(x - other[i])));

test("with the cache each token's logits are those of the whole text", () => {
  const model = new Model();
  TEXT.forEach((token, n) => {
    const row = model.read(token);
    if (n % 9 === 0) assert.ok(furthest(row, uncached(TEXT.slice(0, n + 1))) < 1e-5, `token ${n}`);
  });
  assert.ok(furthest(logits(TEXT), uncached(TEXT)) < 1e-5);
});

test("a head that is off adds nothing, and the others go on", () => {
  const on = ALL.map((row, layer) => row.map((_, head) => layer * HEADS + head !== 5));
  const model = new Model(on);
  const row = TEXT.slice(0, 20).map((token) => model.read(token)).at(-1);
  assert.ok(furthest(row, uncached(TEXT.slice(0, 20), on)) < 1e-5);
  assert.ok(furthest(row, logits(TEXT.slice(0, 20))) > 0.01);
});

test("on request it tells scores and weights of each head, for each position up to its own", () => {
  const [model, seen] = [new Model(), {}];
  TEXT.slice(0, 7).forEach((token) => model.read(token, seen));
  assert.deepEqual([seen.scores.length, seen.scores[0].length, seen.scores[1][3].length], [LAYERS, HEADS, 7]);
  seen.weights.flat().forEach((weights, i) => {
    assert.ok(furthest(weights, softmax(seen.scores.flat()[i])) < 1e-12);
    assert.ok(Math.abs(weights.reduce((a, b) => a + b) - 1) < 1e-12);
  });
});

test("the cache grows by the keys and values of each layer, and has an end", () => {
  const model = new Model();
  assert.equal(model.bytes, 0);
  TEXT.forEach((token, n) => {
    model.read(token);
    assert.equal(model.bytes, (n + 1) * LAYERS * 2 * WIDTH * 4);
  });
  assert.throws(() => model.read(0), /context of 64 tokens is full/);
  for (const bad of [-1, WORDS.length, 1.5, undefined]) assert.throws(() => new Model().read(bad), /expected 0 to 46/);
});

test("multiplications are one for each weight of a matrix, and two vectors of a head's width for each key", () => {
  const { embedding, blocks } = WEIGHTS;
  const sizes = blocks.flatMap(({ attention, feedforward }) =>
    [...Object.values(attention), ...Object.values(feedforward)].map((matrix) => matrix.length));
  const weights = sizes.reduce((a, b) => a + b, embedding.length);
  for (const position of [0, 63]) {
    assert.equal(multiplications(position), weights + LAYERS * HEADS * (position + 1) * 2 * D);
  }
});
