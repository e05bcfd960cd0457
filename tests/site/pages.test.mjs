// Every page of the built site, opened once in Chromium; of the source listings, one in twelve.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import * as look from "./inspect.mjs";
import { browser, cannotRun, coursePages, open, pages, serve, SITE, within } from "./site.mjs";

const skip = cannotRun();
const AT_ONCE = 2;
const EVERY = 12; // of the source listings, which all come from one template

/** The pages to open: all, but of the source listings only some. */
function opened() {
  const listings = pages().filter((page) => page.startsWith("_modules/"));
  const some = new Set(listings.filter((_, i) => i % EVERY === 0));
  return pages().filter((page) => !page.startsWith("_modules/") || some.has(page));
}

const record = {};
const visited = {};
let site;

async function visit(context, page) {
  const tab = await context.newPage();
  const heard = look.listen(tab, site.address);
  await open(tab, `${site.address}/${page}`);
  visited[page] = await look.addresses(tab);
  const found = { structure: await look.structure(tab), ...heard };
  found.light = await look.axe(tab, look.ALL);
  await look.wish(tab, "dark");
  found.dark = await look.axe(tab, look.COLOURS);
  found.reflow = await look.reflow(tab);
  record[page] = found;
}

/** Visit a page; a tab that hangs gets one more try, in a fresh one. */
async function tryVisit(chrome, page, tries = 2) {
  const context = await chrome.newContext({
    colorScheme: "light", reducedMotion: "reduce", viewport: { width: 1280, height: 900 },
  });
  try {
    await within(180, page, visit(context, page));
  } catch (error) {
    if (tries === 1) throw error;
    console.error(`${page}: ${error.message}; trying once more`);
    await tryVisit(chrome, page, tries - 1);
  } finally {
    await within(10, "closing a tab", context.close()).catch(() => {});
  }
}

before(async () => {
  if (skip) return;
  site = await serve();
  const chrome = await browser();
  const queue = opened();
  const worker = async () => {
    for (let page = queue.shift(); page; page = queue.shift()) await tryVisit(chrome, page);
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    await within(10, "closing the browser", chrome.close()).catch(() => {});
  }
}, { timeout: 1_500_000 });

after(() => site?.stop());

const LAWS = {
  "is without accessibility violations in light": "light",
  "is without accessibility violations in dark": "dark",
  "fits a screen of 320 pixels": "reflow",
  "writes no error to the console": "errors",
  "asks no other host": "elsewhere",
  "asks for nothing that is missing": "missing",
  "has a title, one h1, alternative texts, set formulas, copy buttons": "structure",
};

for (const page of skip ? [] : opened()) {
  describe(page, () => {
    for (const [law, key] of Object.entries(LAWS)) {
      test(law, () => assert.deepEqual(record[page][key], []));
    }
  });
}

test("every internal link and anchor leads somewhere", { skip }, () => {
  for (const page of pages().filter((each) => !(each in visited))) {
    visited[page] = look.addressesIn(readFileSync(join(SITE, page), "utf8"), `${site.address}/${page}`);
  }
  const broken = look.brokenLinks(visited, `${site.address}/`, (path) =>
    existsSync(join(SITE, path.endsWith("/") ? `${path}index.html` : path)),
  );
  assert.deepEqual(broken, []);
});

test("no id stands twice on a page", { skip }, () => {
  for (const page of pages()) {
    const ids = [...readFileSync(join(SITE, page), "utf8").matchAll(/<[a-z][^>]*? id="([^"]*)"/g)].map(([, id]) => id);
    assert.deepEqual([...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))], [], page);
  }
});

test("the site has the pages that a reader expects, and not what only tests need", { skip }, () => {
  const expected = ["index", "book/notation", "book/api", "book/api/attention", "book/bibliography"];
  for (const page of expected) assert.ok(coursePages().includes(`${page}.html`), page);
  assert.ok(!existsSync(join(SITE, "_static/package.json")));
});
