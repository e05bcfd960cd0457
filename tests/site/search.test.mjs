// What readers type finds the section that answers it. The site's index, ranked as on the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { Search } from "../../book/_static/search/rank.js";
import { QUERIES } from "./queries.mjs";
import { SITE } from "./site.mjs";

const path = process.env.INDEX ?? join(SITE, "_static", "search/sections.js");
const index = JSON.parse(readFileSync(path, "utf8").replace(/^var \w+ = |;\s*$/g, ""));
const search = new Search(index);
const anchors = new Set(index.sections.map((section) => section[1]));

const named = ([page, anchor]) => `${index.pages[page][1] || index.pages[page][2]}#${anchor}`;
const results = Object.entries(QUERIES).map(([query, expected]) => {
  const hits = search.find(query).map((hit) => index.sections[hit.number]);
  const rank = 1 + hits.findIndex((section) => expected.includes(section[1]));
  return { query, expected, rank, top: hits.slice(0, 3).map(named) };
});

test("each expected section is in the index", () => {
  const missing = Object.values(QUERIES).flat().filter((anchor) => !anchors.has(anchor));
  assert.deepEqual(missing, []);
});

test("of 60 queries or more, 95% find their section in the top three and 75% first", () => {
  const share = (most) =>
    results.filter(({ rank }) => rank > 0 && rank <= most).length / results.length;
  const lines = results.filter(({ rank }) => rank !== 1).map(({ query, rank, top }) =>
    `  ${query}: ${rank ? `at ${rank}` : "not found"}; ${top.join(", ")}`);
  console.log(`${results.length} queries: ${(100 * share(1)).toFixed(0)}% first, ` +
    `${(100 * share(3)).toFixed(0)}% in the top three\n${lines.join("\n")}`);
  assert.ok(results.length >= 60);
  assert.ok(share(3) >= 0.95, `${share(3)} in the top three`);
  assert.ok(share(1) >= 0.75, `${share(1)} first`);
});

const first = (query) => {
  const [hit] = search.find(query);
  return hit ? index.sections[hit.number][1] : "nothing";
};

test("a chapter's heading, typed, finds its section in the top three", () => {
  const every = index.sections.flatMap(([, , heading, , kind], number) =>
    (kind === "chapter" ? [[heading, number]] : []));
  const late = every.filter(([heading, number]) =>
    !search.find(heading).slice(0, 3).some((hit) => hit.number === number));
  assert.ok(late.length <= every.length / 50, late.map(([heading]) => heading).join("; "));
});

const ALIKE = [
  ["warm-up", "warmup"], ["warm-up", "warm up"], ["layer norm", "LayerNorm"],
  ["quantising caches", "quantized cache"], ["normalisation of layers", "layer normalization"],
  ["initialising weights", "weight initialization"], ["clipped gradients", "gradient clipping"],
  ["merged blocks", "merging block"], ["pooled means", "mean pooling"],
  ["perplexty", "perplexity"], ["sofmax", "softmax"],
];
for (const [one, other] of ALIKE) {
  test(`"${one}" finds first what "${other}" finds`, () => {
    assert.notEqual(first(one), "nothing");
    assert.equal(first(one), first(other));
  });
}

test("a word finds a chapter before the function of that name; a full name finds the function", () => {
  const kinds = (query) => search.find(query).slice(0, 3).map((hit) => index.sections[hit.number][4]);
  assert.deepEqual(kinds("softmax"), ["chapter", "chapter", "chapter"]);
  assert.equal(first("plainformer.attention.attend"), "plainformer.attention.attend");
  assert.match(first("MultiHeadAttention"), /MultiHeadAttention$/);
});

test("what is misspelt too far is answered with words of the course", () => {
  assert.deepEqual(search.find("mesk"), []);
  assert.ok(search.nearest("mesk").includes("mask"), search.nearest("mesk").join());
  assert.deepEqual(search.nearest("qwzxv"), []);
});

test("the index weighs at most 125 kB, compressed", () => {
  assert.ok(gzipSync(readFileSync(path), { level: 9 }).length <= 125_000);
});

test("a word that no section has is told, and no other", () => {
  const told = (query) => search.unknown(query);
  assert.deepEqual(told("perplexty of a text"), ["perplexty"]);
  assert.deepEqual(told("softmax perplexty"), ["perplexty"]);
  assert.deepEqual(told("what is perplexi"), [], "its end is not typed yet");
  const wrongly = Object.keys(QUERIES).filter((query) => told(query).length);
  assert.deepEqual(wrongly, []);
});
