// Reading without a network, as a page sees it: it starts the service worker when a reader is there, and shows
// in each box `.keep-book` what is kept, with a button. Every way in which it can fail has a sentence (kept.js).
import { megabytes, told } from "./kept.js";

const root = new URL(document.documentElement.dataset.content_root ?? "./", document.baseURI);
const AGAIN = 30_000; // ms without news after which a worker that loads has probably been ended
let send = () => {};
let waiting;

class Box {
  constructor(box) {
    this.said = box.querySelector(".keep-said");
    this.progress = Object.assign(document.createElement("progress"), { hidden: true });
    this.progress.setAttribute("aria-label", "How much of the book is loaded");
    this.count = Object.assign(document.createElement("span"), { className: "keep-count" });
    this.press = this.#button("keep-press", () => send(this.kind));
    this.remove = this.#button("keep-remove", () => send("remove"));
    this.remove.textContent = "Remove what is kept";
    const row = Object.assign(document.createElement("div"), { className: "keep-row" });
    row.append(this.press, this.remove, this.progress, this.count);
    this.said.after(row);
    this.said.tabIndex = -1;
  }

  #button(className, onclick) {
    return Object.assign(document.createElement("button"), {
      className: `course-button ${className}`, type: "button", hidden: true, onclick,
    });
  }

  show(state) {
    const { said, press, name, remove } = told(state);
    const focus = document.activeElement;
    const when = state.shown && new Date(state.shown);
    const copy = when ? `This page is the copy that was kept on ${when.toLocaleDateString("en-GB",
      { day: "numeric", month: "long", year: "numeric" })}: the network did not answer. ` : "";
    if (this.said.textContent !== copy + said) this.said.textContent = copy + said; // it is read aloud once
    this.said.setAttribute("role", "status"); // from now on: what it says when a page is opened is not announced
    this.kind = press;
    this.press.textContent = name ?? "";
    this.press.hidden = !press;
    this.remove.hidden = !remove;
    this.progress.hidden = state.kind !== "loading";
    this.count.textContent = "";
    if (state.kind === "loading") {
      Object.assign(this.progress, { max: state.total, value: state.bytes });
      this.count.textContent = `${megabytes(state.bytes)} of ${megabytes(state.total)}`;
    }
    if ([this.press, this.remove].includes(focus) && focus.hidden) this.said.focus();
  }
}

const boxes = [...document.querySelectorAll(".keep-book")].map((box) => new Box(box));

function show(state) {
  for (const box of boxes) box.show(state);
  clearTimeout(waiting);
  if (state.kind === "loading") waiting = setTimeout(() => send("keep"), AGAIN);
}

/** What this page has loaded, for a worker that was not there yet. */
const loaded = () => [location.href.split("#")[0], ...performance.getEntriesByType("resource").map(({ name }) => name)];

async function start() {
  if (location.protocol === "file:") return show({ kind: "file" });
  if (!globalThis.isSecureContext) return show({ kind: "insecure" });
  let workers;
  try {
    await caches.has(""); // throws where the reader refuses storage
    workers = navigator.serviceWorker;
  } catch {
    return show({ kind: "refused" });
  }
  if (!workers) return show({ kind: "none" });
  const first = !workers.controller;
  try {
    await workers.register(new URL("sw.js", root), { scope: root.pathname, updateViaCache: "none" });
  } catch (error) {
    return show({ kind: error.name === "SecurityError" ? "refused" : "failed" });
  }
  workers.addEventListener("message", ({ data }) => show(data));
  workers.startMessages();
  const { active } = await workers.ready;
  active.postMessage({ kind: "hello", addresses: first ? loaded() : [] });
  send = async (kind) => {
    if (kind === "keep") {
      show({ kind: "loading", bytes: 0, total: 1 });
      navigator.storage?.persist?.().catch(() => {}); // asks the browser not to clear it by itself
    }
    (await workers.ready).active.postMessage({ kind });
  };
  workers.addEventListener("controllerchange", () => send("hello")); // a new edition has come
}

start();
