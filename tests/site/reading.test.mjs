// What a reader does on the site, by keyboard: skip, switch the light, copy, move a picture.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { cannotRun, coursePages, forAllTests, open, SITE, SOON } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });

async function at(page, options = {}) {
  const context = await here.chrome.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const tab = await context.newPage();
  await open(tab, `${here.site.address}/${page}`);
  return tab;
}

const html = (page) => readFileSync(join(SITE, page), "utf8");
const widgets = (page) =>
  [...new Set([...html(page).matchAll(/<(plain-[a-z0-9-]+)/g)].map((match) => match[1]))];

test("the first Tab reaches a link that skips to the text", { skip }, async () => {
  const tab = await at("index.html");
  await tab.keyboard.press("Tab");
  const focused = await tab.evaluate(() => document.activeElement.getAttribute("href"));
  assert.equal(focused, "#main-content");
  const seen = () => document.activeElement.getBoundingClientRect().top >= 0;
  await tab.waitForFunction(seen, null, { timeout: SOON }); // it slides into view
  await tab.keyboard.press("Enter");
  await tab.waitForURL(/#main-content$/);
  await tab.context().close();
});

test("the switch goes through its three settings by keyboard, and is remembered", { skip }, async () => {
  const tab = await at("index.html", { colorScheme: "light" });
  const mode = () => tab.evaluate(() => document.documentElement.dataset.mode);
  const shade = () =>
    tab.evaluate(() => {
      const [red] = getComputedStyle(document.body).backgroundColor.match(/\d+/g);
      return red > 127 ? "light" : "dark";
    });
  await tab.locator(".theme-switch-button:visible").first().focus();
  assert.equal(await mode(), "auto");
  const seen = {};
  for (let i = 0; i < 3; i++) {
    await tab.keyboard.press("Enter");
    seen[await mode()] = await shade();
  }
  assert.deepEqual(seen, { auto: "light", light: "light", dark: "dark" });
  while ((await mode()) !== "dark") await tab.keyboard.press("Enter");
  await open(tab, `${here.site.address}/book/notation.html`);
  assert.deepEqual([await mode(), await shade()], ["dark", "dark"]);
  await tab.context().close();
});

test("formulas are set before any script runs, and can be read by a screen reader", { skip }, async () => {
  const tab = await at("book/notation.html", { javaScriptEnabled: false });
  const set = await tab.evaluate(() => ({
    formulas: document.querySelectorAll("article .math").length,
    set: document.querySelectorAll("article .math:has([aria-hidden] .katex-base)").length,
    spoken: document.querySelectorAll("article .math math").length,
  }));
  assert.ok(set.formulas > 20);
  assert.deepEqual([set.set, set.spoken], [set.formulas, set.formulas]);
  await tab.context().close();
});

test("the text is set in the font of this site", { skip }, async () => {
  const tab = await at("index.html");
  const loaded = await tab.evaluate(() =>
    [...document.fonts].filter((f) => f.status === "loaded").map((f) => f.family));
  assert.ok(loaded.some((name) => name.includes("Source Serif 4")), loaded.join());
  await tab.context().close();
});

test("an equation leads to its function, and the function back", { skip }, async () => {
  const page = "book/02-scaled-dot-product-attention.html";
  const tab = await at(page);
  await tab.locator("#equation-eq-attention ~ .in-code a").first().click();
  assert.match(tab.url(), /api\/attention\.html#plainformer\.attention\.attend$/);
  const back = tab.locator(
    "dl:has(> dt[id='plainformer.attention.attend']) .implements a[href*='eq-attention']",
  );
  assert.match((await back.first().textContent()).trim(), /^\(2\.\d+\)$/);
  await back.first().click();
  assert.ok(tab.url().endsWith(`${page}#equation-eq-attention`), tab.url());
  await tab.context().close();
});

for (const page of skip ? [] : coursePages().filter((name) => widgets(name).length)) {
  test(`${page}: each interactive picture is alive and takes the focus`, async () => {
    const tab = await at(page);
    for (const name of widgets(page)) {
      await tab.waitForFunction((tag) => customElements.get(tag), name);
      const widget = tab.locator(name).first();
      assert.ok((await widget.getAttribute("aria-label"))?.length > 20, `${name} says what it shows`);
      await widget.scrollIntoViewIfNeeded();
      const reached = await widget.evaluate((host) => {
        const inside = (host.shadowRoot ?? host).querySelectorAll(
          "button, input, select, [tabindex='0'], a[href]",
        );
        inside[0]?.focus();
        return Boolean(inside[0]) && (host.shadowRoot ?? document).activeElement === inside[0];
      });
      assert.ok(reached, `${name} has something that takes the focus`);
    }
    await tab.context().close();
  });

  test(`${page}: without scripts each picture says what it would show`, async () => {
    const tab = await at(page, { javaScriptEnabled: false }).catch((error) => error);
    for (const name of widgets(page)) {
      const text = await tab.locator(`${name} .fallback`).first().innerText();
      assert.ok(text.length > 30, `${name}: "${text}"`);
    }
    await tab.context().close();
  });
}

test("the contents at the side know the section, also after a jump, down and up", { skip }, async () => {
  const tab = await at("book/15-long-context.html");
  const headings = tab.locator("article section > :is(h2, h3)");
  const last = (await headings.count()) - 1;
  for (const place of [6, last - 2, 3]) {
    const heading = headings.nth(place);
    await heading.evaluate((node) => scrollTo(0, node.getBoundingClientRect().top + scrollY - 200));
    const name = (await heading.evaluate((node) => node.firstChild.textContent)).trim();
    await tab.waitForFunction((wanted) =>
      document.querySelector(".bd-sidebar-secondary a.active")?.textContent.trim() === wanted, name, { timeout: SOON });
  }
  await tab.context().close();
});

const DEEP = "book/12-flash-attention.html";
const opened = (tab) => tab.locator(".deeper > details[open]").evaluateAll((all) => all.map((fold) => fold.parentElement.id));

test("the contents at the right follow to the end of a chapter", { skip }, async () => {
  const tab = await here.chrome.newPage({ viewport: { width: 1440, height: 700 } });
  await open(tab, `${here.site.address}/book/01-attention-as-soft-retrieval.html`);
  for (const share of [0.3, 0.6, 0.9, 0.1]) {
    await tab.evaluate((part) => scrollTo({ top: part * document.body.scrollHeight, behavior: "instant" }), share);
    await tab.waitForFunction(() => {
      const here = [...document.querySelectorAll(".bd-sidebar-secondary .nav-link.active")].at(-1);
      const { top, bottom, height } = here?.getBoundingClientRect() ?? {};
      return height && top >= 0 && bottom <= innerHeight;
    }, null, { timeout: SOON });
  }
  await tab.close();
});

test("what goes deeper is closed, opens by its heading, and is closed again the next time", { skip }, async () => {
  const tab = await at(DEEP);
  const folds = tab.locator(".deeper > details");
  assert.ok(await folds.count() > 2);
  assert.deepEqual(await opened(tab), []);
  for (const heading of await tab.locator(".deeper > details > summary > :is(h2, h3)").allInnerTexts()) {
    assert.match(heading, /^Deeper: /);
  }
  const inside = folds.first().locator("p").first();
  assert.ok(!(await inside.isVisible()));
  await folds.first().locator("summary").first().press("Enter");
  assert.ok(await inside.isVisible());
  await tab.reload();
  assert.deepEqual(await opened(tab), []);
  await tab.context().close();
});

test("an address that leads into what goes deeper opens it, there and back", { skip }, async () => {
  const tab = await at(`${DEEP}#sec-12-interpreted-kernel`);
  const kernel = await opened(tab);
  assert.equal(kernel.length, 1);
  const seen = () => tab.evaluate(() => {
    const { top } = document.getElementById(location.hash.slice(1)).getBoundingClientRect();
    return top >= document.querySelector(".bd-header-article").getBoundingClientRect().bottom && top < innerHeight / 2;
  });
  assert.ok(await seen());
  const first = tab.locator(".deeper").first();
  const id = await first.getAttribute("id");
  await tab.evaluate((to) => { location.hash = to; }, id);
  await tab.waitForFunction(() => document.querySelectorAll(".deeper > details[open]").length === 2);
  await first.locator("summary").first().click();
  await tab.locator(".deeper > details[open] > summary").first().click();
  assert.deepEqual(await opened(tab), []);
  await tab.goBack();
  await tab.waitForFunction(() => document.querySelector(".deeper > details[open]"));
  assert.deepEqual(await opened(tab), kernel);
  await tab.waitForFunction(() => document.querySelector(location.hash).getBoundingClientRect().top > 0);
  assert.ok(await seen());
  await tab.locator(`.bd-sidebar-secondary a[href="#${id}"]`).click();
  await tab.waitForFunction(() => document.querySelectorAll(".deeper > details[open]").length === 2);
  await first.locator("summary").first().press("Enter");
  await tab.locator(`.bd-sidebar-secondary a[href="#${id}"]`).click(); // the same address once more
  await tab.waitForFunction(() => document.querySelectorAll(".deeper > details[open]").length === 2);
  await tab.context().close();
});

test("without scripts what goes deeper opens by its heading", { skip }, async () => {
  const context = await here.chrome.newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(`${here.site.address}/${DEEP}`, { waitUntil: "load" });
  const fold = tab.locator(".deeper > details").first();
  await fold.locator("summary").first().click();
  assert.ok(await fold.locator("p").first().isVisible());
  await context.close();
});

test("what scrolls sideways can be reached by keyboard", { skip }, async () => {
  const tab = await at("book/notation.html", { viewport: { width: 320, height: 640 } });
  await tab.waitForSelector("[data-scrolls]");
  const stuck = await tab.evaluate(() =>
    [...document.querySelectorAll("article *")].filter((node) => {
      const scrolls = ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
      return scrolls && node.scrollWidth > node.clientWidth + 1 && node.tabIndex < 0;
    }).map((node) => node.className));
  assert.deepEqual(stuck, []);
  await tab.context().close();
});
