// The drawings of tools/drawings, measured in Chromium: where their texts stand, and whether they
// follow the light of the page. They need no built site.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, noBrowser, ROOT } from "./site.mjs";

const FOLDER = join(ROOT, "book", "_static", "drawings");
const LIST = readFileSync(join(ROOT, "tools", "drawings", "__init__.py"), "utf8");
const NAMES = [...LIST.split("NAMES")[1].split(")")[0].matchAll(/"(\w+)"/g)]
  .map((match) => match[1].replaceAll("_", "-"));
const FONTS = ["system-ui", "Arial, 'Liberation Sans', sans-serif", "'DejaVu Sans', sans-serif"];
const skip = noBrowser();
let chrome;
before(async () => { if (!skip) chrome = await browser(); });
after(() => chrome?.close());

/** In the page: what is wrong with where things stand. */
function faults(font) {
  const svg = document.querySelector("svg");
  svg.setAttribute("font-family", font);
  const { width, height } = svg.viewBox.baseVal;
  const texts = [...svg.querySelectorAll("text")].map((node) => {
    const box = node.getBBox();
    const drop = box.height * 0.18; // what a font leaves above and below its letters
    return { words: node.textContent, x: box.x, y: box.y + drop, r: box.x + box.width,
      b: box.y + box.height - drop };
  });
  const meet = (a, b) => a.x < b.r && b.x < a.r && a.y < b.b && b.y < a.b;
  const found = [];
  for (const text of texts) {
    if (text.x < 8 || text.y < 4 || text.r > width - 8 || text.b > height - 4) {
      found.push(`"${text.words}" leaves the plate`);
    }
  }
  texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
    if (meet(a, b)) found.push(`"${a.words}" meets "${b.words}"`);
  }));
  for (const rect of svg.querySelectorAll("rect:not(.plate)")) {
    const { x, y, width: w, height: h } = rect.getBBox();
    for (const text of texts) {
      const inside = text.x >= x + 2 && text.r <= x + w - 2 && text.y >= y && text.b <= y + h;
      if (!inside && meet(text, { x, y, r: x + w, b: y + h })) {
        found.push(`"${text.words}" crosses an edge at ${x}, ${y}`);
      }
    }
  }
  for (const way of svg.querySelectorAll(".way")) {
    for (let at = 0; at <= way.getTotalLength(); at += 3) {
      const { x, y } = way.getPointAtLength(at);
      const hit = texts.find((text) => meet(text, { x: x - 2, y: y - 2, r: x + 2, b: y + 2 }));
      if (hit) {
        found.push(`a line crosses "${hit.words}"`);
        break;
      }
    }
  }
  return found;
}

for (const name of NAMES) {
  const source = skip ? "" : readFileSync(join(FOLDER, `${name}.svg`), "utf8");

  test(`${name}: every text has its place, in three fonts`, { skip }, async () => {
    const tab = await chrome.newPage();
    await tab.setContent(source);
    for (const font of FONTS) {
      assert.deepEqual(await tab.evaluate(faults, font), [], font);
    }
    await tab.close();
  });

  test(`${name}: as a picture it follows the page's light`, { skip }, async () => {
    const tab = await chrome.newPage();
    const data = Buffer.from(source).toString("base64");
    await tab.setContent(`<img src="data:image/svg+xml;base64,${data}">`);
    const corner = (scheme) => tab.evaluate(async (light) => {
      document.documentElement.style.colorScheme = light;
      await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
      return getComputedStyle(document.querySelector("img")).colorScheme;
    }, scheme).then(() => tab.screenshot({ clip: { x: 12, y: 12, width: 4, height: 4 } }));
    const [light, dark] = [await corner("light"), await corner("dark")];
    assert.notDeepEqual(light, dark);
    await tab.close();
  });
}

test("the measure finds what is wrong", { skip }, async () => {
  const tab = await chrome.newPage();
  await tab.setContent(`<svg viewBox="0 0 200 100" width="200" height="100" font-size="14">
    <rect x="20" y="60" width="20" height="30" class="box"/>
    <text x="20" y="30">first</text><text x="30" y="32">second</text>
    <text x="24" y="80">third is long</text><text x="150" y="50">far too far</text>
    <path d="M20 10L20 40" class="way"/></svg>`);
  const found = (await tab.evaluate(faults, "system-ui")).join("; ");
  for (const part of ["meets", "leaves the plate", "crosses an edge", "a line crosses"]) {
    assert.match(found, new RegExp(part));
  }
  await tab.close();
});
