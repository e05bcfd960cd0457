// Laws of the serving lab's numbers that need no plainformer to be stated.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  asked, NO_LIMIT, percentile, report, REQUESTS, serve, STEP,
} from "../../book/_static/widgets/serving-lab.core.js";

const settings = ["static", "continuous"].flatMap((policy) =>
  [6, 16, NO_LIMIT].flatMap((budget) =>
    [0.5, 1, 4].flatMap((load) => [14, 20, 44].map((pages) => ({ policy, budget, load, pages })))));
const kept = (step) => Object.values(step.laws).every((law) => law.kept);

test("every request gets all its tokens, in order, after it came", () => {
  for (const setting of settings) {
    const { requests, stuck } = serve(setting);
    assert.equal(stuck, false);
    assert.equal(requests.length, REQUESTS.length);
    for (const one of requests) {
      assert.equal(one.times.length, one.answer);
      assert.ok(one.times[0] > one.arrives);
      assert.ok(one.times.every((at, i) => i === 0 || at > one.times[i - 1]));
    }
  }
});

test("the three laws hold after every step", () => {
  for (const setting of settings) assert.ok(serve(setting).steps.every(kept));
});

test("no step computes more than the budget, and none nothing", () => {
  for (const setting of settings) {
    for (const { shares, start, end } of serve(setting).steps) {
      const count = shares.reduce((sum, share) => sum + share.count, 0);
      assert.ok(count >= 1 && count <= setting.budget);
      assert.ok(shares.every((share) => share.count >= 1));
      assert.equal(end - start, STEP + count);
    }
  }
});

test("with room for all, no gap exceeds a full step", () => {
  for (const budget of [10, 16, 24]) {
    const served = serve({ policy: "continuous", budget, load: 1, pages: 60 });
    assert.ok(report(served).gap <= STEP + budget);
  }
});

test("a leaked page breaks the law of pages, a lost request that of requests", () => {
  const broken = (fault) => {
    const { steps, stuck } = serve({ policy: "continuous", budget: 16, load: 1, pages: 20, fault });
    const first = steps.find((step) => !kept(step));
    return [stuck, Object.entries(first.laws).filter(([, law]) => !law.kept).map(([name]) => name)];
  };
  assert.deepEqual(broken("leak"), [true, ["pages"]]);
  assert.deepEqual(broken("lose"), [true, ["requests"]]);
});

test("a fault that nothing triggers changes nothing", () => {
  const setting = { policy: "continuous", budget: 16, load: 1, pages: 44 };
  assert.deepEqual(serve({ ...setting, fault: "lose" }).steps, serve(setting).steps);
});

test("the nearest rank is a value of the list", () => {
  assert.equal(percentile([4, 1, 3, 2], 0.5), 2);
  assert.equal(percentile([4, 1, 3, 2], 0.99), 4);
});

test("twice the load is half the time between arrivals; a policy is refused by name", () => {
  assert.deepEqual(asked(2).map((one) => one.arrives), REQUESTS.map((one) => one.arrives / 2));
  assert.throws(() => serve({ policy: "greedy", budget: 6, load: 1, pages: 44 }), /greedy/);
});

test("the page says from how many pages on a request is preempted, and in which step", () => {
  const sentBack = (pages) => serve({ policy: "continuous", budget: 16, load: 1, pages }).steps
    .flatMap((step, i) => step.sentBack.map((one) => [one.name ?? one, i + 1]));
  const most = Math.max(...Array.from({ length: 31 }, (_, i) => 14 + i).filter((pages) => sentBack(pages).length));
  const [[name, step]] = sentBack(most);
  const text = readFileSync(new URL("../../book/16-serving.md", import.meta.url), "utf8");
  assert.ok(text.includes(`3. With ${most} pages ${name} is preempted, in step ${step}.`), `${most}, ${name}, ${step}`);
});
