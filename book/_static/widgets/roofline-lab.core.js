// The numbers of the roofline lab: what a kernel computes and moves, and what a machine makes of it.

// Peaks in FLOP/s by the bytes of a number (4, 2, 1), and bandwidth in bytes/s. The GPUs are those
// of plainformer.costs.MACHINES; the core is an example, not a product.
export const MACHINES = {
  h100: { name: "H100 SXM", peaks: { 4: 67e12, 2: 989e12, 1: 1979e12 }, bandwidth: 3.35e12 },
  a100: { name: "A100 SXM 80 GB", peaks: { 4: 19.5e12, 2: 312e12, 1: 624e12 }, bandwidth: 2.039e12 },
  core: { name: "one CPU core (example)", peaks: { 4: 1e11, 2: 1e11, 1: 1e11 }, bandwidth: 2e10 },
};
export const SIDE = 4096; // of the weight matrix

const product = (rows, inner, columns) => ({
  flops: 2 * rows * inner * columns,
  numbers: rows * inner + inner * columns + rows * columns,
});

const COUNTS = {
  /** Attention in four steps, each writing its result to memory. */
  steps({ q, k, d, r }) {
    const scores = r * q * k;
    const [first, last] = [product(r * q, d, k), product(r * q, k, d)];
    return {
      flops: first.flops + scores + r * q * (5 * k - 2) + last.flops,
      numbers: first.numbers + 4 * scores + last.numbers,
    };
  },
  /** Attention in one kernel: no score reaches memory. */
  fused({ q, k, d, r }) {
    return { flops: r * (q * k * (4 * d + 6) - 2 * q), numbers: 2 * d * (r * q + k) };
  },
  /** A softmax of each row of scores. */
  softmax({ q, k, r }) {
    return { flops: r * q * (5 * k - 2), numbers: 2 * r * q * k };
  },
  /** q tokens times a square matrix of weights. */
  weights({ q }) {
    return product(q, SIDE, SIDE);
  },
};
export const KERNELS = Object.keys(COUNTS);

/** FLOPs and bytes of a kernel; r query heads share one key head. */
export function count({ kernel, itemsize, ...sizes }) {
  const { flops, numbers } = COUNTS[kernel](sizes);
  return { flops, nbytes: numbers * itemsize };
}

/** Where a kernel stands under a machine's roof, and the least seconds that it takes. */
export function place(state) {
  const { peaks, bandwidth } = MACHINES[state.machine];
  const { flops, nbytes } = count(state);
  const [peak, intensity] = [peaks[state.itemsize], flops / nbytes];
  const ridge = peak / bandwidth;
  return {
    flops, nbytes, intensity, ridge, peak, bandwidth,
    attainable: Math.min(peak, bandwidth * intensity),
    seconds: Math.max(flops / peak, nbytes / bandwidth),
    bound: intensity < ridge ? "memory" : "compute",
  };
}
