// The storyteller, run in the page: plainformer.one_page's Llama with its cache, one token at a time.
import { softmaxRow } from "./softmax.core.js";
import { DATA } from "./storyteller.data.js";

export const { words: WORDS, context: CONTEXT, layers: LAYERS, heads: HEADS } = DATA;
const { width: M, inner: F, base: BASE, eps: EPS } = DATA;
const D = M / HEADS;
const EVERY_HEAD = Array.from({ length: LAYERS }, () => Array(HEADS).fill(true));

/** A number in half precision, from its 16 bits. */
export function half(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction;
  return bits & 0x8000 ? -size : size;
}

/** The weights by name, each matrix flat: row after row. Float32 holds half precision exactly. */
export const WEIGHTS = (() => {
  const bytes = Uint8Array.from(atob(DATA.weights), (letter) => letter.charCodeAt(0));
  const numbers = Float32Array.from({ length: bytes.length / 2 }, (_, i) =>
    half(bytes[2 * i] | (bytes[2 * i + 1] << 8)));
  let at = 0;
  const take = (rows, columns = 1) => numbers.subarray(at, (at += rows * columns));
  const embedding = take(WORDS.length, M);
  const blocks = Array.from({ length: LAYERS }, () => ({
    attentionNorm: take(M),
    attention: { query: take(M, M), key: take(M, M), value: take(M, M), output: take(M, M) },
    feedforwardNorm: take(M),
    feedforward: { gate: take(F, M), up: take(F, M), down: take(M, F) },
  }));
  const norm = take(M);
  if (at !== numbers.length) throw new RangeError(`${numbers.length} weights, and ${at} are used`);
  return { embedding, blocks, norm };
})();

/**
 * `weight` (rows × x.length), flat, times the vector `x`, whose length is a multiple of 4: four sums,
 * none of which waits for another.
 */
export function linear(x, weight) {
  const n = x.length;
  const out = new Float64Array(weight.length / n);
  for (let i = 0, at = 0; i < out.length; i += 1, at += n) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let j = 0; j < n; j += 4) {
      a += weight[at + j] * x[j];
      b += weight[at + j + 1] * x[j + 1];
      c += weight[at + j + 2] * x[j + 2];
      d += weight[at + j + 3] * x[j + 3];
    }
    out[i] = a + b + c + d;
  }
  return out;
}

export function rmsNorm(x, weight) {
  let squares = 0;
  for (const value of x) squares += value * value;
  const scale = 1 / Math.sqrt(squares / x.length + EPS);
  return x.map((value, i) => value * scale * weight[i]);
}

export function swiglu(x, { gate, up, down }) {
  const wide = linear(x, up);
  linear(x, gate).forEach((value, i) => { wide[i] *= value / (1 + Math.exp(-value)); });
  return linear(wide, down);
}

/** Rotate each head of a vector by its position: component i with i + D/2. */
export function rotary(x, position) {
  const out = x.slice();
  for (let i = 0; i < D / 2; i += 1) {
    const angle = position * BASE ** ((-2 * i) / D);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    for (let a = i; a < M; a += D) {
      const b = a + D / 2;
      out[a] = x[a] * cos - x[b] * sin;
      out[b] = x[a] * sin + x[b] * cos;
    }
  }
  return out;
}

export const softmax = (scores) => softmaxRow(Array.from(scores));
const add = (x, y) => x.map((value, i) => value + y[i]);

/**
 * Multiplications to read the token at `position`, with a cache: one for each weight of a matrix, and
 * for each head and position seen, D for the score and D for the sum of values.
 */
export const multiplications = (position) =>
  LAYERS * (4 * M * M + 3 * M * F + 2 * M * (position + 1)) + WORDS.length * M;

/** The model with its cache. Heads whose place in `heads` (by layer and head) is false are off. */
export class Model {
  constructor(heads = EVERY_HEAD) {
    this.heads = heads;
    this.length = 0; // tokens read, and rows of each cache in use
    this.caches = Array.from({ length: LAYERS }, () => ({
      keys: new Float32Array(CONTEXT * M), values: new Float32Array(CONTEXT * M),
    }));
  }

  /** Bytes of the keys and values of the tokens read. */
  get bytes() {
    return this.length * LAYERS * 2 * M * Float32Array.BYTES_PER_ELEMENT;
  }

  /**
   * Read the next token; return the logits of the one after it. Into `seen`, if given, go the `scores`
   * and `weights` of the token's query by layer and head, each with a number for every position read.
   */
  read(token, seen) {
    if (!(token in WORDS)) throw new RangeError(`token ${token}: expected 0 to ${WORDS.length - 1}`);
    if (this.length === CONTEXT) throw new RangeError(`the context of ${CONTEXT} tokens is full`);
    if (seen) Object.assign(seen, { scores: [], weights: [] });
    let x = Float64Array.from(WEIGHTS.embedding.subarray(token * M, (token + 1) * M));
    WEIGHTS.blocks.forEach((w, layer) => {
      x = add(x, this.#attention(rmsNorm(x, w.attentionNorm), w.attention, layer, seen));
      x = add(x, swiglu(rmsNorm(x, w.feedforwardNorm), w.feedforward));
    });
    this.length += 1;
    return linear(rmsNorm(x, WEIGHTS.norm), WEIGHTS.embedding);
  }

  /** Append the key and the value of `x` to the layer's cache; attend from `x` to all in it. */
  #attention(x, w, layer, seen) {
    const { keys, values } = this.caches[layer];
    const query = rotary(linear(x, w.query), this.length);
    keys.set(rotary(linear(x, w.key), this.length), this.length * M);
    values.set(linear(x, w.value), this.length * M);
    const found = new Float64Array(M);
    const [ofScores, ofWeights] = [[], []];
    for (let head = 0; head < HEADS; head += 1) {
      const scores = this.#scores(query, keys, head * D);
      const weights = softmax(scores);
      ofScores.push(scores);
      ofWeights.push(weights);
      if (!this.heads[layer][head]) continue;
      for (let k = 0; k <= this.length; k += 1) {
        for (let i = head * D; i < (head + 1) * D; i += 1) found[i] += weights[k] * values[k * M + i];
      }
    }
    seen?.scores.push(ofScores);
    seen?.weights.push(ofWeights);
    return linear(found, w.output);
  }

  /** The scaled dot products of one head, whose components begin at `from`. */
  #scores(query, keys, from) {
    const scores = new Float64Array(this.length + 1);
    for (let k = 0; k < scores.length; k += 1) {
      let sum = 0;
      for (let i = from; i < from + D; i += 1) sum += query[i] * keys[k * M + i];
      scores[k] = sum / Math.sqrt(D);
    }
    return scores;
  }
}

/** The logits of the word after `tokens`, at least one and at most CONTEXT of them, read from the start. */
export function logits(tokens) {
  if (!tokens.length || tokens.length > CONTEXT) {
    throw new RangeError(`${tokens.length} tokens: expected 1 to ${CONTEXT}`);
  }
  const model = new Model();
  return Array.from(tokens.map((token) => model.read(token)).at(-1));
}
