// What a reader sees of `make lab`: a start page, their own notebooks, and nothing that asks or blinks.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, noBrowser, ROOT, within } from "./site.mjs";

const skip = noBrowser();
const NAME = "02-scaled-dot-product-attention";
const elsewhere = [];
const errors = [];
let folder, server, gone, chrome, tab;

/** Start the course's Lab as `plaincourse lab` does, with a home and a `work/` of its own. */
async function start() {
  folder = mkdtempSync(join(tmpdir(), "lab-"));
  mkdirSync(join(folder, "home"));
  writeFileSync(join(folder, "pyproject.toml"), "[tool.plaincourse]\n");
  for (const name of ["book", "exercises", "src", "tools"]) symlinkSync(join(ROOT, name), join(folder, name));
  const options = ["--no-browser", "--port=0", "--ip=127.0.0.1", "--allow-root",
    "--IdentityProvider.token=t", "--LabApp.expose_app_in_browser=True"];
  server = spawn("python", ["-m", "plaincourse.cli", "lab", "--", ...options], {
    cwd: folder,
    env: { ...process.env, HOME: join(folder, "home"), XDG_CONFIG_HOME: "", XDG_DATA_HOME: "" },
  });
  gone = new Promise((ended) => server.on("exit", ended));
  let said = "";
  return new Promise((ready, failed) => {
    const listen = (data) => {
      said += data;
      const address = said.match(/http:\/\/127\.0\.0\.1:\d+\/lab\/tree\/START\.md/);
      if (address) ready(address[0]);
    };
    server.stdout.on("data", listen);
    server.stderr.on("data", listen);
    gone.then((status) => failed(new Error(`plaincourse lab ended with ${status}:\n${said}`)));
  });
}

before(async () => {
  if (skip) return;
  const address = await within(60, "plaincourse lab", start());
  chrome = await browser();
  tab = await chrome.newPage({ viewport: { width: 1300, height: 900 } });
  tab.setDefaultTimeout(40_000);
  const { origin } = new URL(address);
  tab.on("request", (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && to !== origin) elsewhere.push(request.url());
  });
  tab.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await tab.goto(`${address}?token=t`);
  await tab.locator(".jp-MarkdownViewer h1").waitFor();
});

after(async () => {
  await chrome?.close();
  server?.kill();
  await gone;
  if (folder) rmSync(folder, { recursive: true });
});

const texts = (selector) => tab.locator(selector).allTextContents();
const panel = ".jp-NotebookPanel:not(.lm-mod-hidden)";

/** Follow a link of the start page to a notebook, and wait until its kernel has said what it is. */
async function follow(path) {
  await tab.locator(".lm-TabBar-tab", { hasText: "START.md" }).click();
  await tab.locator(`.jp-MarkdownViewer a[href*="${path}"]`).click();
  await tab.locator(`.lm-mod-current[title*="Path: ${path}"]`).waitFor();
  await tab.locator(`${panel} .jp-CodeCell`).nth(1).waitFor();
  await tab.evaluate(async () => {
    const { sessionContext } = globalThis.jupyterapp.shell.currentWidget.context;
    await sessionContext.ready;
    await sessionContext.session.kernel.info;
  });
  await tab.locator(`${panel} .jp-Notebook-ExecutionIndicator[data-status="idle"]`).waitFor();
  await tab.waitForTimeout(1000);
}

/** Run a code cell and wait for the number that the kernel gives it. */
async function run(index, number) {
  const cell = tab.locator(`${panel} .jp-CodeCell`).nth(index);
  await cell.locator(".cm-content").click();
  await tab.keyboard.press("Shift+Enter");
  await cell.locator(".jp-InputPrompt", { hasText: `[${number}]:` }).waitFor();
}

test("it opens on the start page, and nothing stands in front of it", { skip }, async () => {
  await tab.waitForTimeout(2000);
  assert.deepEqual(await texts(".jp-MarkdownViewer h1"), ["Start here¶"]);
  assert.deepEqual(await texts(".jp-Dialog, .Toastify__toast"), []);
  const links = await tab.locator(".jp-MarkdownViewer td a").count();
  assert.ok(links >= 18, `${links} links`);
});

test("a reader sees their folder, and no instructor's panel or menu", { skip }, async () => {
  assert.deepEqual(await texts(".jp-DirListing-itemText"), ["book", "exercises", "src", "AGENTS.md", "START.md"]);
  const book = await tab.evaluate(async () => (await fetch("/api/contents/book")).json());
  const others = book.content.map(({ name }) => name).filter((name) => !name.endsWith(".ipynb"));
  assert.deepEqual(others.sort(), ["equivalence.md", "notation.md", "playground.md"]);
  const picture = await tab.evaluate(async () => (await fetch("/files/book/_static/logo.svg")).status);
  assert.equal(picture, 200);
  const panels = await tab.locator(".jp-SideBar .lm-TabBar-tab").evaluateAll((all) => all.map((a) => a.title));
  assert.ok(panels.some((title) => title.startsWith("File Browser")));
  assert.deepEqual(panels.filter((title) => /assignment|course|grader|extension/i.test(title)), []);
  const menus = await texts(".lm-MenuBar-itemLabel");
  assert.ok(menus.includes("File"));
  assert.ok(!menus.includes("Nbgrader"), menus.join());
});

for (const path of [`book/${NAME}.ipynb`, `exercises/${NAME}/${NAME}.ipynb`]) {
  test(`${path} has nothing to save when its kernel has started, and it runs`, { skip }, async () => {
    await follow(path);
    assert.equal(await tab.locator(".lm-TabBar-tab.jp-mod-dirty").count(), 0);
    assert.equal(await tab.locator(`${panel} .jp-Toolbar`, { hasText: "Validate" }).count(), 1);
    await run(0, 1);
    await run(1, 2);
    await run(0, 3);
    const raised = `${panel} [data-mime-type="application/vnd.jupyter.error"]`;
    assert.deepEqual(await texts(raised), []);
    assert.equal(await tab.locator(".lm-TabBar-tab.jp-mod-dirty").count(), 1);
    await tab.keyboard.press("Control+s");
    await tab.waitForFunction(() => !document.querySelector(".lm-TabBar-tab.jp-mod-dirty"));
  });
}

test("a closed output does not tell its first line", { skip }, async () => {
  await follow(`book/${NAME}.ipynb`);
  const closed = tab.locator(`${panel} .jp-OutputPlaceholder .jp-PlaceholderText`);
  assert.ok(await closed.count() > 10);
  const shown = await closed.evaluateAll((all) => all.filter((a) => getComputedStyle(a).visibility !== "hidden").length);
  assert.equal(shown, 0);
});

test("nobody else was asked for anything, and nothing failed", { skip }, () => {
  assert.deepEqual(elsewhere, []);
  assert.deepEqual(errors, []);
});
