// What the recipe tin shows in numbers and words, beside its plane.
import { el, show, showWeight, svg } from "./dom.js";
import { CARDS, holdings, LIMIT, STEP, territories } from "./recipe-tin.core.js";

export const VIEW_STYLE = `
.both { display: grid; gap: 1rem; margin-top: 0.8rem;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); align-items: start; }
.weights { width: 100%; }
.weights th:first-child, .weights .bar { text-align: left; }
.weights .bar { width: 18%; min-width: 2.2rem; }
.weights th { white-space: nowrap; }
.weights .bar span { display: block; height: 0.9rem; border-radius: 0.2rem; min-width: 1px; }
.weights thead :is(th, td) { border-bottom: 1px solid var(--line); }
.swatch { display: inline-block; width: 0.7rem; height: 0.7rem; border-radius: 50%;
  margin-right: 0.35rem; }
.basket { font-size: 1.1rem; font-weight: 600; }
.numbers { display: grid; gap: 0.4rem 1rem;
  grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); }
.numbers .control { flex-wrap: nowrap; }
.numbers span { min-width: 8em; }
.numbers input { width: 4.8em; }
@media (max-width: 30rem) { .weights [aria-hidden] { display: none; } th, td { padding: 0.2rem 0.25rem; } }
`;

/** The tinted areas, as one rectangle for each run of cells of a row that one card wins. */
export function ground(state, plane, colours, n = 48) {
  const [left, top] = plane.pixel([-LIMIT, LIMIT]);
  const side = (plane.pixel([LIMIT, 0])[0] - left) / n;
  return territories(state, n).flatMap((row, i) => {
    const runs = [];
    row.forEach((card, j) => {
      const last = runs.at(-1);
      if (last && (card < 0 || last.card === card)) last.length += 1; // a tie is a border
      else runs.push({ card, from: j, length: 1 });
    });
    return runs.filter((run) => run.card >= 0).map((run) => svg("rect", {
      x: left + run.from * side, y: top + i * side, width: run.length * side + 0.3,
      height: side + 0.3, fill: colours[run.card], "fill-opacity": 0.22,
    }));
  });
}

/** The table of scores and weights. */
export function weightTable({ hard, tau }, { scores, weights }, colours) {
  const rows = CARDS.map((card, j) =>
    el("tr", {},
      el("th", { scope: "row" },
        el("span", { class: "swatch", style: `background:${colours[j]}` }), card),
      el("td", {}, show(scores[j])),
      el("td", { class: "bar", "aria-hidden": "true" },
        el("span", { style: `width:${100 * weights[j]}%;background:${colours[j]}` })),
      el("td", {}, showWeight(weights[j]))));
  const head = ["card", "score", "", hard ? "share" : "weight"];
  return el("div", { class: "scroll", role: "region", "aria-label": "Weights", tabindex: "0" },
    el("table", { class: "weights" },
      el("caption", {}, hard ? "The best card alone" : `A blend at temperature ${tau}`),
      el("thead", {}, el("tr", {}, ...head.map((text) =>
        text ? el("th", { scope: "col" }, text) : el("td", { "aria-hidden": "true" })))),
      el("tbody", {}, ...rows)));
}

/** The lines under the table, and the sentence for a screen reader. */
export function readout(state, answer) {
  const names = answer.best.map((j) => CARDS[j]);
  const winner = names.length === 1
    ? `Largest score: ${names[0]}.`
    : `Tied for the largest score: ${names.join(", ")}.`;
  const shares = holdings(state).map((share, j) => `${CARDS[j]} ${Math.round(100 * share)}%`);
  const land = `Territories, in percent of the square: ${shares.join(", ")}.`;
  const basket = `Basket: ${show(answer.basket[0])} apples, ${show(answer.basket[1])} potatoes`;
  const nodes = [
    el("p", { class: "note basket" }, basket),
    el("p", { class: "note" }, winner),
    el("p", { class: "note" }, land),
  ];
  return { nodes, text: `${basket}. ${winner} ${land}` };
}

/** Fields for all coordinates, made once and kept up to date. */
export function numberForm(form, points, move) {
  if (!form.querySelector(".numbers")) {
    form.append(el("div", { class: "numbers" }, ...points.map(({ id, name }) =>
      el("div", { class: "control" }, el("span", {}, name), field(id, name, 0, move),
        field(id, name, 1, move)))));
  }
  for (const input of form.querySelectorAll("input")) {
    const point = points.find(({ id }) => id === input.dataset.id);
    input.at = point.at;
    if (!input.matches(":focus")) input.value = point.at[input.dataset.side];
  }
}

function field(id, name, side, move) {
  const input = el("input", {
    type: "number", min: -LIMIT, max: LIMIT, step: STEP,
    "aria-label": `${name} ${["sweet", "savoury"][side]}`,
    onchange: () => {
      const at = [...input.at];
      if (Number.isFinite(input.valueAsNumber)) at[side] = input.valueAsNumber;
      move(id, at);
      input.value = input.at[side];
    },
  });
  Object.assign(input.dataset, { id, side });
  return input;
}
