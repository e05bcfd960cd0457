// The numbers of the optimiser explorer: a network of two weights, ŷ = b·relu(a), that should say
// 1, and two optimisers as PyTorch computes them.

export const STEPS = 60;
export const FINAL = 0.1; // share of the rate that is left at the last step
export const SUCCESS = 0.01; // training succeeds if the last loss is below
export const RATES = Array.from({ length: 19 }, (_, i) => 10 ** (i / 6 - 2));
export const LIMIT = 4;
export const STARTS = {
  wall: [3, 2.5],
  slope: [0.5, 0.5],
  wrong: [1.5, -1],
  plain: [-1, 1],
};
const [BETA2, DELTA] = [0.95, 1e-8];

export const loss = ([a, b]) => (b * Math.max(a, 0) - 1) ** 2;

/** The gradient of the loss; on the plain, where a ≤ 0, it is 0. */
export function gradient([a, b]) {
  const hidden = Math.max(a, 0);
  const slope = 2 * (b * hidden - 1);
  return [a > 0 ? slope * b : 0, slope * hidden];
}

/** The rate of a step: warm-up in a straight line, then a cosine. */
export function rateAt(step, { rate, warmup }) {
  if (step < warmup) return (rate * (step + 1)) / warmup;
  const part = (step - warmup + 0.5) / Math.max(1, STEPS - warmup);
  const cosine = 0.5 * (1 + Math.cos(Math.PI * Math.min(part, 1)));
  return rate * (FINAL + (1 - FINAL) * cosine);
}

/** A gradient no longer than `clip`, in its own direction. */
export function clipped(g, clip) {
  const share = Math.min(1, clip / (Math.hypot(...g) + 1e-6));
  return g.map((x) => x * share);
}

/** Train: the weights, the losses and the gradients' lengths before clipping, step by step. */
export function train({ start, optimiser, rate, warmup, clip, momentum }) {
  let weights = [...start];
  let [mean, square] = [[0, 0], [0, 0]];
  const run = { path: [weights], losses: [loss(weights)], lengths: [] };
  for (let step = 0; step < STEPS; step += 1) {
    const raw = gradient(weights);
    const g = clipped(raw, clip);
    const eta = rateAt(step, { rate, warmup });
    if (optimiser === "sgd") {
      mean = mean.map((x, i) => momentum * x + g[i]);
      weights = weights.map((x, i) => x - eta * mean[i]);
    } else {
      mean = mean.map((x, i) => momentum * x + (1 - momentum) * g[i]);
      square = square.map((x, i) => BETA2 * x + (1 - BETA2) * g[i] ** 2);
      const [c1, c2] = [1 - momentum ** (step + 1), 1 - BETA2 ** (step + 1)];
      const size = square.map((x) => Math.sqrt(x / c2) + DELTA);
      weights = weights.map((x, i) => x - (eta * (mean[i] / c1)) / size[i]);
    }
    run.lengths.push(Math.hypot(...raw));
    run.path.push(weights);
    run.losses.push(loss(weights));
  }
  return { ...run, end: run.losses.at(-1) };
}

/** True for each rate of the strip at which training succeeds. */
export const sweep = (setting) =>
  RATES.map((rate) => train({ ...setting, rate }).end < SUCCESS);

/** What became of a run: "trained", "dead" on the plain, "blown up", or "not there yet". */
export function fate({ path, end }) {
  if (!Number.isFinite(end) || end > 1e6) return "blown up";
  if (end < SUCCESS) return "trained";
  return path.at(-1)[0] <= 0 ? "dead" : "not there yet";
}

/** Where a reader's start may lie: on the grid of quarters, within the plane. */
export const snap = (point) =>
  point.map((x) => Math.max(-LIMIT, Math.min(LIMIT, Math.round(x * 4) / 4)));
