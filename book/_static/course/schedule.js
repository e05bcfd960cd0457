// When a card comes back. The scheduling is FSRS, from the package ts-fsrs, which is handed in.

export const GRADES = ["Again", "Hard", "Good", "Easy"];
const GOOD = 3;

export class Schedule {
  /** `library` is the module ts-fsrs; without fuzz the same answers give the same dates. */
  constructor(library) {
    this.empty = library.createEmptyCard;
    this.fsrs = library.fsrs({ enable_fuzz: false });
  }

  /** For each grade from 1 to 4: its name and when the card would come back. */
  preview(record, now) {
    const outcomes = this.fsrs.repeat(this.#state(record, now), now);
    return GRADES.map((name, i) => ({ name, due: new Date(outcomes[i + 1].card.due) }));
  }

  /** The record of a card after an answer. `good` is when it was first answered Good or Easy. */
  answer(record, grade, now) {
    const { card } = this.fsrs.next(this.#state(record, now), now, grade);
    const first = record?.good ?? (grade >= GOOD ? now.toISOString() : null);
    const fsrs = JSON.parse(JSON.stringify(card));
    return { fsrs, good: first, answers: (record?.answers ?? 0) + 1 };
  }

  #state(record, now) {
    return record ? record.fsrs : this.empty(now);
  }
}

/** Ids of the cards to answer now: first those whose time has come, then new ones. */
export function dueCards(ids, recordOf, now) {
  const known = ids.filter((id) => recordOf(id) && dueAt(recordOf(id)) <= now.getTime());
  known.sort((a, b) => dueAt(recordOf(a)) - dueAt(recordOf(b)));
  return [...known, ...ids.filter((id) => !recordOf(id))];
}

/** When the next of the cards comes back, or null where none is waiting. */
export function nextDue(ids, recordOf) {
  const times = ids.flatMap((id) => (recordOf(id) ? [dueAt(recordOf(id))] : []));
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

/** A span of time in words, rounded to what matters. */
export function span(from, to) {
  const minutes = Math.max(0, (to - from) / 60_000);
  if (minutes < 1) return "1 minute";
  for (const [size, name] of [[60, "minute"], [24 * 60, "hour"], [Infinity, "day"]]) {
    const unit = { minute: 1, hour: 60, day: 24 * 60 }[name];
    const count = Math.round(minutes / unit);
    if (minutes < size && count * unit < size) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "";
}

function dueAt(record) {
  return Date.parse(record.fsrs.due);
}
