// Predictions: the options become buttons, and what the cell shows opens when one is pressed.
import { button, el, problems } from "./page.js";
import { progress as openProgress } from "./progress.js";

/** What is said of a choice, aloud and on the page. */
export function verdict(chosen, right) {
  return `(${chosen}) is ${chosen === right ? "right" : "wrong"}.`;
}

/** Copy the reason against an option, without the letter that it begins with. */
function reason(item) {
  const copy = (item.querySelector("p") ?? item).cloneNode(true);
  const first = copy.firstChild;
  if (first) first.textContent = first.textContent.replace(/^\s*\([a-d]\)\s*/, "");
  return copy.childNodes;
}

class Prediction {
  constructor(details, box, progress) {
    const { right, question } = details.dataset;
    Object.assign(this, { details, right, question, progress });
    this.said = el("div", { class: "predict-said", role: "status" });
    this.reasons = details.querySelector(".predict-reasons");
    const list = box.querySelector("ul");
    list.setAttribute("role", "list");
    list.classList.add("predict-options");
    this.options = [...list.children].map((item) => {
      const [letter] = item.textContent.match(/[a-d]/);
      const option = button("", () => this.choose(letter), { "aria-pressed": "false", "data-letter": letter });
      const inner = item.querySelector("p") ?? item;
      option.append(...inner.childNodes);
      item.replaceChildren(option);
      return option;
    });
    list.after(this.said);
    details.querySelector("summary").hidden = false;
    this.show(progress.prediction(question)?.chosen);
    progress.addEventListener("change", () => this.show(progress.prediction(question)?.chosen));
  }

  choose(letter) {
    this.progress.setPrediction(this.question, letter);
  }

  show(chosen) {
    if (chosen === this.chosen) return;
    this.chosen = chosen;
    for (const option of this.options) {
      const { letter } = option.dataset;
      option.setAttribute("aria-pressed", String(letter === chosen));
      option.toggleAttribute("data-right", Boolean(chosen) && letter === this.right);
      option.toggleAttribute("data-wrong", letter === chosen && letter !== this.right);
    }
    this.said.textContent = chosen ? verdict(chosen, this.right) : "";
    const against = chosen && this.reasons?.querySelector(`.against-${chosen}`);
    if (against) this.said.append(" ", ...reason(against));
    this.details.open = Boolean(chosen);
  }
}

if (globalThis.document) {
  const progress = openProgress();
  problems(progress);
  for (const details of document.querySelectorAll("details.predicted")) {
    const box = document.getElementById(`predict-${details.dataset.question}`);
    if (box) new Prediction(details, box, progress);
  }
}
