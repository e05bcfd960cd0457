// From scores to weights, as plainformer.softmax computes them. Shared by the widgets.
// No browser here: these functions are also run by node, which compares them with plainformer.

/** Softmax of one row. `mask[j]` true = may look. A row that may look nowhere gets zeros. */
export function softmaxRow(row, mask = null) {
  const seen = row.map((score, j) => (mask === null || mask[j] ? score : -Infinity));
  const largest = Math.max(...seen);
  if (largest === -Infinity) return row.map(() => 0);
  const raised = seen.map((score) => Math.exp(score - largest));
  const total = sum(raised);
  return raised.map((x) => x / total);
}

/** Softmax of each row of a matrix (q, k). */
export function softmaxRows(scores, mask = null) {
  return scores.map((row, i) => softmaxRow(row, mask === null ? null : mask[i]));
}

/** Softmax of each column: over the queries, which is the wrong axis for attention. */
export function softmaxColumns(scores) {
  return transpose(softmaxRows(transpose(scores)));
}

/** Dot products of all queries with all keys: (q, d), (k, d) → (q, k). */
export function dots(queries, keys) {
  return queries.map((query) => keys.map((key) => sum(query.map((x, i) => x * key[i]))));
}

/** Weights (q, k) times values (k, e) → (q, e). */
export function mix(weights, values) {
  return weights.map((row) => values[0].map((_, c) => sum(row.map((w, j) => w * values[j][c]))));
}

/** Entropy of one row of weights, in nats. A weight of 0 adds nothing. */
export function entropy(row) {
  return -sum(row.map((w) => (w > 0 ? w * Math.log(w) : 0))) || 0;
}

export function transpose(matrix) {
  return matrix.length === 0 ? [] : matrix[0].map((_, j) => matrix.map((row) => row[j]));
}

export function sum(numbers) {
  return numbers.reduce((total, x) => total + x, 0);
}
