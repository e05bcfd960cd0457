// Make the still picture of each widget: book/_static/widgets/NAME.png, for notebooks and for pages
// where no script runs. Run by `make stills` after the site is built:
//     node tools/stills.mjs [NAME…]
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { browser, cannotRun, open, ROOT, serve } from "../tests/site/site.mjs";

// What is set before the picture is taken, where the first state does not show the point: a control
// by its label and a value, or a button by its name.
const STATES = {
  "recipe-tin": [["Query sweet", 1.75], ["Query savoury", 0.5]],
  "mask-lab": [["add", 5]],
  "heads-lab": [["Layer with", "4 heads"]],
  "rotary-dials": [["Trained length", 16], ["Query at", 33]],
  "depth-explorer": [["Layers", 24], ["Share that does not depend", 0.5]],
  "stack-explorer": [["Model", "decoder"], ["Layers", "2"], "token 4", "token 0", "token 2"],
  "optimiser-explorer": [["Rate", 5]],
  "tile-traffic": Array(19).fill("Step"),
