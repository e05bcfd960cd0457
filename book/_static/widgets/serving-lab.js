// <plain-serving-lab>: ten requests on a timeline, under a policy, a budget, a load and a memory.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { NO_LIMIT, report, serve } from "./serving-lab.core.js";
import { felt, lawTable, timeline, VIEW_STYLE, what } from "./serving-lab.view.js";
import { followTheme, STYLE } from "./theme.js";

const POLICIES = [["static", "static"], ["continuous", "continuous"]];
const BUDGETS = [6, 10, 16, 20, 24, 32].map((n) => [String(n), `${n} tokens`])
  .concat([[String(NO_LIMIT), "no limit"]]);
const LOADS = [["0.5", "half"], ["1", "as it is"], ["2", "double"], ["4", "fourfold"]];
const FAULTS = [
  ["none", "none"],
  ["leak", "answered requests keep their pages"],
  ["lose", "who is sent back is forgotten"],
];
const [FEWEST, MOST] = [14, 44]; // pages; the longest request needs 13
const START = { policy: "continuous", budget: NO_LIMIT, load: 1, pages: MOST, fault: "none", chosen: 0 };

class ServingLab extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    this.controls = el("div", { class: "controls stays" });
    this.picture = el("div");
    this.steps = el("div", { class: "controls" });
    this.below = el("div");
    this.aloud = announcer();
    this.attachShadow({ mode: "open" }).append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.controls, this.picture, this.steps, this.below, this.aloud));
    this.#reset();
  }

  #reset() {
    this.state = { ...START };
    const pages = el("span", { class: "value" }, String(MOST));
    const fewer = el("input", {
      type: "range", min: FEWEST, max: MOST, value: MOST,
      oninput: () => {
        pages.textContent = fewer.value;
        this.#update({ pages: fewer.valueAsNumber });
      },
    });
    this.controls.replaceChildren(
      this.#choice("policy", "Batching", POLICIES, String),
      this.#choice("budget", "Token budget", BUDGETS),
      this.#choice("load", "Load", LOADS),
      labelled("Pages", fewer, pages),
      this.#choice("fault", "Fault", FAULTS, String),
    );
    this.slider = el("input", {
      type: "range", min: 0, oninput: () => this.#update({ chosen: this.slider.valueAsNumber }),
    });
    this.steps.replaceChildren(
      labelled("Step", this.slider),
      el("button", { type: "button", onclick: () => this.#move(-1) }, "Step back"),
      el("button", { type: "button", onclick: () => this.#move(1) }, "Next step"),
      el("button", { type: "button", onclick: () => this.#reset() }, "Reset"),
    );
    this.#update({}, false);
  }

  #move(by) {
    this.#update({ chosen: this.state.chosen + by });
  }

  #update(patch, aloud = true) {
    Object.assign(this.state, patch);
    const served = serve(this.state);
    const last = served.steps.length - 1;
    // Another setting has other steps: show the last one, where all is told.
    const chosen = "chosen" in patch ? Math.min(last, Math.max(0, patch.chosen)) : last;
    this.state.chosen = chosen;
    this.slider.max = last;
    this.slider.value = chosen;
    const all = report(served);
    const end = served.stuck
      ? "No token comes any more, and somebody is not answered."
      : felt(all);
    this.picture.replaceChildren(...timeline(served, chosen, all),
      el("p", { class: served.stuck ? "note wrong" : "note" }, end));
    this.below.replaceChildren(
      el("p", { class: "note" }, what(served, chosen)), lawTable(served.steps[chosen].laws));
    if (aloud) this.aloud.say("chosen" in patch ? what(served, chosen) : end);
  }

  #choice(name, label, options, read = Number) {
    const select = choice(options, String(this.state[name]), (value) =>
      this.#update({ [name]: read(value) }));
    return labelled(label, select);
  }
}

define("plain-serving-lab", ServingLab);
