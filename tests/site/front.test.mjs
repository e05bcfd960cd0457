// The front page: what stands on the first screen, the grid by keyboard and touch, the reader's progress.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { cannotRun, forAllTests } from "./site.mjs";

const skip = cannotRun();
const KEY = "plainformer.progress /"; // of a site at the root of its host
const here = forAllTests({ before, after });

async function front(options = {}, page = "index.html") {
  const context = await here.chrome.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const tab = await context.newPage();
  if (options.stored) {
    await tab.addInitScript(([key, text]) => localStorage.setItem(key, text), [KEY, options.stored]);
  }
  await tab.goto(`${here.site.address}/${page}`, { waitUntil: "load", timeout: 90_000 });
  return { context, tab };
}

const said = (tab) => tab.locator(".grid-said .said:visible").evaluateAll((all) =>
  all.filter((node) => getComputedStyle(node).visibility === "visible").map((node) => node.textContent));

for (const [width, height] of [[1280, 800], [390, 844]]) {
  test(`at ${width} by ${height} claim, button and grid are on the first screen`, { skip }, async () => {
    const { context, tab } = await front({ viewport: { width, height } });
    for (const place of ["article h1", ".front-start a", ".front-grid table", ".grid-switch", ".grid-said"]) {
      const box = await tab.locator(place).first().boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= height, `${place} ends at ${box.y + box.height}`);
    }
    await context.close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  test(`the grid works ${javaScriptEnabled ? "with" : "without"} scripts`, { skip }, async () => {
    const { context, tab } = await front({ javaScriptEnabled });
    assert.deepEqual(await said(tab), ["“bank” sees all 5 words; “river” gets most, 0.45."]);
    await tab.getByRole("radio", { name: "bank" }).focus();
    await tab.keyboard.press("ArrowDown"); // the next word, as radio buttons do
    await tab.getByRole("checkbox", { name: /Causal mask/ }).press("Space");
    assert.deepEqual(await said(tab), ["“was” sees 4 of 5 words, and each gets the same: 0.25."]);
    const row = await tab.locator(".row-3 td .masked:visible").allTextContents();
    assert.deepEqual(row, ["0.25", "0.25", "0.25", "0.25", "0"]);
    assert.equal(await tab.locator(".free:visible").count(), 0);
    await tab.locator(".row-0 td").nth(2).click(); // a tap on a number chooses its row
    assert.match((await said(tab)).join(), /^“the” comes first/);
    await context.close();
  });
}

test("cards and button know how far the reader is", { skip }, async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const { context, tab } = await front();
  const fresh = await tab.locator(".front-start a").innerText();
  assert.equal(fresh, "Start chapter 01");
  assert.equal(await tab.locator(".chapter-card").count(), 17);
  assert.equal(await tab.locator(".card-progress:not(:empty)").count(), 0);
  await context.close();

  const stored = JSON.stringify({ version: 1, cards: {}, gates: { "03": { score: 5, at } } });
  const second = await front({ stored });
  const card = second.tab.locator('.chapter-card[data-chapter="03"]');
  assert.match(await card.innerText(), /0 of \d+ cards, 5 of \d+ points/);
  const start = second.tab.locator(".front-start a");
  assert.equal(await start.innerText(), "Go on with chapter 03");
  assert.match(await start.getAttribute("href"), /03-masks\.html$/);
  await second.context.close();
});

test("on a telephone the map is a list with its lines, each from a chapter to one that needs it", { skip }, async () => {
  const { context, tab } = await front({ viewport: { width: 390, height: 844 } }, "book/map.html");
  assert.equal(await tab.locator(".map-picture").isVisible(), false);
  const wrong = await tab.evaluate(() => {
    const items = [...document.querySelectorAll(".map-list li[data-chapter]")];
    const box = (node) => node.getBoundingClientRect();
    const found = [];
    const lines = [...document.querySelectorAll(".map-need")].map(box);
    for (const item of items) {
      const [, needs] = item.textContent.match(/needs (.*?)\)/);
      for (const [number] of needs.matchAll(/\d\d/g)) {
        const above = items.find((other) => other.dataset.chapter === number);
        const meets = lines.some((line) =>
          line.top > box(above).top && line.top < box(above).bottom &&
          line.bottom > box(item).top && line.bottom < box(item).bottom);
        if (!meets) found.push(`${number} to ${item.dataset.chapter}`);
      }
    }
    const asked = items.flatMap((item) => [...item.textContent.match(/needs (.*?)\)/)[1].matchAll(/\d\d/g)]);
    if (asked.length !== lines.length) found.push(`${lines.length} lines for ${asked.length} needs`);
    for (const item of items) if (box(item).right > innerWidth) found.push(`${item.dataset.chapter} is cut`);
    return found;
  });
  assert.deepEqual(wrong, []);
  await context.close();
});

test("on a telephone no letter of a drawing is below 11 pixels, and a wide one says that it scrolls", { skip }, async () => {
  const { context, tab } = await front(
    { viewport: { width: 390, height: 844 } }, "book/16-serving.html");
  const wide = await tab.locator("img.course-drawing").first().evaluate((image) => ({
    width: image.clientWidth, scrolls: image.parentElement.scrollWidth > image.parentElement.clientWidth,
    says: getComputedStyle(image.closest("figure"), "::before").content,
  }));
  assert.ok(wide.width >= 560 && wide.scrolls, JSON.stringify(wide));
  assert.match(wide.says, /Scrolls sideways/);
  await tab.goto(`${here.site.address}/book/06-the-block.html`, { timeout: 90_000 });
  for (const image of await tab.locator("img.course-drawing").all()) {
    const { width, fits } = await image.evaluate((node) => ({
      width: node.clientWidth, fits: node.getBoundingClientRect().right <= innerWidth }));
    assert.ok((12.6 * width) / 400 >= 11 && fits, `${width} px wide`);
  }
  await context.close();
});
