// The numbers of the softmax stepper: online softmax as plainformer.online_softmax.Partial does it.
// A state is { m, total, weighted } for one query and values of width 1.

export const EMPTY = { m: -Infinity, total: 0, weighted: 0 };

/** Add a block of [score, value] pairs. A reference that lags by at most `slack` stays. */
export function extend(state, block, slack = 0) {
  const largest = Math.max(...block.map(([score]) => score));
  const m = largest > state.m + slack ? largest : state.m;
  const safe = m === -Infinity ? 0 : m;
  const fade = Math.exp(state.m - safe);
  let total = state.total * fade;
  let weighted = state.weighted * fade;
  for (const [score, value] of block) {
    total += Math.exp(score - safe);
    weighted += Math.exp(score - safe) * value;
  }
  return { m, total, weighted, fade };
}

/** The average of the values seen so far; 0 where nothing was seen. */
export const output = ({ total, weighted }) => (total === 0 ? 0 : weighted / total);

/** The log-sum-exp; −∞ where nothing was seen. */
export const lse = ({ m, total }) => (total === 0 ? -Infinity : m + Math.log(total));

const descending = (a, b) => b[0] - a[0];
const ORDERS = {
  left: (keys) => keys,
  right: (keys) => [...keys].reverse(),
  rising: (keys) => [...keys].sort(descending).reverse(),
  falling: (keys) => [...keys].sort(descending),
};

/** The keys, [score, value, place], in the order in which they are read. */
export function ordered(keys, order) {
  if (!(order in ORDERS)) {
    throw new RangeError(`order "${order}" is none of: ${Object.keys(ORDERS).join(", ")}`);
  }
  return ORDERS[order](keys);
}

/** Cut the keys into blocks of `width`; the last may be shorter. */
export function blocks(keys, width) {
  return Array.from({ length: Math.ceil(keys.length / width) }, (_, i) =>
    keys.slice(i * width, (i + 1) * width));
}

/** The states after each block, with the block and whether old sums had to be rescaled. */
export function steps({ keys, order, width, slack }) {
  let state = EMPTY;
  return blocks(ordered(keys, order), width).map((block) => {
    const before = state.total;
    state = extend(state, block, slack);
    return { ...state, block, rescaled: before > 0 && state.fade < 1 };
  });
}

const row = (scores) => scores.map((score, i) => [score, 10 * (i + 1), i]);

/** The rows that can be chosen. */
export const ROWS = {
  text: row([1, 2, 4, 0, 3, 3]),
  large: row([1001, 1002, 1004, 1000, 1003, 1003]),
  masked: row([-Infinity, -Infinity, 2, 1, -Infinity, 3, 4, 0]),
  rising: row([0, 1, 2, 3, 4, 5, 6, 7]),
};
