"""Attacks do not earn points, learn secrets, or affect other students' grades."""

import sys
from collections import Counter

import pytest

from tests.attacks import arena, evidence
from tests.attacks.corpus import ATTACKS, SLOW
from tests.attacks.corpus.honest import HONEST
from tests.attacks.court import VICTIM, Court

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the sandbox and the attacks are written for Linux"
)
EACH = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in ATTACKS],
)


@EACH
def test_an_attack_earns_no_point_and_loses_none_that_it_earned(court: Court, name: str) -> None:
    assert evidence.unearned(court, name) == []
    assert evidence.false_zeros(court, name) == []


@EACH
def test_an_attack_learns_no_secret(court: Court, name: str) -> None:
    assert evidence.leaks(court, name) == []
    assert [said for said in court.traps.heard if said == name] == []


@EACH
def test_an_attack_gets_a_grade_or_a_reason(court: Court, name: str) -> None:
    record, attack = court.record(name), ATTACKS[name]
    assert record["status"] in {"graded", "flagged", "failed"}
    if attack.flags:
        assert evidence.kinds(court, name) & set(attack.flags), record["flags"]
    if attack.says:
        assert attack.says in record["why"]
    elif record["status"] == "failed":
        assert record["why"]


@pytest.mark.parametrize("name", [VICTIM, *(each.name for each in HONEST)])
def test_honest_work_among_attacks_gets_every_point(court: Court, name: str) -> None:
    assert court.scores[name] == arena.FULL
    assert court.record(name)["status"] == "graded", evidence.told(court, name)


def test_nothing_outside_of_the_sandboxes_changed(court: Court) -> None:
    assert evidence.damage(court) == []


def test_the_terminal_of_the_instructor_gets_no_codes(court: Court) -> None:
    assert not set(court.said.stdout + court.said.stderr) & {"\x1b", "\x07", "\x9b"}


def test_no_script_of_a_student_runs_in_the_report(court: Court) -> None:
    court.run((sys.executable, "-m", "plaincourse.cli", "report", arena.NAME))
    page = (court.course.folder / "reports" / f"{arena.NAME}.html").read_text("utf-8")
    assert [piece for piece in evidence.alive(page) if "hijack" in piece] == []
    assert court.secrets["env"] not in page


def test_nobody_was_called_over_any_network(court: Court) -> None:
    assert court.traps.heard == []


def test_no_process_outlives_the_grading(court: Court) -> None:
    assert evidence.survivors(court) == []


def test_the_batch_ends_with_a_record_for_everybody(court: Court) -> None:
    everybody = {*court.attacks, *court.honest}
    assert {name for name in everybody if not court.record(name)} == set()
    assert court.said.returncode in {0, 3, 4}, court.said.stderr[-2000:]


def test_the_corpus_is_large_and_new() -> None:
    themes = Counter(attack.theme for attack in ATTACKS.values())
    assert set(themes) == {"reading", "forging", "breaking", "escaping", "folders", "tampering"}
    assert len(ATTACKS) >= 40
    assert sum(not attack.named for attack in ATTACKS.values()) >= 20
    assert all(attack.attempts.endswith(".") for attack in ATTACKS.values())
