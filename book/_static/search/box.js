// The search box and the page search.html: results while one types, as a list of links.
// Loaded, with the index, when a reader turns to the search.
import { path, Search } from "./rank.js";
import { places } from "./words.js";

const ROOT = document.documentElement.dataset.content_root ?? "./";
const FEW = 8;
const MANY = 40;
const LENGTH = 150; // characters of a snippet

const index = globalThis.courseSections;
const search = new Search(index);

function element(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/** A text with the words that were asked in <mark>. */
function marked(text, asked) {
  const parts = [];
  let from = 0;
  for (const [start, end] of places(text, asked)) {
    parts.push(text.slice(from, start), element("mark", "", text.slice(start, end)));
    from = end;
  }
  return [...parts, text.slice(from)];
}

/** The part of a text to show: around the first word that was asked, from a word's beginning. */
function cut(text, asked) {
  const [start] = places(text, asked)[0] ?? [0];
  const from = start < LENGTH - 30 ? 0 : text.lastIndexOf(" ", start - 40) + 1;
  const shown = text.slice(from, from + LENGTH);
  const whole = from + LENGTH >= text.length ? shown : `${shown.slice(0, shown.lastIndexOf(" "))} …`;
  return from ? `… ${whole}` : whole;
}

/** Terms that made this a hit, where neither heading nor snippet shows why. */
function reason([, , heading, , kind, text, terms, also, rare], asked) {
  if (kind === "api" || places(`${heading} ${text}`, asked).length) return "";
  return [...terms, ...also, ...rare.split(" ")].filter((term) => places(term, asked).length)
    .slice(0, 3).join(", ");
}

function link({ number }, asked) {
  const section = index.sections[number];
  const [address, chapter, title] = index.pages[section[0]];
  const around = path(index, number).slice(1);
  const where = [chapter ? `Ch. ${chapter} · ${title}` : title, ...around].join(" › ");
  const anchor = element("a", "search-hit");
  anchor.href = `${ROOT}${address}?highlight=${encodeURIComponent(asked)}#${section[1]}`;
  const why = reason(section, asked);
  const snippet = cut(section[5], asked) + (why && ` · About ${why}.`);
  anchor.append(
    element("span", "search-where", where),
    element("span", "search-heading", ...marked(section[2], asked)),
    element("span", "search-snippet", ...marked(snippet, asked)),
  );
  return element("li", "", anchor);
}

class Box {
  constructor(form) {
    this.form = form;
    this.input = form.querySelector("input");
    const place = form.parentElement;
    this.status = place.querySelector(".search-status");
    this.list = place.querySelector(".search-hits");
    this.dialog = form.closest("dialog");
    if (this.dialog) this.offerEnd();
    this.input.addEventListener("input", () => this.show());
    form.addEventListener("submit", (event) => this.enter(event));
    place.addEventListener("keydown", (event) => this.move(event));
    this.list.addEventListener("click", (event) => this.go(event));
    this.show();
  }

  /** A way out of the dialog for those who have no Escape. */
  offerEnd() {
    const button = element("button", "search-close", "Close");
    button.type = "button";
    button.addEventListener("click", () => this.dialog.close());
    this.form.append(button);
  }

  show() {
    const asked = this.input.value.trim();
    const hits = asked ? search.find(asked) : [];
    const shown = hits.slice(0, this.dialog ? FEW : MANY);
    this.list.replaceChildren(...shown.map((hit) => link(hit, asked)));
    this.list.hidden = !shown.length;
    this.say(asked, hits.length, shown.length);
  }

  say(asked, all, shown) {
    this.status.replaceChildren();
    if (!asked) return;
    if (all) {
      const [unknown] = search.unknown(asked);
      if (unknown) this.status.append(`No section has “${unknown}”; these come nearest. `);
      const count = all === 1 ? "One section" : `${all} sections`;
      this.status.append(all > shown ? `${count}, the best ${shown} here. ` : count);
      if (all > shown && this.dialog) {
        const more = element("a", "", "All results");
        more.href = `${ROOT}search.html?q=${encodeURIComponent(asked)}`;
        this.status.append(more);
      }
      return;
    }
    this.status.append(`No section has “${asked}”. `);
    const near = search.nearest(asked);
    if (near.length) this.status.append("Spelt nearly so:");
    for (const word of near) {
      const button = element("button", "search-near", word);
      button.type = "button";
      button.addEventListener("click", () => {
        this.input.value = word;
        this.input.focus();
        this.show();
      });
      this.status.append(" ", button);
    }
  }

  /** Enter goes to the first hit; on the page of its own it stays, and keeps the words. */
  enter(event) {
    event.preventDefault();
    if (this.dialog) this.list.querySelector("a")?.click();
    else remember(this.input.value.trim());
  }

  /** The arrow keys go from the field through the hits and back. */
  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [this.input, ...this.list.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    const next = stops[at + step];
    if (!step || at < 0 || !next) return;
    event.preventDefault();
    next.focus();
  }

  /** A hit on this very page: close the dialog; the new hash and words are read again. */
  go(event) {
    const hit = event.target.closest("a");
    if (hit?.pathname === location.pathname) this.dialog?.close();
  }
}

/** Keep the words in the address, where that may be written: a file's may not. */
function remember(asked) {
  try {
    history.replaceState(null, "", `?q=${encodeURIComponent(asked)}`);
  } catch {
    // The page works without.
  }
}

for (const form of document.querySelectorAll("form.bd-search")) {
  const asked = new URLSearchParams(location.search).get("q");
  if (asked && !form.closest("dialog")) form.querySelector("input").value ||= asked;
  new Box(form);
}
