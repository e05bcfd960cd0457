// The playground's rules: a state, what the storyteller makes of it, and the state in an address.
import { dice, drawnFrom, pick } from "./sampler-lab.core.js";
import {
  CONTEXT, HEADS, LAYERS, Model, multiplications, softmax, WORDS,
} from "./storyteller.core.js";
import { copied } from "./training-lab.ballads.js";

export const STOP = WORDS.indexOf(".");
export const NAMES = Array.from({ length: LAYERS * HEADS }, (_, i) =>
  `${Math.floor(i / HEADS)}.${i % HEADS}`);
const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJK"; // one for each word
const SEEDS = 999;
const encode = (text) => text.split(" ").map((word) => WORDS.indexOf(word));

export const BEGINNINGS = [
  "* sees hens fear today . the old owl sings . * sees hens",
  "* mice sing brave often . the foxes",
  "the giants that the hen",
  "*",
];

/** What is chosen: `count` words follow the beginning; `off` are names of heads; `at` is a place. */
export const START = {
  beginning: encode(BEGINNINGS[0]), count: 0, seed: 1, at: null, head: "1.0", off: [],
  temperature: 1, k: WORDS.length, p: 1, again: false,
};

/** Ten states for the tour: what each changes in START. Their texts are on the page. */
export const TOUR = [
  { head: "0.2" },
  { head: "0.3" },
  { head: "0.2", at: 3 },
  { head: "0.2", at: 9 },
  { head: "1.0" },
  { off: ["1.0"], count: 3 },
  { count: 1 },
  { count: 12, again: true },
  { beginning: encode(BEGINNINGS[1]), temperature: 2 },
  { beginning: encode(BEGINNINGS[1]), temperature: 2, p: 0.88 },
];
export const step = (number) => ({ ...START, ...TOUR[number - 1] });

/** How many letters must be put in, left out or changed to make one word of the other. */
export function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] !== other[j - 1])));
    }
    row = next;
  }
  return row.at(-1);
}

/** The three words of the vocabulary nearest to one that is not in it. */
export const near = (word) => [...WORDS].map((each) => [distance(word, each), each])
  .sort(([a], [b]) => a - b).slice(0, 3).map(([, each]) => each);

/** A typed beginning: `tokens`, or a sentence in `wrong` that names what was typed and what to do. */
export function parse(text) {
  const words = text.toLowerCase().replaceAll(/[.*]/g, " $& ").split(/\s+/).filter(Boolean);
  const unknown = words.find((word) => !WORDS.includes(word));
  if (!words.length) return { wrong: "Type at least one word." };
  if (unknown !== undefined) {
    const shown = unknown.length > 20 ? `${unknown.slice(0, 20)}…` : unknown;
    return { wrong: `The model does not know “${shown}”. Near it are ${near(unknown.slice(0, 20)).join(", ")}.` };
  }
  if (words.length >= CONTEXT) {
    return { wrong: `${words.length} words: the context is ${CONTEXT}, so type at most ${CONTEXT - 1}.` };
  }
  return { tokens: words.map((word) => WORDS.indexOf(word)) };
}

const switched = (off) => Array.from({ length: LAYERS }, (_, layer) =>
  Array.from({ length: HEADS }, (__, head) => !off.includes(NAMES[layer * HEADS + head])));

/** Read tokens one by one: the logits after each, and scores and weights of its heads. */
export function read(tokens, off = []) {
  const model = new Model(switched(off));
  const steps = tokens.map((token) => {
    const seen = {};
    return { logits: Array.from(model.read(token, seen)), scores: seen.scores.flat().map((row) => Array.from(row)), weights: seen.weights.flat() };
  });
  return { steps, bytes: model.bytes };
}

/** The text of a state: its beginning, and `count` drawn words, as far as the context goes. */
export function tell(state, off = state.off) {
  const [model, next, tokens] = [new Model(switched(off)), dice(state.seed), [...state.beginning]];
  let logits;
  for (const token of tokens) logits = model.read(token);
  for (let i = 0; i < state.count && tokens.length < CONTEXT; i += 1) {
    const word = pick(drawnFrom(Array.from(logits), { ...state, min: 0, last: false }), next());
    tokens.push(word);
    logits = model.read(word);
  }
  return tokens;
}

/** Mean nats per word from the second on, of all words and of the copied ones (null if there is none). */
export function loss(tokens, steps) {
  const nats = tokens.slice(1).map((token, n) => -Math.log(softmax(steps[n].logits)[token]));
  const mean = (all) => (all.length ? all.reduce((a, b) => a + b, 0) / all.length : null);
  const marks = copied(tokens).slice(1);
  return { all: mean(nats), copied: mean(nats.filter((_, n) => marks[n])), count: marks.filter(Boolean).length };
}

/** Multiplications for the last of n tokens and for all of them, with a cache and without. */
export function cost(n) {
  const each = Array.from({ length: n }, (_, position) => multiplications(position));
  const total = (all) => all.reduce((a, b) => a + b, 0);
  return {
    cached: { last: each.at(-1), all: total(each) },
    again: { last: total(each), all: total(each.map((one, position) => one * (n - position))) },
  };
}

/** Milliseconds to read the last token with a cache, and to read all of them again. */
export function measure(tokens, off, clock = () => performance.now(), rounds = 12) {
  const model = new Model(switched(off));
  const begun = clock();
  for (const token of tokens) model.read(token);
  const again = clock() - begun;
  const from = clock();
  for (let i = 0; i < rounds; i += 1) {
    model.length -= 1; // the last row of the cache is written anew
    model.read(tokens.at(-1));
  }
  return { again, cached: (clock() - from) / rounds };
}

const number = (least, most, digits = 0) => ({
  write: (value) => String(value),
  read: (text) => {
    const value = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : NaN;
    const whole = digits > 0 || Number.isInteger(value);
    return value >= least && value <= most && whole ? value : undefined;
  },
});
const FIELDS = {
  b: ["beginning", {
    write: (tokens) => tokens.map((token) => LETTERS[token]).join(""),
    read: (text) => {
      const tokens = Array.from(text, (letter) => LETTERS.indexOf(letter));
      return tokens.length && tokens.length < CONTEXT && !tokens.includes(-1) ? tokens : undefined;
    },
  }],
  n: ["count", number(0, CONTEXT)],
  s: ["seed", number(1, SEEDS)],
  at: ["at", number(0, CONTEXT - 1)],
  h: ["head", { write: (name) => name, read: (text) => (NAMES.includes(text) ? text : undefined) }],
  off: ["off", {
    write: (names) => names.join("-"),
    read: (text) => {
      const names = text.split("-");
      return names.every((name) => NAMES.includes(name)) && new Set(names).size === names.length ? names.sort() : undefined;
    },
  }],
  t: ["temperature", number(0, 2, 1)],
  k: ["k", number(1, WORDS.length)],
  p: ["p", number(0.05, 1, 2)],
  again: ["again", { write: () => "1", read: (text) => (text === "1" ? true : undefined) }],
};
const same = (one, other) => String(one) === String(other);

/** The address of a state, after the `#`: what differs from START, "play" where nothing does. */
export function address(state) {
  const parts = Object.entries(FIELDS).filter(([, [name]]) => state[name] !== null && !same(state[name], START[name]))
    .map(([key, [name, { write }]]) => `${key}=${write(state[name])}`);
  return parts.join("&") || "play";
}

/**
 * What an address asks for: `{ state, step }`, `{ wrong }` with a sentence, or null where it is none
 * of the playground's: a section of the page.
 */
export function fromAddress(hash) {
  const text = hash.replace(/^#/, "");
  const asked = text.match(/^step-(\d+)$/);
  if (asked) {
    const at = Number(asked[1]);
    return at >= 1 && at <= TOUR.length ? { state: step(at), step: at }
      : { wrong: `The address asks for step ${asked[1].slice(0, 9)}: the tour has steps 1 to ${TOUR.length}.` };
  }
  if (text === "play") return { state: { ...START }, step: null };
  if (!text.includes("=")) return null;
  const state = { ...START };
  const seen = new Set();
  for (const part of text.split("&")) {
    const [, key, value] = part.match(/^([a-z]+)=(.*)$/s) ?? [];
    const field = key !== undefined && Object.hasOwn(FIELDS, key) && !seen.has(key) ? FIELDS[key] : null;
    const found = field?.[1].read(value);
    if (found === undefined) {
      const shown = part.length > 24 ? `${part.slice(0, 24)}…` : part;
      return { wrong: `The address has a part that is not a state of the playground: “${shown}”. It begins afresh.` };
    }
    seen.add(key);
    state[field[0]] = found;
  }
  return { state, step: null };
}
