// Measure the training lab on one core, as the page runs it: for five seeds, the losses during training
// and the seconds until the model copies. About ten minutes:
//     node tools/training_lab/measure.mjs [SEED…]
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

import { Lab, RECIPE } from "../../book/_static/widgets/training-lab.run.js";

const TO = new URL("measured.json", import.meta.url);
const [EVERY, GOAL, UNTIL] = [50, 0.5, 120];
const named = process.argv.slice(2).map(Number);
const seeds = named.length ? named : [1, 2, 3, 4, 5];
const round = (x, digits) => Number(x.toFixed(digits));

/** Processor seconds of this process: other programs on the machine do not count. */
const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** The head with the highest score, and the score. */
function best(scores) {
  const flat = scores.flat();
  const i = flat.indexOf(Math.max(...flat));
  return [`${Math.floor(i / scores[0].length)}.${i % scores[0].length}`, round(flat[i], 2)];
}

function run(seed) {
  const begun = seconds();
  const lab = new Lab({ seed });
  const looks = [];
  let copies = null;
  for (;;) {
    const { step, loss, floor, copied, previous, induction } = lab.look();
    const now = round(seconds() - begun, 1);
    looks.push({
      step, seconds: now, loss: round(loss, 3), copied: round(copied, 3),
      previous: best(previous), induction: best(induction),
    });
    if (copied <= GOAL) copies ??= { step, seconds: now };
    if (lab.done) return { seed, copies, floor: round(floor, 3), looks };
    for (let i = 0; i < EVERY && !lab.done; i += 1) lab.train();
  }
}

// Old results of other seeds stay if they are of the same recipe.
const old = (() => {
  try {
    return JSON.parse(readFileSync(TO, "utf8"));
  } catch {
    return null;
  }
})();
const same = old && JSON.stringify(old.recipe) === JSON.stringify(RECIPE);
const runs = new Map(same ? old.runs.map((each) => [each.seed, each]) : []);
for (const seed of seeds) {
  const found = run(seed);
  runs.set(seed, found);
  const last = found.looks.at(-1);
  console.log(`seed ${seed}: ${found.copies ? `copies at step ${found.copies.step}, ${found.copies.seconds} s` :
    "does not copy"}; ends with ${last.copied} nats per copied word after ${last.seconds} s`);
  const record = {
    command: "node tools/training_lab/measure.mjs", node: process.version, processor: cpus()[0].model,
    goal: { copied: GOAL, seconds: UNTIL }, recipe: RECIPE,
    runs: [...runs.values()].sort((a, b) => a.seed - b.seed),
  };
  const text = JSON.stringify(record, null, 1).replace(/\[\n\s+("[\d.]+"),\n\s+([\d.]+)\n\s+\]/g, "[$1, $2]");
  writeFileSync(TO, `${text}\n`);
}
