// Every notebook that people open, as a renderer shows it: nbconvert's HTML or JupyterLab.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { noBrowser, within } from "../site/site.mjs";
import { deadLinks } from "./faults.mjs";
import { html, lab, notebooks } from "./notebooks.mjs";

const skip = noBrowser();
// An exercise is its solution without the answers: each is shown once, where it is opened.
const RENDERERS = {
  "nbconvert's HTML": [html, notebooks().filter((each) => each.startsWith("solutions/"))],
  JupyterLab: [lab, notebooks().filter((each) => !each.startsWith("solutions/"))],
};

for (const [name, [start, shown]] of Object.entries(RENDERERS)) {
  describe(name, { skip }, () => {
    const visited = {};
    let renderer;

    before(async () => {
      renderer = await start(shown);
      for (const notebook of shown) {
        visited[notebook] = await within(120, notebook, renderer.look(notebook));
      }
    });
    after(() => renderer?.stop());

    for (const notebook of shown) {
      test(`${notebook} is fit to be shown`, () => {
        assert.deepEqual(visited[notebook].faults, []);
        assert.ok(visited[notebook].cells > 5, "its cells are on the page");
      });
    }

    test("no link is dead", () => assert.deepEqual(deadLinks(visited, renderer.here), {}));
  });
}
