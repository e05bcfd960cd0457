// The front page's chapter cards, with the reader's own progress, and a button that goes on with it.
import { el } from "./page.js";
import { demand, standing } from "./mastery.js";
import { progress as openProgress } from "./progress.js";

/** How far a chapter is, from 0 to 1: half for its cards, half for the points that it asks for. */
export function share(asked, now) {
  if (now.open) return 1;
  const cards = now.of ? now.known / now.of : 0;
  const wanted = asked.needed * asked.points;
  const points = wanted ? Math.min(1, (now.score ?? 0) / wanted) : 0;
  return (cards + points) / 2;
}

/** What a card says of a chapter; nothing while it is not begun. */
export function words(asked, now) {
  if (now.open) return "✓ gate open";
  if (!now.known && now.score === null) return "";
  const score = now.score === null ? "no score yet" : `${now.score} of ${asked.points} points`;
  return `${now.known} of ${now.of} cards, ${score}`;
}

/** The chapter to go on with: the first that is begun and not open, else the first after the open ones. */
export function next(chapters) {
  const begun = chapters.find(({ now }) => !now.open && (now.known > 0 || now.score !== null));
  if (begun) return begun;
  const last = chapters.map(({ now }) => now.open).lastIndexOf(true);
  return last < 0 ? null : chapters[last + 1] ?? null;
}

function show(cards, progress, start) {
  const chapters = cards.map((card) => {
    const asked = demand(card);
    const now = standing(asked, progress);
    const note = card.querySelector(".card-progress") ?? card.appendChild(el("p", { class: "card-progress" }));
    note.textContent = words(asked, now);
    card.style.setProperty("--done", share(asked, now).toFixed(3));
    card.toggleAttribute("data-open", now.open);
    card.toggleAttribute("data-begun", !now.open && note.textContent !== "");
    return { asked, now, href: card.querySelector("a").href };
  });
  const on = next(chapters);
  if (!on || !start) return;
  start.href = on.href;
  start.textContent = `Go on with chapter ${on.asked.chapter}`;
}

if (globalThis.document) {
  const cards = [...document.querySelectorAll(".chapter-card[data-chapter]")];
  const start = document.querySelector(".front-start a");
  const progress = openProgress();
  progress.addEventListener("change", () => show(cards, progress, start));
  show(cards, progress, start);
}
