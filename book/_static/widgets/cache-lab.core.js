// The numbers of the cache lab: what a cache weighs, what fits beside a model, and what is held.

/** Public models: layers, numbers kept for a token in a layer, parameters. */
export const MODELS = [
  { name: "GPT-2", layers: 12, kept: 2 * 12 * 64, parameters: 124_439_808 },
  { name: "Llama 2 7B", layers: 32, kept: 2 * 32 * 128, parameters: 6_738_415_616 },
  { name: "Llama 3 8B", layers: 32, kept: 2 * 8 * 128, parameters: 8_030_261_248 },
  { name: "Llama 3 70B", layers: 80, kept: 2 * 8 * 128, parameters: 70_553_706_496 },
  { name: "Mistral 7B", layers: 32, kept: 2 * 8 * 128, parameters: 7_241_732_096 },
  { name: "Qwen2 7B", layers: 28, kept: 2 * 4 * 128, parameters: 7_615_616_512 },
  { name: "DeepSeek-V2", layers: 60, kept: 512 + 64, parameters: 235_741_434_880 },
  { name: "DeepSeek-V3", layers: 61, kept: 512 + 64, parameters: 671_026_419_200 },
];

export const modelOf = (name) => {
  const found = MODELS.find((model) => model.name === name);
  if (!found) throw new RangeError(`no model "${name}": there are ${MODELS.map((m) => m.name).join(", ")}`);
  return found;
};

/** Bytes of cache for a token, over all layers; `bytes` is the size of a number. */
export const tokenBytes = (model, bytes) => model.layers * model.kept * bytes;

/**
 * What fits: weights in 16 bits, the cache of `batch` sequences of `context` tokens, what is left of
 * `memory` bytes (negative: missing), and how many such sequences fit at most.
 */
export function fit({ name, context, batch, bytes, memory }) {
  const model = modelOf(name);
  const token = tokenBytes(model, bytes);
  const [weights, sequence] = [2 * model.parameters, context * token];
  const cache = batch * sequence;
  return {
    token, weights, sequence, cache,
    free: memory - weights - cache,
    most: Math.max(0, Math.floor((memory - weights) / sequence)),
    outweighs: Math.floor(weights / token), // tokens whose cache weighs as much as the weights
  };
}

export const WINDOW = 8;
export const SINKS = 4;
export const PAGE = 4;
export const PAGES = [3, 1, 5, 0, 4, 2]; // the order in which this pool hands out its pages
export const PLACES = PAGE * PAGES.length;

/** The place of a position in a ring of `window` places that stand after `sinks` fixed ones. */
export const ringPlace = (position, window, sinks) =>
  position < sinks ? position : sinks + ((position - sinks) % window);

/**
 * What each place holds after `tokens` tokens: a position, or null for an empty place.
 *
 * `next` is the place that the next token will be written to, null where a new one is made.
 */
export function held(kind, tokens) {
  const positions = Array.from({ length: tokens }, (_, i) => i);
  if (kind === "grows") return { places: positions, next: null };
  if (kind === "reserved") {
    const places = Array.from({ length: PLACES }, (_, i) => (i < tokens ? i : null));
    return { places, next: tokens < PLACES ? tokens : null };
  }
  if (kind === "pages") {
    const places = Array(PLACES).fill(null);
    const at = (p) => PAGES[Math.floor(p / PAGE)] * PAGE + (p % PAGE);
    for (const p of positions) places[at(p)] = p;
    return { places, next: tokens < PLACES ? at(tokens) : null };
  }
  const sinks = { window: 0, sinks: SINKS }[kind];
  if (sinks === undefined) throw new RangeError(`no kind "${kind}"`);
  const places = Array(sinks + WINDOW).fill(null);
  for (const p of positions) places[ringPlace(p, WINDOW, sinks)] = p;
  return { places, next: ringPlace(tokens, WINDOW, sinks) };
}

/** Places that are taken from memory: whole pages, the whole reservation, or what is held. */
export function taken(kind, tokens) {
  if (kind === "grows") return tokens;
  if (kind === "pages") return Math.ceil(tokens / PAGE) * PAGE;
  return held(kind, tokens).places.length;
}
