// <plain-roofline-lab>: a kernel of attention under the roof of a machine.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { MACHINES, place, SIDE } from "./roofline-lab.core.js";
import { chart, table, verdict, VIEW_STYLE } from "./roofline-lab.view.js";
import { followTheme, STYLE } from "./theme.js";

const START = { kernel: "steps", q: 1024, k: 1024, d: 128, r: 1, itemsize: 2, machine: "h100" };
const NAMES = {
  steps: "attention in four steps",
  fused: "fused attention",
  softmax: "softmax",
  weights: `tokens times a weight matrix, ${SIDE} × ${SIDE}`,
};
const USES = { steps: "qkdr", fused: "qkdr", softmax: "qkr", weights: "q" };
const powers = (first, last) =>
  Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i)).map((n) => [n, n.toLocaleString("en")]);

class RooflineLab extends HTMLElement {
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
    this.picture = el("div");
    this.aloud = announcer();
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.controls, this.picture, this.aloud),
    );
    this.#reset(false);
  }

  #reset(aloud = true) {
    this.state = { ...START };
    const number = (name) => (value) => this.#update({ [name]: Number(value) });
    const machines = Object.entries(MACHINES).map(([id, { name }]) => [id, name]);
    this.sizes = {
      q: choice(powers(0, 17), START.q, number("q")),
      k: choice(powers(0, 17), START.k, number("k")),
      d: choice(powers(4, 10), START.d, number("d")),
      r: choice(powers(0, 7), START.r, number("r")),
    };
    const reset = el("button", {
      type: "button",
      onclick: () => {
        this.#reset();
        this.controls.lastElementChild.focus();
      },
    }, "Reset");
    this.controls.replaceChildren(
      labelled("Kernel", choice(Object.entries(NAMES), START.kernel, (kernel) => this.#update({ kernel }))),
      labelled("Queries or tokens", this.sizes.q),
      labelled("Keys", this.sizes.k),
      labelled("Width of a head", this.sizes.d),
      labelled("Query heads to a key head", this.sizes.r),
      labelled("Bytes of a number", choice([[4, "4"], [2, "2"], [1, "1"]], START.itemsize, number("itemsize"))),
      labelled("Machine", choice(machines, START.machine, (machine) => this.#update({ machine }))),
      reset,
    );
    this.#update({}, aloud);
  }

  #update(patch, aloud = true) {
    Object.assign(this.state, patch);
    for (const [name, control] of Object.entries(this.sizes)) {
      control.disabled = !USES[this.state.kernel].includes(name);
    }
    const found = place(this.state);
    this.picture.replaceChildren(chart(found), el("p", { class: "verdict" }, verdict(found)), table(found));
    if (aloud) this.aloud.say(verdict(found));
  }
}

define("plain-roofline-lab", RooflineLab);
