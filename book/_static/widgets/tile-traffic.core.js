// The numbers of the tile traffic: what plainformer.costs.tiled counts, tile by tile.
// A setting is { q, k, d, e, height, width, causal, kept, backward, itemsize }; the q queries are
// the last of the k positions. Backward always keeps the keys.

const STATISTIC = 4; // bytes of a maximum, a total, a log-sum-exp, a D

/** Blocks of n things: [start, end) each, the last one perhaps smaller. */
export function blocks(n, size) {
  return Array.from({ length: Math.ceil(n / size) }, (_, i) =>
    [i * size, Math.min((i + 1) * size, n)]);
}

export const keepsKeys = (s) => s.backward || s.kept === "keys";

/** Whether the tile of block i of queries and block j of keys is visited. */
export function isVisited(s, i, j) {
  const [, end] = blocks(s.q, s.height)[i];
  return !s.causal || j * s.width <= end - 1 + s.k - s.q;
}

/** The visited tiles in the order of the loops, each as { i, j, rows, columns }. */
export function tiles(s) {
  const rows = blocks(s.q, s.height);
  const columns = blocks(s.k, s.width);
  const outer = keepsKeys(s) ? columns : rows;
  const inner = keepsKeys(s) ? rows : columns;
  return outer.flatMap((_, a) => inner.flatMap((__, b) => {
    const [i, j] = keepsKeys(s) ? [b, a] : [a, b];
    if (!isVisited(s, i, j)) return [];
    return [{ i, j, rows: rows[i][1] - rows[i][0], columns: columns[j][1] - columns[j][0] }];
  }));
}

/** What is moved before the first tile: zeros for what is added up, and D. */
function before(s) {
  if (s.backward) return (2 * s.q * s.e + s.q * s.d) * s.itemsize + s.q * STATISTIC;
  return keepsKeys(s) ? s.q * s.e * s.itemsize + 2 * s.q * STATISTIC : 0;
}

/** What one tile moves: the blocks loaded and stored, by name, and the bytes of both. */
function moved(s, tile, first, last) {
  const { rows, columns } = tile;
  const [q, k, v, o] = [rows * s.d, columns * s.d, columns * s.e, rows * s.e]
    .map((numbers) => numbers * s.itemsize);
  const row = rows * STATISTIC;
  const load = {};
  const store = {};
  if (s.backward) {
    if (first) Object.assign(load, { K: k, V: v });
    Object.assign(load, { Q: q, dO: o, dQ: q, lse: row, D: row });
    store.dQ = q;
    if (last) Object.assign(store, { dK: k, dV: v });
  } else if (keepsKeys(s)) {
    if (first) Object.assign(load, { K: k, V: v });
    Object.assign(load, { Q: q, O: o, m: row, "ℓ": row });
    Object.assign(store, { O: o, m: row, "ℓ": row });
  } else {
    if (first) load.Q = q;
    Object.assign(load, { K: k, V: v });
    if (last) Object.assign(store, { O: o, lse: row });
  }
  return { load, store };
}

const sum = (bytes) => Object.values(bytes).reduce((a, b) => a + b, 0);

/** Every step of a pass: the tile, what it loads and stores, its bytes, and all bytes so far. */
export function steps(s) {
  const all = tiles(s);
  let total = before(s);
  const outer = (tile) => (tile === undefined ? -1 : keepsKeys(s) ? tile.j : tile.i);
  return all.map((tile, n) => {
    const first = outer(all[n - 1]) !== outer(tile);
    const last = outer(all[n + 1]) !== outer(tile);
    const { load, store } = moved(s, tile, first, last);
    const bytes = sum(load) + sum(store);
    total += bytes;
    return { ...tile, load, store, bytes, total };
  });
}

/** All bytes of a pass. */
export function traffic(s) {
  return steps(s).at(-1)?.total ?? before(s);
}

/** The bytes of plain attention, forward: six crossings of scores, and what goes in and out. */
export function plain(s) {
  return (6 * s.q * s.k + s.q * (s.d + s.e) + s.k * (s.d + s.e)) * s.itemsize;
}

/** How many numbers a tile needs on the chip at once. */
export function chip(s) {
  const { height, width, d, e } = s;
  if (s.backward) return height * (2 * d + e + 2) + 2 * width * (d + e) + 2 * height * width;
  return (height + width) * (d + e) + 2 * height + height * width;
}
