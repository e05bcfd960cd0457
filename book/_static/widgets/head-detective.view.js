// What the head detective shows: the words shaded by weight, and the file on a head.
import { el, show } from "./dom.js";
import {
  HEADS, largest, loss, mattersMost, queries, roleOf, ROLES, scores, sharpest, weights, words, worth,
} from "./head-detective.core.js";

export const VIEW_STYLE = `
.words { display: flex; flex-wrap: wrap; gap: 0.3rem; margin: 0.8rem 0; padding: 0; }
.words button { display: flex; flex-direction: column; align-items: center; min-width: 2.4rem;
  padding: 0.2rem 0.4rem; line-height: 1.2; border: 1px solid var(--soft);
  background: color-mix(in srgb, var(--accent) calc(var(--w) * var(--most)), var(--paper)); }
.words button small { font-size: 0.78rem; font-variant-numeric: tabular-nums; min-height: 1.1em; }
.words button.later { border-style: dashed; background: var(--paper); }
.words button[aria-pressed="true"] { outline: 3px solid var(--ink); outline-offset: 1px; }
.words button[aria-pressed="true"]:focus-visible { outline-color: var(--accent); }
.heads { display: flex; flex-wrap: wrap; gap: 0.3rem; }
.heads button { min-width: 2.8rem; }
.heads button[aria-pressed="true"] { border: 2px solid var(--accent); font-weight: 700; }
.file { border-top: 1px solid var(--soft); margin-top: 0.8rem; padding-top: 0.4rem; }
.file table { margin-top: 0.4rem; }
.file th:first-child { text-align: left; }
.file thead :is(th, td) { border-bottom: 1px solid var(--line); }
.file tr.this :is(th, td) { font-weight: 700; background: var(--card); }
.two { display: grid; gap: 0 1.6rem;
  grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
`;

/** The buttons of the words: the query, what it looks at, and what it cannot see. */
export function wordButtons({ text, head, query }, move) {
  const row = weights(text, head, query);
  return words(text).map((word, j) => {
    const seen = j <= query;
    const askable = j < queries(text);
    const shown = seen && row[j] >= 0.005 ? show(row[j]) : "";
    const said = `${shown ? "weight, " : seen ? "weight 0.00, " : "not yet seen, "}position ${j}`;
    return el("button", {
      type: "button",
      "aria-pressed": String(j === query),
      "aria-label": `${word} ${shown ? `${shown} ` : ""}${said}${j === query ? ", the query" : ""}`,
      class: seen ? "" : "later",
      style: `--w: ${seen ? row[j] : 0}`,
      tabindex: j === query ? 0 : -1,
      disabled: !askable,
      onclick: () => move(j),
    }, el("span", {}, word), " ", el("small", {}, shown));
  });
}

/** One sentence on what is seen now. */
export function seenNow({ text, head, query }) {
  const row = weights(text, head, query);
  const best = largest(row);
  const word = words(text)[query];
  return `Head ${HEADS[head]}, query ${word} at ${query}: most weight, ${show(row[best])}, on ` +
    `${words(text)[best]} at ${best}. Next word: ${words(text)[query + 1]}.`;
}

/** The verdict on a guess. */
export function verdict(head, guess) {
  const role = roleOf(head);
  const named = (id) => ROLES.find(([each]) => each === id)[1];
  if (role === guess) return { right: true, text: `Yes: ${named(role)}.` };
  const why = role === "none" ? "no score of it reaches 0.5" : `its score for ${named(role)} does`;
  return { right: false, text: `You say ${named(guess)}; ${why}.` };
}

/** The file on a head: its scores with their baselines, and the worth of all heads here. */
export function file({ text, head, query }, guess) {
  const { right, text: said } = verdict(head, guess);
  const sharp = sharpest(text, query);
  const needed = mattersMost(text, query);
  const next = words(text)[query + 1];
  const line = (name, cells, mine) => el("tr", { class: mine ? "this" : "" },
    el("th", { scope: "row" }, name), ...cells.map((cell) => el("td", {}, cell)));
  const head1 = ["score", `head ${HEADS[head]}`, "uniform"];
  const head2 = ["head", "largest weight here", `loss of “${next}” rises by`];
  const top = (titles) => el("thead", {}, el("tr", {},
    ...titles.map((title) => el("th", { scope: "col" }, title))));
  return el("div", { class: "file" },
    el("p", { class: right ? "good" : "wrong" }, said),
    el("div", { class: "two" },
      el("div", { class: "scroll", role: "region", "aria-label": "Scores", tabindex: "0" },
        el("table", {}, el("caption", {}, "Over many ballads"), top(head1),
          el("tbody", {}, ...scores(head).map(({ name, score, uniform }) =>
            line(name, [show(score), show(uniform)], score >= 0.5))))),
      el("div", { class: "scroll", role: "region", "aria-label": "Ablation", tabindex: "0" },
        el("table", {}, el("caption", {}, "At this query, head by head set to zero"), top(head2),
          el("tbody", {}, ...HEADS.map((name, h) => line(name, [
            show(Math.max(...weights(text, h, query))), show(worth(text, h, query)),
          ], h === head)))))),
    el("p", { class: "note" }, `The loss of “${next}” is ${show(loss(text, query))} nats. Sharpest ` +
      `map here: head ${HEADS[sharp]}. Its ablation costs most: head ${HEADS[needed]}` +
      `${sharp === needed ? ", the same." : "."}`));
}
