// <plain-playground>: the storyteller at work, with its heads, its cache and its next word in sight.
import { announcer, choice, define, el, labelled } from "./dom.js";
import {
  address, BEGINNINGS, cost, fromAddress, loss, measure, NAMES, parse, read, START, step, STOP, tell, TOUR,
} from "./playground.core.js";
import * as view from "./playground.view.js";
import { drawnFrom } from "./sampler-lab.core.js";
import { bars } from "./sampler-lab.view.js";
import { CONTEXT, WORDS } from "./storyteller.core.js";
import { followTheme, STYLE } from "./theme.js";

const PACE = 220; // milliseconds between two words of a sentence
const SLIDERS = [
  ["temperature", "Temperature", 0, 2, 0.1],
  ["k", "Top-k", 1, WORDS.length, 1],
  ["p", "Top-p", 0.05, 1, 0.01],
];
const say = (tokens) => tokens.map((token) => WORDS[token]).join(" ");

class Playground extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
    this.moved = () => this.#arrive(true);
    addEventListener("hashchange", this.moved);
  }

  disconnectedCallback() {
    this.leave();
    this.#stop();
    clearTimeout(this.writing);
    removeEventListener("hashchange", this.moved);
  }

  #build() {
    Object.assign(this, { state: { ...START }, step: 0, inputs: {}, aloud: announcer() });
    for (const name of ["heads", "scores", "effect", "chart", "numbers", "cache"]) this[name] = el("div");
    this.heads = el("ul", { class: "heads", "aria-label": "The heads, by layer and number" });
    this.attachShadow({ mode: "open" }).append(
      el("style", {}, STYLE + view.VIEW_STYLE),
      el("div", { class: "widget" }, this.#tour(), this.#form(), this.#text(),
        ...this.#part("Where each head attends", this.from = el("p"), this.heads,
          el("details", {}, el("summary", {}, "Scores of the head that shades the text"), this.scores)),
        ...this.#part("What a head is for", this.effect),
        ...this.#part("The next word", this.#rules(), this.chart,
          el("details", {}, el("summary", {}, "Logits and probabilities in numbers"), this.numbers)),
        ...this.#part("The cache", this.#ways(), this.cache), this.aloud),
    );
    this.#arrive(false);
  }

  #part(title, ...nodes) {
    return [el("h3", {}, title), ...nodes];
  }

  #button(text, onclick) {
    return el("button", { type: "button", onclick }, text);
  }

  #tour() {
    this.told = el("p");
    this.problem = el("p", { class: "problem wrong", role: "alert" });
    return el("div", { class: "tour" }, this.problem, this.told, el("div", { class: "controls" },
      this.back = this.#button("Previous step", () => this.#go(this.step - 1)),
      this.same = this.#button("Back to this step", () => this.#go(this.step)),
      this.onward = this.#button("Next step", () => this.#go(this.step + 1))));
  }

  #form() {
    this.typed = el("input", { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
      "aria-describedby": "wrong", maxlength: "600" });
    this.wrong = el("p", { class: "said wrong", id: "wrong", role: "alert" });
    this.examples = choice([["", "An example …"], ...BEGINNINGS.map((text) => [text, text])], "", (text) => {
      if (text) this.#begin(text);
      this.examples.value = "";
    });
    this.examples.setAttribute("aria-label", "An example of a beginning");
    const words = el("details", {}, el("summary", {}, `The ${WORDS.length} words it knows`), el("p", {}, WORDS.join(" ")));
    return el("div", {}, el("form", { onsubmit: (event) => {
      event.preventDefault();
      this.#begin(this.typed.value);
    } }, el("label", {}, el("span", {}, "Beginning"), this.typed), el("button", {}, "Read it"), this.examples),
    this.wrong, words);
  }

  #text() {
    this.words = el("div", { class: "words", role: "group", "aria-label": "The text; arrow keys move from word to word",
      onkeydown: (event) => this.#key(event) });
    this.one = this.#button("One word", () => this.#more(1));
    this.sentence = this.#button("One sentence", () => (this.timer ? this.#stop() : this.#tellSentence()));
    const seed = this.inputs.seed = el("input", { type: "number", min: 1, max: 999, step: 1, onchange: () => {
      const value = Math.round(Math.min(999, Math.max(1, seed.valueAsNumber || 1)));
      this.#set({ seed: value, at: null });
    } });
    return el("div", {}, this.words, el("div", { class: "controls" }, this.one, this.sentence,
      this.#button("Begin again", () => this.#set({ count: 0, at: null })), labelled("Seed", seed)),
    this.full = el("p", { class: "note said" }));
  }

  #rules() {
    const sliders = SLIDERS.map(([name, label, min, max, step]) => {
      const value = el("span", { class: "value" });
      const input = el("input", { type: "range", min, max, step, oninput: () => this.#set({ [name]: input.valueAsNumber }) });
      this.inputs[name] = { set value(x) {
        input.value = x;
        value.textContent = x.toFixed(step < 0.1 ? 2 : step < 1 ? 1 : 0);
      } };
      return labelled(label, input, value);
    });
    return el("div", { class: "controls" }, ...sliders);
  }

  #ways() {
    const select = choice([["", "keep a cache"], ["1", "read all again"]], "", (value) => this.#set({ again: value === "1" }));
    this.inputs.again = { set value(x) { select.value = x ? "1" : ""; } };
    return el("div", { class: "controls" }, labelled("For each word", select));
  }

  /** Take the state that the address asks for, if it asks for one. */
  #arrive(moved) {
    const found = fromAddress(location.hash);
    if (!found && moved) return;
    clearTimeout(this.writing);
    this.#stop();
    this.problem.textContent = found?.wrong ?? "";
    this.step = found?.step ?? 0;
    this.state = { ...(found?.state ?? START) };
    this.#show(moved ? this.#story() : "", { aloud: moved });
  }

  #go(to) {
    if (to < 1 || to > TOUR.length) return;
    this.#stop();
    this.step = to;
    this.state = step(this.step);
    this.problem.textContent = "";
    this.#show(`${this.#story()} `);
    this.#write(`step-${this.step}`);
  }

  /** The text of the step, which stands on the page below. */
  #story() {
    const items = document.getElementById("tour-steps")?.closest("section")?.querySelectorAll("ol > li") ?? [];
    const copy = items[this.step - 1]?.cloneNode(true);
    const nodes = copy ? [...copy.childNodes].flatMap((node) => (node.localName === "p" ? [...node.childNodes] : [node])) : [];
    const title = this.step ? `Step ${this.step} of ${TOUR.length}. ` : `A tour of ${TOUR.length} steps shows one part at a time.`;
    this.told.replaceChildren(el("strong", {}, title), ...nodes);
    return this.told.textContent;
  }

  #begin(text) {
    const { tokens, wrong } = parse(text);
    this.wrong.textContent = wrong ?? "";
    this.typed.setAttribute("aria-invalid", String(Boolean(wrong)));
    if (tokens) this.#set({ beginning: tokens, count: 0, at: null });
  }

  #set(patch) {
    this.#stop();
    Object.assign(this.state, patch);
    this.#changed();
  }

  #changed() {
    this.problem.textContent = "";
    this.#show();
    this.#write(address(this.state));
  }

  #write(hash) {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      try {
        history.replaceState(history.state, "", `#${hash}`);
      } catch { /* a browser that allows no more changes: the address stays behind */ }
    }, 300);
  }

  #more(count) {
    if (this.tokens.length < CONTEXT) this.#set({ count: this.tokens.length - this.state.beginning.length + count, at: null });
  }

  #tellSentence() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const next = () => {
      this.state.count = this.tokens.length - this.state.beginning.length + 1;
      this.state.at = null;
      if (this.tokens.length < CONTEXT) this.tokens = tell(this.state);
      const done = this.tokens.length >= CONTEXT || this.tokens.at(-1) === STOP;
      if (done) this.#stop();
      if (done || !still) this.#changed();
      return done;
    };
    if (this.tokens.length >= CONTEXT) return;
    if (still) {
      while (!next());
      return;
    }
    this.timer = setInterval(next, PACE);
    this.sentence.textContent = "Stop";
  }

  #stop() {
    clearInterval(this.timer);
    this.timer = 0;
    if (this.sentence) this.sentence.textContent = "One sentence";
  }

  #key(event) {
    const at = this.at;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.tokens.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#set({ at: Math.min(this.tokens.length - 1, Math.max(0, to)) });
  }

  /** Put the new nodes where the old ones are; the focus stays on the control in use. */
  #put(place, nodes, again) {
    const inside = place.contains(this.shadowRoot.activeElement);
    place.replaceChildren(...nodes);
    if (inside) again?.focus();
  }

  #show(what = "", { aloud = true } = {}) {
    const { state } = this;
    const tokens = this.tokens = tell(state);
    state.count = tokens.length - state.beginning.length;
    if (state.at >= tokens.length) state.at = null;
    const at = this.at = state.at ?? tokens.length - 1;
    const { steps, bytes } = read(tokens, state.off);
    const { logits, scores, weights } = steps[at];
    const head = NAMES.indexOf(state.head);
    for (const [name, input] of Object.entries(this.inputs)) input.value = state[name];
    if (!this.typed.matches(":focus")) this.typed.value = say(state.beginning);
    if (!what) this.#story();
    for (const [button, off] of [[this.back, this.step <= 1], [this.same, !this.step], [this.onward, this.step === TOUR.length]]) {
      button.setAttribute("aria-disabled", String(off));
    }
    const place = view.words(tokens, state.beginning.length, at, weights[head], (i) => this.#set({ at: i }));
    this.#put(this.words, place, place[at]);
    const isFull = tokens.length >= CONTEXT;
    for (const button of [this.one, this.sentence]) button.setAttribute("aria-disabled", String(isFull));
    this.full.textContent = isFull ? `The context of ${CONTEXT} words is full.` : "";
    this.from.textContent = `From “${WORDS[tokens[at]]}” at position ${at}, to itself and the words before it. ` +
      `Head ${state.head} shades the text.`;
    const name = this.shadowRoot.activeElement?.dataset.name;
    this.heads.replaceChildren(...view.heads(weights, tokens, state, (each) => this.#set({ head: each }), (each, off) =>
      this.#set({ off: off ? [...state.off, each].sort() : state.off.filter((other) => other !== each) })));
    if (name) this.heads.querySelector(`[data-name="${name}"]`)?.focus();
    this.scores.replaceChildren(view.scores({ head: state.head, tokens, row: scores[head], weights: weights[head] }));
    const effect = this.#effect(tokens, steps);
    this.effect.replaceChildren(...effect);
    const drawn = drawnFrom(logits, { ...state, min: 0, last: false });
    const next = bars(logits, drawn, (word) => {
      if (at + 1 < CONTEXT - 1) this.#set({ beginning: [...tokens.slice(0, at + 1), word], count: 0, at: null });
    });
    this.#put(this.chart, [el("p", {}, `After “${WORDS[tokens[at]]}” at position ${at}. Choose a bar to continue with its word.`),
      ...next.nodes], next.nodes[0].querySelector("button"));
    this.numbers.replaceChildren(view.numbers(logits, drawn, state.temperature));
    this.cache.replaceChildren(...this.#work(tokens, bytes).nodes);
    if (aloud) {
      this.aloud.say(`${what}${WORDS[tokens[at]]}, position ${at}. Head ${state.head}: ` +
        `${view.strongest(weights[head], tokens)}. ${state.off.length ? effect.at(-1).textContent : next.text}`);
    }
  }

  #effect(tokens, steps) {
    const { off } = this.state;
    if (!off.length) return view.effect({ off, whole: loss(tokens, steps) });
    const all = tell(this.state, []);
    return view.effect({ off, whole: loss(all, read(all).steps), without: loss(all, read(all, off).steps),
      text: say(all), otherText: say(tokens) });
  }

  #work(tokens, bytes) {
    const { off, again } = this.state;
    const key = `${tokens} ${off}`;
    if (this.timed?.key !== key) this.timed = { key, times: measure(tokens, off) };
    return view.cache({ n: tokens.length, bytes, cost: cost(tokens.length), times: this.timed.times, again });
  }
}

define("plain-playground", Playground);
