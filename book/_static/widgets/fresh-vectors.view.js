// Wide vectors drawn afresh: their scores on a line, their weights, and what many draws have shown.
import { el, labelled, show, showWeight, svg } from "./dom.js";
import { deviation, KEPT, normals, products, reach, scored, WIDTHS } from "./fresh-vectors.core.js";

export const FRESH_STYLE = `
.fresh { margin-top: 1rem; border-top: 1px solid var(--soft); padding-top: 0.7rem; }
.fresh .strip { width: 100%; max-width: 27rem; height: auto; display: block; margin-top: 0.5rem; }
.fresh .strip text { font-size: 11px; fill: var(--ink); text-anchor: middle; }
.fresh .strip line { stroke: var(--line); }
.fresh table { width: 100%; margin-top: 0.5rem; }
.fresh th:first-child, .fresh .bar { text-align: left; white-space: nowrap; }
.fresh .bar { width: 45%; }
.fresh .bar span { display: block; height: 0.9rem; border-radius: 0.2rem; min-width: 1px; }
.fresh .old { fill: var(--line); fill-opacity: 0.28; }
`;
const [WIDE, MIDDLE, EDGE] = [320, 22, 14];
const START = { d: 4, scaled: false };

export class FreshVectors {
  constructor({ colours, say }) {
    Object.assign(this, { colours, say, state: { ...START }, normal: normals(1), past: [] });
    this.controls = el("div", { class: "controls" });
    this.result = el("div");
    this.node = el("section", { class: "fresh", "aria-label": "Wide vectors, drawn afresh" },
      el("p", { class: "note" }, el("strong", {}, "Wide vectors, drawn afresh. "),
        "A query and five keys; every entry has mean 0 and variance 1."),
      this.controls, this.result);
    this.reset();
  }

  reset() {
    Object.assign(this, { state: { ...START }, normal: normals(1), past: [] });
    this.#controls();
    this.draw(1, false);
  }

  draw(times, aloud = true) {
    for (let i = 0; i < times; i += 1) this.past.push(products(this.state.d, this.normal));
    this.past = this.past.slice(-KEPT);
    this.#update(aloud);
  }

  #controls() {
    const { state } = this;
    const width = el("span", { class: "value" }, String(state.d));
    const slider = el("input", {
      type: "range", min: 0, max: WIDTHS.length - 1, value: WIDTHS.indexOf(state.d),
      "aria-valuetext": String(state.d),
      oninput: () => {
        state.d = WIDTHS[slider.valueAsNumber];
        width.textContent = state.d;
        slider.setAttribute("aria-valuetext", state.d);
        this.past = [];
        this.draw(1);
      },
    });
    const scaled = el("input", {
      type: "checkbox", checked: state.scaled,
      onchange: () => {
        state.scaled = scaled.checked;
        this.#update(true);
      },
    });
    const button = (text, times) => el("button", {
      type: "button", onclick: () => this.draw(times),
    }, text);
    this.controls.replaceChildren(
      labelled("Width d", slider, width),
      labelled("Divide by √d", scaled),
      button("Draw fresh vectors", 1),
      button(`Draw ${KEPT} times`, KEPT),
    );
  }

  #update(aloud) {
    const { d, scaled } = this.state;
    const all = this.past.map((each) => scored(each, d, scaled));
    const { scores, weights } = all.at(-1);
    const rows = all.map((each) => each.scores);
    const spread = deviation(rows);
    const hard = all.filter((each) => Math.max(...each.weights) > 0.9).length;
    const many = rows.length === 1 ? "this draw" : `the last ${rows.length} draws`;
    const said = `Standard deviation of the scores in ${many}: ${show(spread)}. ` +
      `One key has more than 0.9 of the weight in ${hard} of ${rows.length}.`;
    this.result.replaceChildren(
      strip(rows, this.colours), table(scores, weights, this.colours),
      el("p", { class: "note" }, said));
    if (aloud) this.say(`Largest weight ${showWeight(Math.max(...weights))}. ${said}`);
  }
}

/** The scores of the last draw as large dots over an axis, those of earlier draws pale. */
function strip(rows, colours) {
  const end = reach(rows);
  const at = (score) => WIDE / 2 + ((WIDE / 2 - EDGE) * score) / end;
  const last = rows.at(-1);
  const dot = (score, attributes) => svg("circle", { cx: at(score).toFixed(1), ...attributes });
  const old = rows.slice(0, -1).flat().map((score) => dot(score, { cy: MIDDLE, r: 3, class: "old" }));
  const now = last.map((score, j) => dot(score, { cy: MIDDLE, r: 6, fill: colours[j] }));
  const ticks = [-end, -end / 2, 0, end / 2, end].flatMap((score) => [
    svg("line", { x1: at(score), x2: at(score), y1: MIDDLE + 10, y2: MIDDLE + 14 }),
    svg("text", { x: at(score), y: MIDDLE + 27 }, show(score, Number.isInteger(score) ? 0 : 1)),
  ]);
  const axis = svg("line", { x1: EDGE, x2: WIDE - EDGE, y1: MIDDLE + 10, y2: MIDDLE + 10 });
  const label = `Scores on a line from ${show(-end, 0)} to ${show(end, 0)}: ` +
    `${last.map((score) => show(score)).join(", ")}`;
  return svg("svg", {
    class: "strip", viewBox: `0 0 ${WIDE} ${MIDDLE + 32}`, role: "img", "aria-label": label,
  }, axis, ...ticks, ...old, ...now);
}

function table(scores, weights, colours) {
  const rows = scores.map((score, j) => el("tr", {},
    el("th", { scope: "row" },
      el("span", { class: "swatch", style: `background:${colours[j]}` }), `key ${j}`),
    el("td", {}, show(score)),
    el("td", { class: "bar", "aria-hidden": "true" },
      el("span", { style: `width:${100 * weights[j]}%;background:${colours[j]}` })),
    el("td", {}, showWeight(weights[j]))));
  const head = ["", "score", "", "weight"].map((text) =>
    text ? el("th", { scope: "col" }, text) : el("td", { "aria-hidden": "true" }));
  return el("div", { class: "scroll", role: "region", "aria-label": "Fresh weights", tabindex: "0" },
    el("table", { "aria-label": "Scores and weights of the last draw" },
      el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)));
}
