// Small repairs of the built pages.

/** What scrolls sideways must be reachable by keyboard, and have a name. */
function makeScrollable(nodes) {
  // Asked of all before anything is changed, or the browser would lay out the page for each.
  const scroll = nodes.map((node) => node.scrollWidth > node.clientWidth + 1);
  nodes.forEach((node, i) => {
    if (scroll[i] === node.hasAttribute("data-scrolls")) return;
    node.toggleAttribute("data-scrolls", scroll[i]);
    if (scroll[i]) {
      node.tabIndex = 0;
      node.setAttribute("role", "group");
      node.setAttribute("aria-label", names.get(node));
    } else {
      node.removeAttribute("tabindex");
      node.removeAttribute("role");
      node.removeAttribute("aria-label");
    }
  });
}

const SCROLLERS = [
  ["article .katex-display", "Equation, scrolls sideways"],
  ["article .pst-scrollable-table-container", "Table, scrolls sideways"],
  ["article div.highlight pre", "Code, scrolls sideways"],
  ["article .cell_output pre", "Output, scrolls sideways"],
  ["article pre", "Text, scrolls sideways"],
];

// Measured when they are laid out and whenever their size changes: asking earlier would make the
// browser lay out the whole page at once.
const names = new Map();
const sizes = new ResizeObserver((entries) => makeScrollable(entries.map(({ target }) => target)));

function watch(root) {
  for (const [selector, name] of SCROLLERS) {
    for (const node of root.querySelectorAll(selector)) {
      if (names.has(node)) continue;
      names.set(node, name);
      sizes.observe(node);
    }
  }
}

/** Lay out the sections that the style left for later, one at a time, when nothing else is to do. */
function layOut(sections) {
  const section = sections.shift();
  keepInSight();
  if (section) {
    section.style.contentVisibility = "visible";
    void section.offsetHeight;
    keepInSight();
    later(() => layOut(sections));
  } else {
    comeTo();
    document.documentElement.dataset.laidOut = "";
    makeScrollable([...names.keys()]); // fonts have come meanwhile
  }
}

// What is in sight stays there while heights above it turn out to be other than guessed. Most browsers see
// to that; where none does (Safari), the page is scrolled by what has moved since this was asked last.
const moves = () => getComputedStyle(document.documentElement).overflowAnchor !== "auto";
let seen, seenTop, seenAt;
function keepInSight() {
  if (!moves()) return;
  if (seenAt === undefined) {
    comeTo(); // it may have moved already
  } else if (seen?.isConnected) {
    // At its end the page goes up by itself when it becomes shorter; else who scrolled is the reader.
    const end = window.scrollY + window.innerHeight > document.documentElement.scrollHeight - 2;
    const scrolled = end ? Math.max(0, window.scrollY - seenAt) : window.scrollY - seenAt;
    const moved = seen.getBoundingClientRect().top - seenTop + scrolled;
    if (Math.abs(moved) > 1) window.scrollBy({ top: moved, behavior: "instant" });
  }
  seen = document.querySelector(":target"); // what one came for, if it is in sight
  const far = seen?.getBoundingClientRect().top ?? -1;
  if (far < 0 || far > window.innerHeight) {
    seen = document.elementFromPoint(window.innerWidth / 2, window.innerHeight / 3)?.closest(".bd-article *");
  }
  seenTop = seen?.getBoundingClientRect().top;
  seenAt = window.scrollY;
}

let touched = false;
/** Show the place that the address leads to, unless the reader has moved since or was here before. */
function comeTo() {
  if (touched || !moves() || "again" in document.documentElement.dataset) return;
  document.querySelector(":target")?.scrollIntoView({ behavior: "instant" });
}
for (const sign of ["pointermove", "touchstart", "wheel", "keydown"]) {
  window.addEventListener(sign, () => { touched = true; }, { capture: true, passive: true, once: true });
}

function later(work) {
  if (window.requestIdleCallback) requestIdleCallback(work, { timeout: 300 });
  else setTimeout(work, 20);
}

// The first screen needs none of it: it begins with what the reader does first.
const SIGNS = ["scroll", "pointermove", "touchstart", "keydown", "focusin"];

let begun = false;
function begin() {
  if (begun) return;
  begun = true;
  for (const sign of SIGNS) window.removeEventListener(sign, begin, true);
  later(async () => {
    await setUp();
    watch(document);
    later(() => layOut([...document.querySelectorAll(".bd-article > section > section")]));
  });
}

/** Load the scripts that wait for a reader, then set up the widgets, once. */
async function setUp() {
  await Promise.all([...document.querySelectorAll("script[data-later]")].map(({ src }) => new Promise((done) => {
    const script = document.createElement("script");
    Object.assign(script, { src, onload: done, onerror: done });
    document.head.append(script);
  })));
  document.dispatchEvent(new Event("readerbegins"));
}

for (const sign of SIGNS) window.addEventListener(sign, begin, { capture: true, passive: true });
window.addEventListener("load", () => {
  watch(document);
  if (location.hash) {
    keepInSight();
    begin();
  } else later(() => window.scrollY && begin());
});

/** The name after the # of the address; one that is not well formed stays as it is. */
function asked() {
  const name = location.hash.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

// What goes deeper is folded. An address that leads to it, or to a place in it, opens it.
function openDeeper() {
  const place = document.getElementById(asked());
  const fold = place?.closest(".deeper")?.querySelector("details");
  if (!fold || fold.open) return;
  fold.open = true;
  if (fold.contains(place)) place.scrollIntoView();
}
openDeeper();
window.addEventListener("hashchange", openDeeper);
document.addEventListener("click", ({ target }) => {
  if (target.closest?.("a[href]")?.href === location.href) openDeeper(); // the hash does not change
});

// A list of buttons is closed by Escape and by a press outside of it.
function closeLists(except) {
  for (const list of document.querySelectorAll("details.dropdown[open]")) {
    if (!list.contains(except)) list.open = false;
  }
}
document.addEventListener("click", ({ target }) => closeLists(target));
document.addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape") return;
  target.closest?.("details.dropdown")?.querySelector("summary").focus();
  closeLists();
});

// The theme takes the focus away from its buttons when they are pressed. After a key it stays.
document.addEventListener("click", ({ target, detail }) => {
  const button = target.closest?.("button");
  const byKey = detail === 0;
  if (byKey && button && document.activeElement === document.body) button.focus();
});

// The theme's two drawers have names here, say whether they are open, and have a way out. A dialog
// goes when one of its links is followed on this page; else the focus goes back to what opened it.
const DRAWERS = { primary: "All chapters", secondary: "Contents of this page" };
const opened = "button.sidebar-toggle, .search-button__button";
const wideScreen = matchMedia("(min-width: 992px)"); // there the chapters stand beside the text
let opener;
document.addEventListener("click", ({ target }) => {
  opener = target.closest?.(opened) ?? opener;
}, true);

function endDialog(dialog) {
  let followed = false;
  dialog.addEventListener("click", ({ target }) => {
    const link = target.closest("a[href]");
    if (!link || link.href.split("#")[0] !== location.href.split("#")[0]) return;
    followed = true;
    dialog.close();
  });
  dialog.addEventListener("close", () => {
    if (!followed && opener?.checkVisibility()) opener.focus({ preventScroll: true });
    followed = false;
  });
}

function nameDrawer(side, name) {
  const [dialog, place] = ["-modal", ""].map((end) => document.getElementById(`pst-${side}-sidebar${end}`));
  const button = document.querySelector(`.${side}-toggle`);
  if (!dialog || !place || !button) return;
  button.title = name;
  for (const node of [dialog, button]) node.setAttribute("aria-label", name);
  const end = Object.assign(document.createElement("button"), {
    className: "drawer-close", type: "button", textContent: "Close", onclick: () => dialog.close(),
  });
  place.prepend(end);
  const say = () => {
    if (dialog.open) showChapter(dialog);
    const beside = wideScreen.matches && side === "primary" && !place.matches(".pst-sidebar-hidden");
    button.setAttribute("aria-expanded", dialog.open || beside);
  };
  say();
  const changes = new MutationObserver(say);
  changes.observe(dialog, { attributeFilter: ["open"] });
  changes.observe(place, { attributeFilter: ["class"] });
  wideScreen.addEventListener("change", say);
}

/** Scroll a list in which the entry of what is read is out of sight. */
function showActive(list, entries) {
  const here = [...list.querySelectorAll(entries)].at(-1)?.getBoundingClientRect();
  const { top, bottom, height } = list.getBoundingClientRect();
  if (here?.height && (here.bottom > bottom || here.top < top)) list.scrollTop += here.top - top - height / 4;
}

const showChapter = (list) => showActive(list, ".bd-docs-nav .active");

/** Keep the entry of the section that is read in sight, in the contents at the right. */
function followContents() {
  const list = document.querySelector(".bd-sidebar-secondary");
  if (!list) return;
  const follow = () => showActive(list, ".nav-link.active");
  new MutationObserver(follow).observe(list, { subtree: true, attributeFilter: ["class"] });
}

for (const [side, name] of Object.entries(DRAWERS)) nameDrawer(side, name);
followContents();
matchMedia("(min-width: 960px)").addEventListener("change", ({ matches }) => {
  const list = matches && document.getElementById("pst-primary-sidebar"); // till now it was a drawer
  if (list) showChapter(list);
});
for (const dialog of document.querySelectorAll("dialog")) endDialog(dialog);
for (const leaves of ["hashchange", "pagehide"]) {
  window.addEventListener(leaves, () => {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  });
}

// What belongs to the search is loaded when a reader turns to it, and by plain scripts, which a page
// opened from a file may load too.
const siteRoot = document.documentElement.dataset.content_root ?? "./";

// (digests.py writes into their addresses what changes with them.)
const SEARCH = {
  style: "_static/search/search.css",
  index: "_static/search/sections.js",
  box: "_static/search/box.js",
  show: "_static/search/show.js",
};

function loadSearch(...paths) {
  for (const path of paths) {
    const url = siteRoot + path;
    const made = document.createElement(path === SEARCH.style ? "link" : "script");
    Object.assign(made, made.localName === "link" ? { rel: "stylesheet", href: url } : { src: url });
    made.async = false; // one after the other
    made.onerror = () => {
      const place = document.querySelector("dialog[open] .search-status, .search-page .search-status");
      if (place) place.textContent = "The search could not be loaded: the network does not answer, and it was not kept.";
    };
    document.head.append(made);
  }
}

const openSearch = () => loadSearch(SEARCH.style, SEARCH.index, SEARCH.box);
if (document.querySelector(".search-page")) openSearch();
else {
  document.addEventListener("focusin", function turn({ target }) {
    if (!target.closest?.("form.bd-search")) return;
    document.removeEventListener("focusin", turn);
    openSearch();
  });
}

if (new URLSearchParams(location.search).has("highlight")) loadSearch(SEARCH.style, SEARCH.show);

// Paper is white: it takes the light page's colours.
const page = document.documentElement;
let onScreen = "";
window.addEventListener("beforeprint", () => {
  setUp();
  onScreen = page.dataset.theme;
  page.dataset.theme = "light";
});
window.addEventListener("afterprint", () => {
  page.dataset.theme = onScreen;
});
