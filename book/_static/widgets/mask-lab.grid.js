// The mask itself: a grid of switches, one tab stop, moved through with the arrow keys.
import { el, set } from "./dom.js";
import { futureCells } from "./mask-lab.core.js";

export const GRID_STYLE = `
.mask td { padding: 1px; }
.mask button { width: 2.1rem; min-height: 2.1rem; padding: 0; border-radius: 0.25rem; }
.mask button[aria-pressed="true"] { background: var(--accent); color: var(--paper);
  border-color: var(--accent); font-weight: 700; }
.mask button.later { border: 2px solid var(--wrong); box-shadow: inset 0 0 0 2px var(--paper); }
@media (max-width: 30rem) { .mask button { width: 1.65rem; min-height: 1.65rem; } }
`;

export class MaskGrid {
  /** `toggle(i, j)` is called when the reader switches a cell. */
  constructor(toggle) {
    Object.assign(this, { toggle, at: [0, 0] });
    this.table = el("table", {
      class: "mask", role: "grid", "aria-label": "Mask: rows are queries, columns are keys",
      onkeydown: (event) => this.#key(event),
    });
    this.node = el("div", { class: "panel" },
      el("p", { class: "title" }, "Mask: 1 = may look"),
      el("div", { class: "scroll" }, this.table),
      el("p", { class: "note how" }, "Choose a cell, or move with the arrow keys and press Space."));
  }

  /** Show a mask. Cells are made anew only when the size changes, so that the focus stays. */
  draw(mask) {
    const [q, k] = [mask.length, mask[0].length];
    if (this.cells?.length !== q || this.cells[0].length !== k) this.#build(q, k);
    const later = new Set(futureCells(mask).map(String));
    mask.forEach((row, i) => row.forEach((seen, j) => {
      const ahead = later.has(`${i},${j}`);
      set(this.cells[i][j], {
        "aria-pressed": String(seen),
        "aria-label": `query ${i}, key ${j}: ${seen ? "1, may look" : "0, may not look"}` +
          (ahead ? ", a later position" : ""),
        class: ahead ? "later" : "",
      }).textContent = seen ? "1" : "0";
    }));
  }

  #build(q, k) {
    this.at = [Math.min(this.at[0], q - 1), Math.min(this.at[1], k - 1)];
    this.cells = Array.from({ length: q }, (_, i) => Array.from({ length: k }, (_, j) =>
      el("button", {
        type: "button",
        tabindex: i === this.at[0] && j === this.at[1] ? 0 : -1,
        onclick: () => {
          this.#focus(i, j);
          this.toggle(i, j);
        },
      })));
    this.table.replaceChildren(
      el("thead", {}, el("tr", {}, el("td", {}), ...headers(k, "k", "col"))),
      el("tbody", {}, ...this.cells.map((row, i) =>
        el("tr", {}, rowHeader(i, q, k), ...row.map((cell) => el("td", {}, cell))))));
  }

  #key(event) {
    const [i, j] = this.at;
    const [q, k] = [this.cells.length, this.cells[0].length];
    const moves = {
      ArrowUp: [Math.max(i - 1, 0), j],
      ArrowDown: [Math.min(i + 1, q - 1), j],
      ArrowLeft: [i, Math.max(j - 1, 0)],
      ArrowRight: [i, Math.min(j + 1, k - 1)],
      Home: [event.ctrlKey ? 0 : i, 0],
      End: [event.ctrlKey ? q - 1 : i, k - 1],
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.#focus(...moves[event.key]);
  }

  #focus(i, j) {
    this.cells[this.at[0]][this.at[1]].tabIndex = -1;
    this.at = [i, j];
    this.cells[i][j].tabIndex = 0;
    this.cells[i][j].focus();
  }
}

export function headers(count, letter, scope) {
  return Array.from({ length: count }, (_, n) => el("th", { scope }, `${letter}${n}`));
}

/** The header of query i: with its position, where it is not the same number. */
export function rowHeader(i, q, k) {
  const name = q === k ? `q${i}` : `q${i} at ${i + k - q}`;
  return el("th", { scope: "row" }, name);
}
