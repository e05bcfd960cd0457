// How the playground looks: the text, the heads, the loss, the next word, the cache.
import { el, show, showWeight } from "./dom.js";
import { NAMES } from "./playground.core.js";
import { heat } from "./sampler-lab.core.js";
import { VIEW_STYLE as BARS } from "./sampler-lab.view.js";
import { CONTEXT, softmax, WORDS } from "./storyteller.core.js";

const SHOWN = 10; // rows of the table of logits
const STRONGEST = 3; // words named for each head

export const VIEW_STYLE = `${BARS}
h3 { margin: 1.3rem 0 0.4rem; font-size: 1.05em; line-height: 1.35; }
a { color: var(--accent); }
button[aria-disabled="true"] { opacity: 0.55; cursor: default; }
form { display: flex; flex-wrap: wrap; gap: 0.4rem 0.6rem; align-items: end; margin: 0.8rem 0; }
form label { flex: 1 1 16rem; min-width: 0; }
form input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.35rem; padding: 0.3rem 0.6rem; min-height: 2.2rem; width: 100%; display: block; }
form input[aria-invalid="true"] { border-color: var(--wrong); }
form select { flex: 0 1 auto; min-width: 0; width: 100%; }
.said:empty, .problem:empty { display: none; }
.tour { background: var(--card); border-radius: 0.4rem; padding: 0.6rem 0.7rem; }
.tour p { margin: 0 0 0.5rem; }
.words { display: flex; flex-wrap: wrap; gap: 0.25rem 0.15rem; margin: 0.8rem 0 0.3rem; }
.words button { min-height: 1.9rem; min-width: 1.6rem; padding: 0.1rem 0.35rem; border-color: transparent;
  background: color-mix(in srgb, var(--accent) calc(var(--weight, 0) * var(--most)), var(--paper)); }
.words button.drawn { border-bottom: 2px solid var(--k2); }
.words button[aria-pressed="true"] { border: 2px solid var(--ink); }
.heads { list-style: none; margin: 0.4rem 0; padding: 0; }
.heads li { display: grid; grid-template-columns: 3.4rem 5.2rem minmax(0, 12rem) minmax(0, 1fr); gap: 0.2rem 0.7rem;
  align-items: center; padding: 0.15rem 0; border-bottom: 1px solid var(--soft); }
.heads button { min-height: 1.9rem; padding: 0.1rem 0.4rem; font-variant-numeric: tabular-nums; }
.heads button[aria-pressed="true"] { outline: 2px solid var(--ink); outline-offset: -2px; font-weight: 600; }
.heads label { display: inline-flex; gap: 0.4rem; align-items: center; }
.heads .off { text-decoration: line-through; }
.strip { display: flex; height: 1.2rem; border: 1px solid var(--soft); }
.strip i { flex: 1 1 0; background: color-mix(in srgb, var(--accent) calc(var(--weight) * 100%), var(--paper)); }
.strip i.after { background: repeating-linear-gradient(135deg, var(--soft) 0 2px, var(--paper) 2px 5px); }
.rows { display: flex; gap: 1px; height: 1.6rem; margin: 0.6rem 0; }
.rows i { flex: 1 1 0; border: 1px solid var(--line); }
.rows i.full { background: var(--k2); border-color: var(--k2); }
td:first-child, th:first-child { text-align: left; white-space: nowrap; }
thead th { vertical-align: bottom; }
tr.now { font-weight: 600; background: var(--card); }
tr.now th { font-weight: 600; }
@media (max-width: 40rem) {
  .heads li { grid-template-columns: 3.4rem 5.2rem minmax(0, 1fr); }
  .heads .found { grid-column: 1 / -1; }
  th, td { padding: 0.2rem 0.3rem; }
}
@media (pointer: coarse) { form input { font-size: max(16px, 1em); } }
@media print { form, .tour .controls { display: none; } }
`;

const whole = (number) => number.toLocaleString("en");
const table = (label, head, rows) => el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" },
  el("table", { "aria-label": label },
    el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows.map(({ now, cells: [first, ...rest] }) => el("tr", { class: now && "now" },
      el("th", { scope: "row" }, first), ...rest.map((cell) => el("td", {}, cell)))))));

/** The words, each a button; one is the tab stop. Shaded by the weights that one head gives from `at`. */
export const words = (tokens, start, at, weights, choose) => tokens.map((token, i) => el("button", {
  type: "button", class: i >= start && "drawn", style: `--weight: ${(weights[i] ?? 0).toFixed(3)}`,
  "aria-pressed": String(i === at), tabindex: i === at ? "0" : "-1", onclick: () => choose(i),
  "aria-label": `${WORDS[token]}, position ${i}${i in weights ? `, weight ${showWeight(weights[i], 2)}` : ""}`,
}, WORDS[token]));

/** The words that a head attends to most, with their positions and weights, as text. */
export function strongest(weights, tokens) {
  const order = weights.map((_, i) => i).sort((a, b) => weights[b] - weights[a]).slice(0, STRONGEST);
  return order.filter((i) => weights[i] >= 0.005).map((i) => `${WORDS[tokens[i]]} (${i}) ${show(weights[i])}`).join(", ");
}

/** A row for each head: its name, whether it is on, its weights as a strip and as text. */
export const heads = (weights, tokens, { head, off }, choose, turn) => NAMES.map((name, i) => {
  const box = el("input", { type: "checkbox", checked: !off.includes(name), "data-name": `on ${name}`,
    "aria-label": `Head ${name} is on`, onchange: () => turn(name, !box.checked) });
  return el("li", {},
    el("button", { type: "button", "aria-pressed": String(name === head), "data-name": `head ${name}`,
      "aria-label": `Head ${name}: shade the text by its weights`, onclick: () => choose(name) }, name),
    el("label", {}, box, el("span", {}, off.includes(name) ? "off" : "on")),
    el("div", { class: "strip", "aria-hidden": "true" }, ...tokens.map((_, k) => el("i",
      k in weights[i] ? { style: `--weight: ${weights[i][k].toFixed(3)}` } : { class: "after" }))),
    el("span", { class: `found ${off.includes(name) ? "off" : ""}` }, strongest(weights[i], tokens)));
});

/** Scores and weights of one head from one place, for each position up to it. */
export const scores = ({ head, tokens, row, weights }) => table(`Scores and weights of head ${head}`,
  ["word", "position", "score", "weight"],
  row.map((score, k) => ({ cells: [WORDS[tokens[k]], String(k), show(score), showWeight(weights[k])] })));

/** The likeliest words' numbers, from the logit to the probability that is drawn from. */
export function numbers(logits, drawn, temperature) {
  const [model, warm] = [softmax(logits), heat(softmax(logits), temperature)];
  const order = logits.map((_, i) => i).sort((a, b) => logits[b] - logits[a]).slice(0, SHOWN);
  return table("The likeliest words, from logits to probabilities",
    ["word", "logit", "÷ T", "softmax", "with T", "after cuts"],
    order.map((i) => ({ cells: [WORDS[i], show(logits[i]), temperature ? show(logits[i] / temperature) : "–",
      showWeight(model[i]), showWeight(warm[i]), drawn[i] ? showWeight(drawn[i]) : "cut"] })));
}

const copies = ({ copied, count }) => (copied === null ? "no word is copied"
  : `${show(copied)} over the ${count} copied ${count === 1 ? "word" : "words"}`);

/** What turning heads off changes: the loss of the whole model's text, and its continuation. */
export function effect({ off, whole: intact, without, text, otherText }) {
  const all = `Loss of this text, in nats per word: ${show(intact.all)} over all words, ${copies(intact)}.`;
  if (!off.length) return [el("p", {}, `All heads are on. ${all}`)];
  const names = `${off.length === 1 ? "head" : "heads"} ${off.join(", ")}`;
  return [
    el("p", {}, `The whole model tells: “${text}”. ${all.replace("this", "that")}`),
    el("p", {}, `Without ${names} the loss of the same text is ${show(without.all)} over all words, ${copies(without)}. ` +
      (text === otherText ? "The text told above stays the same." : `The model now tells the text above instead.`)),
  ];
}

/** Rows and bytes of the cache, and the work of both ways. */
export function cache({ n, bytes, cost, times, again }) {
  const text = again ? `No cache is kept: for the next word all ${n} are read again.`
    : `${n} of ${CONTEXT} rows in each layer, ${whole(bytes)} bytes: ${whole(bytes / n)} for each word.`;
  const way = (name, key, now) => ({ now, cells: [name, whole(cost[key].last), whole(cost[key].all), show(times[key], 2)] });
  return {
    text,
    nodes: [
      el("div", { class: "rows", role: "img", "aria-label": `${again ? 0 : n} of ${CONTEXT} rows are filled` },
        ...Array.from({ length: CONTEXT }, (_, i) => el("i", { class: !again && i < n && "full" }))),
      el("p", {}, text),
      table("Work with a cache and without", ["multiplications", "last word", "all words", "last, in ms"],
        [way("cache", "cached", !again), way("all again", "again", again)]),
    ],
  };
}
