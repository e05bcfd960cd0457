// What the components share in the page: buttons, regions that are read aloud, messages.

/** Make an element with attributes, listeners (`onclick`) and children. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

export function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", class: "course-button", onclick, ...attributes }, text);
}

let place = null;

/**
 * What is wrong with keeping progress, said once on a page, and read aloud: under the heading, or in
 * the component where the reader is when it happens.
 */
export function problems(progress) {
  if (place) return;
  place = el("p", { class: "course-problem", role: "alert" });
  document.querySelector("article h1")?.after(place);
  const say = () => {
    if (place.textContent === progress.problem) return;
    place.textContent = progress.problem;
    const here = document.activeElement?.closest(".question-cards, .course-gate, .course-map, .predict");
    here?.prepend(place);
  };
  progress.addEventListener("change", say);
  say();
}

/** Buttons that save progress to a file, read it back, and forget it. */
export function keeping(progress) {
  const said = el("p", { class: "course-said", role: "status" });
  const file = el("input", {
    type: "file", accept: ".json,application/json", hidden: true, "aria-label": "Progress file",
    onchange: async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      said.textContent = await chosen.text().then(
        (text) => progress.import(text),
        (error) => `Nothing was taken over: the file cannot be read (${error.message}).`,
      );
      file.value = "";
    },
  });
  const forget = button("Forget my progress", () => {
    if (forget.hasAttribute("data-asked")) {
      progress.reset();
      said.textContent = "Forgotten.";
    } else {
      said.textContent = "This removes all answers and scores from this browser. Press again to do it.";
    }
    forget.toggleAttribute("data-asked");
    forget.textContent = forget.hasAttribute("data-asked") ? "Yes, forget it" : "Forget my progress";
  });
  const save = button("Save to a file", () => {
    const link = el("a", {
      href: URL.createObjectURL(new Blob([progress.export()], { type: "application/json" })),
      download: "plainformer-progress.json",
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    said.textContent = "Saved as plainformer-progress.json.";
  });
  const row = el("div", { class: "course-buttons" },
    save, button("Read from a file", () => file.click()), forget, file);
  return el("div", { class: "course-keeping" }, row, said);
}
