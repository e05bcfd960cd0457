// <plain-softmax-stepper>: online softmax over one row, block by block.
import { announcer, choice, define, el, labelled, set, show } from "./dom.js";
import { lse, output, ROWS, steps } from "./softmax-stepper.core.js";
import { bars, table, VIEW_STYLE } from "./softmax-stepper.view.js";
import { followTheme, STYLE } from "./theme.js";

const NAMES = [
  ["text", "The row of the text"],
  ["large", "The same, plus 1000"],
  ["masked", "With masked keys"],
  ["rising", "Rising scores"],
];
const ORDERS = [
  ["left", "from the left"],
  ["right", "from the right"],
  ["rising", "in rising order"],
  ["falling", "in falling order"],
];
const START = { row: "text", order: "left", width: 2, slack: 0, read: 0 };

class SoftmaxStepper extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    this.controls = el("div", { class: "controls" });
    this.moves = el("div", { class: "controls moves" });
    this.result = el("div");
    this.aloud = announcer();
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.controls, this.moves, this.result, this.aloud),
    );
    const button = (text, onclick) => el("button", { type: "button", onclick }, text);
    this.back = button("◀ Block back", () => this.#update({ read: this.state.read - 1 }));
    this.next = button("Next block ▶", () => this.#update({ read: this.state.read + 1 }));
    this.all = button("To the end", () => this.#update({ read: Infinity }));
    this.moves.append(this.back, this.next, this.all, button("Reset", () => this.#reset()));
    this.#reset(false);
  }

  #reset(aloud = true) {
    this.state = { ...START };
    const pick = (name, label, options) =>
      labelled(label, choice(options, this.state[name], (value) =>
        this.#update({ [name]: value, read: 0 })));
    const slider = (name, label, min, max) => {
      const value = el("span", { class: "value" }, String(this.state[name]));
      const input = el("input", {
        type: "range", min, max, value: this.state[name],
        oninput: () => {
          value.textContent = input.value;
          const patch = { [name]: input.valueAsNumber };
          this.#update(name === "width" ? { ...patch, read: 0 } : patch);
        },
      });
      return labelled(label, input, value);
    };
    this.controls.replaceChildren(
      pick("row", "Scores", NAMES),
      pick("order", "Read", ORDERS),
      slider("width", "Keys in a block", 1, 8),
      slider("slack", "Slack", 0, 8),
    );
    this.#update({}, aloud);
  }

  /** Change the state, keep the number of blocks read within the row, and show it. */
  #update(patch, aloud = true) {
    const state = Object.assign(this.state, patch);
    const all = steps({ ...state, keys: ROWS[state.row] });
    state.read = Math.min(Math.max(state.read, 0), all.length);
    set(this.back, { "aria-disabled": String(state.read === 0) }); // dimmed, and keeps the focus
    for (const button of [this.next, this.all]) {
      set(button, { "aria-disabled": String(state.read === all.length) });
    }
    const seen = all.slice(0, state.read);
    const said = this.#said(seen, all.length);
    this.result.replaceChildren(
      bars(ROWS[state.row], all, state.read),
      table(seen, all),
      el("p", { class: "note" }, said),
    );
    if (aloud) this.aloud.say(said);
  }

  #said(seen, count) {
    if (seen.length === 0) {
      return `Nothing is read yet: ${count} ${count === 1 ? "block" : "blocks"} to come.`;
    }
    const last = seen.at(-1);
    const times = seen.filter(({ rescaled }) => rescaled).length;
    return `${seen.length} of ${count} blocks read. The old sums were rescaled ` +
      `${times === 1 ? "once" : `${times} times`}. Output ${show(output(last), 3)}, log-sum-exp ` +
      `${show(lse(last), 3)}.`;
  }
}

define("plain-softmax-stepper", SoftmaxStepper);
