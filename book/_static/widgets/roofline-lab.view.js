// How the roofline lab shows its numbers: a chart with one point, and a table.
import { el, svg } from "./dom.js";

const [WIDE, HIGH, LEFT, RIGHT, BOTTOM, TOP] = [640, 340, 84, 34, 62, 18];
const [LOW, MOST] = [-1, 5]; // powers of ten of the intensity

export const VIEW_STYLE = `
.chart { display: block; width: 100%; height: auto; margin-top: 0.8rem; }
.chart .paper { fill: var(--card); }
.chart .grid { stroke: var(--soft); stroke-width: 0.7; }
.chart .roof { fill: none; stroke: var(--k0); stroke-width: 3; }
.chart .ridge, .chart .drop { stroke: var(--line); stroke-width: 1.3; stroke-dasharray: 4 4; }
.chart .drop { stroke: var(--k1); }
.chart .kernel { fill: var(--k1); stroke: var(--paper); stroke-width: 2; }
.chart text { fill: var(--ink); font: 15px system-ui, sans-serif; }
.verdict { margin: 0.6rem 0 0; font-weight: 600; }
.numbers { margin-top: 0.4rem; }
.numbers th { text-align: left; }
.control { min-width: 0; max-width: 100%; }
.control select { min-width: 0; max-width: 100%; }
.control:has(:disabled) { opacity: 0.55; }
@media (max-width: 480px) { .chart text { font-size: 21px; } }
@media (max-width: 360px) { .chart text { font-size: 24px; } }
`;

const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

/** A count with a prefix: 989e12 is "989 T". */
export function short(x) {
  const [size, prefix] = PREFIXES.find(([s]) => x >= s) ?? [1, ""];
  return `${digits(x / size)} ${prefix}`;
}

/** Seconds in a unit that leaves few digits. */
export function time(seconds) {
  const [size, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]].find(([s]) => seconds >= s) ?? [1e-9, "ns"];
  return `${digits(seconds / size)} ${unit}`;
}

/** Three digits that count. */
export function digits(x) {
  if (x >= 1000) return Math.round(x).toLocaleString("en");
  return String(Number(x.toPrecision(3)));
}

/** A share as text. */
export function percent(share) {
  return `${Number((100 * share).toPrecision(share < 0.995 ? 2 : 3))} %`;
}

/** The chart: the roof of the machine, its ridge, and the kernel on it. */
export function chart(found) {
  const { peak, bandwidth, ridge, intensity, attainable } = found;
  const top = Math.ceil(Math.log10(peak) + 0.1);
  const bottom = top - 5;
  const clamp = (v, low, high) => Math.min(high, Math.max(low, v));
  const x = (v) => LEFT + ((WIDE - LEFT - RIGHT) * (clamp(Math.log10(v), LOW, MOST) - LOW)) / (MOST - LOW);
  const y = (v) => HIGH - BOTTOM - ((HIGH - BOTTOM - TOP) * (clamp(Math.log10(v), bottom, top) - bottom)) / (top - bottom);
  const parts = [];
  for (let p = bottom; p <= top; p += 1) {
    parts.push(
      svg("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(10 ** p), y2: y(10 ** p) }),
      svg("text", { x: LEFT - 8, y: y(10 ** p) + 5, "text-anchor": "end" }, short(10 ** p)),
    );
  }
  for (let p = LOW; p <= MOST; p += 1) {
    const anchor = p === LOW ? "start" : "middle"; // clear of the axis beside it
    const text = { x: x(10 ** p), y: HIGH - BOTTOM + 20, "text-anchor": anchor };
    parts.push(svg("text", text, p < 0 ? "0.1" : short(10 ** p).trim()));
  }
  const first = Math.max(10 ** LOW, 10 ** bottom / bandwidth);
  const roof = `M${x(first)} ${y(bandwidth * first)}L${x(ridge)} ${y(peak)}L${x(10 ** MOST)} ${y(peak)}`;
  const [at, high] = [x(intensity), y(attainable)];
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img",
    "aria-label": "Roofline with the kernel on it; numbers in the table below" },
    svg("rect", { class: "paper", width: WIDE, height: HIGH, rx: 8 }),
    ...parts,
    svg("line", { class: "ridge", x1: x(ridge), x2: x(ridge), y1: y(peak), y2: HIGH - BOTTOM }),
    svg("path", { class: "roof", d: roof }),
    svg("line", { class: "drop", x1: at, x2: at, y1: high, y2: HIGH - BOTTOM }),
    svg("circle", { class: "kernel", cx: at, cy: high, r: 8 }),
    svg("text", { x: (LEFT + WIDE) / 2, y: HIGH - 8, "text-anchor": "middle" }, "FLOPs per byte"),
    svg("text", { x: LEFT + 8, y: TOP + 14 }, "FLOP/s"));
}

/** A sentence on which roof the kernel is under. */
export function verdict({ bound, attainable, peak, intensity, ridge }) {
  return bound === "memory"
    ? `Memory-bound: ${digits(intensity)} FLOPs per byte, the ridge is at ${digits(ridge)}. It can use ${percent(attainable / peak)} of the arithmetic.`
    : `Compute-bound: ${digits(intensity)} FLOPs per byte, the ridge is at ${digits(ridge)}. It needs ${percent(ridge / intensity)} of the bandwidth.`;
}

/** The table under the chart. */
export function table(found) {
  const rows = [
    ["work", `${short(found.flops)}FLOP`],
    ["moved", `${short(found.nbytes)}B`],
    ["at most", `${short(found.attainable)}FLOP/s`],
    ["least time", time(found.seconds)],
  ];
  return el("table", { class: "numbers" },
    el("caption", { class: "aloud" }, "What the kernel does, moves and takes"),
    el("tbody", {}, ...rows.map(([name, value]) =>
      el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value)))));
}
