// What the attention explorer says in numbers and words, beside its picture.
import { el, show, showWeight } from "./dom.js";
import { effectiveKeys, equalKeys, inside, LIMIT, steepest, STEP } from "./attention-explorer.core.js";
import { entropy, sum, transpose } from "./softmax.core.js";

export const VIEW_STYLE = `
.planes { display: grid; gap: 1rem; margin-top: 0.8rem;
  grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); }
.hull { fill: var(--accent); fill-opacity: 0.13; stroke: var(--accent); stroke-width: 1.2; }
.weights { width: 100%; margin-top: 0.8rem; }
.weights th:first-child, .weights .bar { text-align: left; }
.weights .bar { width: 45%; }
.weights .bar span { display: block; height: 0.9rem; border-radius: 0.2rem; min-width: 1px; }
.weights thead :is(th, td), .matrix thead :is(th, td) { border-bottom: 1px solid var(--line); }
.weights tfoot td, .weights tfoot th { border-top: 1px solid var(--line); }
.weights th { white-space: nowrap; }
.swatch { display: inline-block; width: 0.7rem; height: 0.7rem; border-radius: 50%;
  margin-right: 0.35rem; }
.numbers { display: grid; gap: 0.4rem 1rem;
  grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); }
.numbers .control { flex-wrap: nowrap; }
.numbers span { min-width: 4.2em; }
.numbers input { width: 4.8em; }
@media (max-width: 40rem) { /* query and keys, what comes of them, then the values */
  .part { display: flex; flex-direction: column; }
  .planes { display: contents; }
  .planes > :first-child { order: -2; margin-top: 0.5rem; }
  .stays { order: -3; }
  .result { order: -1; }
}
@media (max-width: 30rem) { .weights .bar { width: 26%; } th, td { padding: 0.2rem 0.25rem; } }
`;

/** The table of scores and weights of the first query. */
export function weightTable({ products, scores, weights, rowSums }, colours) {
  const largest = Math.max(1, ...weights[0]);
  const rows = weights[0].map((w, j) =>
    el("tr", {},
      el("th", { scope: "row" },
        el("span", { class: "swatch", style: `background:${colours[j]}` }), `k${j}`),
      el("td", {}, show(products[0][j])),
      el("td", {}, show(scores[0][j])),
      el("td", { class: "bar", "aria-hidden": "true" },
        el("span", { style: `width:${(100 * w) / largest}%;background:${colours[j]}` })),
      el("td", {}, showWeight(w))));
  const head = ["key", "q·k", "÷ √2", "", "weight"];
  const total = rowSums[0];
  const right = Math.abs(total - 1) < 1e-9;
  return el("div", { class: "scroll", role: "region", "aria-label": "Weights", tabindex: "0" },
    el("table", { class: "weights" },
      el("caption", {}, "From dot products to weights, for the query q"),
      el("thead", {}, el("tr", {}, ...head.map((text, c) =>
        text ? el("th", { scope: "col" }, text) : el("td", { "aria-hidden": "true" })))),
      el("tbody", {}, ...rows),
      el("tfoot", {}, el("tr", {},
        el("th", { scope: "row", colspan: "4" }, right ? "sum" : "sum (should be 1)"),
        el("td", { class: right ? "" : "wrong" }, show(total, 3))))));
}

/** Read-outs under the table, and the sentence for a screen reader. */
export function readout(state, { weights, outputs, hull, rowSums }) {
  const [row, output] = [weights[0], outputs[0]];
  const contained = inside(output, hull);
  const best = row.indexOf(Math.max(...row));
  const place = `(${show(output[0])}, ${show(output[1])})`;
  const nodes = [
    el("p", { class: "note" }, `Output o = ${place}: `,
      el("span", { class: contained ? "good" : "wrong" },
        contained ? "✓ inside the hull of the values." : "✗ outside the hull of the values."),
      contained ? "" : " Weights that do not sum to 1 are no average."),
  ];
  if (state.axis === "keys") nodes.push(el("p", { class: "note" }, spread(row)));
  const twins = equalKeys(state.keys);
  if (twins.length > 0 && state.axis === "keys") {
    const names = [...new Set(twins.flat())].map((j) => `k${j}`);
    nodes.push(el("p", { class: "note" },
      twins.length > 1 && names.length === 5
        ? "All keys are equal: each weight is 1/5, and o is the plain mean of the values."
        : `${names.join(", ")}: equal keys, equal weights.`));
  }
  if (state.axis === "queries") nodes.push(matrix(weights, rowSums));
  const text = `Largest weight ${showWeight(row[best])} on key ${best}. Sum ${show(rowSums[0], 3)}. ` +
    `Output ${place}, ${contained ? "inside" : "outside"} the hull.`;
  return { nodes, text };
}

function spread(row) {
  return `Entropy ${show(entropy(row))} nats: as spread as ${show(effectiveKeys(row), 1)} equal ` +
    `keys. The steepest slope w(1 − w) of a weight by its score is ${showWeight(steepest(row))}, ` +
    "of at most 0.250.";
}

function matrix(weights, rowSums) {
  const line = (name, cells, style = "") => el("tr", {},
    el("th", { scope: "row" }, name),
    ...cells.map((x) => el("td", { class: style }, show(x))));
  const names = weights.map((_, i) => (i === 0 ? "q" : `q${i}`));
  const head = ["", ...weights[0].map((_, j) => `k${j}`), "sum"];
  const title = "Softmax over the queries: each column sums to 1, no row needs to";
  return el("div", { class: "scroll", role: "region", "aria-label": "All queries", tabindex: "0" },
    el("p", { class: "note" }, el("strong", {}, title)),
    el("table", { class: "matrix", "aria-label": title },
      el("thead", {}, el("tr", {}, ...head.map((text) =>
        text ? el("th", { scope: "col" }, text) : el("td", {})))),
      el("tbody", {}, ...weights.map((row, i) => line(names[i], [...row, rowSums[i]]))),
      el("tfoot", {}, line("sum", [...transpose(weights).map(sum)]))));
}

/** Fields for all coordinates, made once for each number of queries, then kept up to date. */
export function numberForm(form, queries, current, move) {
  const groups = [["queries", queries], ["keys", 5], ["values", 5]];
  if (form.dataset.queries !== String(queries)) {
    form.dataset.queries = queries;
    form.querySelector(".numbers")?.remove();
    form.append(el("div", { class: "numbers" }, ...groups.flatMap(([group, count]) =>
      Array.from({ length: count }, (_, index) => fields(group, index, current, move)))));
  }
  for (const input of form.querySelectorAll("input")) {
    const { group, index, side } = input.dataset;
    if (!input.matches(":focus")) input.value = current()[group][index][side];
  }
}

function fields(group, index, current, move) {
  const name = `${{ queries: "Query", keys: "Key", values: "Value" }[group]} ${index}`;
  const field = (side) => {
    const input = el("input", {
      type: "number", min: -LIMIT, max: LIMIT, step: STEP, "aria-label": `${name} ${"xy"[side]}`,
      onchange: () => {
        const at = [...current()[group][index]];
        if (Number.isFinite(input.valueAsNumber)) at[side] = input.valueAsNumber;
        move(`${group} ${index}`, at);
        input.value = current()[group][index][side];
      },
    });
    Object.assign(input.dataset, { group, index, side });
    return input;
  };
  return el("div", { class: "control" }, el("span", {}, name), field(0), field(1));
}
