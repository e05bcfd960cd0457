// Reading without a network. The host is really gone in these tests: setOffline alone would not stop a worker.
// The whole book is the built site; releases, breaks and slow lines are tried on a small one with its scripts.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { after, before, test } from "node:test";

import { listen } from "./inspect.mjs";
import { browser, cannotRun, chromium, open, SITE, soon, TYPES } from "./site.mjs";

const skip = cannotRun();
const PAGE = "book/02-scaled-dot-product-attention.html";
const made = [];
const hosts = [];
let chrome;
before(async () => { if (!skip) chrome = await browser(); });
after(async () => {
  await chrome?.close();
  for (const host of hosts) host.stop();
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A host of one folder: `asked` are the paths, and it can be gone, slow, or without some files. */
async function host(folder = SITE, at = "/") {
  const here = { folder, asked: [], gone: false, slow: 0, broken: () => false };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html");
    here.asked.push(request.url);
    if (here.gone || here.broken(path)) return request.socket.destroy();
    if (here.slow && path.endsWith(".html")) await new Promise((done) => setTimeout(done, here.slow));
    try {
      const body = readFileSync(join(here.folder, path.slice(at.length)));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end("not found");
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  here.address = `http://127.0.0.1:${server.address().port}${at}`;
  here.stop = () => { server.closeAllConnections(); server.close(); };
  hosts.push(here);
  return here;
}

const mark = (body) => createHash("sha256").update(body).digest("hex").slice(0, 12);

/** A site of three pages that say which edition they are of, as their script does. */
function small(edition, more = {}) {
  const folder = mkdtempSync(join(tmpdir(), "edition-"));
  made.push(folder);
  const files = new Map();
  const write = (path, body) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), body);
    return [`${path}${extname(path) === ".js" ? `?v=${mark(body)}` : ""}`, mark(body), Buffer.byteLength(body)];
  };
  const script = write("_static/x.js", `document.documentElement.dataset.script = "${edition}";`);
  const button = write("_static/offline.js", readFileSync(join(SITE, "_static/bundles/offline.offline.js")));
  files.set("x", script).set("button", button);
  for (const [page, up] of [["index.html", ""], ["book/a.html", "../"], ["book/b.html", "../"]]) {
    files.set(page, write(page, `<!DOCTYPE html><html lang="en" data-content_root="${up || "./"}">` +
      `<head><link rel="icon" href="data:,"><title>${page} of ${edition} &#8212; small</title></head><body><h1>${page}, edition ${edition}</h1>` +
      `<div class="keep-book"><p class="keep-said" role="status"></p></div><script src="${up}${script[0]}"></script>` +
      `<script src="${up}${button[0]}"></script></body></html>`));
  }
  const list = { release: mark(edition), files: [...files.values()] };
  write("sw.json", JSON.stringify(list));
  const total = list.files.reduce((sum, [, , bytes]) => sum + bytes, 0);
  const missing = "<title>Not kept</title><ul><!-- kept --></ul>";
  const about = JSON.stringify({ release: list.release, total, packed: total, list: "sw.json", missing, ...more });
  write("sw.js", `self.EDITION = ${about};\n${readFileSync(join(SITE, "_static/bundles/offline.sw.js"), "utf8")}`);
  return folder;
}

const said = (tab) => tab.locator(".keep-said").first().textContent();
const says = (tab, what) => soon(async () => assert.match(await said(tab), what));
const press = (tab, name) => tab.getByRole("button", { name }).first().click();
const editions = (tab) => tab.evaluate(() =>
  [document.querySelector("h1").textContent.split(" ").at(-1), document.documentElement.dataset.script]);
const inCache = (tab) => tab.evaluate(async () => {
  const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
  return all.flat().map(({ url }) => url);
});

/** A tab on a small site whose worker is active. */
async function at(site, page = "index.html", context) {
  const tab = await (context ?? await chrome.newContext()).newPage();
  await tab.goto(site.address + page);
  await says(tab, /\w/);
  return tab;
}

async function goOffline(site, context) {
  site.gone = true;
  await context.setOffline(true);
}

test("a page that was read is read again without a network; one that was not is named, with those that are", { skip }, async () => {
  const site = await host(SITE, "/course/");
  const context = await chrome.newContext();
  const tab = await context.newPage();
  await open(tab, site.address + PAGE);
  await says(tab, /can be read again without a network/);
  const asked = site.asked.filter((path) => !/sw\.js|logo\.svg/.test(path)); // a mark in the page and in the tab
  assert.deepEqual(asked.filter((path, i) => asked.indexOf(path) < i), [], "keeping the first page asks for nothing again");
  await goOffline(site, context);
  const heard = listen(tab, site.address);
  await open(tab, `${site.address}${PAGE}?highlight=softmax#sec-02-scores`);
  assert.match(await tab.locator("article h1").first().innerText(), /Scaled dot-product attention/i);
  await says(tab, /copy that was kept on .* \d{4}: the network did not answer/);
  const alive = tab.locator("plain-softmax-stepper, plain-heads-lab, plain-attention-explorer").first();
  assert.ok(await alive.evaluate((widget) => Boolean(widget.shadowRoot?.querySelector("button, input"))));
  assert.ok(await tab.evaluate(() => document.fonts.check("16px KaTeX_Main")));
  assert.deepEqual(heard.errors.filter((text) => !/ERR_(INTERNET_DISCONNECTED|FAILED)/.test(text)), []);
  await tab.goto(`${site.address}book/03-masks.html`);
  assert.match(await tab.locator("main").innerText(), /not kept on this device(.|\n)*Scaled dot-product attention/i);
  await tab.getByRole("link", { name: /Scaled dot-product/ }).click();
  await tab.waitForURL(/02-scaled/);
  await context.close();
});

test("at the button the whole book is kept, and each kind of page opens without a network", { skip }, async () => {
  const site = await host();
  const context = await chrome.newContext();
  const tab = await context.newPage();
  await open(tab, `${site.address}index.html`);
  await says(tab, /takes \d\d\sMB \(about \d(\.\d)?\sMB to load/);
  assert.ok(!site.asked.some((path) => path.includes("sw.json")), "the list waits for the button");
  await tab.getByRole("button", { name: /^Keep the whole book \(\d\d\sMB\)/ }).press("Enter");
  await says(tab, /^The whole book is kept on this device \(\d\d\sMB\)/);
  assert.ok(await tab.evaluate(() => document.activeElement.matches(".keep-said")), "the focus is not lost");
  await goOffline(site, context);
  const heard = listen(tab, site.address);
  const kinds = ["book/03-masks.html", "book/map.html", "book/run-it-yourself.html", "book/api/attention.html",
    "_modules/plainformer/attention.html", "genindex.html", "book/map"];
  for (const page of kinds) {
    await tab.goto(site.address + page);
    assert.doesNotMatch(await tab.title(), /Not kept/, page);
    const pictures = await tab.evaluate(() => Promise.all([...document.images].map(async (image) => {
      image.loading = "eager";
      await image.decode().catch(() => {});
      return image.naturalWidth ? "" : image.src;
    })));
    assert.deepEqual(pictures.filter(Boolean), [], page);
  }
  await tab.goto(`${site.address}search.html?q=softmax`);
  await tab.locator(".search-hit").first().waitFor();
  await open(tab, `${site.address}book/playground.html`);
  await tab.locator("plain-playground").evaluate((host) => Boolean(host.shadowRoot.querySelector("button")) || Promise.reject());
  await open(tab, `${site.address}book/09-looking-inside.html#interactive-training-lab`);
  await tab.getByRole("button", { name: "Start training" }).click();
  await tab.getByRole("button", { name: "Pause" }).waitFor();
  assert.deepEqual(heard.errors.filter((text) => !/ERR_(INTERNET_DISCONNECTED|FAILED)/.test(text)), []);
  assert.deepEqual(heard.elsewhere, []);
  await press(tab, "Remove what is kept");
  await says(tab, /Pages that you read are kept/);
  assert.deepEqual(await inCache(tab), []);
  await context.close();
});

test("half a download says how much is kept, and goes on with what is missing", { skip }, async () => {
  const site = await host(small("one"));
  const tab = await at(site);
  site.broken = (path) => path.endsWith("b.html");
  await press(tab, /^Keep the whole book/);
  await says(tab, /^The network did not answer\. \d/);
  site.broken = () => false;
  site.asked.length = 0;
  await press(tab, /^Keep the rest/);
  await says(tab, /^The whole book is kept/);
  assert.deepEqual(site.asked.filter((path) => !/sw\.js/.test(path)), ["/book/b.html"]);
  await tab.context().close();
});

test("a new release takes the place of the old one, and no page runs a script of another edition", { skip }, async () => {
  const site = await host(small("one"));
  const tab = await at(site);
  await press(tab, /^Keep the whole book/);
  await says(tab, /^The whole book is kept/);
  site.folder = small("two");
  await tab.goto(`${site.address}book/a.html`);
  assert.deepEqual(await editions(tab), ["two", "two"], "the reader gets the new page at once");
  await says(tab, /An earlier edition of the whole book is kept/);
  site.gone = true;
  for (const [page, edition] of [["book/a.html", "two"], ["book/b.html", "one"]]) {
    await tab.goto(site.address + page);
    assert.deepEqual(await editions(tab), [edition, edition]);
  }
  site.gone = false;
  await says(tab, /An earlier edition/);
  await press(tab, /^Renew the book/);
  await says(tab, /The whole book is kept/);
  const old = mark(readFileSync(join(made.at(-2), "_static/x.js")));
  assert.ok(!(await inCache(tab)).some((url) => url.includes(old)), "what the old edition alone needed is gone");
  site.gone = true;
  await tab.goto(`${site.address}book/b.html`);
  assert.deepEqual(await editions(tab), ["two", "two"]);
  await tab.context().close();
});

test("a worker that a cache on the way holds back still shows new pages with new scripts", { skip }, async () => {
  const one = small("one");
  const site = await host(one);
  const tab = await at(site);
  await tab.reload();
  site.folder = small("two");
  cpSync(join(one, "sw.js"), join(site.folder, "sw.js"));
  await tab.reload();
  assert.deepEqual(await editions(tab), ["two", "two"]);
  await press(tab, /^Keep the whole book/);
  await says(tab, /^The site is being renewed/);
  // The other way round: the page is old, and the host has another script at its address already.
  cpSync(join(one, "book/a.html"), join(site.folder, "book/a.html"));
  await tab.evaluate(() => caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name)))));
  await tab.goto(`${site.address}book/a.html`);
  await tab.waitForTimeout(200);
  const old = mark(readFileSync(join(one, "_static/x.js")));
  assert.ok(!(await inCache(tab)).some((url) => url.includes(old)), "an answer that is not its address's is not kept");
  await tab.context().close();
});

test("on a slow line the kept copy is shown after a while", { skip }, async () => {
  const site = await host(small("one", { slow: 500 }));
  const tab = await at(site);
  site.slow = 60_000;
  await tab.reload();
  assert.deepEqual(await editions(tab), ["one", "one"]);
  await says(tab, /^This page is the copy that was kept/);
  await tab.context().close();
});

/** Lines of the worker before its own, as a browser would behave that we have not here. */
const behave = (folder, lines) =>
  writeFileSync(join(folder, "sw.js"), `${lines}\n${readFileSync(join(folder, "sw.js"), "utf8")}`);

test("a browser with no room left says so, and pages still open", { skip }, async () => {
  const site = await host(small("one"));
  behave(site.folder, 'Cache.prototype.put = async () => { throw new DOMException("full", "QuotaExceededError"); };');
  const tab = await at(site);
  await press(tab, /^Keep the whole book/);
  await says(tab, /^The browser gives this site no more room/);
  await tab.goto(`${site.address}book/a.html`);
  assert.deepEqual(await editions(tab), ["one", "one"]);
  await tab.context().close();
});

test("a storage that never answers holds no page back", { skip }, async () => {
  const site = await host(small("one", { slow: 500 }));
  behave(site.folder, "const SLOWLY = () => new Promise(() => {}); CacheStorage.prototype.open = SLOWLY;");
  const tab = await at(site);
  await tab.goto(`${site.address}book/a.html`, { timeout: 15_000 });
  assert.deepEqual(await editions(tab), ["one", "one"]);
  await tab.context().close();
});

test("without a service worker, or a site without one, the page works and has a sentence", { skip }, async () => {
  const site = await host(small("one"));
  const without = await chrome.newContext();
  await without.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
  const tab = await at(site, "index.html", without);
  assert.match(await said(tab), /cannot keep a site/);
  rmSync(join(site.folder, "sw.js"));
  const other = await at(site);
  assert.match(await said(other), /could not be started/);
  assert.deepEqual([await editions(tab), await editions(other)], [["one", "one"], ["one", "one"]]);
  for (const each of [tab, other]) await each.context().close();
});

test("where storage is refused there is a sentence, and nothing is thrown", { skip }, async () => {
  const site = await host(small("one"));
  const folder = mkdtempSync(join(tmpdir(), "refusing-"));
  made.push(folder);
  mkdirSync(join(folder, "Default"));
  const refuse = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(refuse));
  const { chromium: engine } = await import("playwright-core");
  const refusing = await engine.launchPersistentContext(folder, {
    executablePath: chromium(), args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
  });
  const tab = await refusing.newPage();
  const heard = listen(tab, site.address);
  await tab.goto(site.address);
  await says(tab, /stores nothing for this site/);
  assert.deepEqual(await editions(tab), ["one", "one"]);
  assert.deepEqual(heard.errors, []);
  await refusing.close();
});

test("a copy in a folder says that all of it is there, and asks for no worker", { skip }, async () => {
  const tab = await chrome.newPage();
  await open(tab, `file://${join(SITE, "index.html")}`);
  await says(tab, /all of it is on this device already/);
  await tab.close();
});
