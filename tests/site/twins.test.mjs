// The Markdown twins of the built site, and llms.txt, which lists them.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { cannotRun, coursePages, ROOT, SITE } from "./site.mjs";

const skip = cannotRun();
const read = (path) => readFileSync(join(SITE, path), "utf8");
const LINK = /\]\(([^)\s]+\.html\.md)\)/g;
const CODE = /^(`{3,}).*?^\1$|`[^`\n]*`/gms;

test("each page names its Markdown twin, which has the page's title", { skip }, () => {
  for (const page of coursePages()) {
    const head = read(page).split("</head>")[0];
    const twin = head.match(/<link rel="alternate" type="text\/markdown" href="([^"]+)">/)?.[1];
    assert.equal(twin, `${page.split("/").pop()}.md`, page);
    assert.match(read(`${page}.md`), /^# \S/, page);
  }
});

test("the links of a twin lead to twins and pictures of the site", { skip }, () => {
  for (const page of coursePages()) {
    const text = read(`${page}.md`).replace(CODE, "");
    const links = [...text.matchAll(LINK), ...text.matchAll(/\]\(((?:\.\.\/)*_images\/[^)]+)\)/g)];
    const broken = links.filter(([, to]) => !existsSync(join(SITE, dirname(page), to)));
    assert.deepEqual(broken.map(([, to]) => to), [], page);
  }
});

test("a chapter's twin has its formulas, its code, what it prints, and no markup", { skip }, () => {
  const text = read("book/02-scaled-dot-product-attention.html.md");
  assert.match(text, /\$\$\n\(QK\^\\top\)_\{ij\}.*\n\\tag\{2\.1\}\n\$\$/);
  assert.match(text, /```python\nimport math/);
  assert.match(text, /```\ntensor\(\[0\.25, 0\.75\]\)\n```/);
  assert.doesNotMatch(text.replace(CODE, ""), /<\/?[a-z]+[ >]/);
});

test("llms.txt has the format's parts, and lists each page, each chapter with its concepts", { skip }, () => {
  const [title, summary, ...rest] = read("llms.txt").trimEnd().split("\n\n");
  assert.match(title, /^# \S/);
  assert.match(summary, /^> \S/);
  const lists = rest.slice(rest.findIndex((part) => part.startsWith("## ")));
  for (const part of lists) assert.match(part, /^## \S|^(- \[[^\]]+\]\(\S+\.md\)(: .*)?\n?)+$/);
  assert.equal(lists.filter((part) => part.startsWith("## ")).at(-1), "## Optional");
  const text = read("llms.txt");
  const listed = [...text.matchAll(/^- \[.*?\]\((\S+?)\.md\)/gm)].map(([, page]) => page);
  const left = coursePages().filter((page) => !listed.some((each) => each.endsWith(page)));
  assert.deepEqual(left, ["index.html"]);
  const concepts = readFileSync(join(ROOT, "book/concepts.yml"), "utf8").matchAll(/name: ("(?:[^"\\]|\\.)*")/g);
  const missing = [...concepts].map(([, name]) => JSON.parse(name)).filter((name) => !text.includes(name));
  assert.deepEqual(missing, []);
});
