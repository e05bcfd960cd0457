// What a page loads before anybody touches it: how much, and nothing that it does not use. Times are
// measured by `make site-speed`; these laws hold on any machine.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { missed, PAGES, put, README, RECORD, table } from "../../tools/speed.mjs";
import { cannotRun, coursePages, forAllTests, open, pages, SITE, soon } from "./site.mjs";

const skip = cannotRun();
const here = forAllTests({ before, after });
const PACKED = /html|javascript|css|json|svg/;
const UNWANTED = /mathjax|fontawesome|fa-(solid|regular|brands)|bootstrap|thebe|\.(ttf|woff)(\?|$)/i;
const MOST_REQUESTS = 40;
const LATER = "book/playground.html"; // its script, with a model's weights, comes with the first touch

/** What a telephone loads for a page: addresses, and compressed kilobytes. */
async function load(page, touched = true) {
  const context = await here.chrome.newContext({ viewport: { width: 412, height: 823 }, isMobile: true });
  const tab = await context.newPage();
  const answers = [];
  tab.on("response", (response) => answers.push(response));
  await (touched ? open(tab, `${here.site.address}/${page}`) : tab.goto(`${here.site.address}/${page}`));
  await tab.waitForLoadState("networkidle");
  let bytes = 0;
  for (const answer of answers) {
    const body = await answer.body();
    const packed = PACKED.test(answer.headers()["content-type"]);
    bytes += packed ? gzipSync(body, { level: 6 }).length : body.length;
  }
  await context.close();
  return { addresses: answers.map((answer) => answer.url()), kilobytes: bytes / 1000 };
}

for (const [page, most] of Object.entries(PAGES)) {
  test(`${page} loads at most ${most} KB, and nothing unwanted`, { skip }, async () => {
    const { addresses, kilobytes } = await load(page, page !== LATER);
    assert.deepEqual(addresses.filter((address) => UNWANTED.test(address)), []);
    assert.ok(addresses.length <= MOST_REQUESTS, `${addresses.length} requests`);
    assert.ok(kilobytes <= most, `${kilobytes.toFixed(0)} KB`);
  });
}

const html = (page) => readFileSync(join(SITE, page), "utf8");

test("no page waits for a script or a second style sheet", { skip }, () => {
  for (const page of pages().filter((name) => name !== "search.html")) { // nothing but its scripts
    const head = html(page).split("</head>")[0].replace(/<noscript>.*?<\/noscript>/gs, "");
    const scripts = [...head.matchAll(/<script\b[^>]*\bsrc=[^>]*>/g)].map((match) => match[0]);
    assert.deepEqual(scripts.filter((each) => !/\b(defer|async|type="(module|text\/plain)")/.test(each)), [], page);
    assert.equal([...head.matchAll(/<link\b[^>]*rel="stylesheet"/g)].length, 1, page);
  }
});

test("the theme's script does not measure every scroller of a page", { skip }, () => {
  const script = readFileSync(join(SITE, "_static/scripts/pydata-sphinx-theme.js"), "utf8");
  assert.match(script, /DOMContentLoaded/);
  assert.doesNotMatch(script, /addEventListener\("load"/);
});

/** What lays out a page, whole or again, each time it is asked for. */
const LAYOUTS = ["Layout", "UpdateLayoutTree"];

test("while a page is loaded no script asks where anything stands", { skip }, async () => {
  for (const page of ["index.html", "book/02-scaled-dot-product-attention.html", "book/api/attention.html"]) {
    const tab = await here.chrome.newPage({ viewport: { width: 390, height: 844 }, isMobile: true });
    await here.chrome.startTracing(tab, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline.stack"] });
    await tab.goto(`${here.site.address}/${page}`, { waitUntil: "load" });
    const { traceEvents } = JSON.parse((await here.chrome.stopTracing()).toString());
    const asked = traceEvents.filter(({ name, args }) =>
      LAYOUTS.includes(name) && args.beginData?.stackTrace?.some(({ url }) => url.includes("/_static/")));
    assert.deepEqual(asked.map(({ args }) => args.beginData.stackTrace[0]), [], page);
    await tab.close();
  }
});

test("a link into a page leads to its section, though those before it are laid out later", { skip }, async () => {
  const tab = await here.chrome.newPage({ viewport: { width: 390, height: 800 } });
  const page = "book/02-scaled-dot-product-attention.html";
  const far = [...html(page).matchAll(/<section id="([^"]+)"/g)].at(-1)[1];
  await open(tab, `${here.site.address}/${page}#${far}`);
  await tab.waitForTimeout(300);
  await soon(async () => {
    const top = await tab.evaluate((id) => document.getElementById(id).getBoundingClientRect().top, far);
    assert.ok(top > -100 && top < 700, `${far} is at ${top}`);
  });
  await tab.close();
});

test("every icon that a page names is drawn", { skip }, () => {
  const drawn = readFileSync(join(SITE, "_static", "icons.css"), "utf8");
  const named = new Set(coursePages().flatMap((page) =>
    [...html(page).matchAll(/class="[^"]*\bfa[bs]? fa-[^"]*"|class="[^"]*\bfa-solid[^"]*"/g)]
      .flatMap((match) => match[0].match(/\bfa-[a-z-]+/g))));
  for (const style of ["fa-solid", "fa-lg"]) named.delete(style);
  assert.ok(named.size > 8, [...named].join());
  assert.deepEqual([...named].filter((name) => !drawn.includes(`.${name}`)), []);
});

test("each page says once what it is", { skip }, () => {
  const said = new Map();
  for (const page of coursePages()) {
    const head = html(page).split("</head>")[0];
    const described = [...head.matchAll(/<meta name="description" content="([^"]*)"/g)];
    assert.equal(described.length, 1, page);
    assert.ok(described[0][1].length >= 50 && described[0][1].length <= 220, `${page}: ${described[0][1]}`);
    assert.ok(!/[\\$]/.test(described[0][1]), `${page}: ${described[0][1]}`);
    assert.equal(said.get(described[0][1]), undefined, `${page} says what ${said.get(described[0][1])} says`);
    said.set(described[0][1], page);
    assert.equal([...head.matchAll(/name="viewport"/g)].length, 1, page);
    const [words, again] = head.match(/<title>([^<]*)/)[1].split(/ — | &#8212; /);
    assert.notEqual(words.trim(), again?.trim(), page);
  }
});

test("no page of the package is longer than 200 KB", { skip }, () => {
  const folder = join(SITE, "book", "api");
  const long = readdirSync(folder).filter((name) => readFileSync(join(folder, name)).length > 200_000);
  assert.deepEqual(long, []);
});

const unmeasured = !existsSync(RECORD) && "nothing measured yet: make site-speed";
test("the table of benchmarks/README.md is the record's", { skip: unmeasured }, () => {
  const record = JSON.parse(readFileSync(RECORD, "utf8"));
  const text = readFileSync(README, "utf8");
  assert.equal(text, put(text, table(record)));
});

test("a goal that is missed is named", () => {
  const fine = { page: "index.html", performance: 95, accessibility: 100, practices: 100, seo: 100,
    fcp: 1.2, lcp: 2, tbt: 100, cls: 0.01, kilobytes: 200 };
  assert.deepEqual(missed([fine]), []);
  assert.deepEqual(missed([{ ...fine, fcp: 1.62, seo: 91, kilobytes: 301 }]), [
    "index.html: SEO 91, goal ≥ 100", "index.html: first paint, s 1.62, goal ≤ 1.5",
    "index.html: 301 KB, goal ≤ 300",
  ]);
});
