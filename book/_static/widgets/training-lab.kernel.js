// Memory and the inner loops: WebAssembly with SIMD, or the same in JavaScript, to the bit.
import { plain } from "./training-lab.plain.js";
import { WASM } from "./training-lab.wasm.js";

const PAGE = 65_536;

/** Whether this machine runs WebAssembly with SIMD; a browser that does not refuses the module. */
export function hasSimd() {
  try {
    return WebAssembly.validate(bytes());
  } catch {
    return false;
  }
}

/**
 * A place for `count` numbers, and the functions that compute in it.
 *
 * `floats(n)` returns a Float32Array of n zeros in it. Matrices are given by the index of their first
 * number and by strides, all in numbers:
 *
 * - `product(c, cRow, a, aRow, aColumn, b, bRow, n, k, m, add)` computes C = A · B (n × k times k × m),
 *   and C + A · B if `add` is 1;
 * - `softmax(at, n, scale)` normalises the rows of n × n scores times `scale`, up to the diagonal;
 * - `swiglu(gu, s, h, to, rows, f, back)` computes the gated values of rows [gate, up], or, with
 *   `back`, the gradients of gate and up from that in h.
 */
export function kernel(count, simd = hasSimd()) {
  const size = PAGE * Math.ceil((4 * count + 64) / PAGE);
  let buffer, functions;
  if (simd) {
    const memory = new WebAssembly.Memory({ initial: size / PAGE });
    const module = new WebAssembly.Module(bytes());
    const { product, softmax, swiglu } = new WebAssembly.Instance(module, { env: { memory } }).exports;
    buffer = memory.buffer;
    functions = {
      product: (c, cRow, a, aRow, aColumn, b, bRow, n, k, m, add = 0) =>
        product(4 * c, cRow, 4 * a, aRow, aColumn, 4 * b, bRow, n, k, m, add),
      softmax: (at, n, scale) => softmax(4 * at, n, scale),
      swiglu: (gu, s, h, to, rows, f, back = 0) =>
        swiglu(4 * gu, 4 * s, 4 * h, 4 * to, rows, f, back),
    };
  } else {
    buffer = new ArrayBuffer(size);
    functions = plain(new Float32Array(buffer));
  }
  let at = 16; // no matrix is at 0
  return {
    simd, ...functions, all: new Float32Array(buffer),
    floats(n) {
      const made = new Float32Array(buffer, 4 * at, n);
      at += 4 * Math.ceil(n / 4);
      return made;
    },
  };
}

/** Where in the kernel's memory an array begins, in numbers. */
export const place = (array) => array.byteOffset / 4;

function bytes() {
  return Uint8Array.from(atob(WASM), (letter) => letter.charCodeAt(0));
}
