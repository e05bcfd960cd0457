// <plain-mask-lab>: draw a mask, and see what it does before softmax and after it.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { maskOf } from "./mask-lab.core.js";
import { GRID_STYLE, MaskGrid } from "./mask-lab.grid.js";
import { numbers, VIEW_STYLE } from "./mask-lab.view.js";
import { followTheme, STYLE } from "./theme.js";

const KINDS = [
  ["none", "none"],
  ["causal", "causal"],
  ["padding", "padding"],
  ["both", "causal and padding"],
  ["window", "sliding window"],
  ["prefix", "prefix"],
  ["custom", "drawn by hand"],
];
const SIDES = [["right", "on the right"], ["left", "on the left"]];
const START = {
  kind: "causal", q: 5, k: 5, length: 3, side: "right", window: 2, open: 2,
  key: 3, change: 0, guard: true,
};

class MaskLab extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    this.shape = el("div", { class: "controls stays" });
    this.probe = el("div", { class: "controls probe" });
    this.grid = new MaskGrid((i, j) => this.#toggle(i, j));
    this.result = el("div", { class: "panels" });
    this.notes = el("div");
    this.aloud = announcer();
    this.result.append(this.grid.node);
    root.append(
      el("style", {}, STYLE + GRID_STYLE + VIEW_STYLE),
      el("div", { class: "widget" },
        this.shape, this.result, this.probe, this.notes, this.aloud),
    );
    this.state = { ...START };
    this.#update({}, false);
  }

  #toggle(i, j) {
    const mask = this.mask.map((row) => [...row]);
    mask[i][j] = !mask[i][j];
    const what = `Query ${i} may ${mask[i][j] ? "now" : "no longer"} look at key ${j}. `;
    this.#update({ kind: "custom", drawn: mask }, true, what);
  }

  /** Change the state, keep its numbers within their limits, and show it. */
  #update(patch, aloud = true, what = "") {
    const square = this.state.q === this.state.k;
    const state = Object.assign(this.state, patch);
    if (square && "k" in patch) state.q = state.k;
    state.q = Math.min(state.q, state.k);
    state.key = Math.min(state.key, state.k - 1);
    for (const name of ["length", "window", "open"]) state[name] = Math.min(state[name], state.k);
    if (state.kind === "custom") state.drawn = resized(state.drawn ?? this.mask, state);
    this.mask = state.kind === "custom" ? state.drawn : maskOf(state);
    this.#controls();
    this.grid.draw(this.mask);
    const { panels, notes, text } = numbers(state, this.mask);
    for (const old of [...this.result.children].slice(1)) old.remove(); // the mask keeps the focus
    this.result.append(...panels);
    this.result.classList.toggle("wide", state.k > 5);
    this.notes.replaceChildren(...notes);
    if (aloud) this.aloud.say(what + text);
  }

  /** Make the controls that the kind of mask needs; the focus stays on the one in use. */
  #controls() {
    const { state } = this;
    const needed = `${state.kind} ${state.k} ${state.q}`;
    if (needed === this.controlled) return;
    this.controlled = needed;
    const focused = this.shadowRoot.activeElement?.dataset.name;
    const padded = ["padding", "both"].includes(state.kind);
    this.shape.replaceChildren(...[
      this.#choice("kind", "Mask", KINDS),
      this.#slider("k", "Keys k", 3, 8),
      this.#slider("q", "Queries q", 1, state.k),
      padded && this.#slider("length", "Real tokens", 0, state.k),
      padded && this.#choice("side", "Padding", SIDES),
      state.kind === "window" && this.#slider("window", "Window", 1, state.k),
      state.kind === "prefix" && this.#slider("open", "Prefix", 0, state.k),
      this.#reset(),
    ].filter(Boolean));
    const keys = Array.from({ length: state.k }, (_, j) => [String(j), `key ${j}`]);
    const bare = el("input", {
      type: "checkbox", checked: !state.guard, "data-name": "guard",
      onchange: () => this.#update({ guard: !bare.checked }),
    });
    this.probe.replaceChildren(
      this.#choice("key", "Leak test: to all scores of", keys, Number),
      this.#slider("change", "add", 0, 5),
      labelled("Softmax without a guard for empty rows", bare),
    );
    if (focused) this.shadowRoot.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  #choice(name, label, options, read = String) {
    const select = choice(options, String(this.state[name]), (value) =>
      this.#update({ [name]: read(value) }));
    select.dataset.name = name;
    return labelled(label, select);
  }

  #slider(name, label, min, max) {
    const value = el("span", { class: "value" }, String(this.state[name]));
    const slider = el("input", {
      type: "range", min, max, value: this.state[name], "data-name": name,
      oninput: () => {
        value.textContent = slider.value;
        this.#update({ [name]: slider.valueAsNumber });
      },
    });
    return labelled(label, slider, value);
  }

  #reset() {
    return el("button", {
      type: "button", "data-name": "reset",
      onclick: () => {
        this.controlled = "";
        this.state = { ...START };
        this.#update({}, true, "Reset. ");
      },
    }, "Reset");
  }
}

/** A mask drawn by hand, at a new size; new cells may be looked at. */
function resized(mask, { q, k }) {
  return Array.from({ length: q }, (_, i) =>
    Array.from({ length: k }, (_, j) => mask[i]?.[j] ?? true));
}

define("plain-mask-lab", MaskLab);
