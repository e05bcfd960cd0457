// What the mask does to the numbers: scores, weights of both orders, and what to see in them.
import { el, show } from "./dom.js";
import {
  futureCells, leaks, maskedAfter, maskedBefore, nowhereRows, perturbed, rowSums, scoresOf,
} from "./mask-lab.core.js";
import { headers, rowHeader } from "./mask-lab.grid.js";

export const VIEW_STYLE = `
.panels { display: grid; gap: 1rem 1.4rem; margin: 0.9rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); }
.panels.wide { grid-template-columns: minmax(0, 1fr); }
.panel { min-width: 0; }
.panel th[scope="row"] { position: sticky; left: 0; background: var(--paper); }
.title { margin: 0 0 0.3rem; font-weight: 600; }
.probe { border-top: 1px solid var(--soft); padding-top: 0.8rem; }
.numbers td { min-width: 2.6em; border: 1px solid var(--paper); padding: 0.3rem; }
.numbers td.hidden { background: repeating-linear-gradient(
  135deg, var(--card) 0 4px, var(--paper) 4px 8px); }
.numbers td.moved { outline: 2px solid var(--wrong); outline-offset: -2px; }
.numbers td.total { border-left: 2px solid var(--line); }
th { white-space: nowrap; }
@media (max-width: 30rem) {
  .numbers { font-size: 0.82rem; }
  .numbers td { min-width: 0; padding: 0.25rem 0.2rem; }
  th { padding: 0.2rem; }
}
`;

/** Panels with numbers, notes, and a sentence for a screen reader. */
export function numbers(state, mask) {
  const { q, k, key, change, guard } = state;
  const still = scoresOf(q, k);
  const scores = perturbed(still, key, change);
  const before = (s, m) => maskedBefore(s, m, guard);
  const seen = scores.map((row, i) => row.map((s, j) => (mask[i][j] ? s : -Infinity)));
  const leaking = change === 0 ? [] : leaks(maskedAfter, still, mask, key, change);
  const panels = [
    panel("Scores, −∞ where hidden", seen, mask, { text: (s) => show(s, 1) }),
    panel("mask, then softmax", before(scores, mask), mask, { weights: true }),
    panel("softmax, then mask", maskedAfter(scores, mask), mask, {
      weights: true, moved: leaking,
    }),
  ];
  const notes = [
    ...aboutRows(state, mask),
    ...aboutLeaks(state, mask, leaking),
  ];
  const text = notes.map((note) => note.textContent).join(" ");
  return { panels, notes, text };
}

function panel(title, matrix, mask, { text = cellText, weights, moved = [] }) {
  const [q, k] = [matrix.length, matrix[0].length];
  const sums = rowSums(matrix);
  const cell = (x, i, j) => el("td", {
    class: [!mask[i][j] && "hidden", moved.includes(i) && mask[i][j] && "moved"]
      .filter(Boolean).join(" "),
    style: weights && mask[i][j] && x > 0 ? shade(x) : null,
  }, text(x));
  const total = (i) => {
    const right = Math.abs(sums[i] - 1) < 1e-9;
    return el("td", { class: right ? "total" : "total wrong" }, show(sums[i], 2));
  };
  return el("div", { class: "panel" },
    el("p", { class: "title" }, title),
    el("div", { class: "scroll", role: "region", "aria-label": title, tabindex: "0" },
      el("table", { class: "numbers", "aria-label": title },
        el("thead", {}, el("tr", {}, el("td", {}), ...headers(k, "k", "col"),
          weights ? el("th", { scope: "col" }, "sum") : null)),
        el("tbody", {}, ...matrix.map((row, i) =>
          el("tr", {}, rowHeader(i, q, k), ...row.map((x, j) => cell(x, i, j)),
            weights ? total(i) : null))))));
}

/** A weight in a small cell; a key that gets exactly nothing shows 0, a tiny weight does not. */
function cellText(w) {
  if (w === 0) return "0";
  return w < 0.005 ? "<.01" : show(w);
}

function shade(w) {
  const share = `calc(${w.toFixed(3)} * var(--most))`;
  return `background: color-mix(in srgb, var(--accent) ${share}, var(--card))`;
}

function aboutRows({ q, k, guard }, mask) {
  const notes = [];
  const empty = nowhereRows(mask);
  const ahead = futureCells(mask).length;
  if (q < k) {
    notes.push(note(`The ${count(q, "query", "queries")} of ${k} positions are the last ones: ` +
      `query 0 sits at position ${k - q}. Each row is the one that it is with all ${k} queries.`));
  }
  if (empty.length > 0) {
    notes.push(note(`${rows(empty)} may look nowhere. ` + (guard
      ? "plainformer gives zeros there."
      : "A bare softmax computes 0/0 there: NaN."), !guard));
  } else if (!guard) {
    notes.push(note("No row is empty, so the guard has nothing to do."));
  }
  if (ahead > 0) {
    notes.push(note(`${count(ahead, "cell looks", "cells look")} at a later position (framed in ` +
      "the mask): fine in an encoder, a leak in a decoder."));
  }
  return notes;
}

function aboutLeaks({ key, change }, mask, leaking) {
  const blind = mask.flatMap((row, i) => (row[key] ? [] : [i]));
  if (change === 0) {
    return [note("Leak test: choose a key and add to its scores. A row that may not see the key " +
      "must not move.")];
  }
  if (blind.length === 0) return [note(`Every row may see key ${key}: all of them may move.`)];
  const right = `Key ${key} is hidden from ${rows(blind, false)}. Masked before softmax, none ` +
    "of them moved.";
  const wrong = leaking.length === 0
    ? "Masked after it, none moved either: they show zeros only."
    : `Masked after it, ${rows(leaking, false)} moved: a leak, framed.`;
  return [note(`✓ ${right}`), note(`${leaking.length ? "✗" : "✓"} ${wrong}`, leaking.length > 0)];
}

function note(text, wrong = false) {
  return el("p", { class: wrong ? "note wrong" : "note" }, text);
}

function rows(numbers, starts = true) {
  const word = numbers.length === 1 ? "row" : "rows";
  return `${starts ? word.replace("r", "R") : word} ${numbers.join(", ")}`;
}

function count(n, one, many) {
  return `${n} ${n === 1 ? one : many}`;
}
