// <plain-yarn-ramp>: by how much each rotary plane of a model is slowed for a longer context.
import { announcer, choice, define, el, labelled, show } from "./dom.js";
import { followTheme, STYLE } from "./theme.js";
import { attentionFactor, ENDS, kinds, METHODS, MODELS, planes } from "./yarn-ramp.core.js";
import { chart, key, table, VIEW_STYLE } from "./yarn-ramp.view.js";

const list = (numbers) => (numbers.length > 6
  ? `${numbers[0]} to ${numbers.at(-1)}` : numbers.join(", "));

class YarnRamp extends HTMLElement {
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
    this.#reset("storyteller", false);
  }

  #reset(id, aloud = true) {
    const model = MODELS[id];
    this.state = { ...model, id, trained: model.context, plane: model.width / 2 - 1, ...ENDS.yarn };
    Object.assign(this.state, ENDS[model.method] ?? ENDS.yarn);
    const slider = (name, label, min, max) => {
      const value = el("span", { class: "value" });
      const input = el("input", {
        type: "range", min, max, step: 1, oninput: () => this.#update({ [name]: input.valueAsNumber }),
      });
      this[name] = { input, value };
      return labelled(label, input, value);
    };
    const contexts = [model.context / 2, model.context, model.context * model.factor,
      model.context * model.factor * 2].map((n) => [n, n.toLocaleString("en")]);
    this.controls.replaceChildren(
      labelled("Model", choice(Object.entries(MODELS).map(([name, one]) => [name, one.name]), id,
        (name) => this.#reset(name))),
      labelled("Method", choice(Object.entries(METHODS), model.method, (method) =>
        this.#update({ method, ...(ENDS[method] ?? {}) }))),
      labelled("Trained context given", choice(contexts, model.context, (n) =>
        this.#update({ context: Number(n) }))),
      slider("fast", "Turns at the fast end", 2, 64),
      slider("plane", "Plane", 0, model.width / 2 - 1),
      el("button", {
        type: "button",
        onclick: () => {
          this.#reset("storyteller");
          this.controls.lastElementChild.focus();
        },
      }, "Reset"),
    );
    this.#update({}, aloud);
  }

  #update(patch, aloud = true) {
    const state = Object.assign(this.state, patch);
    for (const name of ["fast", "plane"]) {
      this[name].input.value = state[name];
      this[name].value.textContent = state[name];
    }
    this.fast.input.disabled = !(state.method in ENDS);
    // The length that is read follows from the model, whatever context the method is told.
    const rows = planes({ ...state, read: (state.trained * state.factor) / state.context });
    const { alone, blended, whole } = kinds(rows);
    const fresh = rows.flatMap((row, i) => (row.fresh ? [i] : []));
    const counts = `Planes left alone: ${alone}, blended: ${blended}, slowed by the whole factor ` +
      `${state.factor}: ${whole}. Scores are multiplied by ${show(attentionFactor(state) ** 2, 2)}.`;
    const news = fresh.length === 0
      ? "No plane meets a new angle."
      : `New angles in ${fresh.length === 1 ? "plane" : "planes"} ${list(fresh)}.`;
    this.picture.replaceChildren(
      el("p", { class: "note how" }, `Trained on ${state.trained.toLocaleString("en")} positions, read ` +
        `up to ${(state.trained * state.factor).toLocaleString("en")}. Fastest plane at the left.`),
      chart(rows, state), key(),
      el("p", { class: "note" }, counts),
      el("p", { class: fresh.length ? "note wrong" : "note good" }, news),
      table(rows[state.plane], state.plane),
    );
    if (aloud) this.aloud.say(`${counts} ${news}`);
  }
}

define("plain-yarn-ramp", YarnRamp);
