// What is kept to be read without a network: under which key, whether it is what was meant, and what the
// reader is told. Nothing here asks the network or the browser's storage.

const PAGE = /(?:\/|\.html|\/[^./]*)$/;
const MARKED = /^[0-9a-f]{12}$/;
const NAMED = /([0-9a-f]{64})\.\w+$/;
const FILE = /[^\s"'()<>/=,]+\.(?:js|css|png|webp|svg|woff2)(?:\?v=\w+)?/g;

/** The address under which a response is kept: of a page without the words that were searched for. */
export function keyOf(address) {
  const url = new URL(address);
  url.hash = "";
  if (isPage(url)) {
    url.search = "";
    if (url.pathname.endsWith("/")) url.pathname += "index.html";
    else if (!url.pathname.endsWith(".html")) url.pathname += ".html"; // as some hosts let one leave it out
  }
  return url.href;
}

export const isPage = (url) => PAGE.test(url.pathname);

/** The digest in an address, which changes with the file; null where there is none. */
export function digestOf(address) {
  const url = new URL(address);
  const mark = url.searchParams.get("v") ?? "";
  return MARKED.test(mark) ? mark : url.pathname.match(NAMED)?.[1] ?? null;
}

/** The first digits of the SHA-256 of bytes, as `digests.py` writes them into addresses. */
export async function sum(bytes) {
  const whole = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...whole.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The files that a kept text names, as the last part of their addresses. */
export const filesIn = (text) => text.match(FILE) ?? [];

/** The last part of an address, with its digest. */
export const lastOf = (address) => {
  const url = new URL(address);
  return url.pathname.split("/").pop() + url.search;
};

/** Kept pages, [address, title], as a list of links; listings of source code are counted. */
export function listed(pages) {
  const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt()};`);
  const isCode = ([address]) => new URL(address).pathname.includes("/_modules/");
  const shown = pages.filter((page) => !isCode(page)).sort(([a], [b]) => (a < b ? -1 : 1));
  const code = pages.length - shown.length;
  const items = shown.map(([address, title]) => `<li><a href="${escaped(address)}">${escaped(title)}</a></li>`);
  if (code) items.push(`<li>and ${code} listing${code > 1 ? "s" : ""} of source code</li>`);
  return items.join("\n") || "<li>No page yet.</li>";
}

/** The title of a page, from its text: still escaped, and without the name of the course. */
export function titleOf(html, address) {
  const raw = html.match(/<title>([^<]*)<\/title>/)?.[1] ?? new URL(address).pathname;
  const plain = raw.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)).replace(/&quot;/g, '"')
    .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
  return plain.split(" — ")[0].trim();
}

export const megabytes = (bytes) => {
  const million = bytes / 1e6;
  return `${million < 9.95 ? million.toFixed(1) : Math.round(million)}\u00a0MB`; // in one line
};

const KEEP = (state) => `Keep the whole book (${megabytes(state.total)})`;
const LOST = "A browser may delete what it keeps when the device is full, and a private window forgets it when it is closed.";
const WHY = {
  network: "The network did not answer.",
  full: "The browser gives this site no more room.",
  changed: "The site is being renewed: some files are not those of its list. Load the page again and try once more.",
  stopped: "Stopped.",
};

/** What a reader is told and can press, from the state of what is kept. */
export function told(state) {
  const { kind, bytes = 0, total = 0, packed = 0 } = state;
  const why = WHY[state.problem] ? `${WHY[state.problem]} ` : "";
  switch (kind) {
    case "file":
      return { said: "You are reading a copy in a folder: all of it is on this device already." };
    case "insecure":
      return { said: "This address does not begin with https, so the browser cannot keep the book." };
    case "refused":
      return { said: "This browser stores nothing for this site, so it cannot keep the book." };
    case "none":
      return { said: "This browser cannot keep a site (in some, a private window cannot). The book needs the network here." };
    case "failed":
      return { said: "The site's script for reading without a network could not be started, so nothing is kept." };
    case "loading":
      return { said: "The book is being loaded. You can go on reading.", press: "stop", name: "Stop" };
    case "kept":
      return {
        said: `The whole book is kept on this device (${megabytes(total)}): its pages, the search and the ` +
          "interactive pictures work without a network. Notebooks and card decks still need it.",
        remove: true,
      };
    case "old":
      return {
        said: `${why}An earlier edition of the whole book is kept. The present one can replace it; what is the ` +
          "same is not loaded again.",
        press: "keep", name: `Renew the book (at most ${megabytes(total)})`, remove: true,
      };
    case "half":
      return {
        said: `${why}${megabytes(bytes)} of ${megabytes(total)} are kept.`,
        press: "keep", name: `Keep the rest (${megabytes(total - bytes)})`, remove: true,
      };
    default:
      return {
        said: `${why}Pages that you read are kept on this device, and can be read again without a network. The ` +
          `whole book takes ${megabytes(total)} (about ${megabytes(packed)} to load, where the host compresses). ${LOST}`,
        press: "keep", name: KEEP(state),
      };
  }
}
