"""Late penalties: the plugin is tried before any grading, and applies to the whole class."""

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from traitlets.config import Config

from plaincourse.grading import marks
from plaincourse.grading.assignment import Original, Snapshot, Source, SourceCell
from plaincourse.grading.jobs import CourseError, Known, Result
from plaincourse.grading.lateness import Lateness, in_words
from plaincourse.grading.summary import Summary
from tests.plaincourse import autograde_course as tiny

CONFIG = (
    "\nimport sys; sys.path.insert(0, '.')\nc.AssignLatePenalties.plugin_class = 'rules.Rule'\n"
)
PLUGIN = """
from nbgrader.plugins import BasePlugin
class Rule(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        {body}
"""


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make(tmp_path_factory.mktemp("late") / "course")


@pytest.fixture
def course(released: Path, tmp_path: Path) -> Path:
    """A course with its own plugin, in which ada and bob submitted a day late."""
    made = Path(shutil.copytree(released, tmp_path / "course"))
    config = made / "nbgrader_config.py"
    config.write_text(config.read_text() + CONFIG)
    for student in ("ada", "bob"):
        folder = tiny.hand_in(made, student, square=tiny.RIGHT)
        (folder / "timestamp.txt").write_text("2020-01-02 00:00:00 UTC")
    return made


def rule(course: Path, body: str) -> None:
    (course / "rules.py").write_text(PLUGIN.format(body=body))


def penalties(course: Path) -> dict[str, float | None]:
    return {row[0]: row[3] for row in tiny.tables(course)["notebook"] if row[1] == "one"}


BROKEN = {
    "no such module": (None, "rules.Rule"),
    "a syntax error": ("class Rule(:", "SyntaxError"),
    "a module that raises": ("raise OSError('no list of extensions')", "no list of extensions"),
    "a module that exits": ("import sys; sys.exit('bye')", "SystemExit"),
    "no such class": ("class Role: pass", "rules.Rule"),
    "a class that is no plugin": ("class Rule: pass", "rules.Rule"),
    "a constructor that raises": (
        PLUGIN.format(body="return 0") + "    def __init__(self, **k): raise KeyError('table')\n",
        "KeyError: 'table'",
    ),
    "a method that raises": (PLUGIN.format(body="return 1 / 0"), "ZeroDivisionError"),
    "other arguments": (
        PLUGIN.format(body="pass").replace(", total_seconds_late", ""),
        "TypeError",
    ),
    "a text": (PLUGIN.format(body="return '5'"), "returned '5'; expected a number"),
    "nan": (PLUGIN.format(body="return float('nan')"), "returned nan"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_plugin_that_cannot_be_used_stops_before_anything_is_graded(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, said = BROKEN[what]
    module = f"rules_{list(BROKEN).index(what)}"
    if text is not None:
        (tmp_path / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    config = Config({"AssignLatePenalties": {"plugin_class": f"{module}.Rule"}})
    with pytest.raises(CourseError, match="nothing was graded") as raised:
        Lateness(config=config, snapshot=snapshot()).try_out(["ada", "bob"])
    assert said.replace("rules.", f"{module}.") in str(raised.value)
    assert f"the late plugin {module}.Rule cannot be used" in str(raised.value)


def test_a_rule_of_nbgraders_that_there_is_not_stops_too() -> None:
    config = Config({"LateSubmissionPlugin": {"penalty_method": "half"}})
    with pytest.raises(CourseError, match="penalty_method"):
        Lateness(config=config, snapshot=snapshot()).try_out(["ada"])


def snapshot() -> Any:
    cell = SourceCell(
        name="a", cell_type="code", source="", checksum="", grade=True, solution=False,
        locked=True, points=4.0,
    )  # fmt: skip
    original = Original(source=Source(notebook="one", cells=(cell,)), path=Path("one"), text="")
    due = datetime(2020, 1, 1)
    return Snapshot(assignment="week", duedate=due, notebooks={"one": original}, files={})


@pytest.mark.parametrize(
    ("auto", "manual", "extra", "points"),
    [(3.0, None, None, 3.0), (3.0, 1.0, None, 1.0), (None, None, 1.0, 0.0), (3.0, 2.0, 0.5, 2.5)],
)
def test_the_penalty_is_asked_for_the_points_that_count(
    auto: float, manual: float, extra: float, points: float
) -> None:
    key = ("one", "a")
    known = Known(
        timestamp=datetime(2020, 1, 2),
        manual={} if manual is None else {key: manual},
        extra={} if extra is None else {key: extra},
    )
    zero = Config({"LateSubmissionPlugin": {"penalty_method": "zero"}})
    result = Result(student="ada", assignment="week", digest="", grades={key: auto})
    result.record = {"status": "graded", "flags": [], "why": ""}
    made = Lateness(config=zero, snapshot=snapshot()).add(result, known)
    assert made.penalties == {"one": points}
    assert made.status == "graded"
    (flag,) = made.record["flags"]
    assert flag["kind"] == "late"
    assert flag["by"] == "1 day"
    assert ("costs no points" in flag["why"]) is not bool(points)


def test_an_unfit_plugin_ends_the_command_and_leaves_no_grade(course: Path) -> None:
    rule(course, "raise LookupError('no table')")
    said = tiny.autograde(course, "--jobs=1", status=1)
    assert "error: the late plugin rules.Rule cannot be used: LookupError: no table" in said
    assert "Traceback" not in said
    assert not (course / "autograded").exists()
    assert tiny.tables(course)["grade"] == []


def test_what_changes_about_lateness_counts_for_work_that_is_not_graded_again(
    course: Path,
) -> None:
    rule(course, "return {'ada': 1.0}[student_id]")
    said = tiny.autograde(course, "--jobs=1", status=3)
    assert "KeyError: 'bob'" in said
    assert penalties(course) == {"ada": 1.0, "bob": None}
    scores = [row for row in tiny.tables(course)["grade"] if row[4]]
    assert {row[0] for row in scores} == {"ada", "bob"}

    rule(course, "return total_seconds_late / 86400 / 2")
    said = tiny.autograde(course, "--jobs=1")
    assert "2 unchanged since" in said
    assert "late: 2 submissions lose points" in said
    assert penalties(course) == {"ada": 0.5, "bob": 0.5}
    record = json.loads((course / "autograded/bob/week-1/record.json").read_text())
    kinds = {flag["kind"] for flag in record["flags"]}
    assert "late" in kinds
    assert "penalty" not in kinds
    assert record["status"] == "graded"

    with tiny.book(course) as book:
        book.update_or_create_assignment(tiny.NAME, duedate=datetime(2020, 1, 1, 12))
        book.update_or_create_submission(tiny.NAME, "ada", extension=timedelta(days=1))
    assert "2 unchanged since" in tiny.autograde(course, "--jobs=1")
    assert penalties(course) == {"ada": None, "bob": 0.25}
    assert [row for row in tiny.tables(course)["grade"] if row[4]] == scores


@pytest.mark.parametrize("returned", ["x", [1], 1j])
def test_what_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch, returned: Any) -> None:
    plugin = "nbgrader.plugins.LateSubmissionPlugin.late_submission_penalty"
    monkeypatch.setattr(plugin, lambda *given: returned)
    with pytest.raises(TypeError, match="expected a number"):
        marks.penalty("ada", 5.0, 1.0, Config())


WORDS = {0.4: "1 second", 59: "59 seconds", 119: "1 minute 59 seconds", 3600: "1 hour"}
WORDS |= {7320: "2 hours 2 minutes", 86400: "1 day", 90061: "1 day 1 hour", 86460: "1 day"}


@pytest.mark.parametrize("seconds", WORDS)
def test_how_late_is_told_in_two_units(seconds: float) -> None:
    assert in_words(seconds) == WORDS[seconds]


@pytest.mark.parametrize("method", ["none", "zero"])
@pytest.mark.parametrize("seconds", [59, 90061])
def test_who_was_late_is_named_with_by_how_much_whatever_it_costs(
    method: str, seconds: int
) -> None:
    config = Config({"LateSubmissionPlugin": {"penalty_method": method}})
    summary = Summary("week", {})
    for student, late in (("ada", seconds), ("bob", 0), ("cy", -60)):
        known = Known(timestamp=datetime(2020, 1, 1) + timedelta(seconds=late))
        result = Result(student=student, assignment="week", digest="", grades={("one", "a"): 3.0})
        result.record = {"status": "graded", "flags": [], "why": "", "notebooks": {}, "seconds": 1}
        made = Lateness(config=config, snapshot=snapshot()).add(result, known)
        assert made.status == "graded"
        summary.add(made)
    (line,) = (each for each in summary.text().split("\n") if each.startswith("late:"))
    costs = "loses points for it" if method == "zero" else "and lost no points"
    assert costs in line
    assert line.endswith(f": ada ({WORDS[seconds]})")
