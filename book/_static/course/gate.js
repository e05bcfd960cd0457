// The gate of a chapter: it takes the points of the graded notebook, the cards count themselves.
import { button, el, problems } from "./page.js";
import { demand, standing } from "./mastery.js";
import { broughtBy, pointsIn } from "./points.js";
import { progress as openProgress } from "./progress.js";

class Gate {
  constructor(section, progress) {
    Object.assign(this, { section, progress, asked: demand(section) });
    const { chapter } = this.asked;
    this.states = Object.fromEntries(["score", "cards"].map((name) => {
      const state = el("strong", { class: "gate-state", id: `gate-${chapter}-${name}` });
      section.querySelector(`[data-criterion="${name}"]`).append(el("br"), state);
      return [name, state];
    }));
    section.querySelector('[data-criterion="score"]').append(...this.#fields());
    this.result = el("p", { class: "gate-result", role: "status" });
    section.querySelector("ol").after(this.result);
    problems(progress);
    this.concepts = [...section.querySelectorAll(".gate-concepts li")].map((item) => {
      const note = el("span", { class: "gate-note" });
      item.append(" ", note);
      return { ids: item.dataset.cards.split(" ").filter(Boolean), item, note };
    });
    progress.addEventListener("change", () => this.#show());
    this.#show();
    globalThis.addEventListener("hashchange", () => this.#arrive());
    this.#arrive();
  }

  /** The points of the checks, those of the reader's own words, and what is said of both. */
  #fields() {
    const { chapter } = this.asked;
    const own = Number(this.section.dataset.words ?? 0);
    this.most = this.asked.points - own;
    const field = (name, attributes) => el("input", {
      id: `gate-${chapter}-${name}`, autocomplete: "off",
      "aria-describedby": `gate-${chapter}-problem`, ...attributes,
    });
    this.code = field("code", {
      type: "text", spellcheck: "false",
      onchange: () => this.#enter(this.code.value),
      onpaste: () => this.code.select(), // what comes takes the place of what stands there
      oninput: ({ inputType }) => {
        if (inputType === "insertFromPaste") this.#pasted(this.code.value);
      },
    });
    this.words = field("words", {
      type: "number", min: 0, max: own, step: "any", inputmode: "decimal",
      onchange: () => this.#enterWords(own),
    });
    const paste = navigator.clipboard?.readText && button("Paste code", () => this.#paste());
    this.complaint = el("p", { class: "course-problem", id: `gate-${chapter}-problem`, role: "alert" });
    this.said = el("p", { class: "gate-said", role: "status", tabindex: -1 });
    const row = (input, label, most, more) => el("div", { class: "gate-score" },
      el("label", { for: input.id }, label), el("span", {}, input, ` of ${most}`), more);
    return [
      row(this.code, "Code or points", this.most, paste || null),
      own ? row(this.words, "For my own words", own) : null,
      this.complaint, this.said,
    ].filter(Boolean);
  }

  /** Take what the address brings, once: then it is an address of the gate. */
  #arrive() {
    const brought = broughtBy(location.hash);
    if (brought === null) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    const points = this.#points(brought);
    const before = this.progress.gate(this.asked.chapter)?.score ?? null;
    if (points !== null && before !== null && points < before) {
      this.#say(`This link brings ${points} points; you have ${before} here. `,
        button(`Take ${points}`, () => this.#take(points)),
        button(`Keep ${before}`, () => this.#say(`Kept: ${before} points.`)));
    } else if (points !== null) {
      this.#take(points);
    }
    const look = () => {
      this.section.scrollIntoView({ block: "center" });
      this.#lead();
    };
    // An address given while the page loads would move the focus from what is said to the page.
    const arrived = () => {
      look();
      history.replaceState(history.state, "", `#${this.section.id}`);
    };
    if (document.readyState === "complete") return arrived();
    look();
    addEventListener("load", arrived, { once: true }); // meanwhile the page grows
  }

  async #paste() {
    try {
      this.#pasted(await navigator.clipboard.readText());
    } catch {
      this.#complain(this.code, "This browser does not let the page read what you copied: paste it into the field.");
    }
  }

  #pasted(text) {
    this.code.value = text.trim().slice(0, 40);
    this.#enter(text);
  }

  #enter(text) {
    if (text.trim() === "") {
      this.#complain(this.code, "");
      this.said.replaceChildren();
      this.progress.setGate(this.asked.chapter, null);
      return;
    }
    const points = this.#points(text);
    if (points !== null) this.#take(points);
  }

  /** Read a code or a number; null, and a complaint, where it is neither. */
  #points(text) {
    const { chapter } = this.asked;
    const code = pointsIn(text);
    const typed = text.trim().replace(",", ".");
    const points = code?.points ?? (/^\d+(\.\d*)?$|^\.\d+$/.test(typed) ? Number(typed) : null);
    let wrong = "";
    if (code && code.chapter !== chapter) {
      wrong = `This code is of chapter ${code.chapter}: its gate stands there. Here it is chapter ${chapter}.`;
    } else if (points === null || points > this.most) {
      wrong = `Enter the code that total() shows, whole, or a number from 0 to ${this.most}.`;
    }
    this.#complain(this.code, wrong);
    return wrong ? null : points;
  }

  /** Keep points, say so, and offer to go back to what was there. */
  #take(points) {
    const { chapter } = this.asked;
    const before = this.progress.gate(chapter)?.score ?? null;
    this.progress.setGate(chapter, points);
    this.code.value = points;
    if (before === points) {
      if (!this.said.hasChildNodes()) this.#say(`These ${points} points are here already.`);
      return;
    }
    const was = before === null ? "" : ` Before, it was ${before}.`;
    this.#say(`Taken over: ${points} of ${this.most} points.${was} `, button("Undo", () => {
      this.progress.setGate(chapter, before);
      this.code.value = before ?? "";
      this.#say("Undone.");
    }));
  }

  #enterWords(own) {
    const text = this.words.value.trim();
    const points = this.words.valueAsNumber;
    const wrong = this.words.validity.badInput || (text !== "" && !(points >= 0 && points <= own));
    this.#complain(this.words, wrong ? `Enter a number from 0 to ${own} for your own words.` : "");
    if (!wrong) this.progress.setWords(this.asked.chapter, text === "" ? null : points);
  }

  #complain(field, text) {
    for (const each of [this.code, this.words]) each.removeAttribute("aria-invalid");
    if (text) field.setAttribute("aria-invalid", "true");
    this.complaint.textContent = text;
    if (text) this.said.replaceChildren();
  }

  #say(...parts) {
    this.said.replaceChildren(...parts); // and with them the button that was pressed
    this.#lead();
  }

  /** Lead those to what is said who have no place in the page. */
  #lead() {
    if (document.activeElement === document.body) this.said.focus({ preventScroll: true });
  }

  #show() {
    const { asked } = this;
    const { known, of, score, scored, answered, open } = standing(asked, this.progress);
    const least = (asked.needed * asked.points).toLocaleString("en", { maximumFractionDigits: 2 });
    state(this.states.score, scored, score === null
      ? "no points yet"
      : `${score} points${scored ? "" : `, at least ${least} are needed`}`);
    state(this.states.cards, answered, `${known} of ${of} cards`);
    const record = this.progress.gate(asked.chapter);
    for (const [field, value] of [[this.code, record?.score], [this.words, record?.words]]) {
      if (document.activeElement !== field) field.value = value ?? "";
    }
    this.section.toggleAttribute("data-open", open);
    this.result.textContent = open
      ? "✓ The gate is open. Go on to the next chapter."
      : "○ The gate is not open yet.";
    for (const { ids, item, note } of this.concepts) {
      const good = ids.filter((id) => this.progress.card(id)?.good).length;
      const done = good === ids.length;
      item.toggleAttribute("data-known", done);
      note.textContent = `${done ? "✓" : "○"} ${good} of ${ids.length} cards`;
    }
  }
}

function state(place, met, text) {
  place.textContent = `${met ? "✓ met" : "○ not yet"}: ${text}`;
  place.toggleAttribute("data-met", met);
}

for (const section of document.querySelectorAll(".course-gate")) new Gate(section, openProgress());
