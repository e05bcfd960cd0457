// The numbers of the heads lab: trained layers of chapter 04, computed head by head.
// A sentence is five facts (stems) and an order; order[p] says which fact stands at place p.
import { softmaxRow, sum } from "./softmax.core.js";

export const STEMS = ["bel", "tor", "mik", "sun", "rav", "gol", "ken", "fam", "dir", "hos", "vid", "pak", "lom"];
export const ENGLISH = ["wolf", "dog", "cat", "bird", "horse", "fish", "old", "small", "red", "tired",
  "sees", "hears", "follows"];
export const FACTS = ["which acts", "who acts", "verb", "which, to whom", "to whom"];
/** First and last stem, exclusive, that may answer each fact. */
export const RANGES = [[6, 10], [0, 6], [10, 13], [6, 10], [0, 6]];
const ENDINGS = [13, 13, 15, 14, 14]; // rows of the tables: -a, -o, -i come after the stems

export const spelled = (stem, fact) => STEMS[stem] + "aoi"[ENDINGS[fact] - 13];

/** The weights (h, k) of each head on the words in their order. */
export function weights(model, facts, order) {
  return model.scores.map((score) =>
    softmaxRow(order.map((fact) => score[facts[fact]] + score[ENDINGS[fact]])));
}

/** The logits of all answers, as a sum over the heads that are not silenced. */
export function logits(model, facts, order, silenced = []) {
  const total = [...model.start];
  weights(model, facts, order).forEach((row, r) => {
    if (silenced.includes(r)) return;
    const adds = model.adds[r];
    row.forEach((weight, p) => {
      const [stem, ending] = [adds[facts[order[p]]], adds[ENDINGS[order[p]]]];
      for (let a = 0; a < total.length; a += 1) total[a] += weight * (stem[a] + ending[a]);
    });
  });
  return total;
}

/** For each fact: the stem that the layer answers, its probability among its kind, and that of the truth. */
export function answers(model, facts, order, silenced = []) {
  const all = logits(model, facts, order, silenced);
  let from = 0;
  return RANGES.map(([first, last], fact) => {
    const shares = softmaxRow(all.slice(from, from + last - first));
    from += last - first;
    const best = shares.indexOf(Math.max(...shares));
    return {
      said: first + best, share: shares[best], truth: facts[fact],
      onTruth: shares[facts[fact] - first], right: first + best === facts[fact],
    };
  });
}

/** Every sentence there is: 4 · 6 · 3 · 4 · 6. */
export function* everySentence() {
  for (let i = 0; i < 1728; i += 1) {
    let rest = i;
    yield RANGES.map(([first, last]) => {
      const stem = first + (rest % (last - first));
      rest = Math.floor(rest / (last - first));
      return stem;
    });
  }
}

/** The share of all sentences for which each fact is right, and last, for which all five are. */
export function shares(model, silenced = []) {
  const order = [0, 1, 2, 3, 4]; // any order gives the same
  const counts = [0, 0, 0, 0, 0, 0];
  for (const facts of everySentence()) {
    const right = answers(model, facts, order, silenced).map((each) => each.right);
    right.forEach((ok, fact) => { counts[fact] += ok; });
    counts[5] += right.every(Boolean);
  }
  return counts.map((count) => count / 1728);
}

/** A permutation of 0 to n − 1; `random` gives numbers from 0 to 1. */
export function shuffled(n, random = Math.random) {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** How the weight of one head falls on the five facts, whatever the order of the words. */
export function byFact(row, order) {
  const share = Array(order.length).fill(0);
  order.forEach((fact, p) => { share[fact] += row[p]; });
  return share.map((x) => x / sum(row));
}
