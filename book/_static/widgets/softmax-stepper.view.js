// The row as bars, in the order in which it is read, and the states after each block.
import { el, show, svg } from "./dom.js";
import { output } from "./softmax-stepper.core.js";

export const VIEW_STYLE = `
.moves { margin-top: 0.7rem; }
.moves button[aria-disabled="true"] { border-style: dashed; cursor: default; }
.bars { display: block; width: 100%; max-width: 36rem; margin: 0.6rem 0 0.2rem; }
.bars .bar { fill: var(--soft); }
.bars .seen { fill: var(--accent); }
.bars .now { fill: var(--k1); }
.bars text { fill: var(--ink); font-size: 13px; text-anchor: middle; }
.bars .tray { fill: var(--card); stroke: var(--soft); }
.bars .tray.now { stroke: var(--k1); stroke-width: 2; fill: var(--card); }
.bars .level { stroke: var(--ink); stroke-dasharray: 5 4; }
.bars .levelname { text-anchor: end; font-style: italic; }
.states th { text-align: right; font-weight: 600; }
.states th, .states td { min-width: 3.2em; }
.states th:first-child, .states td:first-child { text-align: left; }
.states tr.coming td { color: transparent; }
.states tr.coming td:first-child { color: inherit; opacity: 0.75; }
.states td.rescaled { color: var(--k1); font-weight: 700; }
@media (max-width: 30rem) {
  .bars text { font-size: 21px; }
  .states th, .states td { padding: 0.2rem 0.25rem; }
}
`;

const [WIDE, HIGH, TOP, FOOT] = [560, 170, 26, 46];

/** Bars of the scores, in trays of one block each; a dashed line at m. */
export function bars(keys, all, read) {
  const finite = keys.map(([score]) => score).filter(Number.isFinite);
  const [low, high] = [Math.min(...finite) - 1, Math.max(...finite)];
  const y = (score) => TOP + (HIGH - TOP - FOOT) * (1 - (score - low) / (high - low));
  const step = (WIDE - 40) / (keys.length + 0.3 * (all.length - 1));
  const floor = HIGH - FOOT;
  const parts = [];
  let x = 8;
  all.forEach(({ block }, i) => {
    const look = i === read - 1 ? "now" : i < read ? "seen" : "";
    parts.push(svg("rect", {
      class: `tray ${look === "now" ? "now" : ""}`, x, y: 6, width: step * block.length,
      height: HIGH - 30, rx: 6,
    }));
    for (const [score, value] of block) {
      if (Number.isFinite(score)) {
        parts.push(svg("rect", {
          class: `bar ${look}`, x: x + step * 0.2, y: y(score), width: step * 0.6,
          height: floor - y(score),
        }));
      }
      parts.push(
        svg("text", { x: x + step / 2, y: floor + 15 }, show(score, 0)),
        svg("text", { x: x + step / 2, y: HIGH - 8 }, `v ${value}`),
      );
      x += step;
    }
    x += 0.3 * step;
  });
  const m = read > 0 ? all[read - 1].m : -Infinity;
  if (Number.isFinite(m)) {
    parts.push(
      svg("line", { class: "level", x1: 4, x2: WIDE - 24, y1: y(m), y2: y(m) }),
      svg("text", { class: "levelname", x: WIDE - 4, y: y(m) + 4 }, "m"),
    );
  }
  const said = all.map(({ block }) => block.map(([score]) => show(score, 0)).join(", ")).join("; ");
  return svg("svg", {
    class: "bars", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img",
    "aria-label": `Scores in blocks, in the order in which they are read: ${said}. ` +
      `${read} of ${all.length} blocks are read.`,
  }, ...parts);
}

/** One row for each block; those not yet read are empty. */
export function table(seen, all) {
  const heads = ["block", "m", "α", "ℓ", "o", "output"];
  const row = ({ m, fade, total, weighted, rescaled }, i) => {
    const read = i < seen.length;
    const cells = [m, fade, total, weighted].map((x, c) => read ? show(x, c === 0 ? 0 : 3) : "");
    return el("tr", { class: read ? "" : "coming" },
      el("td", {}, String(i)),
      ...cells.map((text, c) => el("td", { class: c === 1 && rescaled && read ? "rescaled" : "" },
        text)),
      el("td", {}, read ? show(output(all[i]), 3) : ""));
  };
  return el("div", { class: "scroll", role: "region", "aria-label": "States", tabindex: "0" },
    el("table", { class: "states", "aria-label": "State after each block" },
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...all.map(row))));
}
