// The storyteller, run in the page: a Llama of two layers, as in plainformer.one_page.
import { DATA } from "./storyteller.data.js";

export const { words: WORDS, context: CONTEXT } = DATA;
const { width: M, heads: H, inner: F, base: BASE, eps: EPS } = DATA;
const D = M / H;

/** A number in half precision, from its 16 bits. */
export function half(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction;
  return bits & 0x8000 ? -size : size;
}

const numbers = (() => {
  const bytes = Uint8Array.from(atob(DATA.weights), (letter) => letter.charCodeAt(0));
  return Float64Array.from({ length: bytes.length / 2 }, (_, i) =>
    half(bytes[2 * i] | (bytes[2 * i + 1] << 8)));
})();

let at = 0;
const take = (rows, columns = 1) => numbers.subarray(at, (at += rows * columns));
const EMBEDDING = take(WORDS.length, M);
const BLOCKS = Array.from({ length: DATA.layers }, () => ({
  before: take(M), query: take(M, M), key: take(M, M), value: take(M, M), output: take(M, M),
  between: take(M), gate: take(F, M), up: take(F, M), down: take(M, F),
}));
const LAST = take(M);
if (at !== numbers.length) throw new RangeError(`${numbers.length} weights, and ${at} are used`);

/** `matrix` (rows × x.length), flat, times a vector. */
function times(matrix, x) {
  const n = x.length;
  return Float64Array.from({ length: matrix.length / n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j += 1) sum += matrix[i * n + j] * x[j];
    return sum;
  });
}

function norm(x, weight) {
  const mean = x.reduce((sum, value) => sum + value * value, 0) / x.length;
  return x.map((value, i) => (value * weight[i]) / Math.sqrt(mean + EPS));
}

/** Turn each head of a vector by its position: component i with i + D/2. */
function turned(x, position) {
  const out = x.slice();
  for (let h = 0; h < M; h += D) {
    for (let i = 0; i < D / 2; i += 1) {
      const angle = position * BASE ** ((-2 * i) / D);
      const [a, b, cos, sin] = [x[h + i], x[h + i + D / 2], Math.cos(angle), Math.sin(angle)];
      out[h + i] = a * cos - b * sin;
      out[h + i + D / 2] = a * sin + b * cos;
    }
  }
  return out;
}

export function softmax(scores) {
  const top = Math.max(...scores);
  const e = Array.from(scores, (score) => Math.exp(score - top));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((value) => value / sum);
}

/** Let the vectors look at themselves and at what stands before them. */
function attention(block, xs) {
  const query = xs.map((x, n) => turned(times(block.query, x), n));
  const key = xs.map((x, n) => turned(times(block.key, x), n));
  const value = xs.map((x) => times(block.value, x));
  return xs.map((_, n) => {
    const found = new Float64Array(M);
    for (let h = 0; h < M; h += D) {
      const weights = softmax(Array.from({ length: n + 1 }, (_, k) => {
        let score = 0;
        for (let i = h; i < h + D; i += 1) score += query[n][i] * key[k][i];
        return score / Math.sqrt(D);
      }));
      weights.forEach((weight, k) => {
        for (let i = h; i < h + D; i += 1) found[i] += weight * value[k][i];
      });
    }
    return times(block.output, found);
  });
}

function feedForward(block, x) {
  const up = times(block.up, x);
  const gated = times(block.gate, x).map((value, i) => (value / (1 + Math.exp(-value))) * up[i]);
  return times(block.down, gated);
}

const add = (x, y) => x.map((value, i) => value + y[i]);

/** The logits of the word after `tokens`, at least one and at most CONTEXT of them. */
export function logits(tokens) {
  if (!tokens.length || tokens.length > CONTEXT) {
    throw new RangeError(`${tokens.length} tokens: expected 1 to ${CONTEXT}`);
  }
  let xs = tokens.map((token) => EMBEDDING.slice(token * M, (token + 1) * M));
  for (const block of BLOCKS) {
    const seen = attention(block, xs.map((x) => norm(x, block.before)));
    xs = xs.map((x, n) => add(x, seen[n]));
    xs = xs.map((x) => add(x, feedForward(block, norm(x, block.between))));
  }
  return Array.from(times(EMBEDDING, norm(xs.at(-1), LAST)));
}
