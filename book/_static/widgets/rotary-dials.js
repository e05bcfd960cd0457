// <plain-rotary-dials>: RoPE as four dials; the score knows the angle between the hands alone.
import { announcer, define, el, group, labelled, show } from "./dom.js";
import { FREQUENCIES, LONGEST, score, unseen } from "./rotary-dials.core.js";
import { chart, dial, table, VIEW_STYLE } from "./rotary-dials.view.js";
import { followTheme, STYLE } from "./theme.js";

const START = { query: 3, key: 1, length: 128, on: [true, true, true, true] };
const FARTHEST = 2 * LONGEST;

class RotaryDials extends HTMLElement {
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
    this.result = el("div");
    this.aloud = announcer();
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.controls, this.result, this.aloud),
    );
    this.#reset(false);
  }

  #reset(aloud = true) {
    this.state = { ...START, on: [...START.on] };
    this.#buildControls();
    this.#update({}, aloud);
  }

  #buildControls() {
    const slider = (name, label, min, max) => {
      const value = el("span", { class: "value" });
      const input = el("input", {
        type: "range", min, max, oninput: () => this.#update({ [name]: input.valueAsNumber }),
      });
      this[name] = { input, value };
      return labelled(label, input, value);
    };
    const both = (step) => el("button", {
      type: "button",
      onclick: () => this.#update({ query: this.state.query + step, key: this.state.key + step }),
    }, `${step > 0 ? "+" : "−"}${Math.abs(step)}`);
    this.switches = FREQUENCIES.map((_, r) => el("input", {
      type: "checkbox", onchange: () => {
        this.state.on[r] = this.switches[r].checked;
        this.#update({});
      },
    }));
    this.controls.replaceChildren(
      slider("query", "Query at", 0, FARTHEST),
      slider("key", "Key at", 0, FARTHEST),
      slider("length", "Trained length", 2, LONGEST),
      group("Move both by", both(-1), both(1), both(10)),
      group("Dials", ...this.switches.map((box, r) => labelled(String(r), box))),
      el("button", {
        type: "button",
        onclick: () => {
          this.#reset();
          this.controls.lastElementChild.focus();
        },
      }, "Reset"),
    );
  }

  /** Change the state, keep query and key on the scale and within reach, and show it. */
  #update(patch, aloud = true) {
    const state = Object.assign(this.state, patch);
    if (patch.query !== undefined && patch.key !== undefined) this.#together(state);
    const reach = (moved, other) => Math.min(Math.max(moved, other - LONGEST), other + LONGEST);
    if ("key" in patch && !("query" in patch)) state.query = reach(state.query, state.key);
    else state.key = reach(state.key, state.query);
    for (const name of ["query", "key", "length"]) {
      this[name].input.value = state[name];
      this[name].value.textContent = state[name];
    }
    this.switches.forEach((box, r) => {
      box.checked = state.on[r];
    });
    this.#draw(aloud);
  }

  /** Both moved: stop where the first of them meets an end of the scale. */
  #together(state) {
    const [low, high] = [Math.min(state.query, state.key), Math.max(state.query, state.key)];
    const back = low < 0 ? -low : Math.min(FARTHEST - high, 0);
    state.query += back;
    state.key += back;
  }

  #draw(aloud) {
    const { state } = this;
    const offset = state.query - state.key;
    const fresh = unseen(offset, state.length, state.on);
    const total = score(offset, state.on);
    const most = state.on.filter(Boolean).length;
    const said = `Offset ${show(offset, 0)}: score ${show(total, 4)} of at most ${most}.`;
    const news = fresh.length === 0
      ? "No dial stands at an angle that training has not shown."
      : `New to ${fresh.length === 1 ? "dial" : "dials"} ${fresh.join(", ")}: an angle that ` +
        `texts of ${state.length} tokens never show.`;
    this.result.replaceChildren(
      el("p", { class: "note how" },
        "Solid hand: query. Dashed hand: key. Shaded: the angle between them. Green arc, counted " +
        "from the key: angles that training showed."),
      el("div", { class: "dials" }, ...FREQUENCIES.map((_, r) => dial(r, state))),
      el("p", { class: "note" }, el("strong", {}, "Score against the offset"),
        " (green: trained offsets)"),
      chart(state),
      el("p", { class: "note" }, said),
      el("p", { class: fresh.length ? "note wrong" : "note" }, news),
      table(state, fresh),
    );
    if (aloud) this.aloud.say(`${said} ${news}`);
  }
}

define("plain-rotary-dials", RotaryDials);
