// The gate of a chapter: the reader enters the score, the cards count themselves.
import { el, problems } from "./page.js";
import { demand, standing } from "./mastery.js";
import { progress as openProgress } from "./progress.js";

class Gate {
  constructor(section, progress) {
    Object.assign(this, { section, progress, asked: demand(section) });
    const { chapter, points } = this.asked;
    this.field = el("input", {
      type: "number", min: 0, max: points, step: "any", inputmode: "decimal", id: `gate-${chapter}`,
      "aria-describedby": `gate-${chapter}-state`,
      onchange: () => this.#enter(),
    });
    this.field.value = progress.gate(chapter)?.score ?? "";
    this.states = Object.fromEntries(["score", "cards"].map((name) => {
      const state = el("strong", { class: "gate-state", id: `gate-${chapter}-${name}` });
      section.querySelector(`[data-criterion="${name}"]`).append(el("br"), state);
      return [name, state];
    }));
    this.complaint = el("span", { class: "course-problem", id: `gate-${chapter}-state` });
    section.querySelector('[data-criterion="score"]').append(
      el("div", { class: "gate-score" },
        el("label", { for: this.field.id }, "My points"), this.field, el("span", {}, `of ${points}`),
        this.complaint));
    this.result = el("p", { class: "gate-result", role: "status" });
    section.querySelector("ol").after(this.result, problems(progress));
    this.concepts = [...section.querySelectorAll(".gate-concepts li")].map((item) => {
      const note = el("span", { class: "gate-note" });
      item.append(" ", note);
      return { ids: item.dataset.cards.split(" ").filter(Boolean), item, note };
    });
    progress.addEventListener("change", () => this.#show());
    this.#show();
  }

  #enter() {
    const { chapter, points } = this.asked;
    const text = this.field.value.trim();
    const score = this.field.valueAsNumber;
    const wrong = this.field.validity.badInput || (text !== "" && !(score >= 0 && score <= points));
    this.field.setAttribute("aria-invalid", String(wrong));
    this.complaint.textContent = wrong ? `Enter a number from 0 to ${points}.` : "";
    if (!wrong) this.progress.setGate(chapter, text === "" ? null : score);
  }

  #show() {
    const { asked } = this;
    const { known, of, score, scored, answered, open } = standing(asked, this.progress);
    const least = (asked.needed * asked.points).toLocaleString("en", { maximumFractionDigits: 2 });
    state(this.states.score, scored, score === null
      ? "no score entered yet"
      : `${score} points${scored ? "" : `, at least ${least} are needed`}`);
    state(this.states.cards, answered, `${known} of ${of} cards`);
    if (document.activeElement !== this.field) this.field.value = score ?? "";
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
