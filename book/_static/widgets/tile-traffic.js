// <plain-tile-traffic>: watch tiles move between HBM and the chip, and count their bytes.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { steps, traffic } from "./tile-traffic.core.js";
import { counters, grid, memories, summary, VIEW_STYLE } from "./tile-traffic.view.js";
import { followTheme, STYLE } from "./theme.js";

const SIDES = [16, 32, 64, 128, 256, 512].map((side) => [String(side), String(side)]);
const ROOMS = [8192, 16384, 32768, 65536].map((room) => [String(room), room.toLocaleString("en")]);
const PASSES = [["forward", "forward"], ["backward", "backward"]];
const KEPT = [["queries", "queries"], ["keys", "keys and values"]];
const START = {
  q: 512, k: 512, d: 64, e: 64, itemsize: 2, height: 64, width: 64, causal: false,
  kept: "queries", backward: false,
};
const PACE = 60; // ms for a step, where motion is welcome
const LONGEST = 6000; // ms for a whole pass

class TileTraffic extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    this.settings = el("div", { class: "controls" });
    this.buttons = el("div", { class: "controls stays", style: "margin-top: 0.6rem" });
    this.panels = el("div", { class: "panels" });
    this.aloud = announcer();
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.settings, this.buttons, this.panels, this.aloud),
    );
    this.#reset(false);
  }

  #reset(aloud = true) {
    this.state = { ...START };
    this.room = 32768;
    this.#change({}, aloud, "Reset. ");
  }

  /** Take new settings, and begin the pass again. */
  #change(patch, aloud = true, what = "") {
    this.#halt();
    Object.assign(this.state, patch);
    this.all = steps(this.state);
    this.at = 0;
    this.#controls();
    this.#show(aloud, what);
  }

  #halt() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  #go(to, aloud = true) {
    this.at = Math.max(0, Math.min(to, this.all.length));
    if (this.at === this.all.length) this.#halt();
    this.#show(aloud);
  }

  /** Run the pass; at once where motion is not welcome. */
  #run() {
    if (this.timer) {
      this.#halt();
      this.#show();
      return;
    }
    const from = this.at === this.all.length ? 0 : this.at;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#go(this.all.length);
      return;
    }
    const ticks = Math.min(this.all.length - from, LONGEST / PACE);
    const stride = Math.ceil((this.all.length - from) / ticks);
    this.at = from;
    this.timer = setInterval(() => this.#go(this.at + stride, false), PACE);
  }

  #show(aloud = true, what = "") {
    const { state, room, all, at } = this;
    const step = all[at - 1];
    const whole = traffic(state);
    const soFar = step ? step.total : all[0].total - all[0].bytes;
    this.panels.replaceChildren(
      el("div", { class: "panel" }, memories(state, step), counters(state, soFar, whole, room)),
      grid(state, all.slice(0, at), at < all.length ? step : undefined));
    const run = this.buttons.querySelector('[data-name="run"]');
    if (run) run.textContent = this.timer ? "Pause" : "Run";
    if (aloud) this.aloud.say(what + summary(state, at, soFar, whole, room));
  }

  /** Make all controls; the focus stays on the one in use. */
  #controls() {
    const { state } = this;
    const focused = this.shadowRoot.activeElement?.dataset.name;
    const causal = el("input", {
      type: "checkbox", checked: state.causal, "data-name": "causal",
      onchange: () => this.#change({ causal: causal.checked }),
    });
    this.settings.replaceChildren(...[
      this.#choice("pass", "Pass", PASSES, state.backward ? "backward" : "forward",
        (pass) => this.#change({ backward: pass === "backward" })),
      !state.backward && this.#choice("kept", "Stays on the chip", KEPT, state.kept,
        (kept) => this.#change({ kept })),
      this.#choice("height", "Height (queries)", SIDES, String(state.height),
        (side) => this.#change({ height: Number(side) })),
      this.#choice("width", "Width (keys)", SIDES, String(state.width),
        (side) => this.#change({ width: Number(side) })),
      this.#choice("room", "Room on the chip", ROOMS, String(this.room), (room) => {
        this.room = Number(room);
        this.#show();
      }),
      labelled("Causal", causal),
    ].filter(Boolean));
    this.buttons.replaceChildren(
      this.#button("step", "Step", () => { this.#halt(); this.#go(this.at + 1); }),
      this.#button("run", "Run", () => { this.#run(); this.#show(false); }),
      this.#button("end", "To the end", () => { this.#halt(); this.#go(this.all.length); }),
      this.#button("again", "From the start", () => { this.#halt(); this.#go(0); }),
      this.#button("reset", "Reset", () => this.#reset()),
    );
    if (focused) this.shadowRoot.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  #choice(name, label, options, chosen, onchange) {
    const select = choice(options, chosen, onchange);
    select.dataset.name = name;
    return labelled(label, select);
  }

  #button(name, text, onclick) {
    return el("button", { type: "button", "data-name": name, onclick }, text);
  }
}

define("plain-tile-traffic", TileTraffic);
