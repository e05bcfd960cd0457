// The map, with the reader's own progress in it.
import { el, keeping, problems } from "./page.js";
import { demand, standing } from "./mastery.js";
import { progress as openProgress } from "./progress.js";

class CourseMap {
  constructor(section, progress) {
    Object.assign(this, { section, progress });
    this.chapters = [...section.querySelectorAll(".map-list li[data-cards]")].map((item) => {
      const note = el("strong", { class: "map-note" });
      item.append(" ", note);
      const asked = demand(item);
      return { asked, note, item, box: section.querySelector(`.map-box[data-chapter="${asked.chapter}"]`) };
    });
    this.sum = el("p", { class: "course-said", role: "status" });
    section.prepend(this.sum);
    problems(progress);
    section.append(keeping(progress));
    progress.addEventListener("change", () => this.#show());
    this.#show();
  }

  #show() {
    let open = 0;
    for (const { asked, note, item, box } of this.chapters) {
      const now = standing(asked, this.progress);
      if (now.open) open += 1;
      const score = now.score === null ? "no score" : `${now.score} of ${asked.points} points`;
      note.textContent = now.open
        ? "✓ gate open"
        : `○ ${now.known} of ${now.of} cards, ${score}`;
      for (const place of [item, box].filter(Boolean)) {
        place.toggleAttribute("data-open", now.open);
        place.toggleAttribute("data-begun", !now.open && (now.known > 0 || now.score !== null));
      }
    }
    this.sum.textContent = `Open gates: ${open} of ${this.chapters.length}.`;
  }
}

for (const section of document.querySelectorAll(".course-map")) {
  new CourseMap(section, openProgress());
}
