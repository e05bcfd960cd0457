// The interactive pictures in Chromium: moved by keyboard and pointer, their numbers as computed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { explore, picture } from "../../book/_static/widgets/attention-explorer.core.js";
import { cannotRun, forAllTests, open, soon } from "./site.mjs";

const skip = cannotRun();
const ATTENTION = "book/02-scaled-dot-product-attention.html";
const MASKS = "book/03-masks.html";
const here = forAllTests({ before, after });

async function widget(page, name, options = {}) {
  const context = await here.chrome.newContext({ viewport: { width: 1280, height: 1000 }, ...options });
  const tab = await context.newPage();
  await open(tab, `${here.site.address}/${page}`);
  const place = tab.locator(`plain-${name}`);
  await place.scrollIntoViewIfNeeded();
  return { tab, place };
}

const shownWeights = (place) => place.locator(".weights tbody td:last-child").allTextContents();
const weightsOf = (state) => explore(state).weights[0].map((w) => w.toFixed(3));

test("the explorer shows the weights that its core computes", { skip }, async () => {
  const { tab, place } = await widget(ATTENTION, "attention-explorer");
  const state = picture("spread");
  assert.deepEqual(await shownWeights(place), weightsOf({ ...state, queries: [state.queries[0]] }));
  await tab.context().close();
});

test("arrow keys move the query, and a live region says what came of it", { skip }, async () => {
  const { tab, place } = await widget(ATTENTION, "attention-explorer");
  const query = place.getByRole("slider", { name: "Query", exact: true });
  await query.focus();
  await tab.keyboard.press("ArrowUp");
  await tab.keyboard.press("Shift+ArrowLeft");
  assert.equal(await query.getAttribute("aria-valuetext"), "x 0.50, y 0.75");
  const { keys, values } = picture("spread");
  assert.deepEqual(await shownWeights(place), weightsOf({ keys, values, queries: [[0.5, 0.75]] }));
  const said = place.getByRole("status");
  await soon(async () => assert.match(await said.textContent(), /Largest weight .* inside the hull/));
  await tab.context().close();
});

test("a key follows the pointer to the next crossing of the grid", { skip }, async () => {
  const { tab, place } = await widget(ATTENTION, "attention-explorer");
  const key = place.getByRole("slider", { name: "Key 2" });
  const from = await key.locator(".touch").boundingBox();
  const start = [from.x + from.width / 2, from.y + from.height / 2];
  const unit = (await place.locator("svg.plane").first().boundingBox()).width / 6.8;
  await tab.mouse.move(...start);
  await tab.mouse.down();
  await tab.mouse.move(start[0] + unit, start[1] - 0.55 * unit, { steps: 4 });
  await tab.mouse.up();
  assert.equal(await key.getAttribute("aria-valuetext"), "x 2.50, y −0.25");
  await tab.context().close();
});

test("fresh vectors without √d spread with the width; reset brings all back", { skip }, async () => {
  const { tab, place } = await widget(ATTENTION, "attention-explorer");
  const fresh = place.getByRole("region", { name: "Wide vectors, drawn afresh" });
  const spread = async () => Number((await fresh.innerText()).match(/draws?: ([\d.]+)\./)[1]);
  const first = await spread();
  await fresh.getByRole("slider", { name: "Width d" }).press("End");
  await fresh.getByRole("button", { name: "Draw 50 times" }).click();
  assert.ok((await spread()) > 25, String(await spread()));
  await fresh.getByLabel("Divide by √d").check();
  assert.ok(Math.abs((await spread()) - 1) < 0.2);
  await soon(async () => assert.match(await place.getByRole("status").textContent(), /Largest weight .* Standard deviation/));
  await place.getByRole("button", { name: "Reset" }).press("Enter");
  assert.equal(await spread(), first);
  assert.ok(await place.getByRole("button", { name: "Reset" }).evaluate((node) => node.matches(":focus")));
  await tab.context().close();
});

test("over the wrong axis the sum is not 1 and the output leaves the hull", { skip }, async () => {
  const { tab, place } = await widget(ATTENTION, "attention-explorer");
  await place.getByLabel("Softmax over").selectOption("queries");
  assert.match(await place.locator(".widget").innerText(), /✗ outside the hull/);
  assert.match(await place.locator(".weights tfoot").innerText(), /should be 1.*2\.184/s);
  assert.equal(await place.locator(".matrix tbody tr").count(), 3);
  await tab.context().close();
});

test("coordinates can be typed, and nonsense is put right", { skip }, async () => {
  const { tab, place } = await widget(ATTENTION, "attention-explorer");
  await place.getByText("Type the coordinates").click();
  const field = place.getByLabel("Key 0 x");
  await field.fill("99");
  await field.press("Enter");
  assert.equal(await field.inputValue(), "3");
  assert.match(await place.getByRole("slider", { name: "Key 0" }).getAttribute("aria-valuetext"), /x 3\.00/);
  await tab.context().close();
});

test("the widgets follow the theme to the dark and back", { skip }, async () => {
  const { tab, place } = await widget(ATTENTION, "attention-explorer", { colorScheme: "light" });
  assert.equal(await place.getAttribute("data-dark"), null);
  await tab.evaluate(() => {
    document.documentElement.dataset.theme = "dark";
  });
  await soon(async () => assert.equal(await place.getAttribute("data-dark"), ""));
  await tab.context().close();
});

test("the mask is one tab stop; arrows move in it and Space switches a cell", { skip }, async () => {
  const { tab, place } = await widget(MASKS, "mask-lab");
  const cells = place.locator(".mask button");
  assert.equal(await place.locator('.mask button[tabindex="0"]').count(), 1);
  await cells.first().focus();
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("Space");
  const cell = place.getByRole("button", { name: "query 0, key 1" });
  assert.equal(await cell.getAttribute("aria-pressed"), "true");
  assert.match(await cell.getAttribute("aria-label"), /a later position/);
  assert.ok(await cell.evaluate((node) => node.matches(":focus")));
  assert.equal(await place.getByRole("combobox", { name: "Mask" }).inputValue(), "custom");
  await soon(async () => assert.match(await place.getByRole("status").textContent(), /Query 0 may now look at key 1/));
  await tab.context().close();
});

test("the leak test frames the rows that moved, after softmax only", { skip }, async () => {
  const { tab, place } = await widget(MASKS, "mask-lab");
  await place.getByRole("slider", { name: "add" }).press("End");
  const table = (name) => place.getByRole("table", { name });
  assert.equal(await table("mask, then softmax").locator(".moved").count(), 0);
  assert.equal(await table("softmax, then mask").locator(".moved").count(), 6);
  assert.match(await place.locator(".widget").innerText(), /rows 0, 1, 2 moved: a leak/);
  await tab.context().close();
});

test("a row that may look nowhere shows zeros, and NaN without the guard", { skip }, async () => {
  const { tab, place } = await widget(MASKS, "mask-lab");
  await place.getByRole("combobox", { name: "Mask" }).selectOption("both");
  await place.getByRole("combobox", { name: "Padding" }).selectOption("left");
  const row = place.getByRole("table", { name: "mask, then softmax" }).locator("tbody tr").first();
  assert.match(await row.innerText(), /q0\s+0\s+0\s+0\s+0\s+0\s+0\.00/);
  await place.getByLabel("Softmax without a guard").check();
  assert.match(await row.innerText(), /NaN/);
  assert.match(await place.locator(".widget").innerText(), /Rows 0, 1 may look nowhere/);
  await tab.context().close();
});

test("fewer queries than keys are the last positions", { skip }, async () => {
  const { tab, place } = await widget(MASKS, "mask-lab");
  const queries = place.getByRole("slider", { name: "Queries q" });
  await queries.press("ArrowLeft");
  await queries.press("ArrowLeft");
  assert.ok(await queries.evaluate((node) => node.matches(":focus")), "the slider keeps the focus");
  assert.equal(await place.locator(".mask tbody th").first().textContent(), "q0 at 2");
  assert.equal(await place.locator('.mask tr:nth-child(1) [aria-pressed="true"]').count(), 3);
  await tab.context().close();
});
