// Make one style sheet of all, from {out, to, sheets: [{path, own, media}]} on stdin; lean_pages.py says why.
// Sheets of the book stay whole. Of the others goes what no page and no script of the site mentions,
// and what draws icons by a font, since the site draws its own.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

import { PurgeCSS } from "purgecss";
import subset from "subset-font";

const ICONS = [/^fa[a-z]?$/, /^fa-/];
const SET_BY_SCRIPTS = ["open", "data-theme", "data-mode", "aria-expanded", "aria-current"];

const { out, to, sheets } = JSON.parse(readFileSync(0, "utf8"));

/** The CSS of a sheet, its addresses as seen from the new one. */
function read(path) {
  const css = readFileSync(join(out, path), "utf8").replace(/\/\*# sourceMappingURL=.*?\*\//g, "");
  if (/@import/.test(css)) throw new Error(`${path} imports another sheet, which would be lost`);
  return css.replace(/url\(\s*(["']?)(?!data:|#|\w+:|\/)([^"')]+)\1\s*\)/g, (_, quote, address) => {
    const from = posix.join(posix.dirname(path), address);
    return `url(${quote}${posix.relative(posix.dirname(to), from)}${quote})`;
  });
}

function files(folder, ends) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name)).filter((name) => name.endsWith(ends));
}

const texts = sheets.map(({ path }) => read(path));
const others = sheets.flatMap(({ own }, i) => (own ? [] : [i]));
const kept = await new PurgeCSS().purge({
  content: [...files(out, ".html"), ...files(join(out, "_static"), ".js")],
  css: others.map((i) => ({ raw: texts[i], name: sheets[i].path })),
  fontFace: true, keyframes: true, blocklist: ICONS, dynamicAttributes: SET_BY_SCRIPTS,
});
kept.forEach(({ css }, i) => { texts[others[i]] = css; });
sheets.forEach(({ media }, i) => { if (media) texts[i] = `@media ${media} {\n${texts[i]}\n}`; });
const all = texts.join("\n").replace(/\/\*(?!!)[\s\S]*?\*\//g, "").replace(/\s*\n\s*/g, "\n");
writeFileSync(join(out, to), all);

// KaTeX's fonts hold all of mathematics, and their licence lets one cut them: the site's letters stay.
const letters = new Set();
for (const file of files(out, ".html")) {
  for (const letter of readFileSync(file, "utf8")) letters.add(letter);
}
for (const file of files(join(out, "_static", "vendor", "katex"), ".woff2")) {
  const cut = await subset(readFileSync(file), [...letters].join(""), { targetFormat: "woff2" });
  writeFileSync(file, cut);
}
