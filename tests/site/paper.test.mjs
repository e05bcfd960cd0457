// Chapters on paper: white, unfolded, without what only a screen needs, and no cell cut in two.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { getDocumentProxy, extractText } from "unpdf";

import { cannotRun, forAllTests, open } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });
const PAGES = ["02-scaled-dot-product-attention", "06-the-block", "12-flash-attention", "14-generation", "17-capstone", "playground"];
const SHORT = 25; // lines of a cell that fits a page with what stands around it

async function sheet(page, colorScheme = "light") {
  const context = await here.chrome.newContext({ colorScheme });
  const tab = await context.newPage();
  await open(tab, `${here.site.address}/book/${page}.html`);
  return tab;
}

/** In the page, as for print: what should not be on paper, and what is missing there. */
function faults() {
  const found = [];
  const seen = (node) => node.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const gone = "header, .bd-header-article, .bd-sidebar-primary, .bd-sidebar-secondary, #jb-print-docs-body," +
    ".copybtn, .headerlink, .prev-next-footer, .question-bar, .question-more, details.predicted > summary," +
    ".predict-said, .gate-score, .interactive-task ol";
  for (const node of document.querySelectorAll(gone)) if (seen(node)) found.push(`printed: ${node.className}`);
  for (const node of document.querySelectorAll("article :is(p, li, pre)")) {
    const plotted = node.closest("details.hide")?.closest(".cell").querySelector(".cell_output img");
    const left = ".interactive-task, .question-bar, .question-more, .question-about, .question-deck, " +
      "details.hide > summary, .in-code, .course-said, .course-problem, .gate-said, .fallback";
    if (plotted || node.matches(left) || node.closest(left) || !node.textContent.trim()) continue;
    if (!seen(node)) found.push(`not printed: ${node.className} ${node.textContent.trim().slice(0, 40)}`);
  }
  const white = ["rgba(0, 0, 0, 0)", "rgb(255, 255, 255)"];
  for (const node of [document.body, ...document.querySelectorAll("article *")]) {
    const { backgroundColor } = getComputedStyle(node);
    if (seen(node) && !node.closest("svg, img") && !white.includes(backgroundColor)) {
      found.push(`tinted ${backgroundColor}: ${node.localName}.${node.className}`);
    }
  }
  for (const node of document.querySelectorAll("article :is(.cell_input, .cell_output img, figure, table)")) {
    if (getComputedStyle(node).breakInside !== "avoid") found.push(`may be cut: ${node.className}`);
  }
  for (const link of document.querySelectorAll("article a[href]")) {
    const after = getComputedStyle(link, "::after").content;
    const address = link.getAttribute("href");
    const external = /^https?:/.test(address) && !link.querySelector("img");
    if (external !== after.includes(address)) found.push(`${address} is followed by ${after}`);
  }
  return [...new Set(found)];
}

test("a page that is printed before anything is touched has its picture as it is", { skip }, async () => {
  const tab = await here.chrome.newPage();
  await tab.goto(`${here.site.address}/book/02-scaled-dot-product-attention.html`, { waitUntil: "load" });
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(await tab.pdf())), { mergePages: true });
  assert.match(text, /From dot products to weights, for the query q/);
  assert.doesNotMatch(text, /Type the coordinates|as a still/);
  await tab.close();
});

for (const page of skip ? [] : PAGES) {
  test(`${page}: on paper there is the text and nothing else, on white`, async () => {
    const tab = await sheet(page);
    await tab.emulateMedia({ media: "print" });
    assert.deepEqual(await tab.evaluate(faults), []);
    await tab.context().close();
  });

  test(`${page}: title and first paragraph share a page; no short cell is cut`, async (t) => {
    const tab = await sheet(page, "dark");
    const { cells, title, first } = await tab.evaluate(() => {
      addEventListener("beforeprint", () => { globalThis.printed = document.documentElement.dataset.theme; });
      return {
        cells: [...document.querySelectorAll("article .cell_input pre")]
          .filter((pre) => !pre.closest("details.hide")?.closest(".cell").querySelector(".cell_output img"))
          .map((pre) => pre.innerText.trim()).filter(Boolean),
        title: document.querySelector("article h1").firstChild.textContent.trim(),
        first: document.querySelector("article section > p").innerText.slice(0, 60),
      };
    });
    const bytes = await tab.pdf({ format: "A4" });
    assert.deepEqual(await tab.evaluate(() => [globalThis.printed, document.documentElement.dataset.theme]),
      ["light", "dark"], "a dark page is printed in the light one's colours");
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
    const bare = (words) => words.normalize("NFKC").replace(/\s/g, ""); // of two letters µ one is printed
    const pages = text.map(bare);
    t.diagnostic(`${pages.length} pages`);
    for (const words of [title, first]) assert.ok(pages[0].includes(bare(words)), words);
    const cut = cells.filter((cell) => cell.split("\n").length < SHORT &&
      !pages.some((sheet) => sheet.includes(bare(cell))));
    assert.deepEqual(cut, []);
    await tab.context().close();
  });
}
