// <plain-depth-explorer>: how large the stream gets, and how much gradient comes back, at any depth.
import { announcer, define, el, labelled } from "./dom.js";
import { explore, PLACES } from "./depth-explorer.core.js";
import { chart, limits, spoken, table, VIEW_STYLE } from "./depth-explorer.view.js";
import { followTheme, STYLE } from "./theme.js";

const START = { layers: 12, size: 1, share: 0, seed: 1 };

class DepthExplorer extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    this.controls = el("div", { class: "controls stays" });
    this.charts = el("div", { class: "charts" });
    this.numbers = el("div");
    this.aloud = announcer();
    const how = "The red dashes mark 1 %. Curves are means over four draws; what lies outside a chart is " +
      "drawn at its edge.";
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" },
        this.controls, this.charts, el("p", { class: "note how" }, how), this.numbers, this.aloud),
    );
    this.#reset(false);
  }

  #reset(aloud = true) {
    this.state = { ...START };
    const draw = el("button", {
      type: "button",
      onclick: () => this.#update({ seed: this.state.seed + 1 }),
    }, "Draw fresh weights");
    const reset = el("button", {
      type: "button",
      onclick: () => {
        this.#reset();
        this.controls.lastElementChild.focus();
      },
    }, "Reset");
    this.controls.replaceChildren(
      this.#slider("layers", "Layers", 1, 48, 1, String),
      this.#slider("size", "Size of what a branch writes", 0.1, 3, 0.1, (v) => v.toFixed(1)),
      this.#slider("share", "Share that does not depend on the input", 0, 1, 0.05,
        (v) => `${Math.round(100 * v)} %`),
      draw, reset,
    );
    this.#update({}, aloud);
  }

  #slider(name, label, min, max, step, text) {
    const value = el("span", { class: "value" }, text(this.state[name]));
    const slider = el("input", {
      type: "range", min, max, step, value: this.state[name],
      "aria-valuetext": text(this.state[name]),
      oninput: () => {
        value.textContent = text(slider.valueAsNumber);
        slider.setAttribute("aria-valuetext", value.textContent);
        this.#update({ [name]: slider.valueAsNumber });
      },
    });
    return labelled(label, slider, value);
  }

  #update(patch, aloud = true) {
    const { layers, ...rest } = Object.assign(this.state, patch);
    const found = explore({ ...rest, count: 2 * layers });
    const pick = (name) => Object.fromEntries(PLACES.map((place) => [place, found[place][name]]));
    const [sizes, lengths] = [pick("sizes"), pick("lengths")];
    this.charts.replaceChildren(
      chart("Size of the stream", "Size of the stream after each sublayer; numbers in the table below",
        sizes, limits(sizes)),
      chart("Gradient, relative to the top",
        "Gradient that arrives at each sublayer; numbers in the table below",
        lengths, limits(lengths, { least: -3 }), 0.01),
    );
    this.numbers.replaceChildren(table(found));
    if (aloud) this.aloud.say(spoken(found, layers));
  }
}

define("plain-depth-explorer", DepthExplorer);
