// What the stack explorer knows: how far outputs move, what was tried, and what a closed box is.
// No browser here: these functions are also run by node, which compares them with plainformer.
import { BOXES, NAMED } from "./stack-explorer.data.js";

export { BOXES, NAMED };

export const WORD = ["d", "a", "b", "b", "a", "d"];
export const CHANGED = ["e", "b", "c", "c", "b", "e"];

/** The models, by what they are called in the picture. */
export const KINDS = {
  encoder: "encoder",
  decoder: "decoder",
  both: "encoder–decoder, 3 + 3 tokens",
  prefix: "decoder with an open prefix of 3",
  window: "decoder with a window of 2",
};

/** What a closed box may be: one of the models, or broken. */
export const VERDICTS = { ...KINDS, broken: "a decoder that is broken" };

/** What the boxes A to F are. */
export const ANSWERS = ["decoder", "broken", "both", "window", "encoder", "prefix"];

/** Pairs that no change of a token can tell apart. */
const ALIKE = [["both", "prefix"]];

/** The table of a choice: a model by name with so many layers, or "box0" to "box5". */
export function tableOf(choice, layers) {
  if (choice.startsWith("box")) return BOXES[Number(choice.slice(3))];
  if (!(choice in NAMED)) throw new RangeError(`there is no model "${choice}"`);
  return NAMED[choice][layers - 1];
}

/** How far each output moves when a token is changed. */
export const column = (table, j) => table.map((row) => row[j]);

/** The outputs that move when a token is changed. */
export const moved = (table, j) => column(table, j).flatMap((x, i) => (x > 0 ? [i] : []));

/** What is known after some changes: true, false, or null where nothing was tried. */
export const known = (table, tried) =>
  table.map((row) => row.map((x, j) => (tried.includes(j) ? x > 0 : null)));

/** Which outputs move in a kind of model, as rows of booleans, with two layers. */
function patternOf(kind) {
  if (kind === "broken") return BOXES[ANSWERS.indexOf("broken")].map((row) => row.map((x) => x > 0));
  return NAMED[kind][1].map((row) => row.map((x) => x > 0));
}

/** The kinds that fit what was found out about a box. */
export function candidates(table, tried) {
  return Object.keys(VERDICTS).filter((kind) => {
    const pattern = patternOf(kind);
    return tried.every((j) => table.every((row, i) => (row[j] > 0) === pattern[i][j]));
  });
}

/** What to say to somebody who names a box: whether it is right, sure, or cannot be known. */
export function judge(box, verdict, tried) {
  const answer = ANSWERS[box];
  const left = candidates(BOXES[box], tried);
  const same = ALIKE.find((pair) => pair.includes(answer)) ?? [answer];
  return {
    right: same.includes(verdict),
    exact: verdict === answer,
    twin: same.find((kind) => kind !== answer) ?? null,
    left,
    sure: left.every((kind) => same.includes(kind)),
  };
}
