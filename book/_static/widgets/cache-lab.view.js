// How the cache lab looks: a bar of memory, and the places of a cache as tokens arrive.
import { el, show } from "./dom.js";
import { fit, held, PAGE, PAGES, SINKS, taken } from "./cache-lab.core.js";

export const VIEW_STYLE = `
h4 { margin: 1.1rem 0 0.5rem; font-size: 1em; }
.bar { display: flex; height: 2.4rem; margin: 0.8rem 0 0.3rem; border: 1px solid var(--line);
  border-radius: 0.35rem; overflow: hidden; background: var(--paper); }
.bar span { min-width: 0; }
.bar .weights { background: var(--k0); }
.bar .cache { background: var(--k1); border-left: 2px solid var(--paper); }
.bar.over { border-color: var(--wrong); box-shadow: 0 0 0 2px var(--wrong); }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin: 0; }
.legend i { display: inline-block; width: 0.9em; height: 0.9em; border-radius: 0.2em;
  margin-right: 0.4em; vertical-align: -0.1em; border: 1px solid var(--line); }
.places { display: flex; flex-wrap: wrap; gap: 3px; margin: 0.8rem 0 0.3rem; padding: 0;
  list-style: none; min-height: 2.3rem; }
.places li { width: 2.2rem; height: 2.2rem; line-height: 2.1rem; text-align: center;
  border: 1px solid var(--soft); border-radius: 0.25rem; color: var(--ink);
  font-variant-numeric: tabular-nums; background: var(--paper); }
.places li.full { background: color-mix(in srgb, var(--k1) var(--most), var(--paper));
  border-color: var(--k1); }
.places li.sink { background: color-mix(in srgb, var(--k0) var(--most), var(--paper));
  border-color: var(--k0); }
.places li.new { font-weight: 700; border-width: 2px; border-color: var(--ink); line-height: 2rem; }
.places li.next { border: 2px dashed var(--wrong); line-height: 2rem; }
.places li.free { border-style: dotted; }
.places li.break { margin-left: 0.7rem; }
@media (max-width: 30rem) { .places li { width: 1.75rem; height: 1.9rem; line-height: 1.8rem; } }
`;

const GIB = 2 ** 30;
const gib = (bytes) => `${show(bytes / GIB, bytes < 10 * GIB ? 2 : 1)} GiB`;
const whole = (n) => n.toLocaleString("en-GB");

/** The bar and its sentences: `nodes` to show, `text` to read aloud. */
export function memory(state) {
  const found = fit(state);
  const all = Math.max(state.memory, found.weights + found.cache);
  const part = (bytes, kind) =>
    el("span", { class: kind, style: `flex: 0 0 ${(100 * bytes) / all}%` });
  const over = found.free < 0;
  const label = `Weights ${gib(found.weights)}, cache ${gib(found.cache)}, ` +
    (over ? `${gib(-found.free)} too much` : `${gib(found.free)} free`);
  const key = (colour, text) =>
    el("span", {}, el("i", { style: `background: ${colour}` }), text);
  const sentences = [
    `A token takes ${whole(Math.round((100 * found.token) / 1024) / 100)} KiB of cache, a sequence of ` +
      `${whole(state.context)} tokens ${gib(found.sequence)}. ${whole(found.outweighs)} tokens weigh as ` +
      "much as the model.",
    over
      ? `It does not fit: ${gib(-found.free)} are missing. ${most(found.most)}`
      : `It fits. ${most(found.most)}`,
  ];
  return {
    nodes: [
      el("div", { class: over ? "bar over" : "bar", role: "img", "aria-label": label },
        part(found.weights, "weights"), part(found.cache, "cache")),
      el("p", { class: "legend" },
        key("var(--k0)", `weights ${gib(found.weights)}`),
        key("var(--k1)", `cache ${gib(found.cache)}`),
        key("var(--paper)", over ? "nothing is free" : `free ${gib(found.free)}`)),
      el("p", { class: "note" }, sentences[0]),
      el("p", { class: over ? "note wrong" : "note" }, sentences[1]),
    ],
    text: sentences.join(" "),
  };
}

function most(n) {
  if (n === 0) return "Not one such sequence has room beside the weights.";
  return `At most ${whole(n)} such ${n === 1 ? "sequence has" : "sequences have"} room.`;
}

const WHAT = {
  grows: "Every token gets a place, and the memory grows without end.",
  reserved: "All places are reserved at the start.",
  window: "A new token is written over the oldest one.",
  sinks: `The first ${SINKS} stay; a new token is written over the oldest of the others.`,
  pages: `Pages of ${PAGE} places are handed out when they are needed, in any order.`,
};

/** The places of a cache after some tokens. */
export function places({ kind, tokens }) {
  const { places: cells, next } = held(kind, tokens);
  const cell = (position, place) => {
    const classes = [
      position === null ? (inPage(kind, tokens, place) ? "" : "free") : "full",
      kind === "sinks" && position !== null && position < SINKS && "sink",
      position !== null && position === tokens - 1 && "new",
      place === next && "next",
      kind === "pages" && place > 0 && place % PAGE === 0 && "break",
      kind === "sinks" && place === SINKS && "break",
    ];
    return el("li", { class: classes.filter(Boolean).join(" ") },
      position === null ? "" : String(position));
  };
  const used = cells.filter((position) => position !== null).length;
  const lost = tokens - used;
  const size = taken(kind, tokens);
  const text = `${tokens} tokens: ${used} held in ${size} places that are taken` +
    (lost > 0 ? `, ${lost} forgotten.` : ".") +
    (kind === "pages" && tokens ? ` Pages in order: ${order(tokens)}.` : "");
  return {
    nodes: [
      el("ol", { class: "places", "aria-label": `Places of the cache after ${tokens} tokens` },
        ...cells.map(cell)),
      el("p", { class: "note" }, WHAT[kind]),
      el("p", { class: "note" }, text),
    ],
    text,
  };
}

const order = (tokens) => PAGES.slice(0, Math.ceil(tokens / PAGE)).join(", ");

function inPage(kind, tokens, place) {
  if (kind !== "pages") return kind !== "reserved";
  return PAGES.slice(0, Math.ceil(tokens / PAGE)).includes(Math.floor(place / PAGE));
}
