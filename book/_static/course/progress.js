// The reader's progress: what was answered, and the scores of the graded notebooks. It is kept in
// this browser, in one entry of its storage, and can be moved as a JSON file. Nothing here throws:
// where the storage fails, `problem` says so, and progress lasts until the page is closed.
// All sites of one host share its storage, so the entry is named after the folder of this one.

/** The entry that all sites of a host shared once. The first of them that is opened takes it over. */
export const SHARED = "plainformer.progress";
/** The entry of the site that a page belongs to. */
export function keyOf(page = globalThis.document, address = globalThis.location) {
  const root = page?.documentElement?.dataset.content_root;
  return root ? `${SHARED} ${new URL(root, address.href).pathname}` : SHARED;
}
const EMPTY = () => ({ version: 1, cards: {}, gates: {}, predictions: {} });

export class Progress extends EventTarget {
  /** `storage` is a getter, since asking for it can fail where storage is forbidden. */
  constructor(storage = () => globalThis.localStorage, key = keyOf()) {
    super();
    this.key = key;
    this.problem = "";
    this.data = EMPTY();
    try {
      this.storage = storage();
      if (this.storage?.forgets) this.storage = null; // what head.html puts in the place of one
    } catch {
      this.storage = null;
    }
    this.#load();
    globalThis.addEventListener?.("storage", (event) => {
      if (event.key !== this.key && event.key !== null) return;
      this.#load();
      this.#changed();
    });
    // A page that "Back" shows again slept while others wrote.
    globalThis.addEventListener?.("pageshow", (event) => {
      if (!event.persisted) return;
      this.#load();
      this.#changed();
    });
  }

  /** What is known of a card: {fsrs, good, answers}, or undefined. */
  card(id) {
    return Object.hasOwn(this.data.cards, id) ? this.data.cards[id] : undefined;
  }

  setCard(id, record) {
    this.#refresh();
    this.data.cards[id] = record;
    this.#save();
  }

  /** A chapter's points: {score, words, at}, of its checks and, if given, for own words; or undefined. */
  gate(chapter) {
    return Object.hasOwn(this.data.gates, chapter) ? this.data.gates[chapter] : undefined;
  }

  setGate(chapter, score, at = new Date()) {
    this.#refresh();
    if (score === null) delete this.data.gates[chapter];
    else this.data.gates[chapter] = { ...this.gate(chapter), score, at: at.toISOString() };
    this.#save();
  }

  /** Keep what the reader gives to their own words; null takes it away. */
  setWords(chapter, words, at = new Date()) {
    this.#refresh();
    const { words: _, ...rest } = this.gate(chapter) ?? { score: 0 };
    this.data.gates[chapter] = { ...rest, ...(words === null ? {} : { words }), at: at.toISOString() };
    this.#save();
  }

  /** What the reader predicted: {chosen, at}, chosen being a letter; or undefined. */
  prediction(id) {
    return Object.hasOwn(this.data.predictions, id) ? this.data.predictions[id] : undefined;
  }

  setPrediction(id, chosen, at = new Date()) {
    this.#refresh();
    this.data.predictions[id] = { chosen, at: at.toISOString() };
    this.#save();
  }

  export() {
    return JSON.stringify({ ...this.data, kind: "plainformer progress" }, null, 1);
  }

  /** Add what a file knows. Of two records of one thing, the later one stays. */
  import(text) {
    const { data, problem } = read(text);
    if (!data) return `Nothing was taken over: ${problem}`;
    this.#refresh();
    let taken = 0;
    for (const [group, [, when]] of Object.entries(GROUPS)) {
      for (const [id, record] of Object.entries(data[group])) {
        const mine = this.data[group][id];
        if (mine && when(mine) >= when(record)) continue;
        this.data[group][id] = record;
        taken += 1;
      }
    }
    this.#save();
    const rest = problem ? ` ${problem}` : "";
    return `Taken over: ${taken} records; what was here and newer stayed.${rest}`;
  }

  reset() {
    this.data = EMPTY();
    this.#save();
  }

  #load() {
    if (!this.storage) {
      this.problem = "This browser stores nothing for this site, so progress is lost when you leave.";
      return;
    }
    try {
      const text = this.storage.getItem(this.key) ?? this.#takeOver();
      if (text === null) {
        this.data = EMPTY();
        return;
      }
      const { data, problem } = read(text);
      this.data = data ?? EMPTY();
      if (!problem) return;
      this.storage.setItem(`${this.key}.unreadable`, text);
      this.problem = `The stored progress was damaged: ${problem} A copy of it was kept.`;
    } catch (error) {
      this.problem = `Progress cannot be read here: ${error.message}`;
    }
  }

  /** Move what was kept when all sites shared one entry to this site's. */
  #takeOver() {
    const text = this.storage.getItem(SHARED);
    if (text !== null) {
      this.storage.setItem(this.key, text);
      this.storage.removeItem(SHARED);
    }
    return text;
  }

  /** Read again before writing, so that two open pages do not undo each other. */
  #refresh() {
    try {
      const text = this.storage?.getItem(this.key);
      const data = text ? read(text).data : null;
      if (data) this.data = data;
    } catch {
      // Reading failed: keep what this page knows; saving will say what is wrong.
    }
  }

  #save() {
    try {
      this.storage?.setItem(this.key, JSON.stringify(this.data));
    } catch (error) {
      this.problem = `Progress could not be stored (${error.message}); it is lost when you leave.`;
    }
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** Read progress from text: {data, problem}. Damaged records are left out, damaged text is null. */
export function read(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    return { data: null, problem: "it is not JSON." };
  }
  if (!isObject(found) || !isObject(found.cards) || !isObject(found.gates)) {
    return { data: null, problem: "it holds no progress of this course." };
  }
  if (found.version !== 1) {
    return { data: null, problem: `it is of version ${found.version}, this page knows version 1.` };
  }
  const data = EMPTY();
  let left = 0;
  for (const [group, [fits]] of Object.entries(GROUPS)) {
    const records = isObject(found[group]) ? found[group] : {}; // older files know no predictions
    for (const [id, record] of Object.entries(records)) {
      if (fits(record) && id !== "__proto__") data[group][id] = record;
      else left += 1;
    }
  }
  return { data, problem: left ? `${left} unreadable records were left out.` : "" };
}

const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);
const isDate = (x) => typeof x === "string" && !Number.isNaN(Date.parse(x));
const isGate = (x) => isObject(x) && Number.isFinite(x.score) && isDate(x.at) &&
  (x.words === undefined || Number.isFinite(x.words));
const isCard = (x) =>
  isObject(x) && isObject(x.fsrs) && isDate(x.fsrs.due) && Number.isInteger(x.fsrs.state) &&
  ["stability", "difficulty", "reps", "lapses"].every((name) => Number.isFinite(x.fsrs[name])) &&
  (x.fsrs.last_review === undefined || isDate(x.fsrs.last_review)) &&
  (x.good === null || isDate(x.good)) && Number.isInteger(x.answers);
const cardTime = (record) => Date.parse(record.fsrs.last_review ?? record.fsrs.due);
const gateTime = (record) => Date.parse(record.at);
const isPrediction = (x) => isObject(x) && /^[a-d]$/.test(x.chosen) && isDate(x.at);
/** Of each group of records, what fits in it, and when a record was made. */
const GROUPS = {
  cards: [isCard, cardTime], gates: [isGate, gateTime], predictions: [isPrediction, gateTime],
};

/** The one progress that all components of a page share. */
let shared = null;
export function progress() {
  shared ??= new Progress();
  return shared;
}
