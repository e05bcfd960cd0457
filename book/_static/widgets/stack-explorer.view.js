// What the stack explorer shows: the outputs as bars, and the grid of what was tried.
import { el, show } from "./dom.js";
import { column, known, moved, WORD } from "./stack-explorer.core.js";

export const VIEW_STYLE = `
.tokens { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0.3rem 0 0.9rem; }
.tokens button { min-width: 2.9rem; padding: 0.3rem 0.4rem; }
.tokens button[aria-pressed="true"] { background: var(--accent); color: var(--paper);
  border-color: var(--accent); font-weight: 700; }
.tokens small { display: block; font-size: 0.75rem; }
.panels { display: grid; gap: 1rem 1.6rem;
  grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
.panel { min-width: 0; }
.title { margin: 0.6rem 0 0.3rem; font-weight: 600; }
.bars { width: 100%; }
.bars th { text-align: left; white-space: nowrap; }
.bars td.far { width: 60%; text-align: left; }
.bar { height: 0.95rem; background: var(--accent); border-radius: 2px; min-width: 2px; }
.bars .still { opacity: 0.75; }
.grid td, .grid th { min-width: 1.9rem; text-align: center; }
.grid td { border: 1px solid var(--soft); }
.grid td.yes { background: color-mix(in srgb, var(--accent) var(--most), var(--card)); }
.grid td.now { outline: 2px solid var(--accent); outline-offset: -2px; }
.control { max-width: 100%; }
.control select { min-width: 0; }
.case { border-top: 1px solid var(--soft); margin-top: 0.9rem; padding-top: 0.8rem; }
`;

/** The six tokens as switches; one at most is changed. */
export function tokens(changed, letters, press) {
  return WORD.map((letter, j) => el("button", {
    type: "button", "data-name": `token${j}`, "aria-pressed": String(j === changed),
    "aria-label": `${j === changed ? `${letter} → ${letters[j]}` : letter} ${j}, token ${j}`,
    onclick: () => press(j),
  }, `${j === changed ? `${letter} → ${letters[j]}` : letter} `, el("small", {}, String(j))));
}

/** A bar for each output: how far it moved. */
export function bars(table, changed) {
  const far = changed === null ? null : column(table, changed);
  const most = far === null ? 1 : Math.max(...far);
  const rows = WORD.map((_, i) => {
    const x = far?.[i] ?? 0;
    const text = far === null ? "" : x > 0 ? show(x, 3) : "did not move";
    const width = `width: ${((100 * x) / most).toFixed(1)}%`;
    return el("tr", { class: x > 0 ? "" : "still" },
      el("th", { scope: "row" }, `output ${i}`),
      el("td", { class: "far" }, x > 0 ? el("div", { class: "bar", style: width }) : null),
      el("td", {}, text));
  });
  const caption = changed === null
    ? "No token is changed: press one." : `Token ${changed} is changed. How far each output moved:`;
  return el("div", { class: "panel" }, el("p", { class: "title" }, caption),
    el("table", { class: "bars", "aria-label": "How far each output moved" },
      el("tbody", {}, ...rows)));
}

/** All that was tried so far: row = output, column = changed token. */
export function record(table, tried, changed) {
  const cells = known(table, tried);
  const heads = WORD.map((_, j) => el("th", { scope: "col" }, String(j)));
  const text = (cell) => (cell === null ? "?" : cell ? "●" : "·");
  const said = (cell) => (cell === null ? "not tried" : cell ? "moves" : "does not move");
  return el("div", { class: "panel" },
    el("p", { class: "title" }, "Tried so far: row = output, column = changed token"),
    el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "What was tried" },
      el("table", { class: "grid", "aria-label": "Which outputs moved by which token" },
        el("thead", {}, el("tr", {}, el("td", {}), ...heads)),
        el("tbody", {}, ...cells.map((row, i) => el("tr", {},
          el("th", { scope: "row" }, String(i)),
          ...row.map((cell, j) => el("td", {
            class: [cell && "yes", j === changed && "now"].filter(Boolean).join(" "),
            "aria-label": said(cell),
          }, text(cell)))))))),
    el("p", { class: "note" }, "● moves, · does not, ? not tried"));
}

/** A sentence on what a change did. */
export function sentence(table, changed) {
  if (changed === null) return "No token is changed.";
  const outputs = moved(table, changed);
  if (outputs.length === 0) return `Token ${changed} is changed. No output moves.`;
  const names = outputs.join(", ");
  return `Token ${changed} is changed. ${outputs.length === 1 ? "Output" : "Outputs"} ${names} ` +
    `${outputs.length === 1 ? "moves" : "move"}.`;
}
