// The code by which `total()` in a graded notebook hands over its points: "02-26.5-47" is chapter,
// points, two check digits. They find slips; they are no secret and prove nothing (`totals.py`).

const CODE = /(?:^|[^\w.-])(\d\d)-(\d{1,3}(?:\.\d{1,2})?)-(\d\d)(?![\w-])/g;

// What becomes of a hyphen where a line is broken or a program sets it for print.
const DASH = /\s*[-\u2010-\u2015\u2212]\s*/g;

/** The first code in a text, as {chapter, points}; null where there is none that is whole. */
export function pointsIn(text) {
  return first(text) ?? first(text.replace(DASH, "-"));
}

function first(text) {
  for (const [, chapter, points, check] of text.matchAll(CODE)) {
    const hundredths = String(Math.round(Number(points) * 100)).padStart(5, "0");
    if (Number(`${chapter}${hundredths}${check}`) % 97 === 1) return { chapter, points: Number(points) };
  }
  return null;
}

/** What an address brings, `…#points=02-26.5-47`: the text after `points=`, or null. */
export function broughtBy(hash) {
  return new URLSearchParams(hash.slice(1)).get("points");
}
