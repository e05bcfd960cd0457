// <plain-head-detective>: look through one head at a ballad, name its role, then open its file.
import { announcer, choice, define, el, labelled } from "./dom.js";
import { HEADS, queries, ROLES, TEXTS } from "./head-detective.core.js";
import { file, seenNow, verdict, VIEW_STYLE, wordButtons } from "./head-detective.view.js";
import { followTheme, STYLE } from "./theme.js";

const START = { text: TEXTS[0], head: 2, query: 10 };

class HeadDetective extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
  }

  disconnectedCallback() {
    this.leave();
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    this.state = { ...START };
    this.controls = el("div", { class: "controls" });
    this.line = el("div", {
      class: "words", role: "group", "aria-label": "Words: choose the query",
      onkeydown: (event) => this.#key(event),
    });
    this.now = el("p", { class: "note" });
    this.asked = el("div", { class: "controls" });
    this.result = el("div");
    this.aloud = announcer();
    const how = "Choose a word to ask from there, or move with the arrow keys. The " +
      "stronger the colour, the more weight; dashed words lie in the future.";
    root.append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.controls, this.line, this.now,
        el("p", { class: "note how" }, how), this.asked, this.result, this.aloud),
    );
    this.#controls();
    this.#update({}, false);
  }

  #controls() {
    this.heads = HEADS.map((name, head) => el("button", {
      type: "button", "aria-label": `Head ${name}`, onclick: () => this.#update({ head }),
    }, name));
    const texts = choice(TEXTS.map((name) => [name, name]), this.state.text, (text) =>
      this.#update({ text, query: Math.min(this.state.query, queries(text) - 1) }));
    this.controls.replaceChildren(
      labelled("Text", texts),
      el("div", { class: "heads", role: "group", "aria-label": "Head" }, ...this.heads),
    );
    this.guess = choice([["", "choose a role"], ...ROLES], "", (guess) => this.#open(guess));
    this.asked.replaceChildren(labelled("This head is", this.guess));
  }

  /** Change what is looked at. Another head closes the file; another word keeps it open. */
  #update(patch, aloud = true) {
    const inside = this.line.contains(this.shadowRoot.activeElement);
    Object.assign(this.state, patch);
    if ("head" in patch) {
      this.guess.value = "";
      this.opened = "";
    }
    this.heads.forEach((button, h) =>
      button.setAttribute("aria-pressed", String(h === this.state.head)));
    this.line.replaceChildren(...wordButtons(this.state, (query) => this.#update({ query })));
    if (inside) this.line.children[this.state.query].focus();
    this.now.textContent = seenNow(this.state);
    this.#file();
    if (aloud) this.aloud.say(this.now.textContent);
  }

  #open(guess) {
    this.opened = guess;
    this.#file();
    if (guess) this.aloud.say(verdict(this.state.head, guess).text);
  }

  #file() {
    this.result.replaceChildren(...(this.opened ? [file(this.state, this.opened)] : []));
  }

  #key(event) {
    const last = queries(this.state.text) - 1;
    const { query } = this.state;
    const moves = {
      ArrowLeft: query - 1, ArrowRight: query + 1, ArrowUp: query - 1, ArrowDown: query + 1,
      Home: 0, End: last,
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.#update({ query: Math.max(0, Math.min(last, moves[event.key])) });
    this.line.children[this.state.query].focus();
  }
}

define("plain-head-detective", HeadDetective);
