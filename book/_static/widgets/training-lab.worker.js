// The worker of the training lab: it trains, step by step, and reports what it measured.
import { Lab } from "./training-lab.run.js";

const EVERY = 50; // steps between measurements
const WRITES = 200; // steps between texts
const REPORT = 250; // milliseconds between other reports

let lab = null;
let going = false;
let spent = 0; // milliseconds of training

// Yield to messages without the delay of a timer.
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => going && run();
const later = () => port2.postMessage(0);

function report() {
  postMessage({
    kind: "look", seconds: spent / 1000, ...lab.look(), ...lab.maps(), done: lab.done,
    text: lab.step % WRITES === 0 ? lab.write() : null,
  });
}

function run() {
  const begun = performance.now();
  let reports = false;
  while (!reports && performance.now() - begun < REPORT) {
    lab.train();
    reports = lab.step % EVERY === 0 || lab.done;
  }
  spent += performance.now() - begun;
  if (reports) report();
  else postMessage({ kind: "step", step: lab.step, seconds: spent / 1000 });
  going = going && !lab.done;
  if (going) later();
}

onmessage = ({ data }) => {
  if (data.begin) {
    lab = new Lab(data.begin);
    spent = 0;
    const parameters = lab.model.shapes.reduce((sum, [name, rows, columns]) =>
      sum + (name === "embedding" ? lab.model.words : rows) * columns, 0);
    postMessage({ kind: "ready", simd: lab.simd, recipe: lab.recipe, parameters });
    report();
  }
  const was = going;
  going = Boolean(data.go) && !lab.done;
  if (going && !was) later();
};
