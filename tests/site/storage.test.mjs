// A browser that refuses storage, by its own setting: nothing is thrown, and the page says once what
// that means for progress.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { listen } from "./inspect.mjs";
import { cannotRun, chromium, open, serve } from "./site.mjs";

const skip = cannotRun();
const PAGE = "book/02-scaled-dot-product-attention.html";
const BLOCKED = { profile: { default_content_setting_values: { cookies: 2 } } }; // and all storage
let site;
let folder;
let refusing;

before(async () => {
  if (skip) return;
  site = await serve();
  folder = mkdtempSync(join(tmpdir(), "refusing-"));
  mkdirSync(join(folder, "Default"));
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(BLOCKED));
  const { chromium: engine } = await import("playwright-core");
  refusing = await engine.launchPersistentContext(folder, {
    executablePath: chromium(), colorScheme: "light",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
  refusing.setDefaultNavigationTimeout(120_000);
});
after(async () => {
  await refusing?.close();
  site?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function at(page) {
  const tab = await refusing.newPage();
  const heard = listen(tab, site.address);
  await open(tab, `${site.address}/${page}`);
  return { tab, heard };
}

const said = (tab) => tab.getByText(/stores nothing for this site, so progress is lost/).count();

// One page of each kind: what they load is the same on all.
for (const page of skip ? [] : ["index.html", PAGE, "book/map.html", "book/notation.html", "search.html"]) {
  test(`${page}: where storage is refused nothing is thrown`, async () => {
    const { tab, heard } = await at(page);
    await tab.evaluate(() => dispatchEvent(new Event("beforeunload"))); // the theme stores then, too
    assert.deepEqual(heard, { errors: [], elsewhere: [], missing: [] });
    const keeps = await tab.locator(".question-cards, .course-gate, .course-map, .predict").count();
    assert.equal(await said(tab), keeps ? 1 : 0);
    await tab.close();
  });
}

test("where storage is refused the light is switched and a card graded all the same", { skip }, async () => {
  const { tab, heard } = await at(PAGE);
  assert.match(await tab.evaluate(() => String(localStorage.forgets)), /true/, "it is refused");
  const mode = () => tab.evaluate(() => document.documentElement.dataset.mode);
  const before = await mode();
  await tab.locator(".theme-switch-button:visible").first().click();
  assert.notEqual(await mode(), before);
  await tab.getByRole("button", { name: /^Review \d+ cards/ }).press("Enter");
  await tab.keyboard.press("Enter");
  await tab.locator('[data-grade="3"]').click();
  await tab.getByRole("button", { name: "Show all cards" }).click();
  assert.match(await tab.locator(".question-bar").innerText(), /1 of \d+ answered Good/);
  assert.match(await tab.locator(".course-gate").innerText(), /1 of \d+ cards/);
  assert.equal(await said(tab), 1);
  assert.deepEqual(heard.errors, []);
  await tab.close();
});
