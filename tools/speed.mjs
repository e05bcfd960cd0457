// How fast the built site is on a telephone: Lighthouse, mobile, its standard simulated throttling
// (a slow 4G line, a processor four times slower), with compression, the median of three runs.
//
//     make site-speed        measures, writes benchmarks/results/site.json and the table of
//                            benchmarks/README.md, and fails where a goal is missed
//
// RUNS=5 takes more runs, PAGES="index.html" some pages only (then nothing is written).
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus, loadavg } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { cannotRun, chromium, ROOT, SITE, TYPES } from "../tests/site/site.mjs";

export const RECORD = join(ROOT, "benchmarks", "results", "site.json");
export const README = join(ROOT, "benchmarks", "README.md");
const BEGIN = "<!-- begin site -->";
const END = "<!-- end site -->";

// Pages, and how many compressed kilobytes each may load before anybody touches it.
export const PAGES = {
  "index.html": 300,
  "book/02-scaled-dot-product-attention.html": 400,
  "book/05-position.html": 400,
  "book/playground.html": 300,
  "book/api/attention.html": 300,
};
// What is measured: heading, digits, goal, and whether more is better.
const MEASURES = {
  performance: ["performance", 0, 90, true],
  accessibility: ["accessibility", 0, 100, true],
  practices: ["best practices", 0, 100, true],
  seo: ["SEO", 0, 100, true],
  fcp: ["first paint, s", 2, 1.5, false],
  lcp: ["largest paint, s", 2, null, false],
  tbt: ["blocked, ms", 0, 200, false],
  cls: ["layout shift", 3, 0.05, false],
  kilobytes: ["KB", 0, null, false],
};
const PACKED = new Set([".html", ".js", ".css", ".json", ".svg", ".txt"]);

/** Serve the site as hosts of static pages do: text compressed, everything kept for ten minutes. */
async function serve() {
  const packed = new Map();
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const file = join(SITE, path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(SITE) || !existsSync(file) || statSync(file).isDirectory()) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
      return;
    }
    const end = extname(file);
    const headers = {
      "content-type": TYPES[end] ?? (end === ".txt" ? "text/plain" : "application/octet-stream"),
      "cache-control": "public, max-age=600", "x-content-type-options": "nosniff",
    };
    if (!PACKED.has(end)) {
      response.writeHead(200, headers).end(readFileSync(file));
      return;
    }
    if (!packed.has(file)) packed.set(file, gzipSync(readFileSync(file), { level: 6 }));
    response.writeHead(200, { ...headers, "content-encoding": "gzip", vary: "accept-encoding" })
      .end(packed.get(file));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { address: `http://127.0.0.1:${server.address().port}`, server };
}

function numbers({ categories, audits }) {
  const score = (name) => Math.round(100 * categories[name].score);
  const value = (name) => audits[name].numericValue;
  const bytes = audits["network-requests"].details.items.map((each) => each.transferSize);
  return {
    performance: score("performance"), accessibility: score("accessibility"),
    practices: score("best-practices"), seo: score("seo"),
    fcp: value("first-contentful-paint") / 1000, lcp: value("largest-contentful-paint") / 1000,
    tbt: value("total-blocking-time"), cls: value("cumulative-layout-shift"),
    kilobytes: bytes.reduce((sum, each) => sum + each, 0) / 1000, requests: bytes.length,
  };
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function measure(pages, runs) {
  const { default: lighthouse } = await import("lighthouse");
  const { launch } = await import("chrome-launcher");
  const { address, server } = await serve();
  const rows = [];
  try {
    for (const page of pages) {
      const found = [];
      for (let run = 0; run < runs; run++) {
        const chrome = await launch({
          chromePath: chromium(), chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"],
        });
        try {
          const { lhr } = await lighthouse(`${address}/${page}`, { port: chrome.port, logLevel: "error" });
          if (lhr.runtimeError) throw new Error(`${page}: ${lhr.runtimeError.message}`);
          found.push(numbers(lhr));
          const failed = Object.values(lhr.audits).filter(({ id, score }) => score === 0
            && ["accessibility", "best-practices", "seo"].some((name) =>
              lhr.categories[name].auditRefs.some((each) => each.id === id && each.weight)));
          for (const { id, title } of failed) console.error(`${page}: ${id}: ${title}`);
          if (process.env.REPORT) {
            writeFileSync(process.env.REPORT, JSON.stringify(lhr));
          }
        } finally {
          await chrome.kill();
        }
      }
      const names = Object.keys(found[0]);
      const middle = names.map((name) => [name, median(found.map((each) => each[name]))]);
      rows.push({ page, ...Object.fromEntries(middle) });
      console.log(`${page}: ${JSON.stringify(rows.at(-1))}`);
    }
  } finally {
    server.close();
  }
  return rows;
}

/** The goals that rows miss, as sentences. */
export function missed(rows) {
  return rows.flatMap((row) => [
    ...Object.entries(MEASURES).filter(([name, [, , goal, more]]) =>
      goal !== null && (more ? row[name] < goal : row[name] > goal))
      .map(([name, [words, digits, goal, more]]) =>
        `${row.page}: ${words} ${row[name].toFixed(digits)}, goal ${more ? "≥" : "≤"} ${goal}`),
    ...(row.kilobytes > PAGES[row.page]
      ? [`${row.page}: ${row.kilobytes.toFixed(0)} KB, goal ≤ ${PAGES[row.page]}`] : []),
  ]);
}

/** The table of a record, as benchmarks/README.md shows it. */
export function table({ date, machine, load, runs, lighthouse, rows }) {
  const names = Object.keys(MEASURES);
  const goal = (name) => {
    const [, , least, more] = MEASURES[name];
    return name === "kilobytes" ? "≤ 300, 400" : least === null ? "" : `${more ? "≥" : "≤"} ${least}`;
  };
  const not = missed(rows);
  return [
    `${date}, Lighthouse ${lighthouse}, median of ${runs} runs on ${machine}, which had a load of ` +
      `${load.toFixed(1)}. ${not.length ? `Missed: ${not.join("; ")}.` : "Every goal is met."}`,
    "",
    `| page | ${names.map((name) => MEASURES[name][0]).join(" | ")} |`,
    `|---|${names.map(() => "---:|").join("")}`,
    `| *goal* | ${names.map(goal).join(" | ")} |`,
    ...rows.map((row) =>
      `| ${row.page} | ${names.map((name) => row[name].toFixed(MEASURES[name][1])).join(" | ")} |`),
  ].join("\n");
}

/** A text with what stands between the two marks replaced. */
export function put(text, block) {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${README} has no ${BEGIN} … ${END}`);
  return `${text.slice(0, from + BEGIN.length)}\n${block}\n${text.slice(to)}`;
}

async function main() {
  const reason = cannotRun();
  if (reason) throw new Error(`Lighthouse needs Chromium: ${reason}`);
  const runs = Number(process.env.RUNS ?? 3);
  const pages = process.env.PAGES?.split(" ") ?? Object.keys(PAGES);
  const load = loadavg()[0];
  const rows = await measure(pages, runs);
  const manifest = join(ROOT, "node_modules", "lighthouse", "package.json");
  const record = {
    command: "make site-speed", date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${cpus()[0].model.trim()})`, load, runs,
    lighthouse: JSON.parse(readFileSync(manifest, "utf8")).version, rows,
  };
  console.log(`\n${table(record)}`);
  if (!process.env.PAGES) {
    writeFileSync(RECORD, `${JSON.stringify(record, null, 1)}\n`);
    writeFileSync(README, put(readFileSync(README, "utf8"), table(record)));
  }
  const not = missed(rows);
  if (not.length) throw new Error(`missed:\n  ${not.join("\n  ")}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`site-speed: ${error.message}`);
    process.exitCode = 1;
  });
}
