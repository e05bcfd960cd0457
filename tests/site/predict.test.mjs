// Predictions in Chromium: closed until one is chosen, by keyboard too, kept, and open to all without scripts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { cannotRun, coursePages, forAllTests, open } from "./site.mjs";

const skip = cannotRun();
const PAGE = "book/02-scaled-dot-product-attention.html";
const here = forAllTests({ before, after });

async function page(name, options = {}) {
  const context = await here.chrome.newContext({ viewport: { width: 1280, height: 1000 }, ...options });
  const tab = await context.newPage();
  await open(tab, `${here.site.address}/${name}`);
  return tab;
}

test("what a cell shows opens when a prediction is chosen, and is open the next time", { skip }, async () => {
  const tab = await page(PAGE);
  const box = tab.locator(".predict").nth(1);
  const shown = tab.locator("details.predicted").nth(1);
  assert.equal(await shown.getAttribute("open"), null);
  const [right, wrong] = await shown.evaluate((node) => [node.dataset.right, node.dataset.right === "a" ? "b" : "a"]);
  await box.locator(`[data-letter="${wrong}"]`).press("Enter");
  assert.notEqual(await shown.getAttribute("open"), null);
  assert.equal(await box.locator(`[data-letter="${wrong}"]`).getAttribute("aria-pressed"), "true");
  assert.equal(await box.locator("[data-right]").getAttribute("data-letter"), right);
  assert.equal(await box.locator("[data-wrong]").getAttribute("data-letter"), wrong);
  const said = await box.getByRole("status").innerText();
  assert.match(said, new RegExp(`\\(${wrong}\\) is wrong\\. \\S`));
  const why = await shown.locator(`.predict-reasons .against-${wrong}`).innerText();
  assert.ok(said.replace(/\s+/g, " ").endsWith(why.replace(/^\([a-d]\)\s*/, "").replace(/\s+/g, " ").slice(-12)), `${said} / ${why}`);
  await tab.reload();
  await tab.waitForSelector("details.predicted[open]");
  assert.equal(await tab.locator("details.predicted[open]").count(), 1);
  assert.equal(await box.locator('[aria-pressed="true"]').getAttribute("data-letter"), wrong);
  await tab.context().close();
});

for (const name of skip ? [] : coursePages().filter((path) => /\/\d\d-/.test(path))) {
  test(`${name}: each prediction has its fold, closed; no output of it is seen before`, async () => {
    const tab = await page(name);
    const boxes = await tab.locator(".predict").count();
    assert.ok(boxes >= 5, `${boxes} predictions`);
    assert.equal(await tab.locator("details.predicted:not([open])").count(), boxes);
    const letters = await tab.locator("details.predicted").evaluateAll((all) => all.map((each) => [
      each.querySelectorAll(".predict-reasons > li").length,
      document.getElementById(`predict-${each.dataset.question}`).querySelectorAll("[data-letter]").length,
      each.querySelectorAll("h2, h3, img, figure").length,
    ]));
    for (const [reasons, options, held] of letters) {
      assert.equal(reasons, options - 1, "a wrong choice is told why it is wrong");
      assert.equal(held, 0, "a fold holds no heading and no figure");
    }
    assert.equal(await tab.getByText(/^It is \([a-d]\)/).filter({ visible: true }).count(), 0);
    await tab.context().close();
  });
}

test("without scripts the fold opens by its own summary", { skip }, async () => {
  const context = await here.chrome.newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(`${here.site.address}/${PAGE}`, { waitUntil: "load" });
  const shown = tab.locator("details.predicted").first();
  await shown.locator("summary").first().click();
  assert.ok(await shown.locator("p", { hasText: /^It is \(/ }).first().isVisible());
  await context.close();
});
