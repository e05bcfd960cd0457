// How the sampler lab looks: the text so far, and a bar for each of the likeliest next words.
import { el, show, showWeight } from "./dom.js";
import { softmax, WORDS } from "./storyteller.core.js";

export const SHOWN = 14;
export const VIEW_STYLE = `
.text { margin: 0.9rem 0 0.4rem; line-height: 1.9; overflow-wrap: anywhere; }
.text b { font-weight: 600; border-bottom: 2px solid var(--k2); }
.bars { list-style: none; margin: 0.6rem 0 0.3rem; padding: 0; }
.bars button { display: grid; grid-template-columns: 5.2rem 1fr 4.2rem; gap: 0.6rem; width: 100%;
  align-items: center; border-color: transparent; background: none; text-align: left;
  padding: 0.1rem 0.3rem; min-height: 1.75rem; }
.bars button:hover { border-color: var(--line); }
.bars .track { position: relative; height: 1.1rem; background: var(--card); border-radius: 0.2rem; }
.bars i { position: absolute; left: 0; height: 100%; border-radius: 0.2rem; }
.bars i.now { background: var(--k0); }
.bars i.model { border-right: 3px solid var(--ink); background: none; border-radius: 0; }
.bars .out { text-decoration: line-through; color: var(--ink); opacity: 0.75; }
.bars .number { text-align: right; font-variant-numeric: tabular-nums; }
.key i { display: inline-block; width: 0.9em; height: 0.9em; vertical-align: -0.1em;
  margin-right: 0.35em; }
.key i.now { background: var(--k0); } .key i.model { width: 3px; background: var(--ink); }
.key span { margin-right: 1.2rem; white-space: nowrap; }
@media (max-width: 30rem) {
  .bars button { grid-template-columns: 4.4rem 1fr 3.6rem; gap: 0.3rem; }
}
`;

/** The text, what was there from the start plain and what was drawn underlined. */
export const told = (tokens, start) => [
  `${tokens.slice(0, start).map((i) => WORDS[i]).join(" ")} `,
  el("b", {}, tokens.slice(start).map((i) => WORDS[i]).join(" ")),
];

/** Bars and sentences: `nodes` to show, `text` to read aloud. `choose` gets the word of a bar. */
export function bars(logits, drawn, choose) {
  const model = softmax(logits);
  const order = model.map((_, i) => i).sort((a, b) => drawn[b] - drawn[a] || model[b] - model[a]);
  const most = Math.max(...drawn, ...model);
  const width = (share) => `width: ${(100 * share) / most}%`;
  const row = (i) => {
    const out = !drawn[i];
    const number = out ? "cut" : showWeight(drawn[i]);
    return el("li", {}, el("button", {
      type: "button", onclick: () => choose(i),
      title: `The model's own is ${showWeight(model[i])}. Choose it.`,
    },
    el("span", { class: out ? "out" : "" }, WORDS[i]),
    el("span", { class: "track" },
      el("i", { class: "now", style: width(drawn[i]) }),
      el("i", { class: "model", style: width(model[i]) })),
    el("span", { class: "number" }, number)));
  };
  const inside = drawn.filter((share) => share > 0).length;
  const held = model.reduce((sum, share, i) => sum + (drawn[i] > 0 ? share : 0), 0);
  const surprise = drawn.reduce((sum, x) => sum - (x > 0 ? x * Math.log(x) : 0), 0);
  const text = `${inside} of ${WORDS.length} words can be drawn; the model gives them ` +
    `${show(held, 3)} in all. A draw is worth ${show(surprise)} nats.`;
  return {
    nodes: [
      el("ol", { class: "bars", "aria-label": "The likeliest next words" },
        ...order.slice(0, SHOWN).map(row)),
      el("p", { class: "note key" },
        el("span", {}, el("i", { class: "now" }), "what is drawn from"),
        el("span", {}, el("i", { class: "model" }), "the model's own")),
      el("p", { class: "note" }, text),
    ],
    text,
  };
}
