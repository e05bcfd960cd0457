// Every notebook that people open, as two renderers show it: nbconvert's HTML and JupyterLab.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { noBrowser, within } from "../site/site.mjs";
import { deadLinks } from "./faults.mjs";
import { html, lab, notebooks } from "./notebooks.mjs";

const skip = noBrowser();
const RENDERERS = { "nbconvert's HTML": html, JupyterLab: lab };

for (const [name, start] of Object.entries(RENDERERS)) {
  describe(name, { skip }, () => {
    const visited = {};
    let renderer;

    before(async () => {
      renderer = await start(notebooks());
      for (const notebook of notebooks()) {
        visited[notebook] = await within(120, notebook, renderer.look(notebook));
      }
    });
    after(() => renderer?.stop());

    for (const notebook of notebooks()) {
      test(`${notebook} is fit to be shown`, () => {
        assert.deepEqual(visited[notebook].faults, []);
        assert.ok(visited[notebook].cells > 5, "its cells are on the page");
      });
    }

    test("no link is dead", () => assert.deepEqual(deadLinks(visited, renderer.here), {}));
  });
}
