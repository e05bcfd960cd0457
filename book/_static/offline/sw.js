// The service worker: it keeps what was read and, when the reader asks for it, the whole book.
//
// offline.py bundles this file, puts `self.EDITION` in front and writes it to the site's root, since a worker
// sees to the addresses below its own. decisions/0040 says why pages and other files are treated differently.
import { digestOf, filesIn, isPage, keyOf, lastOf, listed, sum, titleOf } from "./kept.js";

const { release, total, packed, list, missing, slow: SLOW = 3000 } = self.EDITION; // SLOW: ms until a kept copy is shown
const SCOPE = self.registration.scope;
const KEPT = `plainformer.kept ${new URL(SCOPE).pathname}`; // sites of one host share their caches
const STATE = `${SCOPE}sw.state`; // the record of the whole book, beside the files
const WHEN = "x-kept"; // a header of kept pages: the time
const LANES = 6;
const OFTEN = 1_000_000; // bytes between two records

let renewed = false; // by this edition, a moment ago: pages wait for a worker until it is active, and not longer
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => {
  renewed = true;
  event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(SCOPE) || request.headers.has("range")) return;
  if (request.url === `${SCOPE}sw.js`) return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (digestOf(request.url)) event.respondWith(marked(event));
  else event.respondWith(unmarked(event));
});

/** A promise that fails after some time: a browser short of room may leave its storage without an answer. */
const within = (ms, promise) => Promise.race([
  promise, new Promise((_, fail) => setTimeout(() => fail(new Error("no answer")), ms)),
]);

/** Ask the storage; where it fails, nothing is kept. */
async function kept(address) {
  try {
    return await within(SLOW, caches.open(KEPT).then((cache) => cache.match(keyOf(address))));
  } catch {
    return undefined;
  }
}

let problem = ""; // of the storage, since the worker was started

async function put(address, answer) {
  try {
    await within(10 * SLOW, caches.open(KEPT).then((cache) => cache.put(keyOf(address), answer)));
    return true;
  } catch (error) {
    problem = error.name === "QuotaExceededError" ? "full" : "refused";
    return false;
  }
}

/** Keep an answer, if it is whole and is what its address says. */
async function keep(address, answer) {
  if (answer.status !== 200 || answer.type !== "basic" || answer.redirected) return;
  const html = answer.headers.get("content-type")?.includes("html") ?? false;
  if (isPage(new URL(address)) !== html) return;
  const body = await answer.arrayBuffer();
  const mark = digestOf(address);
  // A host that is being renewed may answer the address of an old file with the new one.
  if (mark?.length === 12 && (await sum(body)) !== mark) return;
  await put(address, copy(body, answer));
}

function copy(body, answer) {
  const type = answer.headers.get("content-type");
  return new Response(body, { headers: { [WHEN]: new Date().toISOString(), ...(type && { "content-type": type }) } });
}

/** Ask the network, and keep what it answers when that has been passed on. */
async function ask(event, request, options) {
  const answer = await fetch(request, options);
  const again = answer.clone();
  event.waitUntil(keep(request.url, again).catch(() => {}));
  return answer;
}

const shown = new Map(); // the kept copies that windows show: their time, by the window

/** A page: from the network; its kept copy where that fails or is slow. */
async function page(event) {
  const { request } = event;
  // The host's word that a page lasts for some minutes is not taken: it may have been renewed.
  const network = ask(event, request, request.cache === "default" ? { cache: "no-cache" } : {});
  event.waitUntil(network.catch(() => {}));
  const mine = await kept(request.url);
  if (!mine) return network.catch(() => nothing());
  const answer = await within(SLOW, network).catch(() => null);
  if (answer && answer.status < 500) return answer;
  shown.set(event.resultingClientId, mine.headers.get(WHEN));
  return mine;
}

/** A file with a digest in its address: it never changes. */
async function marked(event) {
  return (await kept(event.request.url)) ?? ask(event, event.request);
}

/** Any other file: from the network. A script without a digest is never taken from what is kept. */
async function unmarked(event) {
  const network = ask(event, event.request);
  event.waitUntil(network.catch(() => {}));
  const mine = ["script", "style", "worker"].includes(event.request.destination)
    ? null : await kept(event.request.url);
  if (!mine) return network;
  const answer = await within(SLOW, network).catch(() => null);
  return answer?.ok ? answer : mine;
}

/** A page of ours for one that is not kept. */
async function nothing() {
  const found = [];
  try {
    const cache = await caches.open(KEPT);
    for (const { url } of await cache.keys()) {
      if (url.endsWith(".html")) found.push([url, titleOf(await (await cache.match(url)).text(), url)]);
    }
  } catch {
    // Then the list is empty.
  }
  const html = missing.replace("<!-- kept -->", () => listed(found));
  return new Response(html, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Sweep once after a release; storage that fails stops no page. */
async function tidy() {
  if (renewed && !running) await sweep().catch(() => {});
  renewed = false;
}

/** After a release: remove the files that no kept page, sheet or script names any more. */
async function sweep() {
  if (!(await caches.has(KEPT))) return;
  const cache = await caches.open(KEPT);
  const keys = (await cache.keys()).map(({ url }) => url).filter((url) => url !== STATE);
  const named = new Set();
  for (const url of keys) {
    if (!/\.(html|css|js)(\?|$)/.test(url)) continue;
    for (const file of filesIn(await (await cache.match(url)).text())) named.add(file);
  }
  for (const url of keys) {
    if (!url.endsWith(".html") && !named.has(lastOf(url))) await cache.delete(url);
  }
}

// The whole book.

let running = null; // {bytes, stopped} while it is loaded

self.addEventListener("message", (event) => {
  const { kind, addresses = [] } = event.data ?? {};
  const from = event.source;
  const done = {
    hello: () => adopt(addresses).then(() => tell(from)).then(tidy),
    keep: keepAll,
    stop: async () => { if (running) running.stopped = "stopped"; },
    remove: removeAll,
  }[kind]?.();
  if (done) event.waitUntil(done);
});

/** Keep what a page had loaded before there was a worker, from the browser's own memory of it. */
async function adopt(addresses) {
  for (const address of addresses) {
    if (!address.startsWith(SCOPE) || (await kept(address))) continue;
    try {
      await keep(address, await fetch(address, { cache: "only-if-cached", mode: "same-origin" }));
    } catch {
      // It does not remember it: it will be kept when it is read again.
    }
  }
}

async function record() {
  try {
    return (await (await kept(STATE))?.json()) ?? null;
  } catch {
    return null;
  }
}

async function state() {
  if (running) return { kind: "loading", bytes: running.bytes, total };
  const last = await record();
  if (!last) return { kind: problem === "refused" ? "refused" : "ready", total, packed, problem };
  const kind = !last.done ? "half" : last.release === release ? "kept" : "old";
  return { kind, bytes: last.bytes, total, packed, problem: problem || last.problem };
}

async function tell(...windows) {
  const now = await state();
  const all = windows.length ? windows : await self.clients.matchAll({ includeUncontrolled: true });
  for (const window of all) window?.postMessage({ ...now, shown: shown.get(window.id) ?? null });
}

async function removeAll() {
  if (running) running.stopped = "removed";
  await running?.end;
  problem = "";
  await caches.delete(KEPT).catch(() => {});
  await tell();
}

function keepAll() {
  if (!running) {
    running = { bytes: 0, stopped: "" };
    running.end = loadAll(running).catch(() => { running.stopped ||= "network"; }).then(() => finish(running));
  }
  return running.end;
}

async function finish({ bytes, stopped }) {
  if (stopped !== "removed") {
    const earlier = await record(); // a whole earlier edition is whole still
    const whole = !stopped || (earlier?.done && earlier.release !== release);
    const last = { release: stopped && whole ? earlier.release : release, bytes, done: whole, problem: stopped };
    await put(STATE, new Response(JSON.stringify(last)));
  }
  running = null;
  await tell();
}

async function loadAll(run) {
  problem = "";
  const { release: there, files } = await (await fetch(`${SCOPE}${list}`, { cache: "no-store" })).json();
  if (there !== release) {
    run.stopped = "changed";
    self.registration.update().catch(() => {});
    return;
  }
  const cache = await caches.open(KEPT).catch(() => null);
  if (!cache) {
    run.stopped = "full";
    return;
  }
  const before = await record();
  const left = [...files];
  let said = 0;
  const lane = async () => {
    while (left.length && !run.stopped) {
      const [address, mark, size] = left.shift();
      const wrong = await fetchOne(cache, new URL(address, SCOPE).href, mark).catch(() => "network");
      if (wrong) {
        run.stopped ||= wrong;
        return;
      }
      run.bytes += size;
      if (run.bytes - said < OFTEN) continue;
      said = run.bytes;
      if (!before?.done) await put(STATE, new Response(JSON.stringify({ release, bytes: run.bytes, done: false })));
      await tell();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (run.stopped) return;
  const whole = new Set([STATE, ...files.map(([address]) => keyOf(new URL(address, SCOPE).href))]);
  for (const { url } of await cache.keys()) if (!whole.has(url)) await cache.delete(url);
}

/** Keep one file of the list, unless it is kept; return what is wrong, or "". */
async function fetchOne(cache, address, mark) {
  const key = keyOf(address);
  const mine = await cache.match(key);
  if (mine && (await sum(await mine.arrayBuffer())) === mark) return "";
  for (const mode of ["no-cache", "reload"]) { // the second where a cache on the way has an old file
    const answer = await fetch(address, { cache: mode });
    if (answer.status >= 500) return "network";
    const body = await answer.arrayBuffer();
    if (answer.ok && (await sum(body)) === mark) return (await put(address, copy(body, answer))) ? "" : "full";
  }
  return "changed";
}
