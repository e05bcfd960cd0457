// What is wrong with a page, as sentences. Each function takes a loaded tab.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./site.mjs";

const AXE = readFileSync(join(ROOT, "node_modules", "axe-core", "axe.min.js"), "utf8");

/** Listen to a tab from before it opens a page: errors, and requests to any other host. */
export function listen(tab, address) {
  const heard = { errors: [], elsewhere: [], missing: [] };
  const here = (url) => url.startsWith(address) || /^(data|blob|about):/.test(url);
  tab.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) heard.errors.push(message.text());
  });
  tab.on("pageerror", (error) => heard.errors.push(`thrown: ${error.message}`));
  tab.on("request", (request) => {
    if (!here(request.url())) heard.elsewhere.push(request.url());
  });
  tab.on("response", (response) => {
    if (response.status() >= 400) heard.missing.push(`${response.status()} ${response.url()}`);
  });
  return heard;
}

/** Follow the browser's wish for light or dark, as a reader's system would. */
export async function wish(tab, colorScheme) {
  await tab.emulateMedia({ colorScheme });
  await tab.waitForFunction(
    (mode) => document.documentElement.dataset.theme === mode, colorScheme, { polling: 100 },
  );
  // What moves is brought to its end: a tab that is not in front may draw no further frame.
  await tab.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
}

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
export const ALL = { type: "tag", values: TAGS };
/** What can differ between light and dark: the elements are the same. */
export const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** Accessibility by axe: WCAG 2.2 A and AA and best practices, or some rules only. */
export async function axe(tab, rules = ALL) {
  if (!(await tab.evaluate(() => "axe" in globalThis))) await tab.evaluate(AXE);
  const found = await tab.evaluate(async (runOnly) => {
    // The drawn glyphs of a formula are thousands of elements in the colour of the text around;
    // what is read of it is MathML.
    const { violations } = await globalThis.axe.run({ exclude: [[".katex-html"]] }, {
      runOnly, resultTypes: ["violations"],
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, html }) => ({ id, help, target: target.flat().join(" "), html })),
    );
  }, rules);
  return found.map(({ id, help, target, html }) =>
    `${id}: ${help} at ${target}: ${html.slice(0, 160)}`);
}

/** Pictures whose sides are not in the proportion in which they were drawn. */
function squashed(tab) {
  return tab.evaluate(() =>
    [...document.querySelectorAll("article img")].flatMap((image) => {
      const style = getComputedStyle(image);
      const inner = (size, ...edges) =>
        size - edges.reduce((sum, edge) => sum + parseFloat(style[edge]), 0);
      const width = inner(image.offsetWidth, "paddingLeft", "paddingRight",
        "borderLeftWidth", "borderRightWidth");
      const height = inner(image.offsetHeight, "paddingTop", "paddingBottom",
        "borderTopWidth", "borderBottomWidth");
      if (!image.naturalWidth || !(height > 0)) return []; // nor one that a widget has replaced
      const off = width / height / (image.naturalWidth / image.naturalHeight);
      if (off > 0.97 && off < 1.03) return [];
      return [`a picture is squashed to ${off.toFixed(2)} of its width at ${innerWidth} px: ` +
        image.alt.slice(0, 60)];
    }),
  );
}

/** At a width of 320 pixels nothing may stick out or be squashed; what is, is named. */
export async function reflow(tab) {
  await tab.setViewportSize({ width: 320, height: 640 });
  const wide = await tab.evaluate(async () => {
    await new Promise((done) => setTimeout(done, 200)); // a frame may never come in the background
    const width = document.documentElement.scrollWidth;
    if (width <= 320) return [];
    const out = [...document.querySelectorAll("article *")].filter(
      (node) => node.getBoundingClientRect().right > 321 && !node.closest("[data-scrolls]"),
    );
    const names = out.slice(0, 3).map((node) => `<${node.localName} class="${node.className}">`);
    return [`the page is ${width} px wide on a screen of 320: ${names.join(", ")}`];
  });
  return [...wide, ...(await squashed(tab))];
}

/** Title, language, headings, alternative texts and shapes of pictures, formulas, code buttons. */
export async function structure(tab) {
  const found = await tab.evaluate(() => {
    const problems = [];
    const article = document.querySelector("article") ?? document.body;
    if (!document.documentElement.lang) problems.push("the page does not say its language");
    if (document.title.trim().length < 3) problems.push(`the title is "${document.title}"`);

    const headings = [...article.querySelectorAll("h1, h2, h3, h4, h5, h6")];
    const ones = headings.filter((h) => h.localName === "h1").length;
    if (ones !== 1) problems.push(`the page has ${ones} headings of level 1; expected one`);
    let before = 0;
    for (const heading of headings) {
      const level = Number(heading.localName[1]);
      if (level > before + 1) {
        problems.push(`"${heading.textContent}" is of level ${level}, after level ${before}`);
      }
      before = level;
    }

    for (const image of document.querySelectorAll("img")) {
      const alt = image.getAttribute("alt");
      const file = (image.getAttribute("src") ?? "").split("/").pop().split("?")[0];
      const decoration = image.closest(".navbar-brand") && alt === "";
      if (decoration) continue;
      if (!alt?.trim()) problems.push(`${file} has no alternative text`);
      else if (file && alt.split("/").pop().replace(/\.\w+$/, "") === file.replace(/\.\w+$/, "")) {
        problems.push(`the alternative text of ${file} is its file name`);
      }
      if (image.complete && !image.naturalWidth) problems.push(`${file} does not load`);
    }

    const text = article.innerText;
    for (const raw of ["\\(", "\\)", "\\[", "\\begin{"]) {
      const spoken = [...article.querySelectorAll("pre, code, textarea")].map((n) => n.innerText);
      if (text.split(raw).length > spoken.join("").split(raw).length) {
        problems.push(`a formula is not set: the text shows ${raw}`);
      }
    }
    for (const formula of article.querySelectorAll(".math")) {
      if (formula.querySelector("math") && formula.querySelector(".katex-html .katex-base")) continue;
      problems.push(`a formula is not set: ${formula.textContent}`);
    }
    for (const error of article.querySelectorAll(".katex-error")) {
      problems.push(`KaTeX: ${error.title || error.textContent}`);
    }
    for (const cell of article.querySelectorAll(".cell_input .highlight")) {
      if (!cell.querySelector("button.copybtn")) problems.push("a code cell has no copy button");
    }
    return problems;
  });
  return [...found, ...(await squashed(tab))];
}

/** Every address of the page, and every anchor that others may point to. */
export function addresses(tab) {
  return tab.evaluate(() => ({
    links: [...document.querySelectorAll("a[href]")].map((a) => [
      new URL(a.getAttribute("href"), document.baseURI).href,
      a.textContent.trim().slice(0, 40),
    ]),
    ids: [...document.querySelectorAll("[id]")].map((node) => node.id),
  }));
}

/** The ids and links of a page, read from its text instead of in a browser. */
export function addressesIn(html, address) {
  const found = (pattern) => [...html.matchAll(pattern)].map((match) => match[1]);
  const links = found(/<a\b[^>]*\shref="([^"]*)"/g).map((href) => [new URL(href, address).href, href]);
  return { links, ids: found(/\sid="([^"]*)"/g) };
}

/** Links of these pages that lead nowhere on this site; other hosts are not asked. */
export function brokenLinks(visited, address, exists) {
  const problems = [];
  for (const [page, { links }] of Object.entries(visited)) {
    for (const [href, text] of links) {
      if (!href.startsWith(address)) continue;
      const url = new URL(href);
      const path = decodeURIComponent(url.pathname.slice(1)) || "index.html";
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (!exists(path)) problems.push(`${page}: "${text}" leads to ${path}, which is not there`);
      else if (anchor && visited[path] && !visited[path].ids.includes(anchor)) {
        problems.push(`${page}: "${text}" leads to ${path}#${anchor}, which has no such anchor`);
      }
    }
  }
  return [...new Set(problems)];
}
