// Set formulas: a line of JSON comes in, {tex, display}, and one goes out, {html} or {refused}.
// Started once for a build by formulas.py, which asks for each formula once.
import { createInterface } from "node:readline";

import katex from "katex";

const TEX = /<semantics>(.*?)<annotation encoding="application\/x-tex">.*?<\/annotation><\/semantics>/s;

for await (const line of createInterface({ input: process.stdin })) {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    const html = katex.renderToString(tex, {
      displayMode: display, output: "htmlAndMathml", throwOnError: true, strict: "error",
    });
    answer = { html: html.replace(TEX, "$1") };
  } catch (error) {
    answer = { refused: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
