// The numbers of the rotary dials: where the hands of query and key stand, and what they score.
// Query and key are the same vector, of length 1 in each of four planes (width 8, base 10 000).

export const FREQUENCIES = [0, 1, 2, 3].map((r) => 10_000 ** (-r / 4));
export const LONGEST = 128;

const TURN = 2 * Math.PI;

/** Where a hand stands after so many positions, in radians from 0 up to a whole turn. */
export const hand = (position, frequency) => {
  const left = (position * frequency) % TURN;
  return left < 0 ? left + TURN : left;
};

/** The angle between the hands, the short way round, from 0 to π. */
export const gap = (offset, frequency) => {
  const angle = hand(offset, frequency);
  return Math.min(angle, TURN - angle);
};

/** What each dial adds to the score at an offset; a dial that is off adds nothing. */
export const shares = (offset, on) =>
  FREQUENCIES.map((frequency, r) => (on[r] ? Math.cos(offset * frequency) : 0));

export const score = (offset, on) => shares(offset, on).reduce((a, b) => a + b, 0);

/** The score at every offset from 0 on. */
export const curve = (on) => Array.from({ length: LONGEST + 1 }, (_, offset) => score(offset, on));

/** How far a dial has been seen to turn in training, in radians: offsets up to length − 1. */
export const seen = (length, frequency) => (length - 1) * frequency;

/** Dials that stand at an angle that training has not shown. One that came round may look familiar. */
export const unseen = (offset, length, on) =>
  FREQUENCIES.flatMap((frequency, r) => {
    const angle = hand(Math.abs(offset), frequency);
    return on[r] && angle > seen(length, frequency) + 1e-12 ? [r] : [];
  });
