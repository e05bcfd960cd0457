// The numbers of the serving lab: a scheduler, its clock and its laws, as in plainformer.serving.

export const STEP = 10; // ms a step
export const TOKEN = 1; // ms a token computed
export const PAGE = 4; // positions of a page
export const MAX_RUNNING = 8;
export const NO_LIMIT = 1000; // a budget that nothing here reaches
const PATIENCE = 40; // steps in a row without a token: more than any prompt here takes

/** What is asked: arrival in ms at load 1, tokens of the prompt and of the answer. */
export const REQUESTS = [
  ["A", 0, 6, 12], ["B", 0, 4, 4], ["C", 40, 40, 6], ["D", 60, 5, 8], ["E", 100, 12, 10],
  ["F", 130, 8, 6], ["G", 170, 48, 5], ["H", 200, 6, 10], ["I", 260, 10, 6], ["J", 300, 4, 8],
].map(([name, arrives, prompt, answer]) => ({ name, arrives, prompt, answer }));

/** The requests at another load: twice the load, half the time between them. */
export const asked = (load) => REQUESTS.map((one) => ({ ...one, arrives: one.arrives / load }));

const missing = (one) => one.prompt + one.times.length - one.length;
const pagesFor = (length) => Math.ceil(length / PAGE);

class Scheduler {
  constructor({ policy, budget, pages, fault }) {
    Object.assign(this, { policy, budget, fault, size: pages });
    this.free = Array.from({ length: pages }, (_, i) => i);
    this.waiting = [];
    this.running = [];
    this.all = []; // every request that came
  }

  submit(request) {
    const one = { ...request, times: [], length: 0, pages: [], computed: 0, lost: 0, preempted: 0 };
    this.all.push(one);
    this.waiting.push(one);
  }

  plan() {
    let left = this.budget;
    const work = [];
    const joining = this.policy === "continuous" || !this.running.length;
    this.promised = 0;
    this.sentBack = [];
    for (const one of [...this.running]) {
      if (!this.running.includes(one) || !left) continue;
      const count = Math.min(missing(one), left);
      if (this.#makeRoom(one, count)) {
        work.push({ one, first: one.length, count });
        left -= count;
      }
    }
    // Who joins finds pages for all that it misses, besides what those that run still need.
    this.promised = this.running.reduce((sum, one) => sum + this.#lacking(one, missing(one)), 0);
    while (joining && left && this.waiting.length && this.running.length < MAX_RUNNING) {
      const one = this.waiting[0];
      const count = Math.min(missing(one), left);
      if (!this.#promise(one, missing(one))) break;
      this.running.push(this.waiting.shift());
      work.push({ one, first: one.length, count });
      left -= count;
    }
    return work;
  }

  /** Compute the work, draw tokens at time `now`, and return how many. */
  done(work, now) {
    for (const { one, count } of work) {
      const more = pagesFor(one.length + count) - one.pages.length;
      one.pages.push(...this.free.splice(0, more));
      one.length += count;
      one.computed += count;
    }
    const drawing = work.filter(({ one }) => !missing(one));
    for (const { one } of drawing) {
      one.times.push(now);
      if (one.times.length === one.answer) this.#finish(one);
    }
    return drawing.length;
  }

  #finish(one) {
    this.running.splice(this.running.indexOf(one), 1);
    one.answered = true;
    if (this.fault !== "leak") this.#release(one);
  }

  #release(one) {
    this.free = [...this.free, ...one.pages].sort((a, b) => a - b);
    one.pages = [];
    one.lost += one.length;
    one.length = 0;
  }

  #makeRoom(one, count) {
    while (!this.#promise(one, count)) {
      const youngest = this.running.pop();
      this.#release(youngest);
      youngest.preempted += 1;
      this.sentBack.push(youngest.name);
      if (this.fault !== "lose") this.waiting.unshift(youngest);
      if (youngest === one) return false;
    }
    return true;
  }

  #lacking(one, count) {
    return pagesFor(one.length + count) - one.pages.length;
  }

  #promise(one, count) {
    const needed = this.#lacking(one, count);
    if (this.promised + needed > this.free.length) return false;
    this.promised += needed;
    return true;
  }
}

/** The three laws between two steps: each with its numbers, and whether they agree. */
export function laws(scheduler) {
  const { all, running, waiting, free, size } = scheduler;
  const answered = all.filter((one) => one.answered).length;
  const held = all.filter((one) => !one.answered).reduce((sum, one) => sum + one.pages.length, 0);
  const sum = (name) => all.reduce((total, one) => total + one[name], 0);
  return {
    requests: {
      came: all.length, answered, running: running.length, waiting: waiting.length,
      kept: all.length === answered + running.length + waiting.length,
    },
    pages: { all: size, held, free: free.length, kept: size === held + free.length },
    positions: {
      there: sum("length"), computed: sum("computed"), lost: sum("lost"),
      kept: sum("length") === sum("computed") - sum("lost"),
    },
  };
}

/**
 * Serve the requests, and return every step: from when to when, whose positions it computed (first
 * and how many), who was sent back to the queue before it, and the laws after it.
 *
 * `stuck` says that requests are open and no token comes any more: only a fault does that.
 */
export function serve({ policy, budget, load, pages, fault = "none" }) {
  if (!["static", "continuous"].includes(policy)) throw new RangeError(`no policy "${policy}"`);
  const scheduler = new Scheduler({ policy, budget, pages, fault });
  const due = asked(load);
  const steps = [];
  let [now, idle] = [0, 0];
  const open = () => scheduler.all.some((one) => !one.answered);
  while (due.length || open()) {
    if (!open()) now = Math.max(now, due[0].arrives);
    while (due.length && due[0].arrives <= now) scheduler.submit(due.shift());
    const work = scheduler.plan();
    if (!work.length || idle > PATIENCE) return { steps, requests: scheduler.all, stuck: true };
    const start = now;
    now += STEP + TOKEN * work.reduce((sum, { count }) => sum + count, 0);
    const shares = work.map(({ one, first, count }) => ({
      name: one.name, first, count, prompt: first + count < one.prompt || !one.times.length,
    }));
    idle = scheduler.done(work, now) ? 0 : idle + 1;
    steps.push({ start, end: now, shares, sentBack: scheduler.sentBack, laws: laws(scheduler) });
  }
  return { steps, requests: scheduler.all, stuck: false };
}

/** The smallest of the values that a share of them does not exceed: the nearest rank. */
export function percentile(values, share) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.max(0, Math.ceil(share * ordered.length - 1e-9) - 1)];
}

/** What users feel: first tokens, the longest gap, when all was done, who was sent back. */
export function report({ steps, requests }) {
  const begun = requests.filter((one) => one.times.length);
  const ttft = begun.map((one) => one.times[0] - one.arrives);
  const gaps = begun.flatMap((one) => one.times.slice(1).map((at, i) => at - one.times[i]));
  return {
    median: percentile(ttft, 0.5),
    worst: Math.max(...ttft),
    gap: Math.max(...gaps),
    end: steps.at(-1).end,
    preemptions: requests.reduce((sum, one) => sum + one.preempted, 0),
  };
}
