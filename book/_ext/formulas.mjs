// Set formulas: a line of JSON comes in, {tex, display}, and one goes out, {html, mathml} or {refused}.
// Started once for a build by formulas.py, which asks for each formula once.
import { createInterface } from "node:readline";

import katex from "katex";

const TEX = /<semantics>(.*?)<annotation encoding="application\/x-tex">.*?<\/annotation><\/semantics>/s;
// What KaTeX writes that MathML's schema does not have: no column's distance, a third part of a script,
// and operators that hold others; and letters that browsers know only as signs of their own.
const MENDS = [
  [/ columnspacing=""/g, ""],
  [/<mo>\u2061<\/mo>(?=<\/m(?:sub|sup|over|under)>)/g, ""],
  [/<mi mathvariant="double-struck">([A-Z])<\/mi>/g, (_, letter) => `<mi>${blackboard(letter)}</mi>`],
  [/<mo>(<mo>[^<]*<\/mo>)<\/mo>/g, "$1"],
  [/<mo>(<m(over|under|underover)>.*?<\/m\2>)<\/mo>/gs, "<mrow>$1</mrow>"],
];
const BLACKBOARD = { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" };
const blackboard = (letter) => BLACKBOARD[letter] ?? String.fromCodePoint(0x1d538 + letter.charCodeAt(0) - 65);
const MATHML = /<math.*?<\/math>/s;

for await (const line of createInterface({ input: process.stdin })) {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    const html = katex.renderToString(tex, {
      displayMode: display, output: "htmlAndMathml", throwOnError: true, strict: "error",
    });
    const set = MENDS.reduce((text, [old, now]) => text.replace(old, now), html.replace(TEX, "$1"));
    answer = { html: set, mathml: set.match(MATHML)[0] };
  } catch (error) {
    answer = { refused: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
