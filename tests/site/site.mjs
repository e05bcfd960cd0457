// What the browser tests share: the built site, a small server for it, a browser.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { delimiter, dirname, extname, join, normalize, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const SITE = process.env.SITE ?? join(ROOT, "_build", "html");

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
export const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css",
  ".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml",
  ".woff": "font/woff", ".woff2": "font/woff2", ".ipynb": "application/json",
};

/** Where Chromium is: the environment variable CHROMIUM, or a name on the path. */
export function chromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const places = BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return places.find((place) => existsSync(place)) ?? null;
}

/** The reason why browser tests cannot run here, or false. */
export function cannotRun() {
  if (!existsSync(join(SITE, "index.html"))) throw new Error(`no site in ${SITE}: run \`make book\``);
  return noBrowser();
}

/** The reason why no browser can be started here, or false. */
export function noBrowser() {
  const path = chromium();
  if (path && existsSync(path)) return false;
  return path
    ? `CHROMIUM=${path} does not exist`
    : `no Chromium: none of ${BROWSERS.join(", ")} is on the path, and CHROMIUM is not set`;
}

/** The pages of the site that readers open, as paths from its root, "index.html" first. A host opens
 * 404.html for them: not_found.test.mjs. */
export function pages() {
  const found = [];
  const walk = (folder) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) {
        if (!["_static", "_sources", "_images", "_downloads"].includes(name)) walk(path);
      } else if (name.endsWith(".html") && name !== "404.html") {
        found.push(relative(SITE, path).split(sep).join("/"));
      }
    }
  };
  walk(SITE);
  return found.sort((a, b) => (b === "index.html") - (a === "index.html") || a.localeCompare(b));
}

/** The pages with text of the course: neither source listings nor indices. */
export function coursePages() {
  const made = ["genindex.html", "py-modindex.html", "search.html", "prf-prf.html"];
  return pages().filter((page) => !page.startsWith("_modules/") && !made.includes(page));
}

/** Serve the site, or other folders, on this machine only; `stop()` ends it. */
export async function serve(...folders) {
  const roots = folders.length ? folders : [SITE];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const name = path.endsWith(sep) ? join(path, "index.html") : path;
    const file = roots.map((root) => join(root, name)).find((each, i) =>
      each.startsWith(roots[i]) && existsSync(each) && !statSync(each).isDirectory());
    if (!file) {
      response.writeHead(404).end("not found");
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  return {
    address: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Start Chromium; it must not speak to anyone on its own. */
export async function browser() {
  const { chromium: engine } = await import("playwright-core");
  return engine.launch({
    executablePath: chromium(),
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
      "--disable-background-networking", "--disable-component-update",
    ],
  });
}

/** Open a page and wait until its scripts have run, its fonts are there and all of it is laid out. */
export async function open(tab, url) {
  await tab.goto(url, { waitUntil: "load" });
  await tab.evaluate(() => document.fonts.ready.then(() => {}));
  const scripts = await tab.evaluate(() => document.documentElement.dataset.mode !== undefined);
  if (!scripts) return;
  await tab.evaluate(() => window.dispatchEvent(new Event("pointermove"))); // a reader is there
  await tab.waitForFunction(() => "laidOut" in document.documentElement.dataset, null,
    { polling: 50, timeout: 90_000 });
}

/** How long a busy machine may take for what a reader sees at once, in milliseconds. */
export const SOON = 30_000;

/** Ask again until the assertions of `check` hold: a busy machine draws late. Their last failure is told. */
export async function soon(check) {
  for (const end = Date.now() + SOON; ;) {
    try {
      return await check();
    } catch (error) {
      if (error.code !== "ERR_ASSERTION" || Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

/** A promise that is broken after so many seconds, so that a browser that hangs fails a test. */
export function within(seconds, what, promise) {
  let timer;
  const late = new Promise((_, refuse) => {
    const error = new Error(`${what} was not done within ${seconds} s`);
    timer = setTimeout(() => refuse(error), 1000 * seconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** One site and one browser for all tests of a file, `here.site` and `here.chrome`. */
export function forAllTests({ before, after }) {
  const here = {};
  before(async () => {
    if (cannotRun()) return;
    here.site = await serve();
    here.chrome = await browser();
  });
  after(async () => {
    await here.chrome?.close();
    here.site?.stop();
  });
  return here;
}
