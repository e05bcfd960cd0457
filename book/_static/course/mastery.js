// Whether a chapter's gate is open. The numbers stand in the page, on the element of the gate.

/** What a gate asks for: {chapter, cards, points, needed}. Without cards there is no gate yet. */
export function demand(element) {
  const { chapter, cards, points, needed } = element.dataset;
  return {
    chapter,
    cards: cards ? cards.split(" ") : [],
    points: Number(points ?? 0),
    needed: Number(needed ?? 0),
  };
}

/** How far the reader is: cards known, score with own words, each criterion, and the gate itself. */
export function standing({ chapter, cards, points, needed }, progress) {
  const known = cards.filter((id) => progress.card(id)?.good).length;
  const record = progress.gate(chapter);
  const sum = record ? record.score + (record.words ?? 0) : null;
  const score = sum === null ? null : Math.min(points, Math.round(sum * 100) / 100);
  // In hundredths, so that 0.8 · 24 does not fail by a rounding of the last binary digit.
  const scored = score !== null && Math.round(score * 100) >= Math.round(needed * points * 100);
  const answered = cards.length > 0 && known === cards.length;
  return { known, of: cards.length, score, scored, answered, open: scored && answered };
}
