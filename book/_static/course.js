// Small repairs of the built pages.

/** What scrolls sideways must be reachable by keyboard, and have a name. */
function makeScrollable(node, name) {
  const scrolls = node.scrollWidth > node.clientWidth + 1;
  if (scrolls === node.hasAttribute("data-scrolls")) return;
  node.toggleAttribute("data-scrolls", scrolls);
  if (scrolls) {
    node.tabIndex = 0;
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", name);
  } else {
    node.removeAttribute("tabindex");
    node.removeAttribute("role");
    node.removeAttribute("aria-label");
  }
}

const SCROLLERS = [
  ["article .katex-display", "Equation, scrolls sideways"],
  ["article .pst-scrollable-table-container", "Table, scrolls sideways"],
  ["article div.highlight pre", "Code, scrolls sideways"],
  ["article .cell_output pre", "Output, scrolls sideways"],
];

function repair() {
  for (const [selector, name] of SCROLLERS) {
    for (const node of document.querySelectorAll(selector)) makeScrollable(node, name);
  }
}

window.addEventListener("load", () => {
  repair();
  new ResizeObserver(repair).observe(document.body);
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
