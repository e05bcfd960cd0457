// <plain-cache-lab>: what a cache weighs beside its model, and which tokens it holds.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { MODELS, PLACES } from "./cache-lab.core.js";
import { memory, places, VIEW_STYLE } from "./cache-lab.view.js";
import { followTheme, STYLE } from "./theme.js";

const GB = 1e9;
const CONTEXTS = Array.from({ length: 8 }, (_, i) => 2 ** (i + 10));
const BATCHES = [1, 2, 4, 8, 16, 32, 64];
const NUMBERS = [["2", "16 bits"], ["1", "8 bits"], ["0.5", "4 bits"]];
const MEMORIES = [
  [24, "24 GB"], [80, "80 GB"], [141, "141 GB"], [4 * 141, "4 × 141 GB"], [8 * 141, "8 × 141 GB"],
].map(([size, text]) => [String(size * GB), text]);
const KINDS = [
  ["grows", "a cache that grows"],
  ["reserved", "a reserved context"],
  ["window", "window"],
  ["sinks", "window with sinks"],
  ["pages", "pages"],
];
const START = {
  name: "Llama 3 8B", context: 8192, batch: 8, bytes: 2, memory: 24 * GB, kind: "sinks", tokens: 10,
};

class CacheLab extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    this.bar = el("div");
    this.strip = el("div");
    this.aloud = announcer();
    this.size = el("div", { class: "controls" });
    this.fill = el("div", { class: "controls" });
    this.attachShadow({ mode: "open" }).append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" },
        el("h4", {}, "What fits"), this.size, this.bar,
        el("h4", {}, "What is held"), this.fill, this.strip, this.aloud),
    );
    this.#reset();
  }

  #reset() {
    this.state = { ...START };
    const named = (numbers) => numbers.map((n) => [String(n), n.toLocaleString("en-GB")]);
    this.size.replaceChildren(
      this.#choice("name", "Model", MODELS.map(({ name }) => [name, name]), String),
      this.#choice("context", "Context", named(CONTEXTS)),
      this.#choice("batch", "Sequences", named(BATCHES)),
      this.#choice("bytes", "A cached number", NUMBERS),
      this.#choice("memory", "Memory", MEMORIES),
    );
    const value = el("span", { class: "value" }, String(this.state.tokens));
    this.slider = el("input", {
      type: "range", min: 0, max: PLACES, value: this.state.tokens,
      oninput: () => this.#update({ tokens: this.slider.valueAsNumber }),
    });
    this.value = value;
    this.fill.replaceChildren(
      this.#choice("kind", "Cache", KINDS, String),
      labelled("Tokens", this.slider, value),
      el("button", { type: "button", onclick: () => this.#step() }, "Next token"),
      el("button", { type: "button", onclick: () => this.#reset() }, "Reset"),
    );
    this.#update({}, false);
  }

  #step() {
    this.#update({ tokens: Math.min(PLACES, this.state.tokens + 1) });
  }

  #update(patch, aloud = true) {
    Object.assign(this.state, patch);
    this.slider.value = this.state.tokens;
    this.value.textContent = String(this.state.tokens);
    const [above, below] = [memory(this.state), places(this.state)];
    this.bar.replaceChildren(...above.nodes);
    this.strip.replaceChildren(...below.nodes);
    const lower = "tokens" in patch || "kind" in patch;
    if (aloud) this.aloud.say(lower ? below.text : above.text);
  }

  #choice(name, label, options, read = Number) {
    const select = choice(options, String(this.state[name]), (value) =>
      this.#update({ [name]: read(value) }));
    return labelled(label, select);
  }
}

define("plain-cache-lab", CacheLab);
