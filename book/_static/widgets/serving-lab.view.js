// How the serving lab looks: a lane for each request, the laws, and what users feel.
import { el } from "./dom.js";

export const VIEW_STYLE = `
.control { min-width: 0; max-width: 100%; }
.control select { min-width: 0; max-width: 100%; }
.lanes { margin: 0.9rem 0 0; }
.lanes > div { display: flex; align-items: center; gap: 0.4rem; height: 1.5rem; }
.lanes b { width: 1.1rem; font-weight: 600; }
.lane { position: relative; flex: 1; height: 1.15rem; }
.lane span { position: absolute; top: 0; bottom: 0; border-radius: 1px; }
.lane .wait { top: 45%; bottom: 45%; background: var(--line); }
.lane .prompt { background: repeating-linear-gradient(45deg, var(--k1) 0 4px, transparent 4px 7px);
  border: 1px solid var(--k1); }
.lane .token { background: var(--k2); border: 1px solid var(--paper); }
.lane .back { width: 0; color: var(--wrong); font-weight: 700; line-height: 1.1; margin-left: 0.05em;
  overflow: visible; }
.lane .now { width: 2px; top: -0.2rem; bottom: -0.2rem; background: var(--ink); margin-left: -1px; }
.axis { display: flex; justify-content: space-between; margin: 0.1rem 0 0 1.5rem;
  border-top: 1px solid var(--line); font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin: 0.4rem 0 0; }
.legend .lane { display: inline-block; width: 1.6rem; height: 0.9rem; margin-right: 0.4em;
  vertical-align: -0.1em; flex: none; }
.legend .lane span { inset-inline: 0; }
.laws { margin: 0.7rem 0 0; }
.laws th { text-align: left; font-weight: 600; }
.laws td { text-align: left; }
.laws tr.broken td, .laws tr.broken th { color: var(--wrong); font-weight: 600; }
`;

const percent = (x) => `${(100 * x).toFixed(3)}%`;
const ms = (x) => `${Math.round(x)} ms`;

/** A lane for each request, with the end of the chosen step marked. */
export function timeline({ steps, requests }, chosen, report) {
  const { end } = report;
  const bar = (kind, from, to) =>
    el("span", { class: kind, style: `left: ${percent(from / end)}; width: ${percent((to - from) / end)}` });
  const lane = (one) => {
    const until = one.answered ? one.times.at(-1) : end;
    const parts = steps.filter(({ shares }) => shares.some(({ name }) => name === one.name)).map((step) => {
      const { prompt } = step.shares.find(({ name }) => name === one.name);
      return bar(prompt ? "prompt" : "token", step.start, step.end);
    });
    const back = steps.filter(({ sentBack }) => sentBack.includes(one.name)).map(({ start }) =>
      el("span", { class: "back", style: `left: ${percent(start / end)}` }, "↩"));
    return el("div", {}, el("b", {}, one.name),
      el("div", { class: "lane" }, bar("wait", one.arrives, until), ...parts, ...back,
        el("span", { class: "now", style: `left: ${percent(steps[chosen].end / end)}` })));
  };
  const key = (kind, words) =>
    el("span", {}, el("span", { class: "lane" }, el("span", { class: kind })), words);
  const label = `Timeline of ${requests.length} requests up to ${ms(end)}. ${felt(report)}`;
  return [
    el("div", { class: "lanes", role: "img", "aria-label": label }, ...requests.map(lane)),
    el("div", { class: "axis" }, ...[0, 1 / 2, 1].map((x) => el("span", {}, ms(x * end)))),
    el("p", { class: "legend" }, key("prompt", "reads its prompt"),
      key("token", "one token of answer"), key("wait", "waits"),
      el("span", {}, el("span", { class: "wrong" }, "↩ "), "sent back")),
  ];
}

/** What users feel, in a sentence. */
export const felt = ({ median, worst, gap, end, preemptions }) =>
  `First token after ${ms(median)} (median), ${ms(worst)} at worst; longest gap ${ms(gap)}; ` +
  `last token at ${ms(end)}; ${preemptions} sent back to the queue.`;

/** What the chosen step computed, in a sentence. */
export function what({ steps }, chosen) {
  const { start, end, shares, sentBack } = steps[chosen];
  const parts = shares.map(({ name, count, prompt }) => `${name} ${count}${prompt ? " of its prompt" : ""}`);
  const back = sentBack.length ? ` Sent back for want of pages: ${sentBack.join(", ")}.` : "";
  return `Step ${chosen + 1} of ${steps.length}, ${ms(start)} to ${ms(end)}: ${parts.join(", ")}.${back}`;
}

/** The laws after the chosen step, each with its numbers. */
export function lawTable({ requests, pages, positions }) {
  const row = (name, text, kept) => el("tr", { class: kept ? "" : "broken" },
    el("th", { scope: "row" }, name), el("td", {}, text), el("td", {}, kept ? "✓ kept" : "✗ broken"));
  const is = (kept) => (kept ? "=" : "≠");
  return el("div", { class: "scroll" }, el("table", { class: "laws" },
    row("requests", `${requests.came} came ${is(requests.kept)} ${requests.answered} answered + ` +
      `${requests.running} running + ${requests.waiting} waiting`, requests.kept),
    row("pages", `${pages.all} ${is(pages.kept)} ${pages.held} held + ${pages.free} free`, pages.kept),
    row("positions", `${positions.there} there ${is(positions.kept)} ${positions.computed} computed − ` +
      `${positions.lost} let go`, positions.kept)));
}
