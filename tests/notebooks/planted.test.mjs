// The checks of notebooks find what they look for: a notebook with one fault of each kind.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { noBrowser, ROOT } from "../site/site.mjs";
import { deadLinks } from "./faults.mjs";
import { html, lab } from "./notebooks.mjs";

const skip = noBrowser();
const FILLER = "Nothing is wrong here.\n\n".repeat(60);
const FAULTS = {
  "```{note}\nRead this.\n```": /a raw directive/,
  ":::{tip}\nRead this.\n:::": /a raw fence/,
  "See {ref}`that <sec-02-shapes>`.": /a raw role/,
  "(sec-02-shapes)=\n\nText.": /a raw label/,
  ":class: dropdown\n\nText.": /a raw option/,
  "% a comment\n\nText.": /a raw comment/,
  "See the note [^one].": /a raw footnote/,
  "\\<b>Bold</b>": /a raw tag/,
  "<details>\n<summary>The answer</summary>\nIt is **bold**.\n</details>": /read as Markdown/,
  "<details>\n<summary>The answer</summary>\n\n</details>": /<details> is empty/,
  "<details>\n\nNo summary.\n\n</details>": /without <summary>/,
  "The square of $x": /a formula that is not set/,
  "The root \\sqrt of it.": /a formula that is not set/,
  "$\\frac{1$": /a formula that is not set/,
  "$x^2^3$": /a formula with an error/,
  "$\\nosuchmacro{a}$": /a formula with an error/,
  "![](pictures/dot.svg)": /without alternative text/,
  "![A dot.](pictures/none.svg)": /does not load/,
  "[](#here)": /a link without text/,
  "[run](javascript:run)": { lab: /a link without an address/ }, // it takes the address away
  "[there](#nowhere)": /has no target/,
  "[hidden](#shut) <span id=\"shut\" style=\"display: none\">x</span>": /does not scroll to it/,
  "[here](#gone) <a name=\"gone\"></a>": { lab: /has no target/ },
};
const DEAD = {
  "[run](javascript:stop)": { html: /has the scheme/ },
  "[notes](notes.md)": /leads to no file/,
  "[code](https://github.com/OWNER/plainformer)": /not well-formed/,
  "[the site](https://example.org/book/99-nothing.html)": /no page of the site/,
};
const FINE = [
  "A price: \\$5.", "`{ref}` and `$x$` and `**`.", "```python\nx = {'a': 1}\n```",
  "$$\na = \\operatorname{softmax}(b) \\tag{2.1}\n$$\n\nand $\\frac{a}{b}$.",
  "<details>\n<summary>The answer, $x$</summary>\n\nIt is **bold**.\n\n- (a) one\n- (b) two\n\n</details>",
  "> **Predict.** Which?\n>\n> - (a) $1$\n> - (b) $2$", "## 3. A heading with $x_t$",
  "[to the end](#scrollTo=sec-end)", "![A dot.](pictures/dot.svg)", "[notes](../README.md)",
];

const markdown = (source, i, id = `cell-${i}`) => ({ cell_type: "markdown", id, metadata: {}, source });
const notebook = (...sources) => JSON.stringify({
  nbformat: 4, nbformat_minor: 5, metadata: { language_info: { name: "python" } },
  cells: [
    ...sources.map((source, i) => markdown(source, i)), markdown(FILLER, 998),
    markdown('<a id="scrollTo=sec-end"></a>\n\n## The end', 999, "sec-end"), markdown(FILLER, 1000),
  ],
});

for (const [name, start] of Object.entries({ html, lab })) {
  describe(name, { skip }, () => {
    const root = mkdtempSync(join(tmpdir(), "notebooks-planted-"));
    let found;
    let dead;
    let fine;

    before(async () => {
      mkdirSync(join(root, "book", "pictures"), { recursive: true });
      cpSync(join(ROOT, "README.md"), join(root, "README.md"));
      writeFileSync(join(root, "book", "pictures", "dot.svg"),
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="9"/></svg>');
      writeFileSync(join(root, "book", "wrong.ipynb"),
        notebook(...Object.keys(FAULTS), ...Object.keys(DEAD)));
      writeFileSync(join(root, "book", "fine.ipynb"), notebook(...FINE));
      const renderer = await start(["book/wrong.ipynb", "book/fine.ipynb"], root);
      const wrong = await renderer.look("book/wrong.ipynb");
      found = wrong.faults;
      dead = Object.values(deadLinks({ "book/wrong.ipynb": wrong }, renderer.here, root)).flat();
      fine = await renderer.look("book/fine.ipynb");
      fine.faults.push(...Object.values(deadLinks({ fine }, renderer.here, root)).flat());
      await renderer.stop();
    });
    after(() => rmSync(root, { recursive: true, force: true }));

    const said = (all, cell) => all.filter((fault) => fault.startsWith(`cell ${cell}:`)).join("\n");
    for (const [i, [source, what]] of Object.entries(FAULTS).entries()) {
      const expected = what instanceof RegExp ? what : what[name];
      if (expected) test(`finds ${JSON.stringify(source)}`, () => assert.match(said(found, i), expected));
    }
    for (const [i, [source, what]] of Object.entries(DEAD).entries()) {
      const cell = Object.keys(FAULTS).length + i;
      const expected = what instanceof RegExp ? what : what[name];
      if (expected) test(`finds ${JSON.stringify(source)}`, () => assert.match(said(dead, cell), expected));
    }
    test("finds nothing where nothing is wrong", () => assert.deepEqual(fine.faults, []));
  });
}
