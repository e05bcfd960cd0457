// <plain-recipe-tin>: a query among three cards, who wins where, and what comes home.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { Plane, PLANE_STYLE } from "./plane.js";
import {
  ask, CARDS, LIMIT, SCORES, snap, start, STEP, TEMPERATURES,
} from "./recipe-tin.core.js";
import { ground, numberForm, readout, VIEW_STYLE, weightTable } from "./recipe-tin.view.js";
import { followTheme, STYLE } from "./theme.js";

const COLOURS = CARDS.map((_, j) => `var(--k${j})`);
const ANSWERS = [["soft", "a blend of all"], ["hard", "one card"]];
const SHORT = ["cake", "soup", "h&e"];

class RecipeTin extends HTMLElement {
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
      title: "Query and keys: sweet →, savoury ↑",
      limit: LIMIT, step: STEP, move: this.#move,
    });
    this.aloud = announcer();
    this.controls = el("div", { class: "controls stays" });
    this.result = el("div");
    this.form = el("details", {}, el("summary", {}, "Type the coordinates"));
    const how = "Drag a point, or move the focus to it and press the arrow keys (with Shift: in " +
      "larger steps). Points move in steps of a quarter. In a tinted area its card has the " +
      "largest score.";
    root.append(
      el("style", {}, STYLE + PLANE_STYLE + VIEW_STYLE),
      el("div", { class: "widget" },
        this.controls,
        el("div", { class: "both" }, this.plane.node, this.result),
        el("p", { class: "note how" }, how),
        this.form,
        this.aloud),
    );
    this.#reset(false);
  }

  #reset(aloud = true) {
    this.state = start();
    this.#buildControls();
    this.#update(aloud);
  }

  #buildControls() {
    const { state } = this;
    const change = (patch) => {
      Object.assign(this.state, patch);
      this.#update();
    };
    const shown = el("span", { class: "value" }, String(state.tau));
    const slider = el("input", {
      type: "range", min: 0, max: TEMPERATURES.length - 1,
      value: TEMPERATURES.indexOf(state.tau), "aria-valuetext": String(state.tau),
      oninput: () => {
        const tau = TEMPERATURES[slider.valueAsNumber];
        shown.textContent = tau;
        slider.setAttribute("aria-valuetext", tau);
        change({ tau });
      },
    });
    this.controls.replaceChildren(
      labelled("Score", choice(SCORES.map((s) => [s, s]), state.score,
        (score) => change({ score }))),
      labelled("Temperature", slider, shown),
      labelled("Answer", choice(ANSWERS, state.hard ? "hard" : "soft",
        (kind) => change({ hard: kind === "hard" }))),
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
    const at = snap(to);
    const [group, index] = id.split(" ");
    const before = group === "query" ? this.state.query : this.state.keys[index];
    if (at[0] === before[0] && at[1] === before[1]) return;
    if (group === "query") this.state.query = at;
    else this.state.keys[index] = at;
    this.#update();
  };

  #points() {
    const keys = this.state.keys.map((at, j) => ({
      id: `key ${j}`, name: CARDS[j], label: SHORT[j], at, colour: COLOURS[j], arrow: true,
    }));
    const query = {
      id: "query", name: "Query", label: "q", at: this.state.query, colour: "var(--ink)",
      arrow: true, thick: true, radius: 9, ring: true,
    };
    return [...keys, query];
  }

  #update(aloud = true) {
    const { state } = this;
    const answer = ask(state);
    const points = this.#points();
    this.plane.draw(points, ground(state, this.plane, COLOURS));
    const said = readout(state, answer);
    this.result.replaceChildren(weightTable(state, answer, COLOURS), ...said.nodes);
    numberForm(this.form, points, this.#move);
    if (aloud) this.aloud.say(said.text);
  }
}

define("plain-recipe-tin", RecipeTin);
