"""The serving lab takes the steps of plainformer's simulator, one by one."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from plainformer.serving import Cost, Request, Simulator, check, drive, scheduler_for

ROOT = Path(__file__).parents[2]
CORE = ROOT / "book" / "_static" / "widgets" / "serving-lab.core.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")

LOADS, PAGES = (0.5, 1, 2, 4), (14, 17, 20, 24, 30, 44)


def in_node(expression: str):
    code = f"const core = await import({json.dumps(CORE.as_uri())});" + (
        f"console.log(JSON.stringify({expression}));"
    )
    command = [str(NODE), "--input-type=module", "--eval", code]
    done = subprocess.run(command, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("policy", ["static", "continuous"])
@pytest.mark.parametrize("budget", [6, 16, 24, 1000])
def test_every_step_is_the_simulators(policy, budget):
    settings = [(load, pages) for load in LOADS for pages in PAGES]
    served = in_node(
        f"{json.dumps(settings)}.map(([load, pages]) => {{"
        f"const s = core.serve({{policy: '{policy}', budget: {budget}, load, pages}});"
        "return {steps: s.steps, report: core.report(s), times: s.requests.map((r) => r.times)}})"
    )
    step, token, page, most, asked = in_node(
        "[core.STEP, core.TOKEN, core.PAGE, core.MAX_RUNNING, core.REQUESTS]"
    )
    for (load, pages), shown in zip(settings, served, strict=True):
        scheduler = scheduler_for(
            pages=pages,
            page_size=page,
            token_budget=budget,
            max_running=most,
            prefix_cache=False,
            continuous=policy == "continuous",
        )
        server = Simulator(
            scheduler, Cost(step=float(step), token=float(token), look=0.0, request=0.0)
        )
        requests = [
            (
                one["arrives"] / load,
                Request(prompt=[0] * one["prompt"], max_new_tokens=one["answer"]),
            )
            for one in asked
        ]
        steps = []

        def watch(now, done, steps=steps, server=server):
            check(server)
            free = server.scheduler.pages.free_pages
            steps.append((now, [list(share) for share in done.shares], free, len(server.answers)))

        report = drive(server, requests, watch=watch)
        numbers = {one["name"]: number for number, one in enumerate(asked)}
        assert steps == [
            (
                each["end"],
                [[numbers[s["name"]], s["first"], s["count"]] for s in each["shares"]],
                each["laws"]["pages"]["free"],
                each["laws"]["requests"]["answered"],
            )
            for each in shown["steps"]
        ]
        assert shown["times"] == [list(one.times) for one in report.served]
        felt = shown["report"]
        assert felt["preemptions"] == report.preemptions
        assert [felt["median"], felt["worst"], felt["gap"], felt["end"]] == pytest.approx(
            [report.ttft(0.5), report.ttft(1.0), report.itl(1.0), report.seconds]
        )


def test_the_answers_of_the_page_are_true():
    one = "policy: 'continuous', load: 1, pages: 44"
    static, free, at_16, at_20, at_24 = in_node(
        f"[['static', 1000], ['continuous', 1000], ['continuous', 16], ['continuous', 20], "
        f"['continuous', 24]].map(([policy, budget]) => {{"
        f"const s = core.serve({{{one}, policy, budget}});"
        "return {...core.report(s), ttft: s.requests.map((r) => r.times[0] - r.arrives)}})"
    )
    later = [i for i, (a, b) in enumerate(zip(static["ttft"], free["ttft"], strict=True)) if a < b]
    assert later == []  # no request's first token is later without waiting for a batch
    assert (static["worst"], free["worst"]) == (243, 68)
    assert at_20["gap"] == 30 < at_24["gap"]
    assert (free["ttft"][6], at_20["ttft"][6]) == (68, 121)
    most, few = in_node(
        f"[44, 25].map((pages) => {{const s = core.serve({{{one}, budget: 16, pages}});"
        "return {back: s.steps.flatMap((x) => x.sentBack),"
        "took: s.requests.map((r) => r.times.at(-1) - r.arrives),"
        "kept: s.steps.every((x) => Object.values(x.laws).every((law) => law.kept))}})"
    )
    assert most["back"] == []
    assert few["back"] == ["F"]
    assert few["kept"]
    assert at_16["preemptions"] == 0
    slower = [i for i, (a, b) in enumerate(zip(most["took"], few["took"], strict=True)) if b > a]
    assert slower == [5, 6, 7, 8, 9]
