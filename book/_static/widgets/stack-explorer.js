// <plain-stack-explorer>: change a token, see which outputs move, and name the closed boxes.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { ANSWERS, CHANGED, judge, KINDS, tableOf, VERDICTS } from "./stack-explorer.core.js";
import { bars, record, sentence, tokens, VIEW_STYLE } from "./stack-explorer.view.js";
import { followTheme, STYLE } from "./theme.js";

const LETTERS = "ABCDEF";
const BOX_NAMES = ANSWERS.map((_, i) => [`box${i}`, `box ${LETTERS[i]}`]);
const START = { model: "encoder", layers: 1, changed: null, tried: [], verdict: "", told: "" };

class StackExplorer extends HTMLElement {
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
    this.row = el("div", { class: "tokens", role: "group", "aria-label": "Tokens: press to change" });
    this.panels = el("div", { class: "panels" });
    this.case = el("div", { class: "case" });
    this.aloud = announcer();
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.controls,
        el("p", { class: "title" }, "Press a token to change it to the next letter"),
        this.row, this.panels, this.case, this.aloud),
    );
    this.state = { ...START };
    this.#update({}, false);
  }

  get #isBox() {
    return this.state.model.startsWith("box");
  }

  /** Change the state and show it; the focus stays on the control in use. */
  #update(patch, aloud = true) {
    const state = Object.assign(this.state, patch);
    const focused = this.shadowRoot.activeElement?.dataset.name;
    const table = tableOf(state.model, state.layers);
    this.#drawControls();
    this.row.replaceChildren(...tokens(state.changed, CHANGED, (j) => this.#press(j)));
    this.panels.replaceChildren(bars(table, state.changed),
      record(table, state.tried, state.changed));
    this.#drawCase();
    if (focused) this.shadowRoot.querySelector(`[data-name="${focused}"]`)?.focus();
    if (aloud) this.aloud.say(state.told || sentence(table, state.changed));
  }

  #press(j) {
    const { changed, tried } = this.state;
    const now = changed === j ? null : j;
    const more = now === null || tried.includes(now) ? tried : [...tried, now];
    this.#update({ changed: now, tried: more, told: "" });
  }

  /** Another model, or another number of layers, is a fresh start. */
  #fresh(patch) {
    this.#update({ changed: null, tried: [], verdict: "", told: "", ...patch });
  }

  #drawControls() {
    const { model, layers } = this.state;
    const options = [...Object.entries(KINDS), ...BOX_NAMES];
    const models = choice(options, model, (value) => this.#fresh({ model: value }));
    models.dataset.name = "model";
    const depths = choice([["1", "1"], ["2", "2"], ["3", "3"]], String(layers), (value) =>
      this.#fresh({ layers: Number(value) }));
    depths.dataset.name = "layers";
    const reset = el("button", {
      type: "button", "data-name": "reset", onclick: () => this.#fresh(START),
    }, "Reset");
    this.controls.replaceChildren(...[
      labelled("Model", models),
      this.#isBox ? el("span", {}, "Layers: 2") : labelled("Layers", depths),
      reset,
    ]);
  }

  #drawCase() {
    const { model, verdict, tried, told } = this.state;
    if (!this.#isBox) {
      this.case.replaceChildren(el("p", { class: "note" },
        "The case: choose one of the boxes A to F above, and find out what it is."));
      return;
    }
    const options = [["", "…"], ...Object.entries(VERDICTS)];
    const pick = choice(options, verdict, (value) => this.#update({ verdict: value, told: "" }));
    pick.dataset.name = "verdict";
    const tell = el("button", {
      type: "button", "data-name": "tell", disabled: verdict === "",
      onclick: () => this.#update({ told: this.#judged() }),
    }, "Say so");
    this.case.replaceChildren(
      el("div", { class: "controls" }, labelled(`This ${nameOf(model)} is`, pick), tell,
        el("span", {}, `Tokens tried: ${tried.length} of 6`)),
      told ? el("p", { class: told.startsWith("✓") ? "note good" : "note wrong" }, told) : "");
  }

  #judged() {
    const { model, verdict, tried } = this.state;
    const { right, exact, twin, left, sure } = judge(Number(model.slice(3)), verdict, tried);
    if (!right) {
      const fits = left.includes(verdict);
      return fits
        ? "✗ No. What you have tried fits, and another token tells it apart."
        : "✗ No. Something that you have tried already speaks against it.";
    }
    const trials = `${tried.length} ${tried.length === 1 ? "token" : "tokens"}`;
    if (!sure) {
      return `✓ Right, by luck: after ${trials}, ${left.length} of the six still fit.`;
    }
    if (twin === null) return `✓ Right, and proven by ${trials}.`;
    return exact
      ? `✓ Right. After ${trials} one other fits as well, and no token will ever tell them apart.`
      : `✓ As right as can be. It was made as another of the six, and no token tells them apart.`;
  }
}

function nameOf(model) {
  return BOX_NAMES.find(([value]) => value === model)[1];
}

define("plain-stack-explorer", StackExplorer);
