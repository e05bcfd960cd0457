// The storyteller's architecture, trained in the page: forward, backward and AdamW, as in chapters 06
// to 08. Matrices are in the kernel's memory; its products, softmax and SwiGLU are the kernel's.
import { dice } from "./training-lab.ballads.js";
import { kernel, place } from "./training-lab.kernel.js";

export const [LAYERS, HEADS, CONTEXT, BASE, EPS] = [2, 4, 64, 100, 1e-5];
const T = CONTEXT;
const [BETA1, BETA2, DELTA, DECAY, LONGEST] = [0.9, 0.95, 1e-8, 0.1, 1];

/** The rate of a step: a linear warm-up, then half a cosine down to a tenth. */
export function schedule(step, { rate, steps, warmup }) {
  if (step < warmup) return (rate * (step + 1)) / warmup;
  const part = (step - warmup + 0.5) / Math.max(1, steps - warmup);
  return rate * (0.1 + 0.9 * 0.5 * (1 + Math.cos(Math.PI * Math.min(part, 1))));
}

/** The names and shapes of all weights, in the order in which they lie in memory. */
export function shapes(v, m) {
  const f = 8 * Math.ceil(m / 3);
  const block = [
    ["before", 1, m], ["query", m, m], ["key", m, m], ["value", m, m], ["output", m, m],
    ["between", 1, m], ["gate", f, m], ["up", f, m], ["down", m, f],
  ];
  const blocks = Array.from({ length: LAYERS }, (_, l) =>
    block.map(([name, ...shape]) => [`${l}.${name}`, ...shape]));
  return [["embedding", v, m], ...blocks.flat(), ["last", 1, m]];
}

/** A model of `words` words and width m that trains on `batch` documents at once. */
export class Model {
  constructor({ words, width: m = 64, batch, simd }) {
    const v = 8 * Math.ceil(words / 8); // as many as the kernel takes at once; the rest stay 0
    const [n, f, d] = [batch * T, 8 * Math.ceil(m / 3), m / HEADS];
    this.shapes = shapes(v, m);
    const size = this.shapes.reduce((sum, [, rows, columns]) => sum + rows * columns, 0);
    const layer = n * (9 * m + 4 * f + 2) + batch * HEADS * T * T;
    const rest = n * (8 * m + 3 * f + v + 1) + 4 * T * T + 4 * m * f + v * m;
    this.kernel = kernel(4 * size + LAYERS * layer + rest + 1024, simd);
    const make = this.kernel.floats;
    Object.assign(this, { words, v, m, f, d, n, batch, size, step: 0 });
    for (const name of ["weights", "gradients", "means", "squares"]) this[name] = make(size);
    this.w = this.#named(this.weights);
    this.g = this.#named(this.gradients);
    this.layers = Array.from({ length: LAYERS }, () => ({
      x: make(n * m), a: make(n * m), ra: make(n), qkv: make(n * 3 * m),
      p: make(batch * HEADS * T * T), o: make(n * m), y: make(n * m), b: make(n * m), rb: make(n),
      gu: make(n * 2 * f), s: make(n * f), h: make(n * f),
    }));
    Object.assign(this, {
      x: make(n * m), a: make(n * m), ra: make(n), logits: make(n * v), losses: new Float64Array(n),
      dx: make(n * m), da: make(n * m), dqkv: make(n * 3 * m), dgu: make(n * 2 * f), dh: make(n * f),
      dp: make(T * T), across: make(Math.max(2 * f * m, v * m, 3 * m * m)), turned: make(d * T),
      cos: new Float64Array(T * d / 2), sin: new Float64Array(T * d / 2),
    });
    for (let t = 0; t < T; t += 1) {
      for (let i = 0; i < d / 2; i += 1) {
        const angle = t * BASE ** ((-2 * i) / d);
        this.cos[(t * d) / 2 + i] = Math.cos(angle);
        this.sin[(t * d) / 2 + i] = Math.sin(angle);
      }
    }
  }

  #named(all) {
    let at = 0;
    return Object.fromEntries(this.shapes.map(([name, rows, columns]) =>
      [name, all.subarray(at, (at += rows * columns))]));
  }

  /** Draw the weights anew: normal, smaller where a sublayer writes to the residual stream. */
  initialise(seed, spread = 0.1) {
    const draw = dice(seed, 1);
    const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
    for (const [name, rows] of this.shapes) {
      const writes = name.endsWith("output") || name.endsWith("down");
      const scale = spread / (writes ? Math.sqrt(2 * LAYERS) : 1);
      const weight = this.w[name];
      if (rows === 1) weight.fill(1);
      else if (name === "embedding") weight.fill(0);
      const last = name === "embedding" ? this.words * this.m : rows === 1 ? 0 : weight.length;
      for (let i = 0; i < last; i += 1) weight[i] = scale * normal();
    }
    this.means.fill(0);
    this.squares.fill(0);
    this.step = 0;
  }

  /** Compute the logits of the words after `tokens` (batch × CONTEXT). */
  forward(tokens) {
    const { n, m, f, v, w } = this;
    let x = this.layers[0].x;
    for (let r = 0; r < n; r += 1) {
      x.set(w.embedding.subarray(tokens[r] * m, (tokens[r] + 1) * m), r * m);
    }
    this.layers.forEach((layer, l) => {
      norm(layer.a, layer.ra, layer.x, w[`${l}.before`]);
      this.#linear(layer.qkv, layer.a, w[`${l}.query`], m, 3 * m); // query, key, value adjoin
      this.#turn(layer.qkv, 1);
      this.#attend(layer);
      layer.y.set(layer.x);
      this.#linear(layer.y, layer.o, w[`${l}.output`], m, m, 1);
      norm(layer.b, layer.rb, layer.y, w[`${l}.between`]);
      this.#linear(layer.gu, layer.b, w[`${l}.gate`], m, 2 * f); // gate and up adjoin
      const { gu, s, h } = layer;
      this.kernel.swiglu(place(gu), place(s), place(h), 0, n, f);
      x = this.layers[l + 1]?.x ?? this.x;
      x.set(layer.y);
      this.#linear(x, h, w[`${l}.down`], f, m, 1);
    });
    norm(this.a, this.ra, this.x, w.last);
    this.#linear(this.logits, this.a, w.embedding, m, v);
    return this.logits;
  }

  /** The loss of each word; `logits` become the gradient of their mean. */
  lossOf(targets) {
    const { n, v, words, logits, losses } = this;
    let sum = 0;
    for (let r = 0; r < n; r += 1) {
      const at = r * v;
      let [top, total] = [-Infinity, 0];
      for (let i = at; i < at + words; i += 1) top = Math.max(top, logits[i]);
      const right = logits[at + targets[r]] - top;
      for (let i = at; i < at + words; i += 1) total += logits[i] = Math.exp(logits[i] - top);
      for (let i = at; i < at + words; i += 1) logits[i] /= total * n;
      logits.fill(0, at + words, at + v);
      logits[at + targets[r]] -= 1 / n;
      losses[r] = Math.log(total) - right;
      sum += losses[r];
    }
    return sum / n;
  }

  /** Compute all gradients, after `forward` and `lossOf`. */
  backward(tokens) {
    const { n, m, f, v, w, g, dx, da, dqkv, dgu, dh } = this;
    this.gradients.fill(0);
    this.#linearBack(da, g.embedding, this.logits, this.a, w.embedding, m, v);
    dx.fill(0);
    normBack(dx, g.last, da, this.ra, this.x, w.last);
    for (let l = LAYERS - 1; l >= 0; l -= 1) {
      const layer = this.layers[l];
      this.#linearBack(dh, g[`${l}.down`], dx, layer.h, w[`${l}.down`], f, m);
      this.kernel.swiglu(place(layer.gu), place(layer.s), place(dh), place(dgu), n, f, 1);
      this.#linearBack(da, g[`${l}.gate`], dgu, layer.b, w[`${l}.gate`], m, 2 * f);
      normBack(dx, g[`${l}.between`], da, layer.rb, layer.y, w[`${l}.between`]);
      this.#linearBack(da, g[`${l}.output`], dx, layer.o, w[`${l}.output`], m, m);
      this.#attendBack(layer, da);
      this.#turn(dqkv, -1);
      this.#linearBack(da, g[`${l}.query`], dqkv, layer.a, w[`${l}.query`], m, 3 * m);
      normBack(dx, g[`${l}.before`], da, layer.ra, layer.x, w[`${l}.before`]);
    }
    for (let r = 0; r < n; r += 1) {
      for (let i = 0, at = tokens[r] * m; i < m; i += 1) g.embedding[at + i] += dx[r * m + i];
    }
  }

  /** Shorten the gradient to length 1 if it is longer, and change the weights by AdamW. */
  update(rate) {
    const { weights, gradients, means, squares } = this;
    let length = 0;
    for (let i = 0; i < gradients.length; i += 1) length += gradients[i] * gradients[i];
    length = Math.sqrt(length);
    const shrink = length > LONGEST ? LONGEST / length : 1;
    this.step += 1;
    const [one, two] = [1 - BETA1 ** this.step, 1 - BETA2 ** this.step];
    let at = 0;
    for (const [name, rows, columns] of this.shapes) {
      const keep = rows > 1 && name !== "embedding" ? 1 - rate * DECAY : 1;
      for (const end = at + rows * columns; at < end; at += 1) {
        const gradient = gradients[at] * shrink;
        means[at] = BETA1 * means[at] + (1 - BETA1) * gradient;
        squares[at] = BETA2 * squares[at] + (1 - BETA2) * gradient * gradient;
        const towards = means[at] / one / (Math.sqrt(squares[at] / two) + DELTA);
        weights[at] = weights[at] * keep - rate * towards;
      }
    }
    return length;
  }

  /** One step of training on documents (batch × CONTEXT + 1); returns the mean loss. */
  train(documents, rate) {
    const { tokens, targets } = split(documents);
    this.forward(tokens);
    const loss = this.lossOf(targets);
    this.backward(tokens);
    this.update(rate);
    return loss;
  }

  /** out (n × outs) = x (n × ins) · Wᵀ, or that added to `out`. */
  #linear(out, x, weight, ins, outs, add = 0) {
    const { across, n, kernel: { product } } = this;
    const base = place(weight);
    const all = this.kernel.all;
    for (let i = 0; i < outs; i += 1) {
      for (let j = 0; j < ins; j += 1) across[j * outs + i] = all[base + i * ins + j];
    }
    product(place(out), outs, place(x), ins, 1, place(across), outs, n, ins, outs, add);
  }

  /** The gradients of x and of W (added), from that of x · Wᵀ. */
  #linearBack(dx, dweight, dout, x, weight, ins, outs) {
    const { n, kernel: { product } } = this;
    product(place(dweight), ins, place(dout), 1, outs, place(x), ins, outs, n, ins, 1);
    product(place(dx), ins, place(dout), outs, 1, place(weight), ins, n, outs, ins);
  }

  /** Rotate queries and keys by their positions; `way` -1 rotates back. */
  #turn(qkv, way) {
    const { n, m, d, cos, sin } = this;
    const half = d / 2;
    for (let r = 0; r < n; r += 1) {
      const angle = (r % T) * half;
      for (let at = r * 3 * m; at < r * 3 * m + 2 * m; at += d) {
        for (let i = 0; i < half; i += 1) {
          const [c, s, x, y] = [cos[angle + i], way * sin[angle + i], qkv[at + i], qkv[at + i + half]];
          qkv[at + i] = x * c - y * s;
          qkv[at + i + half] = x * s + y * c;
        }
      }
    }
  }

  /** Call with the places of each document and head: queries, keys, values, weights and outputs. */
  #heads(visit, qkv, p, o) {
    const { m, d, batch } = this;
    for (let b = 0; b < batch; b += 1) {
      for (let h = 0; h < HEADS; h += 1) {
        const query = place(qkv) + b * T * 3 * m + h * d;
        visit(query, query + m, query + 2 * m, place(p) + (b * HEADS + h) * T * T, place(o) + b * T * m + h * d);
      }
    }
  }

  /** Transpose T rows of d numbers. */
  #transpose(from, stride) {
    const { d, turned, kernel: { all } } = this;
    for (let t = 0; t < T; t += 1) {
      for (let i = 0; i < d; i += 1) turned[i * T + t] = all[from + t * stride + i];
    }
    return place(turned);
  }

  #attend({ qkv, p, o }) {
    const { m, d, kernel: { product, softmax } } = this;
    const scale = 1 / Math.sqrt(d);
    this.#heads((query, key, value, weights, out) => {
      product(weights, T, query, 3 * m, 1, this.#transpose(key, 3 * m), T, T, d, T);
      softmax(weights, T, scale);
      product(out, m, weights, T, 1, value, 3 * m, T, T, d);
    }, qkv, p, o);
  }

  #attendBack({ qkv, p }, dout) {
    const { m, d, dp, dqkv, kernel: { all, product } } = this;
    const [scale, shift, scores] = [1 / Math.sqrt(d), place(dqkv) - place(qkv), place(dp)];
    this.#heads((query, key, value, weights, from) => {
      product(value + shift, 3 * m, weights, 1, T, from, m, T, T, d);
      product(scores, T, from, m, 1, this.#transpose(value, 3 * m), T, T, d, T);
      for (let q = 0; q < T; q += 1) {
        const [at, back] = [weights + q * T, scores + q * T];
        let mean = 0;
        for (let k = 0; k <= q; k += 1) mean += all[at + k] * all[back + k];
        for (let k = 0; k <= q; k += 1) all[back + k] = all[at + k] * (all[back + k] - mean) * scale;
        all.fill(0, back + q + 1, back + T);
      }
      product(query + shift, 3 * m, scores, T, 1, key, 3 * m, T, T, d);
      product(key + shift, 3 * m, scores, 1, T, query, 3 * m, T, T, d);
    }, qkv, p, dout);
  }
}

/** Inputs and targets of documents of CONTEXT + 1 words: each word's target is the next. */
export function split(documents) {
  const tokens = new Int32Array(documents.length * T);
  const targets = new Int32Array(documents.length * T);
  documents.forEach((document, b) => {
    tokens.set(document.slice(0, T), b * T);
    targets.set(document.slice(1, T + 1), b * T);
  });
  return { tokens, targets };
}

function norm(out, inverse, x, weight) {
  const m = weight.length;
  for (let r = 0; r < inverse.length; r += 1) {
    const at = r * m;
    let sum = 0;
    for (let i = 0; i < m; i += 1) sum += x[at + i] * x[at + i];
    inverse[r] = 1 / Math.sqrt(sum / m + EPS);
    for (let i = 0; i < m; i += 1) out[at + i] = x[at + i] * inverse[r] * weight[i];
  }
}

/** Add the gradients of a norm's input and weight. */
function normBack(dx, dweight, dout, inverse, x, weight) {
  const m = weight.length;
  for (let r = 0; r < inverse.length; r += 1) {
    const [at, scale] = [r * m, inverse[r]];
    let sum = 0;
    for (let i = 0; i < m; i += 1) sum += dout[at + i] * weight[i] * x[at + i];
    const along = (sum * scale * scale) / m;
    for (let i = 0; i < m; i += 1) {
      dweight[i] += dout[at + i] * x[at + i] * scale;
      dx[at + i] += scale * (dout[at + i] * weight[i] - along * x[at + i]);
    }
  }
}
