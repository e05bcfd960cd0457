// The rules of the sampler lab: from logits to what is drawn from, and from that to a word.
import { softmax } from "./storyteller.core.js";

const scaled = (shares) => {
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / sum);
};
const cut = (shares, inside) => scaled(shares.map((share) => (inside(share) ? share : 0)));
const falling = (shares) => [...shares].sort((a, b) => b - a);

/** The k likeliest, and what ties with the last of them. */
export const topK = (shares, k) => {
  const least = falling(shares)[Math.min(k, shares.length) - 1];
  return cut(shares, (share) => share >= least);
};

/** The fewest of the likeliest that reach p together, and what ties with the last of them. */
export function topP(shares, p) {
  if (p >= 1) return [...shares];
  let [before, least] = [0, 1];
  for (const share of falling(shares)) {
    if (before >= p) break;
    least = share;
    before += share;
  }
  return cut(shares, (share) => share >= least);
}

/** What is at least p times as likely as the likeliest. */
export const minP = (shares, p) => {
  const top = Math.max(...shares);
  return cut(shares, (share) => share >= p * top);
};

/** A temperature on probabilities: their logarithms are divided. 0 keeps the first of the likeliest. */
export function heat(shares, temperature) {
  if (temperature > 0) return softmax(shares.map((share) => Math.log(share) / temperature));
  const best = shares.indexOf(Math.max(...shares));
  return shares.map((_, i) => (i === best ? 1 : 0));
}

/** What is drawn from. With `last`, the temperature comes after the cuts. */
export function drawnFrom(logits, { temperature, k, p, min, last }) {
  let shares = softmax(logits);
  if (!last) shares = heat(shares, temperature);
  shares = minP(topP(topK(shares, k), p), min);
  return last ? heat(shares, temperature) : shares;
}

/** The word in whose share of the line from 0 to 1 the number u falls. */
export function pick(shares, u) {
  let sum = 0;
  let found = 0;
  for (let i = 0; i < shares.length; i += 1) {
    if (!shares[i]) continue;
    found = i;
    sum += shares[i];
    if (u < sum) break;
  }
  return found;
}

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
