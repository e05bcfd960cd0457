// Marks the words that led a reader to a section: loaded where the address has ?highlight=.
import { places } from "./words.js";

const NAME = "searched";

/** What the address leads to: a section, or an entry of the API. */
function target() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  return place?.closest("dt")?.parentElement ?? place?.closest("section") ?? null;
}

/** The words in a part of the page, as ranges; of a section without those within, if it has any. */
function ranges(part, asked, own) {
  const found = [];
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    if (own && holder.closest("section") !== part.closest("section")) continue;
    if (holder.closest("script, style, .headerlink, .katex-html, mjx-assistive-mml")) continue;
    for (const [start, end] of places(node.data, asked)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      found.push(range);
    }
  }
  return found;
}

const folded = (range) =>
  range.startContainer.parentElement.closest("details:not([open]) > :not(summary), .toggle-hidden");

/** Open what hides a range. */
function unfold(range) {
  for (let hidden = folded(range); hidden; hidden = folded(range)) {
    const details = hidden.closest("details:not([open])");
    if (details) details.open = true;
    else hidden.querySelector("button.toggle-button")?.click();
    if (folded(range) === hidden) return;
  }
}

/** Mark the words, and offer an end to it: Escape, or a button for those who have no key. */
function mark(asked) {
  const part = target();
  if (!part || !CSS.highlights) return;
  const own = ranges(part, asked, true);
  const found = own.length ? own : ranges(part, asked, false);
  if (!found.length) return;
  if (found.every(folded)) {
    unfold(found[0]);
    part.scrollIntoView();
  }
  CSS.highlights.set(NAME, new Highlight(...found));
  const note = document.createElement("p");
  note.className = "search-marked d-print-none";
  note.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Clear";
  button.setAttribute("aria-keyshortcuts", "Escape");
  note.append(`“${asked}” is marked `, button);
  document.querySelector("main").append(note);

  const end = () => {
    CSS.highlights.delete(NAME);
    note.remove();
    document.removeEventListener("keydown", byKey);
    try {
      history.replaceState(history.state, "", location.pathname + location.hash);
    } catch {
      // A file's address may not be changed.
    }
  };
  const byKey = (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) end();
  };
  button.addEventListener("click", end);
  document.addEventListener("keydown", byKey);
}

const asked = new URLSearchParams(location.search).get("highlight")?.trim();
if (asked) mark(asked);
