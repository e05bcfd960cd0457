// Laws of the depth explorer's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  curves, explore, norm, normals, pass, PLACES, rms, sublayers, uniform,
} from "../../book/_static/widgets/depth-explorer.core.js";
import { limits, percent } from "../../book/_static/widgets/depth-explorer.view.js";

const near = (a, b, slack = 1e-9) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`);

test("a seed gives the same weights, another seed gives others", () => {
  assert.deepEqual(sublayers(3, 2), sublayers(3, 2));
  assert.notDeepEqual(sublayers(3, 2), sublayers(4, 2));
});

test("normal numbers have mean 0 and variance 1", () => {
  const drawn = normals(uniform(7), 20000);
  near(drawn.reduce((a, b) => a + b, 0) / drawn.length, 0, 0.03);
  near(rms(drawn), 1, 0.02);
});

test("the gradient is that of small differences, in every placement", () => {
  const layers = sublayers(5, 6, 5);
  const draw = uniform(11);
  const [x, top] = [normals(draw, 5), normals(draw, 5)];
  for (const place of PLACES) {
    const options = { size: 1.3, share: 0.3 };
    const height = (at) => {
      const { end } = last(place, layers, at, options);
      return end.reduce((sum, v, i) => sum + v * top[i], 0);
    };
    const step = 1e-5;
    const slopes = x.map((_, i) => {
      const moved = (by) => x.map((v, j) => (i === j ? v + by : v));
      return (height(moved(step)) - height(moved(-step))) / (2 * step);
    });
    near(pass(place, layers, x, top, options).lengths[0], Math.hypot(...slopes), 1e-5);
  }
});

// The output of a stack: `pass` gives sizes and lengths only, so the way forwards stands here again.
function last(place, layers, x, { size, share }) {
  const deep = place === "deep";
  const [alpha, shrink] = deep
    ? [layers.length ** 0.25, (4 * layers.length) ** -0.5] : [1, 1];
  let stream = x;
  for (const { matrix, constant } of layers) {
    const read = deep || place === "post" ? stream : norm(stream).y;
    let wrote = matrix.map((row, i) => size * shrink * (
      Math.sqrt(1 - share) * row.reduce((s, w, j) => s + w * read[j], 0)
      + Math.sqrt(share) * constant[i]));
    if (place === "sandwich") wrote = norm(wrote).y;
    stream = stream.map((v, i) => alpha * v + wrote[i]);
    if (deep || place === "post") stream = norm(stream).y;
  }
  return { end: deep || place === "post" ? stream : norm(stream).y };
}

test("post-norm keeps the stream at 1, sandwich-norm lets it grow like the root", () => {
  const found = explore({ count: 48, share: 0 });
  for (const size of found.post.sizes) near(size, 1, 1e-3);
  near(found.sandwich.sizes.at(-1) / Math.sqrt(49), 1, 0.25);
});

test("the size of a branch does not reach a sandwich", () => {
  const [small, large] = [0.3, 3].map((size) => curves("sandwich", { count: 24, size }));
  small.lengths.forEach((v, l) => near(v / large.lengths[l], 1, 1e-3));
});

test("only post-norm loses its gradient when half of what is written is constant", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const found = explore({ count: 2 * 24, share: 0.5, seed });
    assert.ok(found.post.lengths[0] < 0.01);
    for (const place of ["pre", "sandwich", "deep"]) assert.ok(found[place].lengths[0] > 0.3);
  }
});

test("without a constant part post-norm loses little", () => {
  for (const seed of [1, 2, 3]) {
    assert.ok(curves("post", { count: 48, share: 0, seed }).lengths[0] > 0.05);
  }
});

test("shares and limits are readable", () => {
  assert.equal(percent(0.5), "50 %");
  assert.equal(percent(0.012), "1.2 %");
  assert.equal(percent(1e-9), "1e−7 %");
  assert.deepEqual(limits({ a: [1, 3], b: [1e-20] }), [-7, 1]);
});
