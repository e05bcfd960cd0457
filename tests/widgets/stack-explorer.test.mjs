// Laws of the stack explorer's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ANSWERS, BOXES, candidates, judge, known, KINDS, moved, NAMED, tableOf, VERDICTS,
} from "../../book/_static/widgets/stack-explorer.core.js";

const all = [0, 1, 2, 3, 4, 5];

test("an encoder's token moves every output, a decoder's its own and the later ones", () => {
  for (const layers of [1, 2, 3]) {
    for (const j of all) {
      assert.deepEqual(moved(tableOf("encoder", layers), j), all);
      assert.deepEqual(moved(tableOf("decoder", layers), j), all.slice(j));
    }
  }
});

test("a window of 2 reaches one token further with each layer", () => {
  for (const layers of [1, 2, 3]) {
    assert.deepEqual(moved(tableOf("window", layers), 0), all.slice(0, layers + 1));
  }
});

test("encoder–decoder and open prefix move the same outputs, by other amounts", () => {
  for (const layers of [0, 1, 2]) {
    const [both, prefix] = [NAMED.both[layers], NAMED.prefix[layers]];
    assert.deepEqual(known(both, all), known(prefix, all));
    assert.notDeepEqual(both, prefix);
  }
});

test("every box fits what it is, and after all six tokens nothing else but a twin", () => {
  ANSWERS.forEach((answer, box) => {
    assert.deepEqual(candidates(BOXES[box], []), Object.keys(VERDICTS));
    const left = candidates(BOXES[box], all);
    assert.ok(left.includes(answer));
    assert.equal(left.length, ["both", "prefix"].includes(answer) ? 2 : 1);
    assert.ok(judge(box, answer, all).sure);
  });
});

test("a verdict is right, right by luck, as right as can be, or wrong", () => {
  const box = ANSWERS.indexOf("both");
  assert.deepEqual(judge(box, "both", []).sure, false);
  assert.ok(judge(box, "prefix", all).right && !judge(box, "prefix", all).exact);
  assert.equal(judge(box, "decoder", all).right, false);
  assert.equal(judge(ANSWERS.indexOf("encoder"), "encoder", all).twin, null);
});

test("each kind is one of the boxes, and the broken one is named among the verdicts alone", () => {
  assert.deepEqual([...ANSWERS].sort(), Object.keys(VERDICTS).sort());
  assert.ok(!("broken" in KINDS));
});

test("an unknown model is refused by name", () => {
  assert.throws(() => tableOf("encodr", 1), /encodr/);
});
