// <plain-heads-lab>: take the trained layers of chapter 04 apart, head by head.
import { announcer, choice, define, el, group, labelled } from "./dom.js";
import { answers, ENGLISH, FACTS, RANGES, shares, shuffled, weights } from "./heads-lab.core.js";
import { MODELS } from "./heads-lab.data.js";
import { factsPanel, headsPanel, summary, VIEW_STYLE } from "./heads-lab.view.js";
import { followTheme, STYLE } from "./theme.js";

const SIZES = [["1", "1 head"], ["2", "2 heads"], ["4", "4 heads"]];
const start = () => ({ h: "1", facts: [6, 0, 10, 7, 1], order: [0, 1, 2, 3, 4], silenced: [] });

class HeadsLab extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    Object.assign(this, {
      state: start(), known: new Map(), aloud: announcer(),
      words: el("div", { class: "controls words" }), layer: el("div", { class: "controls" }),
      panels: el("div", { class: "panels" }), note: el("p", { class: "note" }),
    });
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.words, this.layer, this.panels, this.note, this.aloud),
    );
    this.#controls();
    this.#update({}, "", false);
  }

  #update(patch, what = "", aloud = true) {
    const { h, facts, order, silenced } = Object.assign(this.state, patch);
    const model = MODELS[h];
    const found = answers(model, facts, order, silenced);
    const over = this.#over(h, silenced);
    this.panels.replaceChildren(
      headsPanel(weights(model, facts, order), facts, order, silenced), factsPanel(found, over));
    const text = summary(found, over, Number(h), silenced);
    this.note.textContent = text;
    if (aloud) this.aloud.say(what + text);
  }

  /** The shares over all sentences, computed once for each set of heads. */
  #over(h, silenced) {
    const name = `${h} ${silenced}`;
    if (!this.known.has(name)) this.known.set(name, shares(MODELS[h], silenced));
    return this.known.get(name);
  }

  /** Make all controls; the focus stays on the one in use. */
  #controls() {
    const { state } = this;
    const focused = this.shadowRoot.activeElement?.dataset.name;
    this.words.replaceChildren(...RANGES.map(([first, last], fact) => {
      const options = Array.from({ length: last - first }, (_, i) =>
        [String(first + i), ENGLISH[first + i]]);
      const select = choice(options, String(state.facts[fact]), (stem) =>
        this.#update({ facts: state.facts.with(fact, Number(stem)) }));
      select.dataset.name = `fact${fact}`;
      return labelled(FACTS[fact], select);
    }));
    const size = choice(SIZES, state.h, (h) => {
      this.#update({ h, silenced: [] });
      this.#controls();
    });
    size.dataset.name = "size";
    this.layer.replaceChildren(labelled("Layer with", size),
      group("Silence head", ...Array.from({ length: Number(state.h) }, (_, r) => this.#silencer(r))),
      this.#button("shuffle", "Shuffle the words", () =>
        this.#update({ order: shuffled(5) }, "Shuffled. ")),
      this.#button("reset", "Reset", () => {
        Object.assign(this.state, start());
        this.#controls();
        this.#update({}, "Reset. ");
      }));
    if (focused) this.shadowRoot.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  #silencer(r) {
    const box = el("input", {
      type: "checkbox", checked: this.state.silenced.includes(r), "data-name": `head${r}`,
      onchange: () => {
        const others = this.state.silenced.filter((each) => each !== r);
        this.#update({ silenced: box.checked ? [...others, r].sort() : others });
      },
    });
    return labelled(String(r), box);
  }

  #button(name, text, onclick) {
    return el("button", { type: "button", "data-name": name, onclick }, text);
  }
}

define("plain-heads-lab", HeadsLab);
