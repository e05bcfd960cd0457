// What the optimiser explorer draws: the landscape, the loss at each step, the strip of rates.
import { el, show, svg } from "./dom.js";
import { fate, loss, LIMIT, RATES, SUCCESS } from "./optimiser-explorer.core.js";

const [LOW, HIGH] = [-6, 3]; // powers of ten of the loss that the curve shows
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [380, 300, 58, 44];

export const VIEW_STYLE = `
.planes { display: grid; gap: 1rem; margin: 0.8rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
.curve { display: block; width: 100%; max-width: 26rem; height: auto; margin: 0.3rem auto 0; }
.curve text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.curve .paper { fill: var(--card); }
.curve .grid { stroke: var(--soft); stroke-width: 0.8; }
.curve .goal { stroke: var(--good); stroke-width: 1.5; stroke-dasharray: 6 4; }
.curve .line { fill: none; stroke: var(--accent); stroke-width: 2.4; }
.path { fill: none; stroke: var(--k1); stroke-width: 2; stroke-linejoin: round; }
.dot { fill: var(--k1); stroke: var(--card); stroke-width: 0.7; }
.strip { display: grid; grid-template-columns: repeat(auto-fill, minmax(2.5rem, 1fr)); gap: 2px;
  margin: 0.3rem 0 0; padding: 0; list-style: none; }
.strip li { text-align: center; padding: 0.2rem 0; font-size: 0.76rem; background: var(--card);
  font-variant-numeric: tabular-nums; }
.strip li.yes { background: color-mix(in srgb, var(--good) 30%, var(--card)); }
.strip span { display: block; }
.strip .now { outline: 2px solid var(--accent); outline-offset: -2px; font-weight: 700; }
`;

/** The landscape, darker where the loss is higher: drawn once. */
export function landscape(plane, cells = 22) {
  const width = (2 * LIMIT) / cells;
  const squares = [];
  for (let i = 0; i < cells; i += 1) {
    for (let j = 0; j < cells; j += 1) {
      const corner = [-LIMIT + i * width, LIMIT - j * width];
      const height = loss([corner[0] + width / 2, corner[1] - width / 2]);
      const share = Math.min(60, 22 * Math.log10(1 + 6 * height));
      const [x, y] = plane.pixel(corner);
      const side = plane.pixel([corner[0] + width, corner[1]])[0] - x + 0.5;
      squares.push(svg("rect", {
        x, y, width: side, height: side,
        style: `fill: color-mix(in srgb, var(--accent) ${share.toFixed(0)}%, var(--card))`,
      }));
    }
  }
  return squares;
}

/** The path of the weights, as far as the plane shows it. */
export function route(plane, path) {
  const edge = LIMIT + 0.4;
  const kept = path.map((point) => point.map((x) =>
    (Number.isFinite(x) ? Math.max(-edge, Math.min(edge, x)) : edge)));
  const pixels = kept.map((point) => plane.pixel(point).map((x) => Number(x.toFixed(1))));
  return [
    svg("polyline", { class: "path", points: pixels.map((p) => p.join(",")).join(" ") }),
    ...pixels.map(([cx, cy]) => svg("circle", { class: "dot", cx, cy, r: 3 })),
  ];
}

/** The loss at each step, on a logarithmic axis. */
export function curve(losses) {
  const x = (step) => LEFT + ((WIDTH - LEFT - 12) * step) / (losses.length - 1);
  const y = (power) => 12 + ((HEIGHT - BOTTOM - 12) * (HIGH - power)) / (HIGH - LOW);
  const power = (value) => {
    if (!Number.isFinite(value)) return HIGH;
    return Math.max(LOW, Math.min(HIGH, Math.log10(Math.max(value, 1e-12))));
  };
  const lines = [];
  for (let p = LOW; p <= HIGH; p += 3) {
    lines.push(
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - 12, y1: y(p), y2: y(p) }),
      svg("text", { x: LEFT - 8, y: y(p) + 4, "text-anchor": "end" },
        { "-6": "10⁻⁶", "-3": "0.001", 0: "1", 3: "1000" }[p]),
    );
  }
  const points = losses.map((value, i) => `${x(i).toFixed(1)},${y(power(value)).toFixed(1)}`);
  const goal = y(Math.log10(SUCCESS));
  return svg("svg", {
    class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": `Loss at each step, from ${amount(losses[0])} to ${amount(losses.at(-1))}`,
  },
  svg("rect", { class: "paper", width: WIDTH, height: HEIGHT, rx: 10 }), ...lines,
  svg("line", { class: "goal", x1: LEFT, x2: WIDTH - 12, y1: goal, y2: goal }),
  svg("polyline", { class: "line", points: points.join(" ") }),
  ...[0, 20, 40, 60].map((step) =>
    svg("text", { x: x(step), y: HEIGHT - 24, "text-anchor": "middle" }, String(step))),
  svg("text", { x: (WIDTH + LEFT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "step"));
}

/** One place for each rate: does training succeed there? */
export function strip(successes, index) {
  const places = successes.map((yes, i) => el("li", {
    class: [yes && "yes", i === index && "now"].filter(Boolean).join(" "),
  }, shortRate(RATES[i]), el("span", {}, yes ? "✓" : "–")));
  return el("div", {},
    el("p", { class: "note" }, el("strong", {}, "At which rates does it train, with these settings?")),
    el("ol", { class: "strip", role: "list", "aria-label": "Rates, and whether they train" }, ...places));
}

/** What to say about a run: notes for the eye, one text for the ear. */
export function readout(run, successes, rate) {
  const what = {
    trained: "It trains.",
    dead: "It lies on the plain, where the gradient is 0, and stays there.",
    "blown up": "It has blown up.",
    "not there yet": "It is not there after 60 steps.",
  }[fate(run)];
  const longest = Math.max(...run.lengths.filter(Number.isFinite));
  const best = successes.lastIndexOf(true);
  const count = successes.filter(Boolean).length;
  const most = best < 0 ? "No rate of the strip trains." :
    `${count} of ${RATES.length} rates train; the largest is ${shortRate(RATES[best])}.`;
  const text = `At rate ${shortRate(rate)} the loss goes from ${amount(run.losses[0])} to ` +
    `${amount(run.end)}. ${what} The longest gradient was ${amount(longest)}. ${most}`;
  const good = fate(run) === "trained";
  return { nodes: [el("p", { class: `note ${good ? "good" : "wrong"}` }, text)], text };
}

export function shortRate(rate) {
  return rate < 0.1 ? show(rate, 3) : show(rate, 2);
}

function amount(x) {
  if (!Number.isFinite(x)) return "infinity";
  if (x !== 0 && (x < 0.001 || x >= 10_000)) return x.toExponential(0).replace("-", "−");
  return show(x, x < 0.1 ? 4 : 2);
}
