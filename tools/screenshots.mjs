// Take pictures of pages of the built site, to look at them:
//     node tools/screenshots.mjs FOLDER PAGE…        such as: shots index book/notation
// Each page gives PAGE.light.png, PAGE.dark.png and PAGE.phone.png. FULL=1 takes whole pages,
// otherwise what a screen shows first; AT=anchor scrolls to an anchor before.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { browser, cannotRun, open, serve } from "../tests/site/site.mjs";

const [folder, ...names] = process.argv.slice(2);
const reason = cannotRun();
if (!folder || !names.length || reason) {
  console.error(reason || "usage: node tools/screenshots.mjs FOLDER PAGE…");
  process.exit(2);
}

const KINDS = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 1000 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 1000 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};

mkdirSync(folder, { recursive: true });
const site = await serve();
const chrome = await browser();
for (const name of names) {
  const page = name.replace(/\.html$/, "");
  for (const [kind, options] of Object.entries(KINDS)) {
    const tab = await chrome.newPage(options);
    const at = process.env.AT ? `#${process.env.AT}` : "";
    await open(tab, `${site.address}/${page}.html${at}`);
    const path = join(folder, `${page.replaceAll("/", "-")}.${kind}.png`);
    await tab.screenshot({ path, fullPage: Boolean(process.env.FULL) });
    await tab.close();
    console.log(path);
  }
}
await chrome.close();
site.stop();
