// <plain-sampler-lab>: what the sampler's rules make of the storyteller's next word.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { dice, drawnFrom, pick } from "./sampler-lab.core.js";
import { bars, told, VIEW_STYLE } from "./sampler-lab.view.js";
import { CONTEXT, Model, WORDS } from "./storyteller.core.js";
import { followTheme, STYLE } from "./theme.js";

const BEGINNING = "* mice sing brave often . the foxes".split(" ").map((word) => WORDS.indexOf(word));
const SLIDERS = [
  ["temperature", "Temperature", 0, 2, 0.1],
  ["k", "Top-k", 1, WORDS.length, 1],
  ["p", "Top-p", 0.05, 1, 0.01],
  ["min", "Min-p", 0, 1, 0.05],
];
const START = { temperature: 1, k: WORDS.length, p: 1, min: 0, last: false };

class SamplerLab extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    this.rules = { ...START };
    this.seed = 0;
    this.aloud = announcer();
    this.text = el("p", { class: "text" });
    this.chart = el("div");
    const again = el("button", { type: "button", onclick: () => this.#again() }, "Begin again");
    this.buttons = [["Next word", 1], ["Twelve words", 12]].map(([name, count]) =>
      el("button", { type: "button", onclick: () => this.#tell(count) }, name));
    const order = choice([["first", "temperature first"], ["last", "temperature last"]], "first",
      (value) => this.#set({ last: value === "last" }));
    this.attachShadow({ mode: "open" }).append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" },
        el("div", { class: "controls stays" }, ...SLIDERS.map((each) => this.#slider(...each)),
          labelled("Order", order)),
        this.text, el("div", { class: "controls" }, ...this.buttons, again), this.chart,
        this.aloud),
    );
    this.#again(false);
  }

  #slider(name, label, min, max, step) {
    const digits = step < 0.1 ? 2 : step < 1 ? 1 : 0;
    const value = el("span", { class: "value" }, this.rules[name].toFixed(digits));
    const input = el("input", {
      type: "range", min, max, step,
      oninput: () => {
        value.textContent = input.valueAsNumber.toFixed(digits);
        this.#set({ [name]: input.valueAsNumber });
      },
    });
    input.value = this.rules[name];
    return labelled(label, input, value);
  }

  #set(patch) {
    Object.assign(this.rules, patch);
    this.#show();
  }

  /** Back to the beginning; what follows is drawn with other numbers. */
  #again(aloud = true) {
    this.seed += 1;
    this.next = dice(this.seed);
    this.model = new Model();
    this.tokens = [];
    BEGINNING.forEach((word) => this.#read(word));
    this.#show(aloud);
  }

  #read(word) {
    this.tokens.push(word);
    this.row = Array.from(this.model.read(word));
  }

  #tell(count) {
    for (let i = 0; i < count && this.tokens.length < CONTEXT; i += 1) {
      this.#read(pick(drawnFrom(this.row, this.rules), this.next()));
    }
    this.#show();
  }

  #choose(word) {
    if (this.tokens.length < CONTEXT) this.#read(word);
    this.#show();
    this.shadowRoot.querySelector(".bars button")?.focus();
  }

  #show(aloud = true) {
    const found = bars(this.row, drawnFrom(this.row, this.rules), (word) => this.#choose(word));
    this.text.replaceChildren(...told(this.tokens, BEGINNING.length));
    this.chart.replaceChildren(...found.nodes);
    const full = this.tokens.length >= CONTEXT;
    this.buttons.forEach((button) => button.toggleAttribute("disabled", full));
    if (aloud) this.aloud.say(`${WORDS[this.tokens.at(-1)]}. ${found.text}`);
  }
}

define("plain-sampler-lab", SamplerLab);
