// A square of the plane whose points can be moved by pointer, touch or arrow keys.
import { el, set, show, svg } from "./dom.js";

const UNIT = 50; // pixels of the drawing per unit of the plane
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export const PLANE_STYLE = `
figure { margin: 0; min-width: 0; }
.plane { display: block; width: 100%; max-width: 24rem; height: auto; margin: 0.3rem auto 0; }
.plane .paper { fill: var(--card); }
.plane .grid { stroke: var(--soft); stroke-width: 0.6; }
.plane .axis { stroke: var(--line); stroke-width: 1; }
.plane text { fill: var(--ink); font: 600 calc(1px * var(--text)) system-ui, sans-serif; paint-order: stroke;
  stroke: var(--card); stroke-width: calc(0.26px * var(--text)); stroke-linejoin: round; pointer-events: none; }
.plane .touch { fill: transparent; }
@media (max-width: 40rem) { .plane { max-width: 17rem; } }
.plane .point { touch-action: none; cursor: grab; outline: none; }
.plane .point[aria-disabled] { cursor: default; }
.plane .point:hover .touch { fill: var(--soft); fill-opacity: 0.5; }
.plane .point:focus-visible .touch { stroke: var(--accent); stroke-width: 3; }
`;

export class Plane {
  /** `move(id, [x, y])` is called with where the reader wants a point, before any snapping. */
  constructor({ title, limit, step, move }) {
    Object.assign(this, { limit, step, move, points: new Map() });
    this.side = 2 * (limit + 0.4) * UNIT;
    this.under = svg("g", { "aria-hidden": "true" });
    this.over = svg("g");
    this.drawing = svg(
      "svg",
      { class: "plane", viewBox: `0 0 ${this.side} ${this.side}`, role: "group", "aria-label": title,
        style: `--text: ${(this.side / 24).toFixed(1)}` },
      svg("rect", { class: "paper", width: this.side, height: this.side, rx: 10 }),
      this.#grid(),
      this.under,
      this.over,
    );
    this.node = el("figure", {}, el("figcaption", {}, title), this.drawing);
  }

  /** Pixels of the drawing for a point of the plane. */
  pixel([x, y]) {
    return [this.side / 2 + x * UNIT, this.side / 2 - y * UNIT];
  }

  /**
   * Draw points over a background of SVG nodes. A point is {id, name, label, at, colour, arrow,
   * thick, radius, ring, fixed}; a ring shows a point that lies under it. Its element is kept from
   * one drawing to the next, and so is the focus.
   */
  draw(points, background) {
    this.under.replaceChildren(...background);
    for (const [id, node] of this.points) {
      if (!points.some((point) => point.id === id)) {
        node.remove();
        this.points.delete(id);
      }
    }
    for (const point of points) {
      if (!this.points.has(point.id)) {
        this.points.set(point.id, this.#handle(point));
        this.over.append(this.points.get(point.id));
      }
      this.#place(this.points.get(point.id), point, points);
    }
  }

  #handle({ id, fixed }) {
    const node = svg("g", { class: "point", role: fixed ? "img" : "slider" });
    if (fixed) return set(node, { "aria-disabled": "true" });
    set(node, { tabindex: 0, "aria-valuemin": -this.limit, "aria-valuemax": this.limit });
    node.addEventListener("pointerdown", (event) => {
      node.setPointerCapture(event.pointerId);
      node.focus({ preventScroll: true });
    });
    node.addEventListener("pointermove", (event) => {
      if (node.hasPointerCapture(event.pointerId)) this.move(id, this.#under(event));
    });
    // Inside a drawing Chromium has no regard for touch-action: a finger on a point would scroll.
    node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    node.addEventListener("keydown", (event) => {
      const way = MOVES[event.key];
      if (!way) return;
      event.preventDefault();
      const length = this.step * (event.shiftKey ? 4 : 1);
      this.move(id, [node.at[0] + way[0] * length, node.at[1] + way[1] * length]);
    });
    return node;
  }

  #place(node, point, points) {
    node.at = point.at;
    const [x, y] = this.pixel(point.at);
    const here = points.filter((p) => p.at[0] === point.at[0] && p.at[1] === point.at[1]);
    const beside = here.filter((p) => !p.ring);
    const label = point.ring ? point.label : beside[0] === point ? beside.map((p) => p.label).join(", ") : "";
    const where = `x ${show(point.at[0])}, y ${show(point.at[1])}`;
    set(node, {
      "aria-label": point.fixed ? `${point.name}, ${where}` : point.name,
      "aria-valuenow": point.fixed ? null : point.at[0],
      "aria-valuetext": point.fixed ? null : where,
    });
    const radius = point.radius ?? 6;
    const away = point.at[0] < 0 ? [-1, "end"] : [1, "start"];
    node.replaceChildren(
      ...(point.arrow ? this.#arrow(point, x, y) : []),
      svg("circle", { class: "touch", cx: x, cy: y, r: 18 }),
      point.fixed
        ? svg("path", { d: diamond(x, y, 9), fill: "var(--ink)", stroke: "var(--paper)" })
        : svg("circle", point.ring
          ? { cx: x, cy: y, r: radius, fill: "none", stroke: point.colour, "stroke-width": 3 }
          : { cx: x, cy: y, r: radius, fill: point.colour, stroke: "var(--paper)" }),
      svg(
        "text",
        {
          x: x + away[0] * (radius + 5),
          y: y + ((point.at[1] < 0) !== Boolean(point.ring) ? 16 : -6),
          "text-anchor": away[1],
          "aria-hidden": "true",
        },
        label,
      ),
    );
  }

  #arrow({ colour, thick, ring }, x, y) {
    const middle = this.side / 2;
    const line = {
      x1: middle, y1: middle, x2: x, y2: y, stroke: colour, "stroke-dasharray": ring ? "9 7" : null,
    };
    return [svg("line", { ...line, "stroke-width": thick ? 5 : 2.5, "stroke-linecap": ring ? "butt" : "round" })];
  }

  #grid() {
    const group = svg("g", { "aria-hidden": "true" });
    const middle = this.side / 2;
    for (let n = -this.limit; n <= this.limit; n += 1) {
      const at = middle + n * UNIT;
      const style = { class: n === 0 ? "axis" : "grid" };
      group.append(
        svg("line", { ...style, x1: at, x2: at, y1: 0, y2: this.side }),
        svg("line", { ...style, y1: at, y2: at, x1: 0, x2: this.side }),
      );
    }
    return group;
  }

  #under(event) {
    const box = this.drawing.getBoundingClientRect();
    const scale = this.side / box.width / UNIT;
    const half = this.side / 2 / UNIT;
    return [(event.clientX - box.left) * scale - half, half - (event.clientY - box.top) * scale];
  }
}

function diamond(x, y, r) {
  return `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;
}
