// How the depth explorer shows its curves: two charts, and a table that says the same in numbers.
import { el, show, svg } from "./dom.js";
import { PLACES } from "./depth-explorer.core.js";

const NAMES = { post: "post-norm", pre: "pre-norm", sandwich: "sandwich-norm", deep: "DeepNorm" };
const COLOURS = { post: "var(--k1)", pre: "var(--k0)", sandwich: "var(--k2)", deep: "var(--k3)" };
const DASHES = { post: null, pre: "8 4", sandwich: "2 4", deep: "10 3 2 3" };
const [WIDE, HIGH, LEFT, BOTTOM, TOP] = [360, 220, 56, 40, 12];

export const VIEW_STYLE = `
.charts { display: grid; gap: 1rem; margin-top: 0.8rem;
  grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
.charts figure { margin: 0; min-width: 0; }
.chart { display: block; width: 100%; height: auto; margin-top: 0.3rem; }
.chart .paper { fill: var(--card); }
.chart .grid { stroke: var(--soft); stroke-width: 0.7; }
.chart .mark { stroke: var(--wrong); stroke-width: 1.2; stroke-dasharray: 3 3; }
.chart text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.chart path { fill: none; stroke-width: 2.6; }
.key { display: inline-block; width: 2rem; height: 0.7rem; margin-right: 0.4rem; }
.key line { stroke-width: 3; }
.ends { width: 100%; margin-top: 0.8rem; }
.ends th:first-child { text-align: left; }
.ends thead th { border-bottom: 1px solid var(--line); vertical-align: bottom; }
`;

/** A share as text: in per cent, or as a power where it is tiny. */
export function percent(x) {
  const p = 100 * x;
  if (p >= 10) return `${show(p, 0)} %`;
  if (p >= 0.1) return `${show(p, 1)} %`;
  return `${p.toExponential(0).replace("-", "−")} %`;
}

/** One chart: a curve for each placement, on a logarithmic axis from 10^low to 10^high. */
export function chart(title, ylabel, series, [low, high], mark) {
  const count = series.post.length - 1;
  const x = (l) => LEFT + ((WIDE - LEFT - 12) * l) / count;
  const y = (v) => {
    const at = Math.min(high, Math.max(low, Math.log10(v)));
    return HIGH - BOTTOM - ((HIGH - BOTTOM - TOP) * (at - low)) / (high - low);
  };
  const step = Math.max(1, Math.ceil((high - low) / 5));
  const lines = [];
  for (let p = low; p <= high; p += step) {
    lines.push(
      svg("line", { class: "grid", x1: LEFT, x2: WIDE - 12, y1: y(10 ** p), y2: y(10 ** p) }),
      svg("text", { x: LEFT - 6, y: y(10 ** p) + 4, "text-anchor": "end" }, power(p)),
    );
  }
  for (const l of [0, count / 2, count]) {
    const text = { x: x(l), y: HIGH - BOTTOM + 17, "text-anchor": "middle" };
    lines.push(svg("text", text, String(l)));
  }
  if (mark) lines.push(svg("line", { class: "mark", x1: LEFT, x2: WIDE - 12, y1: y(mark), y2: y(mark) }));
  const paths = PLACES.map((place) => svg("path", {
    d: series[place].map((v, l) => `${l ? "L" : "M"}${x(l).toFixed(1)} ${y(v).toFixed(1)}`).join(""),
    stroke: COLOURS[place], "stroke-dasharray": DASHES[place],
  }));
  return el("figure", {},
    el("figcaption", {}, title),
    svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": ylabel },
      svg("rect", { class: "paper", width: WIDE, height: HIGH, rx: 8 }),
      ...lines, ...paths,
      svg("text", { x: (LEFT + WIDE) / 2, y: HIGH - 6, "text-anchor": "middle" }, "sublayer")));
}

/** The table under the charts; it is also the legend. */
export function table(found) {
  const rows = PLACES.map((place) => {
    const { sizes, lengths } = found[place];
    const line = { x1: 0, x2: 32, y1: 5, y2: 5, stroke: COLOURS[place] };
    return el("tr", {},
      el("th", { scope: "row" },
        svg("svg", { class: "key", viewBox: "0 0 32 10", "aria-hidden": "true" },
          svg("line", { ...line, "stroke-dasharray": DASHES[place] })), NAMES[place]),
      el("td", {}, show(sizes.at(-1))),
      el("td", { class: lengths[0] < 0.01 ? "wrong" : "" }, percent(lengths[0])));
  });
  const head = ["norm", "stream", "gradient left"];
  return el("div", { class: "scroll", role: "region", "aria-label": "Numbers", tabindex: "0" },
    el("table", { class: "ends" },
      el("caption", {}, "Size of the stream at the end, and share of the gradient left at the first sublayer"),
      el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...rows)));
}

/** The limits of a chart: powers of ten that hold the curves, from `least` down, `most` at most. */
export function limits(series, { least = -1, most = 8 } = {}) {
  const logs = Object.values(series).flat().map((v) => Math.log10(Math.max(v, 1e-30)));
  const high = Math.max(1, Math.ceil(Math.max(...logs) - 1e-9));
  return [Math.max(Math.min(least, Math.floor(Math.min(...logs) + 1e-9)), high - most), high];
}

/** A sentence for a screen reader. */
export function spoken(found, layers) {
  const parts = PLACES.map((place) => `${NAMES[place]} ${percent(found[place].lengths[0])}`);
  return `${layers} layers. Gradient at the first sublayer: ${parts.join(", ")}.`;
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const power = (p) => (p === 0 ? "1" : p === 1 ? "10" : `10${[...String(p)].map((c) => RAISED[c]).join("")}`);
