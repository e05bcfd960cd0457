// <plain-attention-explorer>: one query, five keys and their values in the plane.
import { announcer, choice, define, el, labelled, svg } from "./dom.js";
import { explore, LIMIT, picture, snap, STEP } from "./attention-explorer.core.js";
import { numberForm, readout, VIEW_STYLE, weightTable } from "./attention-explorer.view.js";
import { FRESH_STYLE, FreshVectors } from "./fresh-vectors.view.js";
import { Plane, PLANE_STYLE } from "./plane.js";
import { followTheme, STYLE } from "./theme.js";

const PICTURE_NAMES = [
  ["spread", "keys all around"],
  ["twins", "two keys are equal"],
  ["same", "all keys are equal"],
  ["opposite", "one key opposite the query"],
  ["one", "one key never wins"],
];
const AXES = [["keys", "the keys"], ["queries", "the queries"]];
const START = { name: "spread", axis: "keys" };
const COLOURS = [0, 1, 2, 3, 4].map((j) => `var(--k${j})`);

class AttentionExplorer extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    const plane = (title) => new Plane({ title, limit: LIMIT, step: STEP, move: this.#move });
    this.left = plane("Query and keys");
    this.right = plane("Values and output");
    this.aloud = announcer();
    this.controls = el("div", { class: "controls stays" });
    this.result = el("div", { class: "result" });
    const how = "Drag a point, or move the focus to it and press the arrow keys (with Shift: in " +
      "larger steps). Points move in steps of a quarter.";
    this.fresh = new FreshVectors({ colours: COLOURS, say: (text) => this.aloud.say(text) });
    this.form = el("details", {}, el("summary", {}, "Type the coordinates"));
    root.append(
      el("style", {}, STYLE + PLANE_STYLE + VIEW_STYLE + FRESH_STYLE),
      el(
        "div",
        { class: "widget" },
        // What the controls change stands in one part with them: beyond it they do not stay.
        el(
          "div",
          { class: "part" },
          this.controls,
          el("div", { class: "planes" }, this.left.node, this.right.node),
          el("p", { class: "note how" }, how),
          this.result,
          this.form,
        ),
        this.fresh.node,
        this.aloud,
      ),
    );
    this.#reset();
  }

  #reset() {
    this.state = { ...START, ...picture(START.name) };
    this.fresh.reset();
    this.#buildControls();
    this.#update(false);
  }

  #buildControls() {
    const { state } = this;
    const change = (patch) => {
      Object.assign(this.state, patch);
      this.#update();
    };
    const start = (name) => change({ name, ...picture(name) });
    this.controls.replaceChildren(
      labelled("Start from", choice(PICTURE_NAMES, state.name, start)),
      labelled("Softmax over", choice(AXES, state.axis, (axis) => change({ axis }))),
      el("button", {
        type: "button",
        onclick: () => {
          this.#reset();
          this.controls.querySelector("button").focus();
        },
      }, "Reset"),
    );
  }

  #move = (id, to) => {
    const [group, index] = id.split(" ");
    const at = snap(to);
    const before = this.state[group][index];
    if (at[0] === before[0] && at[1] === before[1]) return;
    this.state[group][index] = at;
    this.#update();
  };

  #update(aloud = true) {
    const { state } = this;
    const shown = state.axis === "keys" ? state.queries.slice(0, 1) : state.queries;
    const answer = explore({ ...state, queries: shown });
    this.left.draw(this.#arrows(shown), []);
    this.right.draw(this.#values(answer), this.#background(answer));
    const said = readout(state, answer);
    this.result.replaceChildren(weightTable(answer, COLOURS), ...said.nodes);
    numberForm(this.form, shown.length, () => this.state, this.#move);
    if (aloud) this.aloud.say(said.text);
  }

  #arrows(queries) {
    const keys = this.state.keys.map((at, j) => ({
      id: `keys ${j}`, name: `Key ${j}`, label: `k${j}`, at, colour: COLOURS[j], arrow: true,
    }));
    const asking = queries.map((at, i) => ({
      id: `queries ${i}`, name: i === 0 ? "Query" : `Query ${i}`, label: i === 0 ? "q" : `q${i}`,
      at, colour: i === 0 ? "var(--ink)" : "var(--line)", arrow: true, thick: i === 0, radius: 8,
    }));
    return [...keys, ...asking];
  }

  #values({ weights, outputs }) {
    const values = this.state.values.map((at, j) => ({
      id: `values ${j}`, name: `Value ${j}`, label: `v${j}`, at, colour: COLOURS[j],
      radius: 4 + 12 * Math.sqrt(Math.min(weights[0][j], 1)),
    }));
    return [...values, { id: "output", name: "Output", label: "o", at: outputs[0], fixed: true }];
  }

  #background({ hull, weights, outputs }) {
    const corner = (point) => this.right.pixel(point).map((x) => x.toFixed(1)).join(",");
    const [x2, y2] = this.right.pixel(outputs[0]);
    const threads = this.state.values.map((at, j) => {
      const [x1, y1] = this.right.pixel(at);
      return svg("line", {
        x1, y1, x2, y2, stroke: COLOURS[j], "stroke-width": 0.5 + 7 * weights[0][j],
        "stroke-opacity": 0.55,
      });
    });
    const area = { points: hull.map(corner).join(" "), class: "hull" };
    return [svg("polygon", area), ...threads];
  }
}

define("plain-attention-explorer", AttentionExplorer);
