// <plain-optimiser-explorer>: two weights, two optimisers, and which learning rates train them.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { LIMIT, RATES, snap, STARTS, sweep, train } from "./optimiser-explorer.core.js";
import {
  curve, landscape, readout, route, shortRate, strip, VIEW_STYLE,
} from "./optimiser-explorer.view.js";
import { Plane, PLANE_STYLE } from "./plane.js";
import { followTheme, STYLE } from "./theme.js";

const START_NAMES = [
  ["wall", "steep wall"],
  ["slope", "gentle slope"],
  ["wrong", "b has the wrong sign"],
  ["plain", "on the plain"],
  ["own", "where you dragged it"],
];
const OPTIMISERS = [["sgd", "gradient descent"], ["adamw", "AdamW"]];
const MOMENTA = [["0", "0"], ["0.5", "0.5"], ["0.9", "0.9"]];
const CLIPS = [["Infinity", "off"], ["1", "at 1"], ["0.1", "at 0.1"]];
const BEGIN = { name: "wall", optimiser: "sgd", index: 6, warmup: 0, clip: Infinity, momentum: 0 };

class OptimiserExplorer extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    this.plane = new Plane({
      title: "The weights a (to the right) and b (upwards)", limit: LIMIT, step: 0.25,
      move: (_, to) => this.#update({ name: "own", start: snap(to) }),
    });
    this.ground = landscape(this.plane);
    this.aloud = announcer();
    this.controls = el("div", { class: "controls stays" });
    this.drawn = el("figure");
    this.result = el("div");
    const how = "Drag the start, or move the focus to it and press the arrow keys. A stronger " +
      "colour means a higher loss; the dashed line of the curve is the loss that counts as trained.";
    root.append(
      el("style", {}, STYLE + PLANE_STYLE + VIEW_STYLE),
      el("div", { class: "widget" },
        this.controls,
        el("div", { class: "planes" }, this.plane.node, this.drawn),
        el("p", { class: "note how" }, how),
        this.result,
        this.aloud),
    );
    this.#reset(false);
  }

  #reset(aloud = true) {
    this.state = { ...BEGIN, start: [...STARTS[BEGIN.name]] };
    this.#makeControls();
    this.#update({}, aloud);
  }

  #makeControls() {
    const { state } = this;
    const pick = (name, label, options, read = String) => {
      const select = choice(options, String(state[name]), (value) =>
        this.#update({ [name]: read(value) }));
      select.dataset.name = name;
      return labelled(label, select);
    };
    const slider = (name, label, max, text) => {
      const value = el("span", { class: "value" }, text(state[name]));
      const input = el("input", {
        type: "range", min: 0, max, value: state[name], "aria-valuetext": text(state[name]),
        "data-name": name,
        oninput: () => {
          value.textContent = text(input.valueAsNumber);
          input.setAttribute("aria-valuetext", text(input.valueAsNumber));
          this.#update({ [name]: input.valueAsNumber });
        },
      });
      return labelled(label, input, value);
    };
    this.starts = pick("name", "Start", START_NAMES);
    this.controls.replaceChildren(
      this.starts,
      pick("optimiser", "Optimiser", OPTIMISERS),
      slider("index", "Rate", RATES.length - 1, (i) => shortRate(RATES[i])),
      slider("warmup", "Warm-up steps", 30, String),
      pick("clip", "Clip", CLIPS, Number),
      pick("momentum", "Momentum", MOMENTA, Number),
      el("button", {
        type: "button",
        onclick: () => {
          this.#reset();
          this.controls.querySelector("button").focus();
        },
      }, "Reset"),
    );
  }

  #update(patch, aloud = true) {
    const state = Object.assign(this.state, patch);
    if ("name" in patch && state.name in STARTS) state.start = [...STARTS[state.name]];
    this.starts.querySelector("select").value = state.name;
    const rate = RATES[state.index];
    const run = train({ ...state, rate });
    const successes = sweep(state);
    const last = run.path.at(-1);
    const inside = last.every((x) => Math.abs(x) <= LIMIT);
    const points = [{
      id: "start", name: "Start", label: "start", at: state.start, colour: "var(--k1)", radius: 8,
    }];
    if (inside) points.push({ id: "end", name: "End", label: "end", at: last, fixed: true });
    this.plane.draw(points, [...this.ground, ...route(this.plane, run.path)]);
    this.drawn.replaceChildren(el("figcaption", {}, "The loss at each step"), curve(run.losses));
    const said = readout(run, successes, rate);
    this.result.replaceChildren(...said.nodes, strip(successes, state.index));
    if (aloud) this.aloud.say(said.text);
  }
}

define("plain-optimiser-explorer", OptimiserExplorer);
