// What a host shows where there is no page, two sites on one host, and addresses that change with files.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import * as look from "./inspect.mjs";
import { cannotRun, forAllTests, open, SITE } from "./site.mjs";

const skip = cannotRun();
const PAGE = "book/02-scaled-dot-product-attention.html";
const here = forAllTests({ before, after });

/** A host with the site in several folders, which shows 404.html for what is not there. */
async function host(...folders) {
  const context = await here.chrome.newContext();
  await context.route(`${here.site.address}/**`, (route) => {
    const path = decodeURIComponent(new URL(route.request().url()).pathname);
    const folder = folders.find((each) => path.startsWith(each));
    const file = folder && join(SITE, path.slice(folder.length));
    if (file && existsSync(file) && statSync(file).isFile()) return route.fulfill({ path: file });
    return route.fulfill({ status: 404, path: join(SITE, "404.html"), contentType: "text/html" });
  });
  return { context, tab: await context.newPage() };
}

for (const [folder, missing] of [["/", "no-page.html"], ["/", "book/api/old/page"],
  ["/course/", "book/01-old-name.html"], ["/a/b/", "deep/er/01_old%20name"]]) {
  test(`a page that is missing under ${folder}${missing} leads back`, { skip }, async () => {
    const { context, tab } = await host(folder);
    await tab.goto(`${here.site.address}${folder}${missing}`);
    const root = `${here.site.address}${folder}`;
    await tab.waitForFunction((at) => document.baseURI === at, root);
    const links = await tab.locator("main a").evaluateAll((all) => all.map((a) => a.href));
    assert.ok(links.length >= 18);
    for (const link of links) {
      assert.ok(link.startsWith(root) && existsSync(join(SITE, link.slice(root.length))), link);
    }
    const said = missing.includes("old%20name") ? "01 old name" : null;
    if (said) assert.equal(await tab.getByRole("searchbox").inputValue(), said);
    await tab.getByRole("searchbox").fill("softmax");
    await tab.getByRole("button", { name: "Search" }).click();
    await tab.waitForURL(`${root}search.html?q=softmax`);
    await context.close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`it is without accessibility violations in ${colorScheme}, and fits a telephone`, { skip }, async () => {
    const context = await here.chrome.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
    const tab = await context.newPage();
    const heard = look.listen(tab, here.site.address);
    await tab.goto(`${here.site.address}/404.html`);
    assert.deepEqual(await look.axe(tab, look.ALL), []);
    assert.deepEqual(await look.reflow(tab), []);
    assert.equal(await tab.locator("h1").count(), 1);
    for (const [what, said] of Object.entries(heard)) assert.deepEqual(said, [], what);
    await context.close();
  });
}

test("opened as a file, it leads to the files beside it", { skip }, async () => {
  const tab = await here.chrome.newPage();
  await tab.goto(pathToFileURL(join(SITE, "404.html")).href);
  const links = await tab.locator("main a").evaluateAll((all) => all.map((a) => a.href));
  assert.equal(links[0], pathToFileURL(join(SITE, "index.html")).href);
  await tab.close();
});

test("two sites on one host keep what was predicted apart", { skip }, async () => {
  const { context, tab } = await host("/autumn/", "/spring/");
  const said = () => tab.evaluate(() => /\([a-d]\) is (right|wrong)\./.test(document.querySelector("main").innerText));
  await open(tab, `${here.site.address}/spring/${PAGE}`);
  await tab.locator("main .predict button").first().click();
  assert.ok(await said());
  await open(tab, `${here.site.address}/autumn/${PAGE}`);
  assert.ok(!await said());
  await open(tab, `${here.site.address}/spring/${PAGE}`);
  assert.ok(await said());
  await context.close();
});

test("each style sheet and script has the digest of its file in its address", { skip }, () => {
  for (const page of ["index.html", PAGE, "search.html", "book/api/attention.html"]) {
    const text = readFileSync(join(SITE, page), "utf8");
    const found = [...text.matchAll(/(?:href|src)="([^":]*_static\/[^"?]+\.(?:css|js))(?:\?v=(\w+))?"/g)];
    assert.ok(found.length > 5);
    for (const [, path, mark] of found) {
      const file = readFileSync(join(SITE, dirname(page), path));
      assert.equal(mark, createHash("sha256").update(file).digest("hex").slice(0, 12), `${page}: ${path}`);
    }
  }
});
