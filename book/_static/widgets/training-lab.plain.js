// The functions of the kernel without WebAssembly: slower, with the same bits. Each operation is rounded
// to float32, and sums are taken in the same order, four at once where the kernel does so.

const f = Math.fround;
const [LOG2E, LN2, LN2_REST] = [f(1.44269504), f(0.693359375), f(-2.1219444e-4)];
const TERMS = [1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1, 1].map(f);

function exp(given) {
  const x = Math.max(-87, Math.min(given, 88));
  const n = Math.floor(f(f(x * LOG2E) + 0.5));
  const r = f(f(x - f(n * LN2)) - f(n * LN2_REST));
  let sum = f(1 / 5040);
  for (let i = 0; i < 7; i += 1) sum = f(f(sum * r) + TERMS[i]);
  return f(sum * 2 ** n);
}

/** The kernel's functions on numbers `all`. */
export function plain(all) {
  return {
    product(c, cRow, a, aRow, aColumn, b, bRow, n, k, m, add = 0) {
      for (let i = 0; i < n; i += 1) {
        const row = c + i * cRow;
        if (!add) all.fill(0, row, row + m);
        for (let p = 0; p < k; p += 1) {
          const x = all[a + i * aRow + p * aColumn];
          const from = b + p * bRow;
          for (let j = 0; j < m; j += 1) all[row + j] = f(all[row + j] + f(x * all[from + j]));
        }
      }
    },

    softmax(at, n, scale) {
      const by = f(scale);
      for (let q = 0; q < n; q += 1) {
        const row = at + q * n;
        const sums = [0, 0, 0, 0];
        let top = f(-3e38);
        for (let k = 0; k <= q; k += 1) top = Math.max(top, all[row + k] = f(all[row + k] * by));
        for (let k = 0; k <= q; k += 1) {
          all[row + k] = exp(f(all[row + k] - top));
          sums[k % 4] = f(sums[k % 4] + all[row + k]);
        }
        const sum = f(f(f(sums[0] + sums[1]) + sums[2]) + sums[3]);
        for (let k = 0; k <= q; k += 1) all[row + k] = f(all[row + k] / sum);
        all.fill(0, row + q + 1, row + n);
      }
    },

    swiglu(gu, s, h, to, rows, width, back = 0) {
      for (let r = 0; r < rows; r += 1) {
        for (let i = 0; i < width; i += 1) {
          const [gate, at] = [2 * r * width + i, r * width + i];
          const [x, y] = [all[gu + gate], all[gu + gate + width]];
          if (back) {
            const [t, d] = [all[s + at], all[h + at]];
            const silu = f(x * t);
            all[to + gate] = f(f(d * y) * f(t + f(silu * f(1 - t))));
            all[to + gate + width] = f(d * silu);
          } else {
            const t = f(1 / f(1 + exp(f(-x))));
            all[s + at] = t;
            all[h + at] = f(f(x * t) * y);
          }
        }
      }
    },
  };
}
