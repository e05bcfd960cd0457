// A saved copy, opened as files: what a page does over http it does here, and progress is kept.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { listen } from "./inspect.mjs";
import { browser, cannotRun, coursePages, open, SITE } from "./site.mjs";

const skip = cannotRun();
const PAGE = "book/02-scaled-dot-product-attention.html";
let chrome;
before(async () => { if (!skip) chrome = await browser(); });
after(() => chrome?.close());

const html = (page) => readFileSync(join(SITE, page), "utf8");
const widgets = (page) =>
  [...new Set([...html(page).matchAll(/<(plain-[a-z0-9-]+)/g)].map((match) => match[1]))];

/** Open a page of the copy; what is heard of it is in `heard`. */
async function file(page) {
  const context = await chrome.newContext({ colorScheme: "light" });
  const tab = await context.newPage();
  const heard = listen(tab, pathToFileURL(SITE).href);
  tab.on("requestfailed", (request) => heard.missing.push(request.url()));
  await open(tab, pathToFileURL(join(SITE, page)).href);
  return { tab, heard };
}

const pages = skip ? [] : coursePages().filter((page) => page === "index.html" ||
  page === "book/map.html" || /question-cards|<plain-/.test(html(page)));

for (const page of pages) {
  test(`${page}: as a file it is whole, and nothing is refused`, async () => {
    const { tab, heard } = await file(page);
    for (const name of widgets(page)) {
      const widget = tab.locator(name).first();
      await widget.scrollIntoViewIfNeeded();
      const alive = await widget.evaluate((host) =>
        Boolean(host.shadowRoot?.querySelector("button, input, select, [tabindex='0']")));
      assert.ok(alive, `${name} is alive`);
    }
    const text = await tab.locator("article").evaluate((article) => {
      const copy = article.cloneNode(true);
      for (const code of copy.querySelectorAll("pre, code, textarea, mjx-container, script")) code.remove();
      return copy.textContent;
    });
    assert.ok(!/\\[([]|\$\$/.test(text), "formulas are set");
    assert.deepEqual(heard, { errors: [], elsewhere: [], missing: [] });
    await tab.context().close();
  });
}

test("as a file the light can be switched", { skip }, async () => {
  const { tab } = await file(PAGE);
  const shade = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const seen = new Set([await shade()]);
  for (let i = 0; i < 3; i += 1) {
    await tab.locator(".theme-switch-button:visible").first().click();
    seen.add(await shade());
  }
  assert.equal(seen.size, 2, [...seen].join());
  await tab.context().close();
});

test("as a file a card is graded, the gate counts it, and the map knows it", { skip }, async () => {
  const { tab } = await file(PAGE);
  await tab.getByRole("button", { name: /^Review \d+ cards/ }).press("Enter");
  await tab.keyboard.press("Enter");
  await tab.locator('[data-grade="3"]').click();
  await tab.getByRole("button", { name: "Show all cards" }).click();
  const counted = /1 of \d+ cards/;
  assert.match(await tab.locator(".course-gate").innerText(), counted, "without loading again");
  await open(tab, pathToFileURL(join(SITE, "book/map.html")).href);
  // A browser may hand what was kept from one process to the next a moment after the page is there.
  await tab.locator('.map-list li[data-chapter="02"]', { hasText: counted }).waitFor();
  await tab.context().close();
});

test("as a file a prediction opens what the cell shows", { skip }, async () => {
  const { tab } = await file(PAGE);
  const box = tab.locator(".predict").nth(1);
  await box.locator('[data-letter="a"]').click();
  assert.equal(await tab.locator("details.predicted[open]").count(), 1);
  await tab.context().close();
});

test("each page has the scripts that it uses, and no page a module", { skip }, () => {
  for (const page of coursePages()) {
    const text = html(page);
    assert.ok(!/type="module"/.test(text), page);
    const asked = [...text.matchAll(/src="[^"]*_static\/bundles\/widgets\.([^"?]+)\.js/g)]
      .flatMap((match) => match[1].split("+")).map((name) => `plain-${name}`);
    assert.deepEqual(asked.sort(), widgets(page).sort(), page);
  }
});
