// The numbers of the YaRN ramp: by how much each rotary plane is slowed, and how far it then turns.

const TURN = 2 * Math.PI;

// Width of a head, base, trained context and the factor that the model is read with.
export const MODELS = {
  storyteller: { name: "the storyteller", width: 16, base: 100, context: 64, factor: 8, method: "none" },
  llama: { name: "Llama 3.1 8B", width: 128, base: 500_000, context: 8_192, factor: 8, method: "turns" },
  qwen: { name: "Qwen 2.5 7B", width: 128, base: 1_000_000, context: 32_768, factor: 4, method: "yarn" },
  deepseek: { name: "DeepSeek-V2", width: 64, base: 10_000, context: 4_096, factor: 40, method: "yarn" },
};

export const METHODS = {
  none: "nothing done",
  linear: "interpolation",
  ntk: "NTK-aware",
  yarn: "YaRN, ramp over planes",
  turns: "Llama 3, ramp over turns",
};

// Turns within the trained context at the two ends of each ramp.
export const ENDS = { yarn: { fast: 32, slow: 1 }, turns: { fast: 4, slow: 1 } };

export const frequencies = ({ width, base }) =>
  Array.from({ length: width / 2 }, (_, i) => base ** ((-2 * i) / width));

const clamp = (x) => Math.min(Math.max(x, 0), 1);

/** The share of each plane that is interpolated, 0 to 1; for the methods that have a ramp. */
export function shares(theta, { method, context, fast, slow, width, base }) {
  if (method === "none") return theta.map(() => 0);
  if (method === "linear") return theta.map(() => 1);
  if (method === "turns") {
    return theta.map((f) => 1 - clamp(((context * f) / TURN - slow) / (fast - slow)));
  }
  const step = (2 * Math.log(base)) / width;
  const at = (turns) => Math.log(context / (TURN * turns)) / step;
  const first = Math.max(Math.floor(at(fast)), 0);
  const last = Math.min(Math.ceil(at(slow)), width - 1);
  return theta.map((_, i) => clamp((i - first) / Math.max(last - first, 0.001)));
}

/** Every plane's numbers: wavelength, turns in training, divisor, reach of the new length, newness. */
export function planes(state) {
  const theta = frequencies(state);
  const { method, factor, context } = state;
  const share = method === "ntk" ? null : shares(theta, state);
  const length = context * (state.read ?? factor);
  return theta.map((f, i) => {
    const divisor = share === null
      ? factor ** (i / Math.max(theta.length - 1, 1))
      : 1 / (1 - share[i] + share[i] / factor);
    const turns = (state.trained ?? context) * f / TURN;
    const reached = (length * f) / divisor / TURN;
    return {
      frequency: f,
      wavelength: TURN / f,
      turns,
      share: (1 - 1 / divisor) / (1 - 1 / factor),
      divisor,
      reached,
      fresh: turns < 1 && Math.min(reached, 1) > turns * (1 + 1e-9),
    };
  });
}

/** How many planes are left alone, blended and wholly interpolated. */
export function kinds(rows) {
  const whole = rows.filter(({ share }) => share > 1 - 1e-9).length;
  const alone = rows.filter(({ share }) => share < 1e-9).length;
  return { alone, blended: rows.length - alone - whole, whole };
}

/** What turned queries and keys are multiplied by, each. */
export const attentionFactor = ({ method, factor }) =>
  method === "yarn" ? 0.1 * Math.log(factor) + 1 : 1;
