// Copy what the site needs from node_modules to book/_static/vendor, so that reading the site
// makes no request to another host. Run by `npm run vendor`; the copies are not committed.
import {
  copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const target = join(root, "book", "_static", "vendor");

const SERIF = "@fontsource-variable/source-serif-4";
const fonts = ["latin", "latin-ext", "greek"].flatMap((script) =>
  ["normal", "italic"].map((style) => `source-serif-4-${script}-wght-${style}.woff2`),
);
// KaTeX's style shows its fonts' fallback until they are there; of each font the WOFF2 file is enough.
const STYLE = "dist/katex-swap.min.css";
const older = /,url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)/g;

// [package, files or folders in it, where they go]
const WANTED = [
  ["katex", [STYLE], "katex"],
  ["katex", folder("katex", "dist/fonts").filter((name) => name.endsWith(".woff2")), "katex/fonts"],
  ["ts-fsrs", [], "."], // bundled at build time, as what follows: the licences only
  ["minisearch", [], "."],
  ["stemmer", [], "."],
  [SERIF, fonts.map((name) => `files/${name}`), "fonts"],
];

function folder(name, path) {
  const full = join(modules, name, path);
  return existsSync(full) ? readdirSync(full).map((file) => `${path}/${file}`) : [path];
}

function stop(problem) {
  console.error(`vendor: ${problem}. Run \`npm ci\` in the repository's root, then this again.`);
  process.exit(1);
}

rmSync(target, { recursive: true, force: true });
let bytes = 0;
const notices = [];
for (const [name, files, to] of WANTED) {
  const manifest = join(modules, name, "package.json");
  if (!existsSync(manifest)) stop(`the package ${name} is not installed`);
  const { version, license } = JSON.parse(readFileSync(manifest, "utf8"));
  mkdirSync(join(target, to), { recursive: true });
  for (const file of files) {
    const source = join(modules, name, file);
    if (!existsSync(source)) stop(`${name} ${version} has no file ${file}`);
    const base = file.slice(file.lastIndexOf("/") + 1);
    copyFileSync(source, join(target, to, base));
    bytes += readFileSync(source).length;
  }
  const licence = readdirSync(join(modules, name)).find((file) => /^licen[cs]e/i.test(file));
  const text = readFileSync(join(modules, name, licence), "utf8");
  const notice = `${name} ${version} (${license})\n\n${text.trim()}\n`;
  if (!notices.includes(notice)) notices.push(notice);
}
const style = readFileSync(join(target, "katex", "katex-swap.min.css"), "utf8").replace(older, "");
if (/\.(woff|ttf)\)/.test(style)) stop("KaTeX's style names fonts otherwise than expected");
writeFileSync(join(target, "katex", "katex.css"), style);
rmSync(join(target, "katex", "katex-swap.min.css"));
writeFileSync(join(target, "LICENSES.txt"), notices.join(`\n${"-".repeat(72)}\n\n`));
console.log(`vendor: ${(bytes / 1e6).toFixed(1)} MB in book/_static/vendor`);
