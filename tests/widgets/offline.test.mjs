// What is kept to be read without a network: keys, digests, the list of pages, and a sentence for each state.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { digestOf, filesIn, isPage, keyOf, lastOf, listed, megabytes, sum, titleOf, told } from "../../book/_static/offline/kept.js";

const ROOT = "https://example.org/course/";

test("a page has one key, however it is asked for; a file keeps the digest in its address", () => {
  for (const end of ["book/map.html", "book/map", "book/map.html?highlight=a%20b", "book/map.html#part"]) {
    assert.equal(keyOf(ROOT + end), `${ROOT}book/map.html`, end);
  }
  for (const end of ["", "#top", "?q=1"]) assert.equal(keyOf(ROOT + end), `${ROOT}index.html`, end);
  for (const end of ["_static/a.js?v=0123456789ab", "book/map.html.md", "sw.state"]) {
    assert.equal(keyOf(ROOT + end), ROOT + end);
    assert.ok(!isPage(new URL(ROOT + end)), end);
  }
  assert.notEqual(keyOf(`${ROOT}a.js?v=0123456789ab`), keyOf(`${ROOT}a.js?v=ba9876543210`));
});

test("a digest is told from another question, and sum writes one as the build does", async () => {
  assert.equal(digestOf(`${ROOT}a.js?v=0123456789ab`), "0123456789ab");
  assert.equal(digestOf(`${ROOT}_images/${"0".repeat(64)}.webp`), "0".repeat(64));
  for (const end of ["a.js", "a.js?v=2", "a.js?q=0123456789ab", "_images/attention.svg"]) {
    assert.equal(digestOf(ROOT + end), null, end);
  }
  const text = "weights sum to 1";
  assert.equal(await sum(new TextEncoder().encode(text)), createHash("sha256").update(text).digest("hex").slice(0, 12));
});

test("the files that a text names are those of its links, sheets and scripts", () => {
  const text = '<script src="../_static/a+b.js?v=0123456789ab"></script>url(katex/Main.woff2) <img src="../_images/x.svg">';
  assert.deepEqual(filesIn(text).map((file) => file.split("/").pop()), ["a+b.js?v=0123456789ab", "Main.woff2", "x.svg"]);
  assert.equal(lastOf(`${ROOT}_static/a+b.js?v=0123456789ab`), "a+b.js?v=0123456789ab");
});

test("kept pages are listed in order, with titles that cannot be markup", () => {
  const html = "<title>3. Masks &lt;b&gt; &amp; more &#8212; plainformer</title>";
  assert.equal(titleOf(html, ROOT), "3. Masks <b> & more");
  const list = listed([[`${ROOT}b.html`, "<b>"], [`${ROOT}a.html`, "A"], [`${ROOT}_modules/x.html`, "x"]]);
  assert.deepEqual(list.split("\n"), [`<li><a href="${ROOT}a.html">A</a></li>`,
    `<li><a href="${ROOT}b.html">&#60;b&#62;</a></li>`, "<li>and 1 listing of source code</li>"]);
  assert.match(listed([]), /No page yet/);
});

test("the size is told before the button is pressed, and every state has a sentence of its own", () => {
  const known = { total: 23_700_000, packed: 7_360_000, bytes: 9_940_000 };
  const ready = told({ kind: "ready", ...known });
  assert.match(ready.said, /24\sMB \(about 7\.4\sMB to load/);
  assert.equal(ready.name, "Keep the whole book (24\u00a0MB)");
  assert.equal(told({ kind: "half", problem: "full", ...known }).name, "Keep the rest (14\u00a0MB)");
  assert.match(told({ kind: "half", problem: "full", ...known }).said, /no more room\. 9\.9\sMB of 24\sMB are kept/);
  const kinds = ["file", "insecure", "refused", "none", "failed", "loading", "kept", "old", "half", "ready"];
  const all = kinds.map((kind) => told({ kind, ...known }).said);
  assert.equal(new Set(all).size, kinds.length);
  for (const text of all) assert.ok(/\.$/.test(text) && !/undefined|NaN/.test(text), text);
  assert.deepEqual(kinds.filter((kind) => told({ kind, ...known }).remove), ["kept", "old", "half"]);
  assert.equal(megabytes(999), "0.0\u00a0MB");
});
