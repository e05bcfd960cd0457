// Figures in light and dark: of each pair one is shown and loaded, on a plate of its own colour.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { wish } from "./inspect.mjs";
import { cannotRun, coursePages, forAllTests, open, SITE } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });
const images = (page) =>
  [...readFileSync(join(SITE, page), "utf8").split("<article")[1].matchAll(/<img [^>]*>/g)].map(([tag]) =>
    Object.fromEntries([...tag.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value])));
const PLOTS = skip ? [] : coursePages().filter((page) => images(page).some(({ class: names }) =>
  names?.includes("only-light")));

test("every chapter has plots", { skip }, () => {
  assert.ok(PLOTS.length >= 16, `${PLOTS.length} pages have pairs`);
});

test("every picture of an article is sized and lazy, is there, and a plot has its twin", { skip }, () => {
  const wrong = coursePages().flatMap((page) => {
    const all = images(page);
    return all.flatMap((image) => {
      const found = [];
      const twin = image.src.replace(".webp", "-dark.webp");
      if (!existsSync(join(SITE, dirname(page), image.src))) found.push("is not there");
      if (!(image.width > 0 && image.height > 0)) found.push("says no size");
      if (image.loading !== "lazy") found.push("is loaded at once");
      if (/\.(png|jpe?g)$/.test(image.src)) found.push("has no dark twin");
      if (image.class?.includes("only-light") &&
        !all.some(({ src, alt, class: names }) => src === twin && alt === image.alt && names.includes("only-dark"))) {
        found.push("has no twin of the same words");
      }
      return found.map((what) => `${page}: ${image.src} ${what}`);
    });
  });
  assert.deepEqual(wrong, []);
});

test("a caption is shown in light and in dark", { skip }, async () => {
  const context = await here.chrome.newContext();
  const tab = await context.newPage();
  for (const page of PLOTS.filter((each) => /\/15-/.test(each))) {
    await open(tab, `${here.site.address}/${page}`);
    for (const light of ["light", "dark"]) {
      await wish(tab, light);
      const captions = await tab.locator("figcaption").evaluateAll((all) =>
        all.map((each) => getComputedStyle(each).display));
      assert.ok(captions.length > 5 && !captions.includes("none"), `${page} in ${light}: ${captions}`);
    }
  }
  await context.close();
});

test("only the picture that is shown is loaded, and its paper is its plate", { skip }, async () => {
  const context = await here.chrome.newContext({ viewport: { width: 1000, height: 900 } });
  const tab = await context.newPage();
  const loaded = new Set();
  tab.on("request", (request) => {
    if (request.resourceType() === "image") loaded.add(request.url().split("/").pop());
  });
  const page = PLOTS.find((each) => /\/05-/.test(each));
  await tab.emulateMedia({ colorScheme: "dark" });
  await open(tab, `${here.site.address}/${page}`);
  const states = {};
  for (const light of ["dark", "light"]) {
    loaded.clear();
    await wish(tab, light);
    const shown = tab.locator(".cell_output img:visible").first();
    await shown.scrollIntoViewIfNeeded();
    states[light] = await shown.evaluate(async (image) => {
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 4, height: 4 });
      const pen = canvas.getContext("2d");
      pen.drawImage(image, 0, 0);
      const style = getComputedStyle(image);
      return {
        paper: `rgb(${[...pen.getImageData(2, 2, 1, 1).data].slice(0, 3).join(", ")})`,
        plate: style.backgroundColor, filter: style.filter,
        shown: [...document.querySelectorAll(".cell_output img")]
          .filter((each) => getComputedStyle(each).display !== "none").length,
        all: document.querySelectorAll(".cell_output img").length,
      };
    });
    const other = [...loaded].filter((name) => name.endsWith("-dark.webp") !== (light === "dark"));
    assert.deepEqual(other.filter((name) => name.endsWith(".webp")), [], `loaded in ${light}`);
  }
  for (const { paper, plate, filter, shown, all } of Object.values(states)) {
    assert.equal(paper, plate);
    assert.equal(filter, "none");
    assert.equal(2 * shown, all);
  }
  assert.equal(states.dark.plate, "rgb(28, 33, 40)");
  await context.close();
});
