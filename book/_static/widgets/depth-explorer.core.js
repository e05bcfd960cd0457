// The numbers of the depth explorer: four stacks of the same random sublayers, forwards and back.
export const WIDTH = 24;
export const PLACES = ["post", "pre", "sandwich", "deep"];
export const DRAWS = 4; // curves are means over as many starts, so that they are smooth
const EPS = 1e-5;

/** A generator of uniform numbers (mulberry32), so that a seed gives the same weights everywhere. */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** `count` normal numbers from a generator (Box and Muller). */
export function normals(draw, count) {
  return Array.from({ length: count }, () =>
    Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw()));
}

/**
 * Sublayers that read y and write W y + c. W has variance 1/m, so that both parts have variance 1
 * for a normalised y; `share` and `size` divide and scale them when they are used.
 */
export function sublayers(seed, count, m = WIDTH) {
  const draw = uniform(seed);
  return Array.from({ length: count }, () => ({
    matrix: Array.from({ length: m }, () => normals(draw, m).map((w) => w / Math.sqrt(m))),
    constant: normals(draw, m),
  }));
}

/** DeepNorm's α for a stack of layers of two sublayers each, and what its β makes of a branch. */
export function deepnorm(count) {
  const layers = count / 2;
  return { alpha: (2 * layers) ** 0.25, shrink: (8 * layers) ** -0.5 }; // β², for two matrices
}

const mean = (x) => x.reduce((a, b) => a + b, 0) / x.length;
const dot = (a, b) => a.reduce((total, x, i) => total + x * b[i], 0);
const plus = (a, b, c = 1) => a.map((x, i) => c * x + b[i]);
export const rms = (x) => Math.sqrt(dot(x, x) / x.length);

/** LayerNorm without gain and shift: what it gives, and its spread for the way back. */
export function norm(x) {
  const middle = mean(x);
  const centred = x.map((v) => v - middle);
  const spread = Math.sqrt(dot(centred, centred) / x.length + EPS);
  return { y: centred.map((v) => v / spread), spread };
}

/** The gradient at a norm's input, from that at its output. */
export function normBack(gradient, { y, spread }) {
  const even = mean(gradient);
  const along = dot(gradient, y) / y.length;
  return gradient.map((g, i) => (g - even - y[i] * along) / spread);
}

/**
 * Pass x through a stack and a gradient back.
 *
 * Returns the size of the stream before each sublayer and at the end, and the length of the
 * gradient that arrives there, both with `count + 1` numbers.
 */
export function pass(place, layers, x, top, { size = 1, share = 0 } = {}) {
  const { alpha, shrink } = place === "deep" ? deepnorm(layers.length) : { alpha: 1, shrink: 1 };
  const after = place === "post" || place === "deep";
  const scale = size * shrink * Math.sqrt(1 - share);
  const fixed = size * shrink * Math.sqrt(share);
  const stream = [x];
  const trace = layers.map(({ matrix, constant }) => {
    const here = stream.at(-1);
    const before = after ? null : norm(here);
    const read = before ? before.y : here;
    const wrote = matrix.map((row, i) => scale * dot(row, read) + fixed * constant[i]);
    const written = place === "sandwich" ? norm(wrote) : null;
    const sum = plus(here, written ? written.y : wrote, alpha);
    const behind = after ? norm(sum) : null;
    stream.push(behind ? behind.y : sum);
    return { before, written, behind };
  });
  const last = after ? null : norm(stream.at(-1));
  let gradient = last ? normBack(top, last) : top;
  const lengths = [Math.hypot(...gradient)];
  for (let l = layers.length - 1; l >= 0; l -= 1) {
    const { before, written, behind } = trace[l];
    const atSum = behind ? normBack(gradient, behind) : gradient;
    const out = written ? normBack(atSum, written) : atSum;
    const { matrix } = layers[l];
    const back = matrix[0].map((_, j) =>
      scale * matrix.reduce((total, row, i) => total + row[j] * out[i], 0));
    gradient = plus(atSum, before ? normBack(back, before) : back, alpha);
    lengths.unshift(Math.hypot(...gradient));
  }
  return { sizes: stream.map(rms), lengths };
}

/** Curves of one placement: means over a few draws of weights, start and gradient. */
export function curves(place, { count, seed = 1, size = 1, share = 0, m = WIDTH }) {
  const total = { sizes: Array(count + 1).fill(0), lengths: Array(count + 1).fill(0) };
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const layers = sublayers(1000 * seed + draw, count, m);
    const other = uniform(1000 * seed + draw + 500);
    const start = norm(normals(other, m)).y;
    const found = pass(place, layers, start, normals(other, m), { size, share });
    const top = found.lengths.at(-1);
    found.sizes.forEach((v, l) => { total.sizes[l] += v / DRAWS; });
    found.lengths.forEach((v, l) => { total.lengths[l] += v / top / DRAWS; });
  }
  return total;
}

/** The curves of all four, by name. */
export function explore(state) {
  return Object.fromEntries(PLACES.map((place) => [place, curves(place, state)]));
}
