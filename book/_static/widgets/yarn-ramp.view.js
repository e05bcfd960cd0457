// What the YaRN ramp looks like: a column for each plane, and a table of one plane's numbers.
import { el, show, svg } from "./dom.js";

const [WIDE, HIGH, LEFT, LOW] = [560, 220, 42, 30];

export const VIEW_STYLE = `
.chart { display: block; width: 100%; height: auto; margin-top: 0.6rem; }
.chart text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.chart .grid { stroke: var(--soft); }
.chart .alone { fill: var(--good); } .chart .blended { fill: var(--k4); } .chart .whole { fill: var(--k0); }
.chart .new { fill: var(--wrong); }
.chart .chosen { fill: none; stroke: var(--ink); stroke-width: 2; }
.key { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0.4rem 0 0; padding: 0; list-style: none; }
.key span { display: inline-block; width: 0.8em; height: 0.8em; margin-right: 0.4em; }
.key .alone { background: var(--good); } .key .blended { background: var(--k4); }
.key .whole { background: var(--k0); } .key .new { background: var(--wrong); border-radius: 50%; }
.numbers { margin-top: 0.6rem; }
.numbers th { text-align: left; }
@media (max-width: 30rem) { .chart text { font-size: 19px; } }
`;

export const kind = ({ share }) => (share < 1e-9 ? "alone" : share > 1 - 1e-9 ? "whole" : "blended");

/** A column for each plane: how much it is slowed, on a scale of doublings. */
export function chart(rows, { factor, plane }) {
  const wide = (WIDE - LEFT - 6) / rows.length;
  const top = 26;
  const doublings = Math.max(Math.log2(factor), 1);
  const y = (divisor) => HIGH - LOW - 6 - (Math.log2(divisor) / doublings) * (HIGH - LOW - 6 - top);
  const text = (content, x, at, anchor) => svg("text", { x, y: at, "text-anchor": anchor }, content);
  const marks = [1, Math.sqrt(factor), factor].filter((n, i) => i !== 1 || Number.isInteger(n));
  const every = rows.length <= 8 ? 1 : rows.length / 8;
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" },
    ...marks.flatMap((n) => [
      svg("line", { class: "grid", x1: LEFT, x2: WIDE, y1: y(n), y2: y(n) }),
      text(`÷${n}`, LEFT - 5, y(n) + 4, "end"),
    ]),
    ...rows.flatMap((row, i) => {
      const x = LEFT + i * wide;
      const height = HIGH - LOW - y(row.divisor);
      return [
        svg("rect", { class: kind(row), x: x + wide * 0.1, y: y(row.divisor), width: wide * 0.8, height }),
        row.fresh ? svg("circle", {
          class: "new", cx: x + wide / 2, cy: 12, r: Math.min(wide * 0.3, 6),
        }) : null,
        i === plane ? svg("rect", {
          class: "chosen", x, y: 3, width: wide, height: HIGH - LOW - 1,
        }) : null,
        i % every === 0 ? text(String(i), x + wide / 2, HIGH - 12, "middle") : null,
      ];
    }).filter((part) => part !== null));
}

/** What the colours mean. */
export const key = () => el("ul", { class: "key" },
  ...[["alone", "left alone"], ["blended", "blended"], ["whole", "slowed by the whole factor"],
    ["new", "meets angles that training never showed"]].map(([name, words]) =>
    el("li", {}, el("span", { class: name }), words)));

/** The numbers of one plane. */
export function table(row, plane) {
  const line = (name, value) =>
    el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value));
  const long = (x) => x.toLocaleString("en", x < 10
    ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 1 });
  return el("div", { class: "scroll", role: "region", "aria-label": `Plane ${plane}`, tabindex: "0" },
    el("table", { class: "numbers" },
      el("caption", {}, `Plane ${plane}`),
      el("tbody", {},
        line("wavelength, in positions", long(row.wavelength)),
        line("turns in the trained context", long(row.turns)),
        line("share interpolated", show(row.share, 3)),
        line("divided by", show(row.divisor, 3)),
        line("turns in the long text", long(row.reached)))));
}
