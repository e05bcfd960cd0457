// Question cards, enhanced: review one by one, grade yourself, and each comes back in time.
import { createEmptyCard, fsrs } from "ts-fsrs";

import { button, el, keeping, problems } from "./page.js";
import { progress as openProgress } from "./progress.js";
import { dueCards, nextDue, Schedule, span } from "./schedule.js";

class Review {
  constructor(section, schedule, progress) {
    Object.assign(this, { section, schedule, progress, queue: null, answered: 0 });
    this.cards = new Map(
      [...section.querySelectorAll(".question-card")].map((card) => [card.dataset.card, card]),
    );
    this.ids = [...this.cards.keys()];
    this.status = el("p", { class: "course-said", role: "status" });
    this.start = button("Review", () => this.#begin());
    this.stop = button("Show all cards", () => this.#end(true));
    this.grades = el("div", { class: "course-buttons question-grades", role: "group",
      "aria-label": "How well did you know it? Keys 1 to 4" });
    this.more = el("details", { class: "question-more" },
      el("summary", {}, "Keep, move or forget your progress"), keeping(progress));
    section.querySelector(".question-hint").after(
      el("div", { class: "question-bar" }, this.status,
        el("div", { class: "course-buttons" }, this.start, this.stop)),
    );
    section.append(this.grades, this.more);
    problems(progress);
    for (const card of this.cards.values()) {
      card.addEventListener("toggle", () => this.#showGrades());
    }
    section.addEventListener("keydown", (event) => this.#key(event));
    progress.addEventListener("change", () => this.#show());
    this.#show();
  }

  get current() {
    return this.queue?.[0] ?? null;
  }

  #due() {
    return dueCards(this.ids, (id) => this.progress.card(id), new Date());
  }

  #begin() {
    this.queue = this.#due();
    this.answered = 0;
    for (const card of this.cards.values()) card.open = false;
    this.#show();
    this.cards.get(this.current)?.querySelector("summary").focus();
  }

  #end(focus = false) {
    this.queue = null;
    this.#show();
    if (focus) this.start.focus();
  }

  /** Record a grade, then go to the next card; one that comes back within the hour is asked again. */
  #grade(grade) {
    const id = this.current;
    const now = new Date();
    const record = this.schedule.answer(this.progress.card(id), grade, now);
    this.queue.shift();
    this.answered += 1;
    if (Date.parse(record.fsrs.due) - now < 3_600_000 && grade < 3) this.queue.push(id);
    this.cards.get(id).open = false;
    this.progress.setCard(id, record);
    if (this.current) {
      this.cards.get(this.current).querySelector("summary").focus();
    } else {
      this.#end();
      this.start.focus();
    }
  }

  #show() {
    const due = this.#due();
    const reviewing = this.current !== null;
    for (const [id, card] of this.cards) card.hidden = reviewing && id !== this.current;
    this.section.toggleAttribute("data-reviewing", reviewing);
    this.start.hidden = reviewing;
    this.stop.hidden = !reviewing;
    this.more.hidden = reviewing;
    this.start.textContent = due.length > 0 ? `Review ${count(due.length)}` : "Nothing is due";
    this.start.setAttribute("aria-disabled", String(due.length === 0));
    this.status.textContent = reviewing ? this.#position() : this.#summary(due);
    this.#showGrades();
  }

  #position() {
    return `${count(this.queue.length)} to go. Answer aloud, then unfold the card.`;
  }

  #summary(due) {
    const fresh = due.filter((id) => !this.progress.card(id)).length;
    const back = due.length - fresh;
    const good = this.ids.filter((id) => this.progress.card(id)?.good).length;
    const parts = [`${back} due, ${fresh} new, ${good} of ${this.ids.length} answered Good.`];
    const next = nextDue(this.ids, (id) => this.progress.card(id));
    if (due.length === 0 && next) parts.push(`The next comes back in ${span(new Date(), next)}.`);
    return parts.join(" ");
  }

  #showGrades() {
    const card = this.cards.get(this.current);
    if (!card?.open) {
      this.grades.replaceChildren();
      return;
    }
    if (this.grades.dataset.card === this.current && this.grades.childElementCount > 0) return;
    this.grades.dataset.card = this.current;
    const now = new Date();
    const choices = this.schedule.preview(this.progress.card(this.current), now);
    this.grades.replaceChildren(...choices.map(({ name, due }, i) => {
      const choice = button("", () => this.#grade(i + 1), { "data-grade": i + 1 });
      choice.append(el("kbd", {}, String(i + 1)), ` ${name} `, el("small", {}, span(now, due)));
      return choice;
    }));
    card.after(this.grades);
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || this.grades.childElementCount === 0) return;
    if (!["1", "2", "3", "4"].includes(event.key)) return;
    event.preventDefault();
    this.#grade(Number(event.key));
  }
}

function count(n) {
  return `${n} ${n === 1 ? "card" : "cards"}`;
}

for (const section of document.querySelectorAll(".question-cards")) {
  new Review(section, new Schedule({ createEmptyCard, fsrs }), openProgress());
}
