// The notebooks that people open, and the two renderers that are asked.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { browser, ROOT, serve, within } from "../site/site.mjs";
import { click, read } from "./faults.mjs";

const FOLDERS = ["book", "exercises", "solutions"];

/** Every notebook of the book, its exercises and solutions, as paths from the root. */
export function notebooks() {
  const inside = (folder) => readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap((each) => {
      const path = `${folder}/${each.name}`;
      if (each.isDirectory()) return each.name.startsWith(".") ? [] : inside(path);
      return path.endsWith(".ipynb") ? [path] : [];
    });
  return FOLDERS.flatMap(inside).sort();
}

/** nbconvert's HTML in Chromium: `look(notebook)` reads one, `shot` takes its picture. */
export async function html(files, root = ROOT) {
  const folder = mkdtempSync(join(tmpdir(), "notebooks-html-"));
  const made = spawnSync("python", [join(ROOT, "tests", "notebooks", "convert.py"), root, folder,
    ...files], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`nbconvert: ${made.stderr}`);
  const server = await serve(folder, root, ROOT);
  const chrome = await browser();

  const open = async (notebook) => {
    const tab = await chrome.newPage({ viewport: { width: 1000, height: 900 } });
    await tab.addInitScript(() => {
      // nbconvert configures MathJax 2; the copy here is MathJax 3.
      globalThis.MathJax = {
        tex: { inlineMath: [["$", "$"], ["\\(", "\\)"]], processEscapes: true, tags: "ams" },
        options: { enableMenu: false, enableAssistiveMml: false },
      };
    });
    await tab.goto(`${server.address}/${notebook.replace(/ipynb$/, "html")}`, { waitUntil: "load" });
    await tab.evaluate(() => globalThis.MathJax.startup.promise);
    return tab;
  };
  return {
    here: (href) => (href.startsWith(server.address)
      ? decodeURIComponent(new URL(href).pathname.slice(1)) : null),
    look: async (notebook) => {
      const tab = await open(notebook);
      const found = await read(tab);
      found.faults.push(...await click(tab));
      await tab.close();
      return found;
    },
    shot: async (notebook, path) => {
      const tab = await open(notebook);
      await tab.screenshot({ path, fullPage: true });
      await tab.close();
    },
    stop: async () => {
      await chrome.close();
      server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** A copy of the tree, so that nothing that JupyterLab saves reaches it, and settings of its own. */
function copy(root, folder) {
  const left = new Set([".git", ".venv", "node_modules", "_build", "tests", "vendor"]);
  cpSync(root, join(folder, "root"), {
    recursive: true, filter: (path) => !left.has(basename(path)),
  });
  const settings = join(folder, "config", "labconfig");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "default_setting_overrides.json"), JSON.stringify({
    "@jupyterlab/apputils-extension:notification": {
      fetchNews: "false", checkForUpdates: false, doNotDisturbMode: true,
    },
  }));
}

/** JupyterLab in Chromium, without kernels: `look(notebook)` reads one, `shot` takes its picture. */
export async function lab(files, root = ROOT) {
  const folder = mkdtempSync(join(tmpdir(), "notebooks-lab-"));
  copy(root, folder);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const said = [];
  const server = spawn("jupyter", [
    "lab", "--no-browser", "--expose-app-in-browser", "--allow-root", `--ServerApp.port=${port}`,
    "--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password=",
    `--ServerApp.root_dir=${join(folder, "root")}`, "--LabApp.extension_manager=readonly",
  ], {
    cwd: folder, // JupyterLab looks for a package.json where it starts
    env: {
      ...process.env,
      JUPYTER_CONFIG_DIR: join(folder, "config"), JUPYTER_DATA_DIR: join(folder, "data"),
      JUPYTERLAB_SETTINGS_DIR: join(folder, "settings"),
      JUPYTERLAB_WORKSPACES_DIR: join(folder, "workspaces"),
    },
  });
  const ready = new Promise((done, refuse) => {
    server.stderr.on("data", (text) => {
      said.push(String(text));
      if (String(text).includes("is running at")) done();
    });
    server.on("exit", (code) => refuse(new Error(`JupyterLab ended with ${code}: ${said.join("")}`)));
  });
  ready.catch(() => {});
  const stop = async (chrome) => {
    await chrome?.close();
    server.removeAllListeners("exit");
    const gone = new Promise((done) => server.on("exit", done));
    server.kill("SIGTERM");
    await within(20, "ending JupyterLab", gone).catch(() => server.kill("SIGKILL"));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };

  let chrome;
  try {
    await within(90, `JupyterLab: ${said.join("")}`, ready);
    chrome = await browser();
  } catch (error) {
    await stop(chrome);
    throw error;
  }
  const tab = await chrome.newPage({ viewport: { width: 1100, height: 900 } });
  await tab.goto(`${address}/lab?reset`, { waitUntil: "load" });
  await tab.waitForFunction(() => globalThis.jupyterapp?.started, null, { timeout: 120_000 });
  await tab.evaluate(async () => {
    await globalThis.jupyterapp.restored;
    globalThis.jupyterapp.shell.collapseLeft?.();
  });
  const panel = ".jp-NotebookPanel:not(.lm-mod-hidden)";

  /** Open a notebook, with no kernel; wait until every cell is on the page and rendered. */
  const open = (notebook) => tab.evaluate(async (path) => {
    const { commands, shell } = globalThis.jupyterapp;
    for (const each of [...shell.widgets("main")]) each.dispose();
    const made = await commands.execute("docmanager:open", {
      path, factory: "Notebook", kernelPreference: { shouldStart: false, canStart: false },
    });
    await made.context.ready;
    await made.revealed;
    const { widgets } = made.content;
    await Promise.all(widgets.map((cell) => cell.ready));
    const formulas = () => made.node.querySelectorAll("mjx-container").length;
    const waiting = () => widgets.some((cell) => !cell.isAttached || cell.placeholder ||
      (cell.model.type === "markdown" && cell.model.sharedModel.source.trim() &&
        !cell.node.querySelector(".jp-RenderedMarkdown")?.childElementCount));
    let before = -1;
    for (let tries = 0; tries < 200 && (waiting() || formulas() !== before); tries += 1) {
      before = formulas();
      await new Promise((done) => setTimeout(done, 400));
    }
    return { cells: widgets.length, waiting: waiting() };
  }, notebook);

  return {
    here: (href) => {
      const path = href.startsWith(address) ? new URL(href).pathname : "";
      return path.startsWith("/files/") ? decodeURIComponent(path.slice("/files/".length)) : null;
    },
    look: async (notebook) => {
      const { cells, waiting } = await open(notebook);
      const found = await read(tab, panel);
      if (waiting || found.cells !== cells) {
        found.faults.push(`JupyterLab shows ${found.cells} of ${cells} cells`);
      }
      found.faults.push(...await click(tab, panel));
      return found;
    },
    shot: async (notebook, path) => {
      const { cells } = await open(notebook);
      const height = await tab.evaluate((selector) => {
        const outer = document.querySelector(`${selector} .jp-WindowedPanel-outer`);
        return outer.scrollHeight + 120;
      }, panel);
      await tab.setViewportSize({ width: 1100, height: Math.min(height, 30_000) });
      await tab.waitForTimeout(1500 + 20 * cells);
      await tab.screenshot({ path });
      await tab.setViewportSize({ width: 1100, height: 900 });
    },
    stop: () => stop(chrome),
  };
}
