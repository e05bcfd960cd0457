// What the training lab draws: the losses against the steps, and a map for each head.
import { el, show, svg } from "./dom.js";

export const GOAL = 0.5; // nats per copied word: the model copies
const TOP = 4.5; // nats
const [WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT] = [400, 290, 44, 44, 14];

export const VIEW_STYLE = `
input[type="number"] { width: 5.5rem; }
.buttons { display: flex; gap: 0.6rem; flex-wrap: wrap; }
button:disabled { opacity: 0.65; cursor: default; }
.clock, .text { font-variant-numeric: tabular-nums; }
.parts { display: grid; gap: 1rem 1.4rem; margin: 0.8rem 0 0;
  grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); }
.drawn { margin: 0; }
.title { font-weight: 600; margin: 0.6rem 0 0.3rem; }
.parts .title { margin-top: 0; }
.curve { display: block; width: 100%; height: auto; margin-top: 0.3rem; }
.curve text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.curve .paper { fill: var(--card); }
.curve .grid { stroke: var(--soft); stroke-width: 0.8; }
.curve polyline { fill: none; stroke-width: 2.4; stroke-linejoin: round; }
.all { stroke: var(--k0); } .copied { stroke: var(--k1); }
.floor { stroke: var(--good); stroke-width: 1.5; stroke-dasharray: 6 4; }
.key { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; margin: 0.3rem 0 0; padding: 0; list-style: none; font-size: 0.88rem; }
.key svg { width: 1.6rem; height: 0.6rem; margin-right: 0.35rem; }
.key line { stroke-width: 3; }
.heads { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0.5rem; }
.head { margin: 0; font-size: 0.76rem; line-height: 1.3; }
.head canvas { display: block; width: 100%; aspect-ratio: 1; background: var(--card);
  image-rendering: pixelated; border: 1px solid var(--soft); }
.head.previous canvas { outline: 3px solid var(--k0); }
.head.induction canvas { outline: 3px solid var(--k1); }
.head figcaption { font-weight: 400; margin-top: 0.2rem; overflow-wrap: anywhere; }
.head strong { display: block; }
.text { margin: 0; padding: 0.5rem 0.7rem; background: var(--card); border-radius: 0.35rem; min-height: 4.4em; }
.at { font-weight: 600; }
@media (max-width: 40rem) { .controls > .control > input[type="number"] { grid-column: 1 / -1; width: 100%; } }
.small { font-size: 0.85rem; margin: 0.4rem 0 0; }
@media (max-width: 24rem) { .heads { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
`;

const LINES = [["all", "all words", "loss"], ["copied", "copied words", "copied"], ["floor", "floor of all words", "floor"]];

/** The losses of all words and of copied words, and the floor, against the steps. */
export function chart(looks, steps) {
  const end = steps || 1;
  const x = (step) => LEFT + ((WIDTH - LEFT - RIGHT) * step) / end;
  const y = (nats) => 12 + ((HEIGHT - BOTTOM - 12) * (TOP - Math.min(nats, TOP))) / TOP;
  const nodes = [svg("rect", { class: "paper", width: WIDTH, height: HEIGHT, rx: 10 })];
  for (let nats = 0; nats <= 4; nats += 1) {
    nodes.push(
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(nats), y2: y(nats) }),
      svg("text", { x: LEFT - 8, y: y(nats) + 4, "text-anchor": "end" }, String(nats)));
  }
  for (let part = 0; steps && part <= 4; part += 1) {
    const step = Math.round((part * steps) / 4);
    nodes.push(svg("text", { x: x(step), y: HEIGHT - 24, "text-anchor": part === 4 ? "end" : "middle" }, String(step)));
  }
  nodes.push(svg("text", { x: (WIDTH + LEFT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "step"));
  const last = looks.at(-1);
  if (last) {
    nodes.push(svg("line", { class: "floor", x1: LEFT, x2: WIDTH - RIGHT, y1: y(last.floor), y2: y(last.floor) }));
    for (const [name, , key] of LINES.slice(0, 2)) {
      const points = looks.map((look) => `${x(look.step).toFixed(1)},${y(look[key]).toFixed(1)}`).join(" ");
      nodes.push(svg("polyline", { class: name, points }));
    }
  }
  const values = LINES.map(([, text, key]) => `${text} ${show(last?.[key] ?? NaN)}`).join(", ");
  const label = last ? `Losses in nats at step ${last.step}: ${values}.` : "Losses against steps: nothing yet.";
  const key = LINES.map(([name, text, field]) => el("li", {},
    svg("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" }, svg("line", { class: name, x1: 0, x2: 26, y1: 5, y2: 5 })),
    last ? `${text}: ${show(last[field])}` : text));
  return [
    el("figcaption", {}, "Loss on unseen ballads, nats per word"),
    svg("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...nodes),
    el("ul", { class: "key", role: "list" }, ...key),
  ];
}

/** The colour of the maps in the theme of now: red, green and blue. */
export function shade(host) {
  const colour = getComputedStyle(host).getPropertyValue("--accent").trim();
  return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
}

/** The place of a head's map and scores; `draw` fills it. */
export function headPanel(layer, head) {
  const canvas = el("canvas", { width: 32, height: 32, role: "img", "aria-label": `Head ${layer}.${head}: no map yet` });
  const caption = el("figcaption", {}, `${layer}.${head}`);
  const node = el("figure", { class: "head" }, canvas, caption);
  const draw = (map, words, colour, { previous, induction, isPrevious, isInduction }) => {
    const n = words.length;
    const context = canvas.getContext("2d");
    const picture = context.createImageData(n, n);
    map.forEach((row, q) => row.slice(0, q + 1).forEach((weight, k) =>
      picture.data.set([...colour, Math.round(255 * Math.sqrt(weight))], 4 * (q * n + k))));
    context.putImageData(picture, 0, 0);
    node.classList.toggle("previous", isPrevious);
    node.classList.toggle("induction", isInduction && !isPrevious);
    const scores = `previous ${show(previous)}, induction ${show(induction)}`;
    canvas.setAttribute("aria-label", `Head ${layer}.${head}: ${scores}`);
    caption.replaceChildren(el("strong", {}, `${layer}.${head}`), scores);
  };
  return { node, draw };
}

/** One sentence: which head has the highest score of each kind. */
export function roles({ step, previous, induction }) {
  if (!step) return "";
  const best = (scores) => {
    const flat = scores.flat();
    const i = flat.indexOf(Math.max(...flat));
    return `${Math.floor(i / scores[0].length)}.${i % scores[0].length} (${show(flat[i])})`;
  };
  return `Highest previous-token score, framed in blue: head ${best(previous)}. ` +
    `Highest induction score, framed in orange: head ${best(induction)}.`;
}
