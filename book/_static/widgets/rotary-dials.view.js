// What the rotary dials look like: four clocks, a curve of the score, and a table of numbers.
import { el, show, svg } from "./dom.js";
import { curve, FREQUENCIES, gap, hand, LONGEST, score, seen, shares } from "./rotary-dials.core.js";

const TURN = 2 * Math.PI;
const [WIDE, HIGH, LEFT, LOW] = [520, 170, 34, 26];

export const VIEW_STYLE = `
.dials { display: grid; gap: 0.6rem; margin: 0.9rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(7.5rem, 44%), 1fr)); }
.dial { text-align: center; }
.dial svg { display: block; width: 100%; max-width: 10rem; margin: 0 auto; }
.dial.off svg { opacity: 0.3; }
.face { fill: var(--card); stroke: var(--line); }
.wedge { fill: var(--accent); fill-opacity: 0.22; }
.trained { fill: none; stroke: var(--good); stroke-width: 5; }
.hand { stroke-width: 3.5; stroke-linecap: round; }
.query { stroke: var(--k0); } .key { stroke: var(--k1); stroke-dasharray: 7 5; }
.chart { display: block; width: 100%; height: auto; }
.chart text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.chart .grid { stroke: var(--soft); }
.chart .line { fill: none; stroke: var(--accent); stroke-width: 2; }
.chart .span { fill: var(--good); fill-opacity: 0.14; }
.chart .now { fill: var(--wrong); stroke: var(--paper); stroke-width: 2; }
.numbers { width: 100%; margin-top: 0.6rem; }
.numbers thead th { border-bottom: 1px solid var(--line); }
.numbers tfoot :is(th, td) { border-top: 1px solid var(--line); font-weight: 600; }
.numbers th:first-child { text-align: left; white-space: nowrap; }
@media (max-width: 30rem) {
  .chart text { font-size: 20px; }
  .numbers :is(th, td) { padding: 0.2rem 0.2rem; }
}
`;

/** A point at an angle, from the right and to the left round, as in the chapter. */
const at = (angle, radius) => [50 + radius * Math.cos(angle), 50 - radius * Math.sin(angle)];

function arc(from, length, radius) {
  const [x0, y0] = at(from, radius);
  const [x1, y1] = at(from + length, radius);
  return `M${x0} ${y0}A${radius} ${radius} 0 ${length > Math.PI ? 1 : 0} 0 ${x1} ${y1}`;
}

/** One dial: the hands of query and key, the angle between them, and what training showed. */
export function dial(r, { query, key, length, on }) {
  const frequency = FREQUENCIES[r];
  const [q, k] = [hand(query, frequency), hand(key, frequency)];
  const short = gap(query - key, frequency);
  const first = Math.abs(hand(query - key, frequency) - short) < 1e-9 ? k : q;
  const most = Math.min(seen(length, frequency), TURN - 1e-3);
  const line = (angle, radius, kind) => {
    const [x2, y2] = at(angle, radius);
    return svg("line", { class: `hand ${kind}`, x1: 50, y1: 50, x2, y2 });
  };
  const wedge = `${arc(first, short, 30)}L50 50Z`;
  return el("div", { class: on[r] ? "dial" : "dial off" },
    svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
      svg("circle", { class: "face", cx: 50, cy: 50, r: 46 }),
      most > 0 ? svg("path", { class: "trained", d: arc(k, most, 43) }) : null,
      short > 1e-3 ? svg("path", { class: "wedge", d: wedge }) : null,
      line(k, 28, "key"), line(q, 38, "query")),
    el("span", { "aria-hidden": "true" }, `dial ${r}`));
}

/** The score against the offset, with the trained offsets shaded and the present one marked. */
export function chart({ query, key, length, on }) {
  const offset = Math.abs(query - key);
  const most = Math.max(on.filter(Boolean).length, 1);
  const x = (n) => LEFT + (n / LONGEST) * (WIDE - LEFT - 8);
  const y = (s) => 8 + ((most - s) / (2 * most)) * (HIGH - LOW - 8);
  const text = (content, px, py, anchor) =>
    svg("text", { x: px, y: py, "text-anchor": anchor }, content);
  const path = curve(on).map((s, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(s).toFixed(1)}`);
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" },
    svg("rect", { class: "span", x: x(0), y: 8, width: x(length - 1) - x(0), height: HIGH - LOW - 8 }),
    ...[most, 0, -most].map((s) => svg("line", { class: "grid", x1: LEFT, x2: WIDE, y1: y(s), y2: y(s) })),
    ...[most, 0, -most].map((s) => text(show(s, 0), LEFT - 6, y(s) + 4, "end")),
    ...[0, 32, 64, 96, 128].map((n) => text(String(n), x(n), HIGH - 10, n === 128 ? "end" : "middle")),
    svg("path", { class: "line", d: path.join("") }),
    svg("circle", { class: "now", cx: x(offset), cy: y(score(offset, on)), r: 6 }));
}

/** The numbers of all dials, for eyes and for a screen reader. */
export function table({ query, key, on }, unseen) {
  const parts = shares(query - key, on);
  const row = (frequency, r) => el("tr", {},
    el("th", { scope: "row" }, `dial ${r}${unseen.includes(r) ? " (new)" : ""}`),
    el("td", {}, show(frequency, 3)),
    el("td", {}, show(gap(query - key, frequency))),
    el("td", {}, on[r] ? show(parts[r], 4) : "off"));
  const head = ["dial", "radians a step", "angle between", "cosine"];
  return el("div", { class: "scroll", role: "region", "aria-label": "Dials", tabindex: "0" },
    el("table", { class: "numbers" },
      el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...FREQUENCIES.map(row)),
      el("tfoot", {}, el("tr", {},
        el("th", { scope: "row", colspan: "3" }, "score"),
        el("td", {}, show(score(query - key, on), 4))))));
}
