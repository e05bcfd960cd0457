// Compile the training lab's kernel, and write it into the page's scripts. Run by
// `make training-kernel`:
//     node tools/training_lab/build.mjs [--print]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import asc from "assemblyscript/asc";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const TO = join(HERE, "../../book/_static/widgets/training-lab.wasm.js");
const OPTIONS = [
  "kernel.ts", "--outFile", "kernel.wasm", "--optimizeLevel", "3", "--shrinkLevel", "0",
  "--runtime", "stub", "--importMemory", "--enable", "simd", "--noAssert",
];

/** The text of the script that holds the compiled kernel. */
export async function compiled() {
  let bytes = null;
  const { error, stderr } = await asc.main([...OPTIONS, "--baseDir", HERE], {
    writeFile: (name, contents) => {
      if (name === "kernel.wasm") bytes = contents;
    },
  });
  if (error || !bytes) throw new Error(`kernel.ts does not compile: ${error?.message}\n${stderr}`);
  const text = Buffer.from(bytes).toString("base64");
  return `// Written by tools/training_lab/build.mjs from kernel.ts.\nexport const WASM = "${text}";\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await compiled();
  if (process.argv.includes("--print")) process.stdout.write(text);
  else writeFileSync(TO, text);
}
