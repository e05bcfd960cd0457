// Ballads, drawn in the page, and the exact probability of each word: plainformer.lab.ballads.
const NOUNS = "fox/foxes owl/owls hen/hens king/kings child/children giant/giants mouse/mice witch/witches";
const SEEING = "sees/see hears/hear fears/fear loves/love follows/follow";
const SLEEPING = "sleeps/sleep sings/sing waits/wait runs/run";
const [CHANCE, SHORTEST, LONGEST] = [0.6, 4, 12]; // of the storyteller's ballads

const each = (words) => words.map((word) => [1, word]);
const part = (pairs, n) => each(pairs.split(" ").map((pair) => pair.split("/")[n]));
const GIVEN = {
  S: [[1, "Tale0 ."], [1, "Tale1 ."]],
  Anyone: [[1, "Some0"], [1, "Some1"]],
  Known: [[1, "the Noun0"], [1, "the Noun1"]],
  Adjective: each("old young small brave quiet".split(" ")),
  How: each("today often alone".split(" ")),
};
for (const n of [0, 1]) { // 0 = one, 1 = many
  Object.assign(GIVEN, {
    [`Tale${n}`]: [[1, `Some${n} Does${n}`]],
    [`Some${n}`]: [
      [5, `the Noun${n}`], [2, `the Adjective Noun${n}`], [2, `the Noun${n} near Known`],
      [1.5, `the Noun${n} that Sees${n} Anyone`],
      [0.75, `the Noun${n} that the Noun0 Sees0`], [0.75, `the Noun${n} that the Noun1 Sees1`],
    ],
    [`Does${n}`]: [[3, `Sees${n} Anyone`], [2, `Sleeps${n}`], [1, `Sleeps${n} How`]],
    [`Noun${n}`]: part(NOUNS, n), [`Sees${n}`]: part(SEEING, n), [`Sleeps${n}`]: part(SLEEPING, n),
  });
}

/** For each name its right-hand sides, as [probability, symbols]. */
const RULES = Object.fromEntries(Object.entries(GIVEN).map(([name, sides]) => {
  const total = sides.reduce((sum, [weight]) => sum + weight, 0);
  return [name, sides.map(([weight, text]) => [weight / total, text.split(" ")])];
}));

const symbols = Object.values(RULES).flatMap((sides) => sides.flatMap(([, side]) => side));
/** The vocabulary; the last word is the star that opens a refrain. */
export const WORDS = [...new Set(symbols.filter((symbol) => !(symbol in RULES))), "*"];
const STAR = WORDS.length - 1;
const STOP = WORDS.indexOf(".");
const ID = new Map(WORDS.map((word, i) => [word, i]));

/** Random numbers in [0, 1) that a seed determines (sfc32 by Chris Doty-Humphrey). */
export function dice(seed, stream = 0) {
  let [a, b, c, counter] = [seed | 0, stream | 0, 0x9e3779b9 | 0, 1];
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 16; i += 1) next();
  return next;
}

const below = (n, draw) => Math.floor(n * draw());

/** Draw a sentence of the grammar: the numbers of its words. */
export function sentence(draw) {
  const [found, stack] = [[], ["S"]];
  while (stack.length) {
    const symbol = stack.pop();
    if (!(symbol in RULES)) found.push(ID.get(symbol));
    else {
      let left = draw();
      const sides = RULES[symbol];
      const chosen = sides.findIndex(([p]) => (left -= p) < 0);
      stack.push(...[...sides.at(chosen)[1]].reverse());
    }
  }
  return found;
}

/** Draw a ballad of `length` words: sentences, and a refrain that is repeated from a random word. */
export function ballad(length, draw) {
  const size = SHORTEST + below(LONGEST - SHORTEST + 1, draw);
  const open = WORDS.map((_, i) => i).filter((i) => i !== STOP && i !== STAR);
  for (let i = 0; i < size; i += 1) {
    const j = i + below(open.length - i, draw);
    [open[i], open[j]] = [open[j], open[i]];
  }
  const refrain = [...open.slice(0, size), STOP];
  const found = [];
  let known = false;
  while (found.length < length) {
    if (draw() < CHANCE) {
      found.push(STAR, ...refrain.slice(known ? below(size, draw) : 0));
      known = true;
    } else found.push(...sentence(draw));
  }
  return found.slice(0, length);
}

/** For each word, whether it follows by copying the refrain alone. */
export function copied(document) {
  let [inside, known] = [false, false];
  return document.map((i, t) => {
    const found = inside && known && document[t - 1] !== STAR;
    if (i === STOP) [inside, known] = [false, known || inside];
    inside ||= i === STAR;
    return found;
  });
}

/** The surprisal of each word given those before, in nats: the floor of the loss. */
export function surprisals(document) {
  let [start, refrain, state] = [0, null, BEGIN];
  return document.map((i, t) => {
    const said = document.slice(start, t);
    let p;
    if (said[0] === STAR) p = inRefrain(said.slice(1), refrain, i);
    else if (i === STAR) p = said.length ? 0 : CHANCE;
    else {
      const next = after(state, i);
      p = next.p * (said.length ? 1 : 1 - CHANCE);
      state = next.state;
    }
    if (!(p > 0)) throw new RangeError(`${WORDS[i]} cannot be word ${t} of this document`);
    if (i === STOP) {
      if (!refrain && said[0] === STAR) refrain = [...said.slice(1), i];
      [start, state] = [t + 1, BEGIN];
    }
    return 0 - Math.log(p);
  });
}

function inRefrain(said, refrain, i) {
  const n = said.length;
  if (refrain) {
    if (n) return Number(refrain[refrain.indexOf(said[n - 1]) + 1] === i);
    return refrain.slice(0, -1).includes(i) ? 1 / (refrain.length - 1) : 0;
  }
  const ends = n < SHORTEST ? 0 : 1 / (LONGEST - n + 1);
  if (i === STOP) return ends;
  return said.includes(i) || i === STAR ? 0 : (1 - ends) / (STAR - 1 - n);
}

// The derivations that match what was read: [the symbols still to come, probability] pairs.
const BEGIN = [[[], 1]];
const seen = new Map();

function after(state, i) {
  const name = JSON.stringify(state);
  if (!seen.has(name)) seen.set(name, steps(state));
  return seen.get(name).get(WORDS[i]) ?? { p: 0, state };
}

function steps(state) {
  const found = new Map();
  for (const [stack, weight] of state) {
    for (const [word, p, rest] of opened(stack.length ? stack : ["S"])) {
      const key = rest.join(" ");
      if (!found.has(word)) found.set(word, new Map());
      const rests = found.get(word);
      rests.set(key, [rest, (rests.get(key)?.[1] ?? 0) + weight * p]);
    }
  }
  const sum = (rests) => [...rests.values()].reduce((total, [, p]) => total + p, 0);
  return new Map([...found].map(([word, rests]) => {
    const p = sum(rests);
    return [word, { p, state: [...rests.values()].map(([rest, q]) => [rest, q / p]) }];
  }));
}

/** The words that can come next, with probabilities and the symbols that remain. */
function opened([first, ...others]) {
  if (!(first in RULES)) return [[first, 1, others]];
  return RULES[first].flatMap(([p, side]) =>
    opened(side).map(([word, q, rest]) => [word, p * q, [...rest, ...others]]));
}
