// What the heads lab shows: weights of each head, the five facts, shares over all sentences.
import { ENGLISH, FACTS, spelled } from "./heads-lab.core.js";
import { el, show } from "./dom.js";

export const VIEW_STYLE = `
.panels { display: grid; gap: 1rem 1.6rem; margin: 0.9rem 0 0;
  grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); }
.panel { min-width: 0; }
.title { margin: 0 0 0.3rem; font-weight: 600; }
.heads td { min-width: 3.1em; border: 1px solid var(--paper); padding: 0.3rem; }
.heads tr.silent td { background: none !important; text-decoration: line-through; }
th[scope="row"], td.word, .facts th:nth-child(-n + 2) { text-align: left; white-space: nowrap; }
th small { display: block; opacity: 0.85; font-weight: 400; }
.words { margin-bottom: 0.6rem; }
@media (max-width: 30rem) {
  table { font-size: 0.84rem; }
  th, td { padding: 0.2rem 0.25rem; }
  .heads td { min-width: 0; padding: 0.25rem 0.2rem; }
}
`;

const percent = (x) => `${Math.round(100 * x)}%`;

function shade(w) {
  const share = `calc(${w.toFixed(3)} * var(--most))`;
  return `background: color-mix(in srgb, var(--accent) ${share}, var(--card))`;
}

function panel(title, table) {
  return el("div", { class: "panel" },
    el("p", { class: "title" }, title),
    el("div", { class: "scroll", role: "region", "aria-label": title, tabindex: "0" }, table));
}

/** A row for each head, a column for each word in its place. */
export function headsPanel(rows, facts, order, silenced) {
  const words = order.map((fact) => el("th", { scope: "col" }, spelled(facts[fact], fact),
    el("small", {}, ENGLISH[facts[fact]])));
  const table = el("table", { class: "heads", "aria-label": "Weights of each head on each word" },
    el("thead", {}, el("tr", {}, el("td", {}), ...words)),
    el("tbody", {}, ...rows.map((row, r) => el("tr", { class: silenced.includes(r) && "silent" },
      el("th", { scope: "row" }, `head ${r}`),
      ...row.map((w) => el("td", { style: shade(w) }, show(w)))))));
  return panel("Where each head looks", table);
}

/** The five facts: the truth, what the layer says, and how it does over all sentences. */
export function factsPanel(found, over) {
  const table = el("table", { class: "facts", "aria-label": "What the layer reads" },
    el("thead", {}, el("tr", {}, ...["fact", "says", "probability", "right?", "of all"].map((name) =>
      el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...found.map((each, fact) => el("tr", {},
      el("th", { scope: "row" }, FACTS[fact]),
      el("td", { class: "word" }, ENGLISH[each.said]),
      el("td", {}, show(each.share)),
      el("td", { class: each.right ? "good" : "wrong" },
        each.right ? "✓" : `✗ ${ENGLISH[each.truth]}`),
      el("td", {}, percent(over[fact]))))));
  return panel("What the layer reads; last column: share of all 1728 sentences", table);
}

/** One sentence that says how the layer does, for the page and for a screen reader. */
export function summary(found, over, heads, silenced) {
  const wrong = found.flatMap((each, fact) => (each.right ? [] : [FACTS[fact]]));
  const mute = silenced.length ? ` without head ${silenced.join(" and ")}` : "";
  const here = wrong.length ? `wrong here: ${wrong.join(", ")}` : "all five facts are right here";
  return `${heads} ${heads === 1 ? "head" : "heads"}${mute}: ${here}. All five are right in ` +
    `${percent(over[5])} of the 1728 sentences.`;
}
