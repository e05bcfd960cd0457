// A reader searches: by keyboard, to a section whose words are marked; what is loaded, and when.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import * as look from "./inspect.mjs";
import { cannotRun, forAllTests, open, SITE } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });
const PAGE = "book/17-capstone.html";

async function at(address, options = {}) {
  const context = await here.chrome.newContext({
    viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options,
  });
  context.setDefaultTimeout(90_000);
  const tab = await context.newPage();
  await open(tab, address.includes(":") ? address : `${here.site.address}/${address}`);
  return tab;
}

async function type(tab, asked) {
  await tab.keyboard.press("Control+k");
  await tab.keyboard.type(asked);
  await tab.waitForFunction(() => document.querySelector("#pst-search-dialog .search-status").textContent);
}

const hits = (tab) => tab.locator("#pst-search-dialog .search-hits a");
const marks = (tab) => tab.evaluate(() => CSS.highlights.get("searched")?.size ?? 0);

test("nothing of the search is loaded before a reader turns to it", { skip }, async () => {
  const tab = await at("index.html");
  const asked = [];
  tab.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").pop()));
  await open(tab, `${here.site.address}/${PAGE}`);
  const before = /^(sections|box|show)\.js|search|language_data|sphinx_highlight/;
  assert.deepEqual(asked.filter((name) => before.test(name)), []);
  await type(tab, "mask");
  assert.ok(["search.css", "sections.js", "box.js"].every((name) => asked.includes(name)), asked.join());
  for (const name of ["searchindex.js", "_static/searchtools.js", "_static/language_data.js"]) {
    assert.ok(!existsSync(join(SITE, name)), `${name} is written, and nothing uses it`);
  }
  await tab.context().close();
});

test("by keyboard: words, a hit, its section, the marks, and their end", { skip }, async () => {
  const tab = await at(PAGE);
  await type(tab, "what does the kv cache keep");
  assert.match(await tab.locator("#pst-search-dialog .search-status").innerText(), /^\d+ sections/);
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("ArrowUp");
  const focused = await tab.evaluate(() => document.activeElement.innerText);
  assert.match(focused, /^Ch\. 13 · The KV cache/);
  await tab.keyboard.press("Enter");
  await tab.waitForURL(/13-the-kv-cache\.html\?highlight=.*#/);
  await tab.waitForFunction(() => CSS.highlights.get("searched")?.size);
  const top = await tab.evaluate(() =>
    document.querySelector(location.hash).getBoundingClientRect().top);
  assert.ok(top > -5 && top < 450, `the section begins at ${top} px of 900`);
  await tab.keyboard.press("Escape");
  assert.equal(await marks(tab), 0);
  assert.equal(await tab.locator(".search-marked").count(), 0);
  assert.ok(!tab.url().includes("highlight"), tab.url());
  await tab.context().close();
});

test("Enter in the field goes to the first hit, also on the page one is on", { skip }, async () => {
  const tab = await at(PAGE);
  await type(tab, "leaderboard");
  await hits(tab).first().waitFor();
  await tab.keyboard.press("Enter");
  await tab.waitForURL(/highlight=.*#sec-17-leaderboard$/);
  await tab.waitForFunction(() => CSS.highlights.get("searched")?.size);
  await tab.locator(".search-marked button").click();
  assert.equal(await marks(tab), 0);
  await type(tab, "mask");
  await tab.locator(".search-close").click();
  assert.ok(!(await tab.locator("#pst-search-dialog").isVisible()));
  await tab.context().close();
});

test("a word that stands only in a fold opens it", { skip }, async () => {
  const tab = await at(PAGE);
  const [anchor, word] = await tab.evaluate(() => {
    const out = (node) => node.innerText.toLowerCase(); // without what is folded
    for (const fold of document.querySelectorAll("section[id] details:not([open])")) {
      const section = fold.closest("section");
      const inside = fold.lastElementChild.textContent.match(/\b[a-z]{7,}\b/g) ?? [];
      const only = inside.find((each) => !out(section).includes(each.slice(0, 5)));
      if (only && !fold.parentElement.closest("details")) return [section.id, only];
    }
    return [];
  });
  assert.ok(word, "no fold holds a word of its own");
  await open(tab, `${here.site.address}/${PAGE}?highlight=${word}#${anchor}`);
  await tab.waitForFunction(() => CSS.highlights.get("searched")?.size);
  const seen = await tab.evaluate(() =>
    [...CSS.highlights.get("searched")].some((range) => range.getClientRects().length));
  assert.ok(seen, `"${word}" in #${anchor} stays folded`);
  await tab.context().close();
});

test("what is not found is said, and words that are spelt nearly so are offered", { skip }, async () => {
  const tab = await at(PAGE);
  await type(tab, "atenshun");
  const status = tab.locator("#pst-search-dialog .search-status");
  assert.match(await status.innerText(), /^No section has “atenshun”\. Spelt nearly so:/);
  await status.locator("button").first().click();
  await hits(tab).first().waitFor();
  await tab.locator("#pst-search-dialog input").fill("perplexty");
  await hits(tab).first().waitFor();
  assert.match(await status.innerText(), /^No section has “perplexty”; these come nearest\. \d+ sections/);
  await tab.context().close();
});

test("search.html answers an address with words; box and page pass axe and 320 px", { skip }, async () => {
  const tab = await at("search.html?q=roofline", { colorScheme: "light" });
  const first = tab.locator(".search-page .search-hits a").first();
  await first.waitFor();
  assert.match(await first.getAttribute("href"), /#sec-10-roofline$/);
  await first.press("Enter");
  await tab.waitForURL(/highlight=roofline#sec-10-roofline$/);
  for (const [page, dialog] of [["search.html?q=mask", false], [PAGE, true]]) {
    await open(tab, `${here.site.address}/${page}`);
    if (dialog) await type(tab, "mask");
    await tab.locator(".search-hits:visible a").first().waitFor();
    await look.wish(tab, "light");
    assert.deepEqual(await look.axe(tab), [], `${page} in light`);
    await look.wish(tab, "dark");
    assert.deepEqual(await look.axe(tab, look.COLOURS), [], `${page} in dark`);
    assert.deepEqual(await look.reflow(tab), [], page);
    await tab.setViewportSize({ width: 1280, height: 900 });
  }
  await tab.context().close();
});

test("a copy opened from a file is searched too", { skip }, async () => {
  const tab = await at(pathToFileURL(join(SITE, PAGE)).href);
  await type(tab, "beam search");
  await hits(tab).first().waitFor();
  await tab.keyboard.press("Enter");
  await tab.waitForURL(/14-generation\.html\?highlight=/);
  await tab.waitForFunction(() => CSS.highlights.get("searched")?.size);
  await tab.keyboard.press("Escape");
  assert.equal(await marks(tab), 0);
  await tab.context().close();
});

test("without JavaScript search.html says so, with two ways on", { skip }, async () => {
  const tab = await at("search.html", { javaScriptEnabled: false }).catch(() => null);
  const context = tab?.context() ?? await here.chrome.newContext({ javaScriptEnabled: false });
  const page = tab ?? await context.newPage();
  await page.goto(`${here.site.address}/search.html`);
  const links = page.locator("noscript a");
  assert.match(await page.locator("noscript").last().innerText(), /^Search needs JavaScript/);
  assert.deepEqual(await links.evaluateAll((all) => all.map((a) => a.getAttribute("href"))),
    ["index.html", "genindex.html"]);
  await context.close();
});
