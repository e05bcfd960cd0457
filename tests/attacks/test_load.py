"""Grade five hundred submissions, a tenth of them hostile, and kill a worker in the middle."""

import dataclasses
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks import evidence
from tests.attacks.attack import WRONG, Attack
from tests.attacks.corpus import ATTACKS
from tests.attacks.court import Court

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is written for Linux"),
]
MANY = 500
HOSTILE = (
    *("solution-notebook", "environment-of-others", "dead-drop-1", "stack-inspection"),
    *("allclose-patched", "display-hook", "agent-garbage", "equal-to-all", "exit-raised"),
    *("exit-in-a-cell", "exit-in-a-call", "crash-in-a-call", "kill-the-parent", "kill-everybody"),
    *("fork-bomb", "memory-bomb", "loop-in-a-call", "daemon", "descriptors-closed"),
    *("network-udp", "gradebook-written", "files-deleted", "notebook-for-symlink"),
    *("tests-edited", "notebook-is-no-json"),
)


def _class() -> Iterator[Attack]:
    """Yield honest students, each with different mistakes, and hostile ones among them."""
    for number in range(MANY):
        if number % 10 == 3:
            attack = ATTACKS[HOSTILE[number // 10 % len(HOSTILE)]]
            yield dataclasses.replace(attack, name=f"s{number:03d}-{attack.name}", page=False)
        else:
            wrong = tuple(name for bit, name in enumerate(WRONG) if number >> bit & 1)
            yield Attack(name=f"s{number:03d}", theme="honest", attempts="Nothing.", wrong=wrong)


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    court = Court(tmp_path_factory.mktemp("load"))
    for each in _class():
        court.attack(each)
    begun = time.perf_counter()
    assert _graded(court) in {0, 3, 4}
    court.seconds = time.perf_counter() - begun
    print(f"{MANY} submissions in {court.seconds:.0f} s")
    yield court
    court.close()


def _graded(court: Court) -> int:
    """Grade, kill a worker when half of the class is graded, and return the exit status."""
    log = court.course.folder / "logs" / "autograde.jsonl"
    with court.begin("--jobs", "2", "--quiet") as process:
        while process.poll() is None and _lines(log) < MANY // 2:
            time.sleep(0.5)
        for worker in _workers(process.pid)[:1]:
            os.kill(worker, signal.SIGKILL)
        return process.wait(timeout=3600)


def _lines(path: Path) -> int:
    return path.read_text("utf-8").count("\n") if path.exists() else 0


def _workers(coordinator: int) -> list[int]:
    """List the processes that grade, oldest first."""
    listed = Path(f"/proc/{coordinator}/task/{coordinator}/children").read_text("ascii").split()
    return [
        int(pid) for pid in listed if b"spawn_main" in Path("/proc", pid, "cmdline").read_bytes()
    ]


def test_no_grade_is_lost_or_wrong(court: Court) -> None:
    wrong = {
        name: found
        for name in court.attacks
        if (found := evidence.unearned(court, name) + evidence.false_zeros(court, name))
    }
    assert wrong == {}
    assert {name for name in court.attacks if not court.record(name)} == set()


def test_the_honest_are_not_suspected(court: Court) -> None:
    states = {n: court.record(n)["status"] for n, a in court.attacks.items() if a.theme == "honest"}
    assert {name: state for name, state in states.items() if state != "graded"} == {}


def test_nothing_leaks_nothing_lives_on_and_nothing_is_damaged(court: Court) -> None:
    leaks = {name: found for name in court.attacks if (found := evidence.leaks(court, name))}
    assert leaks == {}
    assert evidence.damage(court) == []
    assert evidence.survivors(court) == []
    assert court.traps.heard == []
