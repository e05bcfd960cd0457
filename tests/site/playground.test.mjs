// The playground in Chromium: by keyboard, by its address, and with what it must refuse.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { fromAddress, step } from "../../book/_static/widgets/playground.core.js";
import { cannotRun, forAllTests, open, soon } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });

async function playground(hash = "", options = {}) {
  const context = await here.chrome.newContext({ viewport: { width: 1280, height: 1000 }, reducedMotion: "reduce", ...options });
  const tab = await context.newPage();
  const errors = [];
  tab.on("pageerror", (error) => errors.push(error.message));
  await open(tab, `${here.site.address}/book/playground.html${hash}`);
  const place = tab.locator("plain-playground");
  await soon(async () => assert.ok(await place.locator(".words button").count()));
  return { tab, place, errors, text: async () => (await place.locator(".words button").allTextContents()).join(" ") };
}

const address = (tab) => tab.evaluate(() => location.hash);

test("arrow keys move in the text, which is one tab stop, and the heads follow", { skip }, async () => {
  const { tab, place } = await playground();
  assert.equal(await place.locator('.words button[tabindex="0"]').count(), 1);
  await place.locator('.words button[tabindex="0"]').focus();
  await tab.keyboard.press("Home");
  for (let i = 0; i < 3; i += 1) await tab.keyboard.press("ArrowRight");
  const word = place.getByRole("button", { name: /^fear, position 3/ });
  assert.ok(await word.evaluate((node) => node.matches(":focus")));
  assert.equal(await word.getAttribute("aria-pressed"), "true");
  assert.match(await place.locator(".heads li").nth(2).innerText(), /hens \(2\) 0\.9\d/);
  await soon(async () => assert.match(await place.getByRole("status").textContent(), /^fear, position 3\. Head 1\.0/));
  await soon(async () => assert.equal(await address(tab), "#at=3"));
  await tab.context().close();
});

test("a word and a sentence are told by keyboard, a seed repeats them, and a bar continues the text", { skip }, async () => {
  const { tab, place, text } = await playground();
  const begun = await text();
  await place.getByRole("button", { name: "One word" }).press("Enter");
  assert.equal(await text(), `${begun} fear`);
  await place.getByRole("button", { name: "One sentence" }).press("Enter");
  assert.equal(await text(), `${begun} fear today .`);
  await place.getByLabel("Seed").fill("7");
  await place.getByLabel("Seed").press("Enter");
  await place.getByRole("button", { name: "Begin again" }).press("Enter");
  assert.equal(await text(), begun);
  await place.locator(".bars button").nth(1).press("Enter");
  assert.notEqual(await text(), `${begun} fear`);
  assert.equal((await text()).split(" ").length, begun.split(" ").length + 1);
  await tab.context().close();
});

test("where motion is welcome the words of a sentence come one by one, and can be stopped", { skip }, async () => {
  const { tab, place } = await playground("#b=Ka&s=3", { reducedMotion: "no-preference" });
  const count = () => place.locator(".words button").count();
  await place.getByRole("button", { name: "One sentence" }).click();
  await soon(async () => assert.ok((await count()) > 2));
  await place.getByRole("button", { name: "Stop" }).click();
  const stopped = await count();
  await tab.waitForTimeout(500);
  assert.equal(await count(), stopped);
  await tab.context().close();
});

test("a wrong word is named beside its field, and the text stays", { skip }, async () => {
  const { tab, place, text } = await playground();
  const begun = await text();
  const field = place.getByLabel("Beginning", { exact: true });
  await field.fill("the owll <img src=x>");
  await field.press("Enter");
  assert.match(await place.getByRole("alert").filter({ hasText: "owll" }).textContent(), /“owll”\. Near it are owl,/);
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await text(), begun);
  await field.fill("The owl sings. *");
  await field.press("Enter");
  assert.equal(await text(), "the owl sings . *");
  assert.equal(await field.getAttribute("aria-invalid"), "false");
  await tab.context().close();
});

test("a head that is turned off keeps the focus and changes loss, text and address", { skip }, async () => {
  const { tab, place } = await playground("#n=3");
  const box = place.getByRole("checkbox", { name: "Head 1.0 is on" });
  await box.focus();
  await tab.keyboard.press("Space");
  assert.ok(await box.evaluate((node) => node.matches(":focus") && !node.checked));
  assert.match(await place.locator(".widget").innerText(), /Without head 1\.0 the loss of the same text is \d/);
  await soon(async () => assert.deepEqual(fromAddress(await address(tab)).state, { ...step(6) }));
  await tab.context().close();
});

test("the tour leads from step to step, and each step has its address", { skip }, async () => {
  const { tab, place } = await playground("#step-7");
  assert.match(await place.locator(".tour").innerText(), /Step 7 of 10\. The cache/);
  assert.match(await place.locator(".widget").innerText(), /15 of 64 rows in each layer, 15,360 bytes/);
  await place.getByRole("button", { name: "Next step" }).press("Enter");
  assert.match(await place.locator(".widget").innerText(), /No cache is kept/);
  await soon(async () => assert.equal(await address(tab), "#step-8"));
  await tab.getByRole("link", { name: "Top-p", exact: true }).last().click();
  await soon(async () => assert.match(await place.locator(".tour").innerText(), /Step 10 of 10/));
  assert.equal(await place.locator(".bars .out").count(), 3);
  await tab.context().close();
});

test("a broken address is refused with a sentence, and the playground works", { skip }, async () => {
  for (const hash of ["#n=99", "#b=%3Cscript%3E", "#off=7.7", "#step-44", "#x=%E0%A4%A"]) {
    const { tab, place, errors, text } = await playground(hash);
    assert.match(await place.locator(".problem").textContent(), /^The address .*\.$/, hash);
    assert.match(await text(), /^\* sees hens/);
    await place.getByRole("button", { name: "One word" }).press("Enter");
    assert.equal(await place.locator(".problem").textContent(), "");
    assert.deepEqual(errors, []);
    await tab.context().close();
  }
});

test("a full text says so, and no button adds to it", { skip }, async () => {
  const { tab, place } = await playground("#n=50");
  assert.match(await place.locator(".widget").innerText(), /The context of 64 words is full/);
  for (const name of ["One word", "One sentence"]) {
    await place.getByRole("button", { name }).click({ force: true });
    assert.equal(await place.locator(".words button").count(), 64);
  }
  await tab.context().close();
});
