// A training run of the lab: its documents, its measurements, and what the model writes.
import { ballad, copied, dice, surprisals, WORDS } from "./training-lab.ballads.js";
import { CONTEXT, HEADS, LAYERS, Model, schedule, split } from "./training-lab.core.js";

export { CONTEXT, HEADS, LAYERS, WORDS };
export const RECIPE = { batch: 16, steps: 2400, warmup: 50, rate: 2e-3, width: 64, spread: 0.1 };
export const UNSEEN = 64; // documents that no training run sees
const SHOWN = 32; // words of the text whose maps are shown

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** Documents that are the same in every run. */
export function heldOut() {
  const draw = dice(1000, 2);
  return Array.from({ length: UNSEEN }, () => ballad(CONTEXT + 1, draw));
}

/** A training run: `train` takes a step, `look` measures, `write` samples a text. */
export class Lab {
  constructor({ seed, unseen = heldOut(), simd, ...changes }) {
    const recipe = { ...RECIPE, batch: Math.min(RECIPE.batch, unseen.length), ...changes };
    Object.assign(this, { seed, unseen, recipe, step: 0, draw: dice(seed, 3) });
    const sizes = { words: WORDS.length, width: recipe.width, simd };
    this.model = new Model({ ...sizes, batch: recipe.batch });
    this.writer = new Model({ ...sizes, batch: 1 });
    this.model.initialise(seed, recipe.spread);
    this.floors = unseen.flatMap((row) => surprisals(row).slice(1));
    this.copied = unseen.flatMap((row) => copied(row).slice(1));
    // The shown text repeats its refrain early: as many copied words as possible among the first.
    const early = (row) => copied(row).slice(0, SHOWN).filter(Boolean).length;
    this.shown = unseen.reduce((best, row) => (early(row) > early(best) ? row : best));
    this.places = unseen.map(lookedFor);
  }

  get simd() {
    return this.model.kernel.simd;
  }

  get done() {
    return this.step >= this.recipe.steps;
  }

  /** One step on documents drawn now; returns the mean loss of their words. */
  train() {
    const documents = Array.from({ length: this.recipe.batch }, () => ballad(CONTEXT + 1, this.draw));
    const loss = this.model.train(documents, schedule(this.step, this.recipe));
    this.step += 1;
    return loss;
  }

  /** Losses on the unseen documents in nats, and the scores of each head, as chapter 09 has them. */
  look() {
    const { model, unseen, recipe: { batch } } = this;
    const losses = [];
    const sums = Array.from({ length: LAYERS }, () =>
      Array.from({ length: HEADS }, () => ({ previous: 0, induction: 0 })));
    let [steps, repeats] = [0, 0];
    for (let first = 0; first < unseen.length; first += batch) {
      const { tokens, targets } = split(unseen.slice(first, first + batch));
      model.forward(tokens);
      model.lossOf(targets);
      losses.push(...model.losses);
      for (let b = 0; b < batch; b += 1) {
        for (let q = 1; q < CONTEXT; q += 1) {
          const target = this.places[first + b][q];
          steps += 1;
          repeats += target > 0;
          sums.forEach((heads, l) => heads.forEach((head, h) => {
            const row = model.layers[l].p;
            const at = ((b * HEADS + h) * CONTEXT + q) * CONTEXT;
            head.previous += row[at + q - 1];
            if (target > 0) head.induction += row[at + target];
          }));
        }
      }
    }
    const scores = (name, count) => sums.map((heads) => heads.map((head) => head[name] / (count || 1)));
    return {
      step: this.step, loss: mean(losses), floor: mean(this.floors),
      copied: mean(losses.filter((_, i) => this.copied[i])),
      previous: scores("previous", steps), induction: scores("induction", repeats),
    };
  }

  /** The attention weights of each head on the beginning of the shown text, query by query. */
  maps() {
    this.writer.weights.set(this.model.weights);
    this.writer.forward(Int32Array.from(this.shown.slice(0, CONTEXT)));
    const words = this.shown.slice(0, SHOWN);
    const maps = this.writer.layers.map(({ p }) => Array.from({ length: HEADS }, (_, h) =>
      words.map((_, q) => Array.from(p.subarray((h * CONTEXT + q) * CONTEXT).subarray(0, SHOWN)))));
    return { words: words.map((i) => WORDS[i]), maps };
  }

  /** Sample a text of `length` words that begins with the star of a refrain. */
  write(length = 40) {
    const { writer, seed, step } = this;
    writer.weights.set(this.model.weights);
    const draw = dice(seed, 4 + step);
    const tokens = new Int32Array(CONTEXT);
    tokens[0] = WORDS.indexOf("*");
    for (let t = 1; t < Math.min(length, CONTEXT); t += 1) {
      const logits = writer.forward(tokens).subarray((t - 1) * writer.v).subarray(0, WORDS.length);
      const top = Math.max(...logits);
      const shares = Array.from(logits, (logit) => Math.exp(logit - top));
      let left = draw() * shares.reduce((sum, share) => sum + share, 0);
      tokens[t] = Math.max(0, shares.findIndex((share) => (left -= share) < 0));
    }
    return Array.from(tokens.subarray(0, length), (i) => WORDS[i]);
  }
}

/** For each query the position after the latest earlier occurrence of its word; 0 if there is none. */
function lookedFor(row) {
  const latest = new Map();
  return row.map((word, t) => {
    const found = latest.has(word) ? latest.get(word) + 1 : 0;
    latest.set(word, t);
    return found;
  });
}
