"""The same attacks succeed against unmodified nbgrader, so the corpus can detect failures."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks import evidence
from tests.attacks.corpus import ATTACKS
from tests.attacks.court import Court

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="attacks are written for Linux"),
]
#: The effect of each attack without protection.
ACHIEVES = {
    "leaks": (
        "solution-notebook", "bank-import", "gradebook-read", "environment", "other-submissions",
        "hidden-tests-in-history", "hidden-inputs-kept", "memory-of-its-own",
    ),
    "unearned": (
        "solution-notebook", "bank-import", "allclose-patched", "asserts-stripped", "display-hook",
        "stack-inspection", "equal-to-all", "tests-skipped", "check-replaced",
    ),
    "false zeros": ("exit-in-a-cell",),
    "heard": ("network-tcp", "network-udp", "network-abstract"),
    "survivors": ("daemon",),
    "damage": ("notebook-for-symlink", "gradebook-written"),
}  # fmt: skip
NAMES = sorted({name for names in ACHIEVES.values() for name in names})
#: Attacks that change all grades, so that no other attack's effect can be detected.
ALONE = ("gradebook-written",)
_STOCK = """
c = get_config()
c.Execute.timeout = 20
c.ClearSolutions.code_stub = {"python": "pass"}
"""


def _graded(folder: Path, names: list[str]) -> Court:
    """Return a course that stock nbgrader graded, without the course's own steps."""
    court = Court(folder)
    for name in names:
        court.attack(ATTACKS[name])
    (court.course.folder / "nbgrader_config.py").write_text(_STOCK)
    nbgrader = (sys.executable, "-m", "nbgrader")
    court.run((*nbgrader, "autograde", "arena"))
    court.run((*nbgrader, "generate_feedback", "arena"))
    return court


@pytest.fixture(scope="module")
def courts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Court]]:
    """The course in which each attack was graded, by attack."""
    most = _graded(tmp_path_factory.mktemp("stock"), [n for n in NAMES if n not in ALONE])
    alone = {name: _graded(tmp_path_factory.mktemp(name), [name]) for name in ALONE}
    yield {**dict.fromkeys(NAMES, most), **alone}
    for pid in evidence.survivors(most):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    for court in (most, *alone.values()):
        court.close()


@pytest.mark.parametrize(
    ("what", "name"), [(what, name) for what, names in ACHIEVES.items() for name in names]
)
def test_an_attack_works_where_nothing_stops_it_and_is_noticed(
    courts: dict[str, Court], what: str, name: str
) -> None:
    court = courts[name]
    found = {
        "leaks": lambda: evidence.leaks(court, name),
        "unearned": lambda: evidence.unearned(court, name),
        "false zeros": lambda: evidence.false_zeros(court, name),
        "heard": lambda: [said for said in court.traps.heard if said == name],
        "survivors": lambda: evidence.survivors(court),
        "damage": lambda: evidence.damage(court),
    }[what]
    assert found()
