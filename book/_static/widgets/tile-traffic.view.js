// What the tile traffic shows: the matrices in HBM, the chip, the grid of tiles, the counters.
import { el, svg } from "./dom.js";
import { blocks, chip, isVisited, keepsKeys, plain } from "./tile-traffic.core.js";

export const VIEW_STYLE = `
.panels { display: grid; gap: 1rem 1.4rem; margin: 0.9rem 0 0; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); }
.panel { min-width: 0; }
.title { margin: 0 0 0.3rem; font-weight: 600; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 16px; }
.panel > .panel + .panel { margin-top: 0.8rem; }
.cell { stroke: var(--paper); stroke-width: 1; }
.skip { fill: none; stroke: var(--soft); }
.todo { fill: var(--soft); }
.done { fill: color-mix(in srgb, var(--accent) 55%, var(--card)); }
.now { fill: var(--k1); }
.band { fill: none; stroke: var(--line); }
.held { fill: color-mix(in srgb, var(--accent) 45%, var(--card)); stroke: var(--line); }
.block { fill: var(--card); stroke: var(--line); }
.up { fill: color-mix(in srgb, var(--k1) 55%, var(--card)); }
.go { stroke: var(--ink); stroke-width: 1.6; fill: none; }
.tip { fill: var(--ink); }
.key { display: inline-block; width: 0.9em; height: 0.9em; margin-right: 0.3em; vertical-align: -0.1em;
  border: 1px solid var(--line); }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0.3rem 0 0; }
.counts th { text-align: left; }
.counts td { white-space: nowrap; }
.fill { height: 0.9rem; border: 1px solid var(--line); border-radius: 0.3rem; overflow: hidden; }
.fill div { height: 100%; background: var(--accent); }
.fill .over { background: var(--wrong); }
`;

const HBM = { forward: ["Q", "K", "V", "O"], backward: ["Q", "dO", "dQ", "K", "V", "dK", "dV"] };
const OF_KEYS = ["K", "V", "dK", "dV"];

export const KIB = (bytes) => `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KiB`;

function panel(title, ...content) {
  return el("div", { class: "panel" }, el("p", { class: "title" }, title), ...content);
}

/** The matrices in HBM, and below what the chip holds while it works on a tile. */
export function memories(s, step) {
  const names = HBM[s.backward ? "backward" : "forward"];
  const wide = 420 / names.length;
  const parts = [
    svg("rect", { class: "band", x: 1, y: 1, width: 418, height: 164, rx: 6 }),
    svg("text", { x: 10, y: 21 }, "HBM"),
    svg("rect", { class: "band", x: 1, y: 217, width: 418, height: 84, rx: 6 }),
    svg("text", { x: 10, y: 241 }, "chip"),
  ];
  names.forEach((name, n) => {
    const keys = OF_KEYS.includes(name);
    const all = blocks(keys ? s.k : s.q, keys ? s.width : s.height);
    const [x, y, high] = [wide * n + wide / 2 - 16, 56, 100];
    const [loads, stores] = [step && name in step.load, step && name in step.store];
    const here = step && (keys ? step.j : step.i);
    parts.push(svg("text", { x: x + 16, y: 50, "text-anchor": "middle" }, name));
    parts.push(svg("rect", { class: "block", x, y, width: 32, height: high }));
    if (step) {
      const [from, to] = all[here].map((at) => (at / all.at(-1)[1]) * high);
      const stays = keys ? keepsKeys(s) : !keepsKeys(s) && name === "Q";
      parts.push(svg("rect", {
        class: stores ? "up" : loads || stays ? "held" : "block",
        x, y: y + from, width: 32, height: Math.max(to - from, 2),
      }));
    }
    if (loads) parts.push(...arrow(x + (stores ? 9 : 16), 170, 212));
    if (stores) parts.push(...arrow(x + (loads ? 23 : 16), 212, 170));
  });
  const held = step ? on(s, step) : ["nothing yet"];
  held.forEach((line, n) => parts.push(svg("text", { x: 58, y: 241 + 21 * n }, line)));
  const label = step
    ? `Loaded: ${Object.keys(step.load).join(", ")}. Written back: ${Object.keys(step.store).join(", ") || "nothing"}.`
    : s.backward
      ? "Before the first tile: zeros for dQ, dK and dV, and D."
      : keepsKeys(s) ? "Before the first tile: zeros for O, and the statistics." : "Nothing has been moved yet.";
  return panel("Between the memories", svg("svg", {
    viewBox: "0 0 420 304", role: "img", "aria-label": label,
  }, ...parts), el("p", { class: "note" }, label));
}

function arrow(x, from, to) {
  const back = to > from ? -7 : 7;
  return [
    svg("path", { class: "go", d: `M${x} ${from}V${to + back / 2}` }),
    svg("path", { class: "tip", d: `M${x - 4} ${to + back}h8L${x} ${to}z` }),
  ];
}

/** What lies on the chip during a step, in three lines. */
function on(s, { i, j, rows, columns }) {
  const [queries, keys] = [`queries ${i} (${rows} rows)`, `keys and values ${j} (${columns} rows)`];
  const stays = keepsKeys(s) ? keys : queries;
  const passes = keepsKeys(s) ? queries : keys;
  return [
    `${stays} ${keepsKeys(s) ? "stay" : "stay, with m, ℓ and o"}`,
    `${passes} pass`,
    `${s.backward ? "two tiles" : "one tile"} of ${rows} × ${columns}, never written`,
  ];
}

/** All tiles: done, at work, still to come, skipped. */
export function grid(s, done, step) {
  const [rows, columns] = [blocks(s.q, s.height), blocks(s.k, s.width)];
  const side = 300;
  const finished = new Set(done.map(({ i, j }) => `${i} ${j}`));
  const cells = rows.flatMap(([top, bottom], i) => columns.map(([left, right], j) => {
    const kind = step && step.i === i && step.j === j ? "now"
      : finished.has(`${i} ${j}`) ? "done" : isVisited(s, i, j) ? "todo" : "skip";
    return svg("rect", {
      class: `cell ${kind}`, x: (left / s.k) * side + 1, y: (top / s.q) * side + 1,
      width: ((right - left) / s.k) * side, height: ((bottom - top) / s.q) * side,
    });
  }));
  const visited = rows.flatMap((_, i) => columns.map((__, j) => isVisited(s, i, j)));
  const some = visited.filter(Boolean).length;
  const count = visited.length === 1 ? "1 tile" : `${visited.length} tiles`;
  const label = `${count}, rows are queries: ${finished.size} done, ` +
    `${some - finished.size} to do, ${visited.length - some} skipped.`;
  const legend = [["done", "done"], ["now", "at work"], ["todo", "to come"], ["skip", "skipped"]]
    .map(([kind, text]) => el("span", {}, swatch(kind), text));
  return panel("Tiles of the scores", svg("svg", {
    viewBox: `0 0 ${side + 2} ${side + 2}`, role: "img", "aria-label": label, style: "max-width: 20rem",
  }, ...cells), el("p", { class: "legend" }, ...legend), el("p", { class: "note" }, label));
}

function swatch(kind) {
  return svg("svg", { viewBox: "0 0 14 14", style: "display:inline-block;width:0.9em;margin-right:0.3em;vertical-align:-0.1em", "aria-hidden": "true" },
    svg("rect", { class: `cell ${kind}`, x: 1, y: 1, width: 12, height: 12 }));
}

/** The counters, and how full the chip is. */
export function counters(s, soFar, whole, room) {
  const [numbers, all] = [chip(s), plain(s)];
  const rows = [
    ["moved so far", KIB(soFar)],
    ["whole pass", KIB(whole)],
    !s.backward && ["plain attention", `${KIB(all)}, ${(all / whole).toFixed(1)} ×`],
    ["tile needs", `${numbers.toLocaleString("en")} numbers`],
    ["chip has room for", `${room.toLocaleString("en")} numbers`],
  ].filter(Boolean);
  const fits = numbers <= room;
  const verdict = el("p", { class: `note ${fits ? "good" : "wrong"}` },
    fits ? `The tile fits: ${Math.round((100 * numbers) / room)}% of the chip.`
      : `The tile does not fit: ${(numbers / room).toFixed(2)} times the chip.`);
  return panel("Counters",
    el("table", { class: "counts", "aria-label": "Counters" }, el("tbody", {}, ...rows.map(
      ([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value))))),
    el("div", { class: "fill", "aria-hidden": "true" }, el("div", {
      class: fits ? "" : "over", style: `width: ${Math.min(100, (100 * numbers) / room)}%`,
    })), verdict);
}

/** One sentence for a screen reader. */
export function summary(s, done, soFar, whole, room) {
  const fits = chip(s) <= room ? "fits" : "does not fit";
  const tiles = done === 1 ? "1 tile" : `${done} tiles`;
  return `${tiles} done, ${KIB(soFar)} of ${KIB(whole)} moved. The tile ${fits} the chip.`;
}
