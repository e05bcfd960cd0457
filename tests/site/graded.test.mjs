// The pages of graded work, for an instructor and for a student: nothing is lost on paper, and what is
// wider than a telephone says that it goes on.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { browser, noBrowser, ROOT } from "./site.mjs";

const skip = noBrowser();
const folder = mkdtempSync(join(tmpdir(), "graded-"));
let chrome;

before(async () => {
  if (skip) return;
  const made = spawnSync("python", ["-m", "tests.plaincourse.graded_pages", folder], { cwd: ROOT, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
  rmSync(folder, { recursive: true });
});

async function open(name, width) {
  const tab = await chrome.newPage({ viewport: { width, height: 844 } });
  await tab.goto(pathToFileURL(join(folder, name)).href);
  return tab;
}

// A4 with its margins: the report lies across.
for (const [name, width] of [["report.html", 1032], ["feedback.html", 700]]) {
  test(`on paper ${name} has all its columns and all that is folded`, { skip }, async () => {
    const tab = await open(name, width);
    await tab.emulateMedia({ media: "print" });
    const [cut, shut, folds] = await tab.evaluate(() => {
      const unseen = (node) => !node.checkVisibility({ contentVisibilityAuto: true });
      const inside = [...document.querySelectorAll("details > :not(summary)")];
      return [
        [...document.querySelectorAll("table, pre, p")].filter((node) => node.scrollWidth > node.clientWidth + 1
          || node.getBoundingClientRect().right > innerWidth + 1).map((node) => node.textContent.slice(0, 60)),
        inside.filter(unseen).map((node) => node.textContent.slice(0, 60)), inside.length,
      ];
    });
    assert.deepEqual(cut, []);
    assert.deepEqual(shut, []);
    assert.ok(folds > 2);
    await tab.close();
  });
}

test("the report lies across the sheet", { skip }, async () => {
  const tab = await open("report.html", 1032);
  const pdf = (await tab.pdf({ preferCSSPageSize: true, format: "A4" })).toString("latin1");
  const [, wide, high] = pdf.match(/\/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]/).map(Number);
  assert.ok(wide > high);
  await tab.close();
});

for (const name of ["report.html", "feedback.html"]) {
  test(`on a telephone ${name} is no wider, and a wide table or formula shows that it goes on`, { skip }, async () => {
    const tab = await open(name, 390);
    const [page, silent, wide] = await tab.evaluate(() => {
      const boxes = [...document.querySelectorAll("table, math[display=block]")].map((node) => {
        let box = node;
        while (box !== document.body && !["auto", "scroll"].includes(getComputedStyle(box).overflowX)) box = box.parentElement;
        return box;
      }).filter((box) => box.scrollWidth > box.clientWidth);
      // The cover of the shadow goes with what scrolls. Wider than the shadow, it hides that of a small overflow.
      const says = (box) => {
        const style = getComputedStyle(box);
        const [cover, shadow] = style.backgroundSize.split(", ").map(parseFloat);
        return style.backgroundAttachment.startsWith("local, scroll") && cover <= shadow;
      };
      return [document.documentElement.scrollWidth, boxes.filter((box) => !says(box)).map((box) => box.outerHTML.slice(0, 80)),
        boxes.map((box) => box.localName)];
    });
    assert.ok(page <= 390, `${page} pixels`);
    assert.deepEqual(silent, []);
    for (const node of name === "feedback.html" ? ["div", "math"] : ["div"]) assert.ok(wide.includes(node), node);
    await tab.close();
  });
}
