// The inspections, inspected: each mistake planted in a page is found, and a sound page is silent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import * as look from "./inspect.mjs";
import { browser, cannotRun } from "./site.mjs";

const skip = cannotRun();
const HERE = "http://plain.test";
let chrome;

before(async () => {
  if (!skip) chrome = await browser();
});
after(() => chrome?.close());

const SOUND = {
  head: "<title>A sound page</title>",
  lang: "en",
  body: "<h1>One</h1><h2>Two</h2><p>Text with <a href='/there'>a link</a>.</p>",
};

function document({ head, lang, body }) {
  return `<!doctype html><html lang="${lang}" data-theme="light"><head>
    <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">${head}</head>
    <body style="background:#fff;color:#222"><main><article>${body}</article></main></body></html>`;
}

/** Open a page made of these parts, with every answer made here, and inspect all of it. */
async function inspect(change = {}) {
  const context = await chrome.newContext({ viewport: { width: 1000, height: 700 } });
  const tab = await context.newPage();
  await tab.route("**/*", (route) => {
    const { pathname, origin } = new URL(route.request().url());
    if (origin !== HERE) return route.abort();
    return pathname === "/"
      ? route.fulfill({ contentType: "text/html", body: document({ ...SOUND, ...change }) })
      : route.fulfill({ status: 404, body: "not found" });
  });
  const heard = look.listen(tab, HERE);
  await tab.goto(`${HERE}/`, { waitUntil: "load" });
  const found = { structure: await look.structure(tab), axe: await look.axe(tab), ...heard };
  found.reflow = await look.reflow(tab);
  await context.close();
  return found;
}

test("a sound page is silent", { skip }, async () => {
  for (const [kind, problems] of Object.entries(await inspect())) assert.deepEqual(problems, [], kind);
});

const body = (more) => ({ body: SOUND.body + more });
const dot = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
const PLANTED = [
  ["a script from elsewhere", "elsewhere", /cdn\.test/,
    { head: `${SOUND.head}<script src="http://cdn.test/x.js"></script>` }],
  ["a font from elsewhere", "elsewhere", /fonts\.test/,
    { head: `${SOUND.head}<link rel="stylesheet" href="http://fonts.test/x.css">` }],
  ["a file that is missing", "missing", /404 .*gone\.css/,
    { head: `${SOUND.head}<link rel="stylesheet" href="/gone.css">` }],
  ["a script that throws", "errors", /thrown: boom/, body("<script>throw new Error('boom')</script>")],
  ["an error on the console", "errors", /oh no/, body("<script>console.error('oh no')</script>")],
  ["a picture without words", "structure", /no alternative text/, body(`<img src="${dot}">`)],
  ["a picture named by its file", "structure", /is its file name/, body('<img src="/a/fig_1.png" alt="fig_1">')],
  ["a squashed picture", "structure", /squashed to 2\.00/, body(`<img src="${dot}" alt="A long word" style="width:20px;height:10px">`)],
  ["a picture that does not load", "structure", /does not load/, body('<img src="/a.png" alt="A long word">')],
  ["a raw formula", "structure", /a formula is not set/, body("<p>\\(x^2\\)</p>")],
  ["a formula that nobody reads aloud", "structure", /a formula is not set: x/,
    body('<span class="math"><span class="katex-html"><span class="katex-base">x</span></span></span>')],
  ["a formula that is left out", "structure", /a formula is not set/, body('<span class="math"></span>')],
  ["a formula that KaTeX refuses", "structure", /KaTeX: Undefined/,
    body('<span class="katex-error" title="Undefined control sequence \\foo">x</span>')],
  ["a level of heading left out", "structure", /level 4, after level 2/, body("<h4>Four</h4>")],
  ["a second main heading", "structure", /2 headings of level 1/, body("<h1>Again</h1>")],
  ["a page without a title", "structure", /the title is ""/, { head: "" }],
  ["a page without a language", "structure", /its language/, { lang: "" }],
  ["code that cannot be copied", "structure", /no copy button/,
    body('<div class="cell_input"><div class="highlight"><pre>1</pre></div></div>')],
  ["a table that sticks out", "reflow", /wide on a screen of 320: .*wide-one/,
    body('<div class="wide-one" style="width:600px">x</div>')],
  ["grey on white", "axe", /color-contrast/, body('<p style="color:#aaa">pale</p>')],
  ["a field without a name", "axe", /label/, body("<input type='text'>")],
];

for (const [name, kind, message, change] of PLANTED) {
  test(`found: ${name}`, { skip }, async () => {
    const problems = (await inspect(change))[kind];
    assert.ok(problems.some((text) => message.test(text)), `${message} in ${JSON.stringify(problems)}`);
  });
}

test("found: a link to a page or an anchor that is not there", () => {
  const visited = {
    "a.html": { links: [["http://x/b.html#no", "to no"], ["http://x/c.html", "to c"]], ids: [] },
    "b.html": { links: [["http://x/a.html", "fine"], ["http://other/", "elsewhere"]], ids: ["yes"] },
  };
  const broken = look.brokenLinks(visited, "http://x/", (path) => path in visited);
  assert.deepEqual(broken, [
    'a.html: "to no" leads to b.html#no, which has no such anchor',
    'a.html: "to c" leads to c.html, which is not there',
  ]);
});
