// Read notebooks as people see them, and say what is wrong:
//     node tools/notebooks.mjs [html|lab|both] [NOTEBOOK…]        such as: html book/03-masks.ipynb
// Without a notebook: all. SHOTS=folder takes a picture of each, from top to bottom, too.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { deadLinks } from "../tests/notebooks/faults.mjs";
import { html, lab, notebooks } from "../tests/notebooks/notebooks.mjs";

const [which = "both", ...named] = process.argv.slice(2);
if (!["html", "lab", "both"].includes(which)) {
  console.error("usage: node tools/notebooks.mjs [html|lab|both] [NOTEBOOK…]");
  process.exit(2);
}
const files = named.length ? named : notebooks();
const shots = process.env.SHOTS;
if (shots) mkdirSync(shots, { recursive: true });
let wrong = 0;
for (const kind of which === "both" ? ["html", "lab"] : [which]) {
  const start = Date.now();
  const renderer = await { html, lab }[kind](files);
  const visited = {};
  for (const file of files) {
    visited[file] = await renderer.look(file);
    if (shots) {
      await renderer.shot(file, join(shots, `${file.replaceAll("/", "-").replace(/ipynb$/, kind)}.png`));
    }
  }
  const dead = deadLinks(visited, renderer.here);
  for (const file of files) {
    for (const fault of [...visited[file].faults, ...(dead[file] ?? [])]) {
      console.log(`${kind} ${file}: ${fault}`);
      wrong += 1;
    }
  }
  await renderer.stop();
  console.log(`${kind}: ${files.length} notebooks in ${Math.round((Date.now() - start) / 1000)} s`);
}
console.log(wrong ? `Wrong: ${wrong}` : "Nothing wrong.");
process.exitCode = wrong ? 1 : 0;
