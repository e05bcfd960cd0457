// Make the still picture of each widget: book/_static/widgets/NAME.png, for notebooks and for pages
// where no script runs. Run by `make stills` after the site is built:
//     node tools/stills.mjs [NAME…]
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { browser, cannotRun, open, ROOT, serve } from "../tests/site/site.mjs";

// What is set before the picture is taken, where the first state does not show the point: a control
// by its label and a value, a button by its name, or a text to wait for.
const STATES = {
  "recipe-tin": [["Query sweet", 1.75], ["Query savoury", 0.5]],
  "mask-lab": [["add", 5]],
  "heads-lab": [["Layer with", "4 heads"]],
  "rotary-dials": [["Trained length", 16], ["Query at", 33]],
  "depth-explorer": [["Layers", 24], ["Share that does not depend", 0.5]],
  "stack-explorer": [["Model", "decoder"], ["Layers", "2"], "token 4", "token 0", "token 2"],
  "optimiser-explorer": [["Rate", 5]],
  "softmax-stepper": ["Next block", "Next block"],
  "cache-lab": ["Next token", "Next token", "Next token"],
  "sampler-lab": [["Temperature", 1.5], ["Top-p", 0.8]],
  "yarn-ramp": [["Method", "YaRN, ramp over planes"], ["Plane", 3]],
  "training-lab": ["Start training", /Step 1[4-9]\d\d of/, "Pause"], // copying has begun
  "serving-lab": [["Token budget", "16 tokens"], ["Pages", 30]],
};
// The heading above which a picture ends that would be too long for a page.
const ENDS = { playground: "The next word" };
const COLOURS = 64;
const SMALLER = `
import sys
from PIL import Image
path, colours = sys.argv[1], int(sys.argv[2])
picture = Image.open(path).convert("RGB")
few = picture.quantize(colours, method=Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
few.save(path, optimize=True)
`;

/** The widgets of the book, each with the page that holds it. */
export function widgets() {
  const folder = join(ROOT, "book");
  return readdirSync(folder).filter((name) => /^(\d\d-.*|playground)\.md$/.test(name)).sort().flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/^`{3,}\{interactive\} ([a-z0-9-]+)$/gm)]
      .map((match) => [match[1], name.replace(/\.md$/, "")]));
}

async function set(widget, step) {
  if (step instanceof RegExp) {
    await widget.getByText(step).first().waitFor({ timeout: 900_000 });
    return;
  }
  if (typeof step === "string") {
    await widget.getByRole("button", { name: step }).click();
    return;
  }
  const [label, value] = step;
  const control = widget.getByLabel(new RegExp(`^\\s*${label}`)).first();
  if (typeof value === "string") await control.selectOption({ label: value });
  else {
    await control.evaluate((node, to) => {
      for (let up = node.closest("details"); up; up = up.parentElement?.closest("details")) up.open = true;
      node.value = to;
      for (const kind of ["input", "change"]) node.dispatchEvent(new Event(kind, { bubbles: true }));
      node.closest("details")?.removeAttribute("open");
    }, value);
  }
}

async function still(chrome, address, name, page) {
  const tab = await chrome.newPage({
    colorScheme: "light", reducedMotion: "reduce", deviceScaleFactor: 1.5,
    viewport: { width: 800, height: 2400 }, // as wide as a notebook's column; nothing scrolls
  });
  await open(tab, `${address}/book/${page}.html`);
  await tab.addStyleTag({ content: ".skip-link, #pst-skip-link, header, .header-article, .bd-header { display: none !important }" });
  const widget = tab.locator(`plain-${name}`);
  for (const step of STATES[name] ?? []) await set(widget, step);
  await tab.evaluate(() => document.activeElement?.blur());
  await tab.mouse.move(0, 0);
  const path = join(ROOT, "book", "_static", "widgets", `${name}.png`);
  const clip = await widget.boundingBox();
  if (ENDS[name]) {
    const end = await widget.getByRole("heading", { name: ENDS[name] }).boundingBox();
    clip.height = end.y - clip.y;
  }
  await tab.screenshot({ path, clip, animations: "disabled", fullPage: true });
  await tab.close();
  const made = spawnSync("python", ["-c", SMALLER, path, COLOURS], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`${path}: ${made.stderr}`);
  console.log(`${path.slice(ROOT.length + 1)}: ${Math.round(statSync(path).size / 1024)} KiB`);
}

const named = process.argv.slice(2);
const all = widgets();
const unknown = named.filter((name) => !all.some(([each]) => each === name));
const reason = cannotRun();
if (reason || unknown.length) {
  console.error(reason || `no such widget: ${unknown.join(", ")}; there are ${all.map(([n]) => n).join(", ")}`);
  process.exit(2);
}
const site = await serve();
const chrome = await browser();
for (const [name, page] of all.filter(([each]) => !named.length || named.includes(each))) {
  await still(chrome, site.address, name, page);
}
await chrome.close();
site.stop();
