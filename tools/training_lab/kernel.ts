// The inner loops of the training lab, in AssemblyScript with SIMD. `make training-kernel` compiles
// them; book/_static/widgets/training-lab.plain.js has the same functions in JavaScript, whose results
// have the same bits.

/**
 * C (n × m) = A (n × k) · B (k × m), or C + A · B if `add` is not 0. Pointers are in bytes, strides in
 * numbers: A by row and column, so that a transpose costs nothing; rows of B and C are contiguous.
 * Each element is summed in the order of k, in float32, without fused operations.
 */
export function product(
  c: usize, cRow: usize, a: usize, aRow: usize, aColumn: usize, b: usize, bRow: usize,
  n: usize, k: usize, m: usize, add: i32,
): void {
  const cStep = cRow << 2, aStep = aRow << 2, aNext = aColumn << 2, bStep = bRow << 2;
  const wide = m & ~7, tall = n & ~3;
  for (let j: usize = 0; j < wide; j += 8) {
    for (let i: usize = 0; i < tall; i += 4) {
      const to = c + i * cStep + (j << 2);
      let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00;
      let c20 = c00, c21 = c00, c30 = c00, c31 = c00;
      if (add) {
        c00 = v128.load(to), c01 = v128.load(to, 16);
        c10 = v128.load(to + cStep), c11 = v128.load(to + cStep, 16);
        c20 = v128.load(to + 2 * cStep), c21 = v128.load(to + 2 * cStep, 16);
        c30 = v128.load(to + 3 * cStep), c31 = v128.load(to + 3 * cStep, 16);
      }
      let p0 = a + i * aStep, q = b + (j << 2);
      let p1 = p0 + aStep, p2 = p1 + aStep, p3 = p2 + aStep;
      for (let p: usize = 0; p < k; p++) {
        const b0 = v128.load(q), b1 = v128.load(q, 16);
        let x = v128.load32_splat(p0);
        c00 = f32x4.add(c00, f32x4.mul(x, b0));
        c01 = f32x4.add(c01, f32x4.mul(x, b1));
        x = v128.load32_splat(p1);
        c10 = f32x4.add(c10, f32x4.mul(x, b0));
        c11 = f32x4.add(c11, f32x4.mul(x, b1));
        x = v128.load32_splat(p2);
        c20 = f32x4.add(c20, f32x4.mul(x, b0));
        c21 = f32x4.add(c21, f32x4.mul(x, b1));
        x = v128.load32_splat(p3);
        c30 = f32x4.add(c30, f32x4.mul(x, b0));
        c31 = f32x4.add(c31, f32x4.mul(x, b1));
        p0 += aNext, p1 += aNext, p2 += aNext, p3 += aNext, q += bStep;
      }
      v128.store(to, c00), v128.store(to, c01, 16);
      v128.store(to + cStep, c10), v128.store(to + cStep, c11, 16);
      v128.store(to + 2 * cStep, c20), v128.store(to + 2 * cStep, c21, 16);
      v128.store(to + 3 * cStep, c30), v128.store(to + 3 * cStep, c31, 16);
    }
  }
  for (let i: usize = 0; i < n; i++) { // the rest: rows below, and columns to the right
    for (let j: usize = i < tall ? wide : 0; j < m; j++) {
      const to = c + i * cStep + (j << 2);
      let sum: f32 = add ? load<f32>(to) : 0;
      for (let p: usize = 0; p < k; p++) {
        sum += load<f32>(a + i * aStep + p * aNext) * load<f32>(b + p * bStep + (j << 2));
      }
      store<f32>(to, sum);
    }
  }
}

/** e^x of four numbers, to about 2e-7 of its size: 2^n times a polynomial in the rest. */
// @ts-ignore: decorator
@inline
function exp(given: v128): v128 {
  const x = f32x4.max(f32x4.splat(-87), f32x4.min(given, f32x4.splat(88)));
  const n = f32x4.floor(f32x4.add(f32x4.mul(x, f32x4.splat(1.44269504)), f32x4.splat(0.5)));
  const r = f32x4.sub(
    f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375))), f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let sum = f32x4.splat(1 / 5040.0);
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1 / 720.0));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1 / 120.0));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1 / 24.0));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1 / 6.0));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(0.5));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(sum, power);
}

/** Softmax of each row of n × n scores times `scale`, over the columns up to the diagonal. */
export function softmax(at: usize, n: usize, scale: f32): void {
  const lanes = i32x4(0, 1, 2, 3), low = f32x4.splat(-3e38), by = f32x4.splat(scale);
  for (let q: usize = 0; q < n; q++) {
    const row = at + ((q * n) << 2), last = i32x4.splat(<i32>q);
    let top = low;
    for (let k: usize = 0; k <= q; k += 4) {
      const sees = i32x4.le_s(i32x4.add(i32x4.splat(<i32>k), lanes), last);
      const x = v128.bitselect(f32x4.mul(v128.load(row + (k << 2)), by), low, sees);
      v128.store(row + (k << 2), x);
      top = f32x4.max(top, x);
    }
    const most = f32x4.splat(max(
      max(f32x4.extract_lane(top, 0), f32x4.extract_lane(top, 1)),
      max(f32x4.extract_lane(top, 2), f32x4.extract_lane(top, 3))));
    let total = f32x4.splat(0);
    for (let k: usize = 0; k <= q; k += 4) {
      const sees = i32x4.le_s(i32x4.add(i32x4.splat(<i32>k), lanes), last);
      const e = v128.and(exp(f32x4.sub(v128.load(row + (k << 2)), most)), sees);
      v128.store(row + (k << 2), e);
      total = f32x4.add(total, e);
    }
    const sum = f32x4.splat(
      f32x4.extract_lane(total, 0) + f32x4.extract_lane(total, 1) +
      f32x4.extract_lane(total, 2) + f32x4.extract_lane(total, 3));
    let k: usize = 0;
    for (; k <= q; k += 4) {
      v128.store(row + (k << 2), f32x4.div(v128.load(row + (k << 2)), sum));
    }
    for (; k < n; k += 4) v128.store(row + (k << 2), f32x4.splat(0));
  }
}

/**
 * SwiGLU of `rows` rows [gate, up] of 2 f numbers: s = 1 / (1 + e^-gate), and h = gate s up.
 * With `back`, h holds the gradient of h, and gate and up are replaced by their gradients in `to`.
 */
export function swiglu(
  gu: usize, s: usize, h: usize, to: usize, rows: usize, f: usize, back: i32,
): void {
  const one = f32x4.splat(1), up = f << 2;
  for (let r: usize = 0; r < rows; r++) {
    const end = gu + up;
    for (; gu < end; gu += 16, to += 16, s += 16, h += 16) {
      const x = v128.load(gu), y = v128.load(gu + up);
      if (back) {
        const t = v128.load(s), d = v128.load(h), silu = f32x4.mul(x, t);
        const slope = f32x4.add(t, f32x4.mul(silu, f32x4.sub(one, t)));
        v128.store(to, f32x4.mul(f32x4.mul(d, y), slope));
        v128.store(to + up, f32x4.mul(d, silu));
      } else {
        const t = f32x4.div(one, f32x4.add(one, exp(f32x4.neg(x))));
        v128.store(s, t);
        v128.store(h, f32x4.mul(f32x4.mul(x, t), y));
      }
    }
    gu += up, to += up;
  }
}
