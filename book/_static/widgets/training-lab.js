// <plain-training-lab>: the storyteller's architecture, trained from random weights in the page.
import { announcer, choice, define, el, labelled, show } from "./dom.js";
import { followTheme, STYLE } from "./theme.js";
import { chart, GOAL, headPanel, roles, shade, VIEW_STYLE } from "./training-lab.view.js";

const RATES = ["0.0005", "0.001", "0.002", "0.005", "0.01", "0.03"].map((rate) => [rate, rate]);
const WIDTHS = [["32", "32"], ["64", "64"], ["96", "96"]];
const START = { seed: "1", rate: "0.002", width: "64" };
const SAYS = 200; // steps between two sentences for a screen reader
const WORKER = "_static/bundles/widgets.training-lab.worker.js";

class TrainingLab extends HTMLElement {
  static observedAttributes = ["data-dark"];

  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.leave = followTheme(this);
    this.hides = () => document.hidden && this.state === "training" &&
      this.#pause("Paused, because the page was hidden.");
    document.addEventListener("visibilitychange", this.hides);
  }

  disconnectedCallback() {
    this.leave();
    document.removeEventListener("visibilitychange", this.hides);
    this.#stop();
    this.#show("new", "");
  }

  attributeChangedCallback() {
    if (this.last) this.#maps(); // in the other theme's colour
  }

  #build() {
    Object.assign(this, {
      settings: { ...START }, looks: [], last: null, worker: null, state: "new", reached: false,
      aloud: announcer(), controls: el("div", { class: "controls stays" }),
      clock: el("p", { class: "note clock" }), curve: el("figure", { class: "drawn" }),
      heads: el("div", { class: "heads" }), words: el("p", { class: "small" }), found: el("p", { class: "note" }),
      text: el("p", { class: "text" }), note: el("p", { class: "note" }),
    });
    this.go = el("button", { type: "button", onclick: () => this.#press() }, "Start training");
    this.again = el("button", { type: "button", onclick: () => this.#again() }, "Reset");
    const seed = el("input", {
      type: "number", min: 1, max: 9999, step: 1, value: START.seed,
      onchange: () => {
        seed.value = Math.max(1, Math.min(9999, Math.round(seed.valueAsNumber) || 1));
        this.#set({ seed: seed.value });
      },
    });
    this.controls.append(
      labelled("Seed", seed),
      labelled("Highest rate", choice(RATES, START.rate, (rate) => this.#set({ rate }))),
      labelled("Width", choice(WIDTHS, START.width, (width) => this.#set({ width }))),
      el("div", { class: "buttons" }, this.go, this.again),
    );
    this.attachShadow({ mode: "open" }).append(
      el("style", {}, STYLE + VIEW_STYLE),
      el("div", { class: "widget" }, this.controls, this.clock, this.note,
        el("div", { class: "parts" }, this.curve,
          el("div", {}, el("p", { class: "title" }, "Attention maps: a row for each query"), this.heads, this.words)),
        this.found, el("p", { class: "title" }, "The model writes"), this.text, this.aloud),
    );
    this.#again(false);
  }

  /** New settings take effect in a new training run. */
  #set(patch) {
    Object.assign(this.settings, patch);
    this.#again(false);
    this.aloud.say("A new training run is ready.");
  }

  #again(aloud = true) {
    this.#stop();
    Object.assign(this, { looks: [], last: null, reached: false, recipe: null });
    this.curve.replaceChildren(...chart([], 0));
    this.panels = [0, 1].map((layer) => [0, 1, 2, 3].map((head) => headPanel(layer, head)));
    this.heads.replaceChildren(...this.panels.flat().map((panel) => panel.node));
    this.clock.textContent = "Step 0";
    this.found.textContent = this.words.textContent = "";
    this.text.textContent = "Nothing yet.";
    this.#show("new", "");
    if (aloud) this.aloud.say("The next training run begins with random weights.");
  }

  #press() {
    if (this.state === "training") this.#pause("Paused.");
    else if (this.state === "paused") this.#resume();
    else {
      if (this.state === "done") this.#again(false);
      this.#begin();
    }
  }

  #begin() {
    const { seed, rate, width } = this.settings;
    const failed = "The training could not start. It takes a worker, which browsers refuse to a page that was " +
      "opened as a file: read the site at its web address, or with make serve.";
    const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href);
    try {
      this.worker = new Worker(new URL(WORKER, root));
    } catch {
      this.#show("failed", failed);
      return;
    }
    this.worker.onmessage = ({ data }) => this.#hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.#stop();
      this.#show("failed", failed);
    };
    this.worker.postMessage({
      begin: { seed: Number(seed), rate: Number(rate), width: Number(width) }, go: true,
    });
    this.#show("training", "");
    this.aloud.say("Training begins.");
  }

  #resume() {
    this.worker.postMessage({ go: true });
    this.#show("training", this.slow ?? "");
  }

  #pause(why) {
    this.worker?.postMessage({ go: false });
    this.#show("paused", why);
  }

  #stop() {
    this.worker?.terminate();
    this.worker = null;
  }

  #show(state, note) {
    this.state = state;
    this.note.textContent = note;
    this.note.hidden = !note;
    if (note) this.aloud.say(note);
    const names = { new: "Start training", training: "Pause", paused: "Continue", done: "Train again", failed: "Start training" };
    this.go.textContent = names[state];
    this.again.disabled = state === "new" || state === "failed";
  }

  #hear(data) {
    if (data.kind === "ready") {
      this.recipe = data;
      this.slow = data.simd ? null : "This browser has no WebAssembly with SIMD, so the same steps run in " +
        "JavaScript, several times as slowly.";
      if (this.slow) this.#show("training", this.slow);
      return;
    }
    const { recipe: { steps, batch }, parameters } = this.recipe;
    this.clock.textContent = `Step ${data.step} of ${steps}, ${show(data.seconds, 0)} s: ` +
      `${parameters} parameters, ${batch} ballads of 64 words per step`;
    if (data.kind !== "look") return;
    this.last = data;
    this.looks.push(data);
    this.curve.replaceChildren(...chart(this.looks, steps));
    this.#maps();
    this.found.textContent = roles(data);
    this.words.textContent = `Rows and columns are these ${data.words.length} words: ${data.words.join(" ")}`;
    if (data.text) {
      this.text.replaceChildren(el("span", { class: "at" }, `Step ${data.step}: `), data.text.join(" "));
    }
    this.#tell(data);
  }

  /** A sentence now and then: at the goal, at the end, and every few hundred steps. */
  #tell(data) {
    const losses = `Step ${data.step}: loss ${show(data.loss)}, copied words ${show(data.copied)} nats.`;
    const first = data.copied <= GOAL && !this.reached;
    this.reached ||= first;
    if (data.done) {
      this.#show("done", `Trained in ${show(data.seconds, 0)} s. ${losses}`);
    } else if (first) this.aloud.say(`The model copies. ${losses}`);
    else if (data.step && data.step % SAYS === 0) this.aloud.say(losses);
  }

  #maps() {
    const colour = shade(this);
    const { maps, words, previous, induction } = this.last;
    const best = (scores) => Math.max(...scores.flat());
    this.panels.forEach((row, l) => row.forEach((panel, h) => panel.draw(maps[l][h], words, colour, {
      previous: previous[l][h], induction: induction[l][h],
      isPrevious: this.last.step > 0 && previous[l][h] === best(previous),
      isInduction: this.last.step > 0 && induction[l][h] === best(induction),
    })));
  }
}

define("plain-training-lab", TrainingLab);
