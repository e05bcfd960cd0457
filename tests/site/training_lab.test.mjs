// The training lab in Chromium: it trains in a worker, pauses, and says so where it cannot.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { cannotRun, forAllTests, open, soon } from "./site.mjs";

const skip = cannotRun();
const PAGE = "book/09-looking-inside.html";
const SCRIPT = /widgets\.training-lab\.worker\.js/;
const here = forAllTests({ before, after });

async function lab(prepare = async () => {}) {
  // A service worker would fetch the script itself, so that the tests could not change it on its way.
  const context = await here.chrome.newContext({ viewport: { width: 1280, height: 1000 }, serviceWorkers: "block" });
  const tab = await context.newPage();
  const asked = [];
  tab.on("request", (request) => asked.push(request.url()));
  await prepare(tab);
  await open(tab, `${here.site.address}/${PAGE}`);
  const place = tab.locator("plain-training-lab");
  await place.scrollIntoViewIfNeeded();
  return { tab, place, asked, button: (name) => place.getByRole("button", { name }) };
}

const stepOf = async (place) => Number((await place.locator(".clock").innerText()).match(/Step (\d+)/)[1]);

test("the lab trains from the keyboard, pauses, and begins again", { skip }, async () => {
  const { tab, place, asked, button } = await lab();
  assert.deepEqual(asked.filter((url) => url.includes("worker")), [], "nothing is loaded before the start");
  await button("Start training").press("Enter");
  await soon(async () => assert.ok((await stepOf(place)) > 0));
  await soon(async () => assert.match(await place.getByRole("status").textContent(), /Training begins/));
  assert.match(await place.locator(".clock").innerText(), /103680 parameters/);
  await button("Pause").press("Enter");
  await soon(async () => {
    const step = await stepOf(place);
    await tab.waitForTimeout(400);
    assert.equal(await stepOf(place), step);
  });
  const paused = await stepOf(place);
  await button("Continue").press("Enter");
  await soon(async () => assert.ok((await stepOf(place)) > paused));
  assert.match(await place.getByRole("img", { name: /Losses in nats/ }).getAttribute("aria-label"), /copied words \d\.\d\d/);
  assert.equal(await place.getByRole("img", { name: /^Head \d\.\d: previous/ }).count(), 8);
  await tab.evaluate(() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  assert.match(await place.locator(".widget").innerText(), /Paused, because the page was hidden/);
  await button("Reset").press("Enter");
  assert.equal(await stepOf(place), 0);
  await button("Start training").click();
  await soon(async () => assert.equal(tab.workers().length, 1));
  await place.evaluate((host) => host.remove());
  await soon(async () => assert.equal(tab.workers().length, 0));
  await tab.context().close();
});

test("without WebAssembly it trains in JavaScript and says so", { skip }, async () => {
  const { tab, place, button } = await lab((page) => page.route(SCRIPT, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `delete self.WebAssembly;${await answer.text()}` });
  }));
  await button("Start training").click();
  await soon(async () => assert.match(await place.locator(".widget").innerText(), /no WebAssembly with SIMD/));
  await soon(async () => assert.ok((await stepOf(place)) > 0));
  await tab.context().close();
});

test("a worker that does not start leaves a sentence and a page that works", { skip }, async () => {
  const { tab, place, button } = await lab((page) => page.route(SCRIPT, (route) => route.abort()));
  await button("Start training").click();
  await soon(async () => assert.match(await place.locator(".widget").innerText(), /could not start/));
  assert.ok(await button("Start training").isEnabled());
  await tab.context().close();
});
