"""If a mutant hangs, exits or cannot be defined, the rest are still graded."""

import os
from dataclasses import replace

import pytest

from plaincourse.checking.grader import grade
from plaincourse.checking.trials import draw
from plaincourse.proving.mutants import proof as running
from plaincourse.proving.mutants.answers import Answer
from plaincourse.proving.mutants.mutate import Mutant, mutants
from plaincourse.proving.mutants.proof import run
from tests.plaincourse.tasks import TASK, in_place, subtracted

RIGHT = "def shift(x, by):\n    return x + by[:, None]"
PATIENT = replace(TASK, seconds=60.0)


def answer(**more: object) -> Answer:
    given = {"task": PATIENT, "cell": "shift", "seed": 5, "name": "shift", "source": RIGHT}
    return Answer(**{**given, "around": {}, **more})


def mutant(source: str) -> Mutant:
    return Mutant(name=source, operator="", line=1, source=source, code=source)


def body(line: str) -> Mutant:
    return mutant(f"def shift(x, by):\n    {line}")


def test_each_mutant_scores_what_direct_grading_gives() -> None:
    known = [body("return x - by[:, None]"), body("x += by[:, None]; return x"), mutant(RIGHT)]
    reports = [grade(TASK, each, seed=5) for each in (subtracted, in_place, TASK.reference)]
    got = run(answer(), known)
    assert [each.score for each in got] == [each.score for each in reports]
    assert [each.matched for each in got] == ["subtracted", "in place", None]
    assert [each.fate for each in got] == ["killed", "killed", "survived"]
    assert got[0].lost == tuple(rung.name for rung in TASK.rungs)
    assert [each.mutant for each in got] == known


def test_hidden_inputs_count() -> None:
    seen = {float(trial.inputs["by"][0]) for trial in draw(TASK, None)}
    learnt = body("return x + by[:, None] if float(by[0]) in seen else x")
    got = [run(answer(around={"seen": seen}, seed=seed), [learnt])[0].fate for seed in (5, None)]
    assert got == ["killed", "survived"]


def test_one_that_ends_the_process_has_no_answer_and_the_next_is_graded() -> None:
    known = [body("import os; os._exit(7)"), body("return x"), mutant(RIGHT)]
    assert [each.fate for each in run(answer(), known)] == ["no answer", "killed", "survived"]


def test_one_that_loops_is_stopped_by_its_cpu_time() -> None:
    got = run(answer(), [body("while True: pass"), mutant(RIGHT)], seconds=1)
    assert [each.fate for each in got] == ["no answer", "survived"]
    assert got[0].why == "it took more than 1 s of CPU time"


def test_one_that_sleeps_is_stopped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SILENCE", 0.5)
    got = run(answer(), [body("import time; time.sleep(50)")])
    assert [(each.fate, each.why) for each in got] == [("no answer", "it said nothing for 0.5 s")]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def other(x, by):\n    return x", "LookupError: `shift` is not defined"),
        ("shift = 1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(2)", "SystemExit"),
    ],
)
def test_one_that_is_not_defined_has_no_answer(source: str, why: str) -> None:
    (got,) = run(answer(around={"shift": 1}), [mutant(source)])
    assert (got.fate, got.score) == ("no answer", 0.0)
    assert why in got.why


def test_what_a_mutant_does_to_its_process_stays_there() -> None:
    run(answer(), [body("import os; os.environ['SHIFT'] = 'changed'; return x")])
    assert "SHIFT" not in os.environ


def test_a_run_leaves_no_open_file() -> None:
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    for _ in range(3):
        run(answer(), mutants(RIGHT)[:1])
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
