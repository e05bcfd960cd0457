// Every page of the course without scripts: it reads, in both lights and at three widths.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { cannotRun, coursePages, forAllTests, open } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });
const WIDTHS = [1280, 390, 320];
// What has a colour of its own, each with what is compared.
const COLOURED = [
  ["body", "backgroundColor"], ["body", "color"], ["article h1", "color"],
  ["article p a.reference", "color"], ["article div.admonition", "backgroundColor"],
  ["article div.highlight pre", "backgroundColor"], ["article .highlight .kn", "color"],
  ["article .highlight .c1", "color"], ["article details", "borderColor"],
];
const PAGE = "book/02-scaled-dot-product-attention.html";

/** In the page: what hides or covers its text. */
function faults() {
  const found = [];
  const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const [h1] = document.querySelectorAll("article h1");
  const top = h1.getBoundingClientRect();
  for (const node of document.querySelectorAll("header, .bd-header-article, .bd-sidebar-primary")) {
    const { left, right, bottom, top: begins, width } = node.getBoundingClientRect();
    const meets = width && left < top.right && right > top.left && begins < top.bottom && bottom > top.top;
    if (meets && seen(node)) found.push(`${node.className} lies over the heading`);
  }
  for (const node of document.querySelectorAll("article :is(p, pre, td, li, dt, h2, h3)")) {
    const folded = node.closest("details:not([open])") || node.closest("summary"); // of two titles it has one
    if (folded || node.closest(".interactive-task, .onlyprint, noscript")) continue;
    if (node.textContent.trim() && !seen(node)) found.push(`hidden: ${node.textContent.trim().slice(0, 50)}`);
  }
  for (const node of document.querySelectorAll("button, input, [role=button]")) {
    const byStyle = node.closest(".front-grid"); // a style sheet moves it, front.test.mjs
    if (seen(node) && !byStyle) found.push(`does nothing: ${node.outerHTML.slice(0, 80)}`);
  }
  for (const node of document.querySelectorAll(".interactive-task")) {
    const said = [...node.children].filter(seen);
    if (said.some((each) => !each.textContent.startsWith("Question"))) found.push("a task without its picture");
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`the page is ${wide} px wide`);
  const contents = document.querySelector("#pst-primary-sidebar a[href]");
  if (!seen(contents)) found.push("no way to the other pages");
  return found;
}

for (const page of skip ? [] : coursePages()) {
  test(`${page}: without scripts it reads`, async () => {
    const context = await here.chrome.newContext({ javaScriptEnabled: false });
    const tab = await context.newPage();
    await tab.goto(`${here.site.address}/${page}`, { waitUntil: "load" });
    for (const width of WIDTHS) {
      await tab.setViewportSize({ width, height: 800 });
      assert.deepEqual(await tab.evaluate(faults), [], `${width} px`);
    }
    for (const still of await tab.locator(".interactive").all()) {
      await still.scrollIntoViewIfNeeded();
      assert.match(await still.locator(".fallback").innerText(), /takes JavaScript/);
      const image = still.locator("img").first();
      await image.evaluate((node) => node.decode());
      assert.ok((await image.boundingBox()).height > 80);
    }
    await context.close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`without scripts the colours are those of the ${colorScheme} page`, { skip }, async () => {
    const seen = [];
    for (const javaScriptEnabled of [true, false]) {
      const context = await here.chrome.newContext({ colorScheme, javaScriptEnabled });
      const tab = await context.newPage();
      await (javaScriptEnabled ? open(tab, `${here.site.address}/${PAGE}`) : tab.goto(`${here.site.address}/${PAGE}`));
      await tab.emulateMedia({ reducedMotion: "reduce" });
      seen.push(await tab.evaluate((asked) => asked.map(([selector, name]) =>
        `${selector} ${name}: ${getComputedStyle(document.querySelector(selector))[name]}`), COLOURED));
      await context.close();
    }
    assert.deepEqual(seen[1], seen[0]);
    const [, first] = seen[0][0].match(/rgb\((\d+)/);
    assert.equal(Number(first) > 127 ? "light" : "dark", colorScheme);
  });
}

/** In the page: which of the two pictures of each plot and still are there. */
function shownPictures() {
  const shown = (name) => [...document.querySelectorAll(`article img.${name}`)]
    .filter((node) => getComputedStyle(node).display !== "none" && node.getBoundingClientRect().width > 80).length;
  return { light: shown("only-light"), dark: shown("only-dark"), pairs: document.querySelectorAll("article img.only-light").length };
}

for (const colorScheme of ["light", "dark"]) {
  test(`without scripts the plots and the stills are those of the ${colorScheme} page`, { skip }, async () => {
    const context = await here.chrome.newContext({ colorScheme, javaScriptEnabled: false });
    const tab = await context.newPage();
    let all = 0;
    for (const page of coursePages().filter((each) => /\/\d\d-/.test(each))) {
      await tab.goto(`${here.site.address}/${page}`);
      await tab.evaluate(() => { for (const fold of document.querySelectorAll("details")) fold.open = true; });
      const { pairs, ...shown } = await tab.evaluate(shownPictures);
      all += pairs;
      assert.deepEqual(shown, { light: 0, dark: 0, [colorScheme]: pairs }, page);
    }
    assert.ok(all > 40, `${all} pairs`);
    await context.close();
  });
}

test("without scripts a link on a telephone leads to the chapters, which stand below", { skip }, async () => {
  const context = await here.chrome.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } });
  const tab = await context.newPage();
  await tab.goto(`${here.site.address}/${PAGE}`);
  await tab.getByRole("link", { name: "All chapters" }).click();
  const next = tab.locator("#pst-primary-sidebar").getByRole("link", { name: /03 · / });
  assert.ok(await next.isVisible());
  await next.click();
  assert.match(tab.url(), /03-masks/);
  await context.close();
});
