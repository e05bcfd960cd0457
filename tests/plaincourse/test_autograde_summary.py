"""The summary for the instructor at the end, and its form for scripts."""

import io
from typing import Any

import pytest

from plaincourse.grading.jobs import Known, Result, status
from plaincourse.grading.summary import Progress, Summary, as_entered


def result(student: str, state: str = "graded", score: float | None = 1.0, why: str = "") -> Result:
    cells = {"test": {"score": score, "max": 4.0}}
    record: dict[str, Any] = {"status": state, "why": why, "seconds": 0.4}
    record["notebooks"] = {"one": {"cells": cells}}
    return Result(student=student, assignment="week-1", digest="d", status=state, record=record)


@pytest.mark.parametrize(
    ("states", "interrupted", "code"),
    [
        (["graded"], 0, 0),
        (["graded", "flagged"], 0, 3),
        (["flagged", "failed"], 0, 4),
        (["failed"], 2, 130),
        ([], 0, 0),
    ],
)
def test_the_exit_code_tells_scripts_what_happened(
    states: list[str], interrupted: int, code: int
) -> None:
    summary = Summary("week-1", {})
    for number, state in enumerate(states):
        summary.add(result(f"s{number}", state))
    summary.interrupted = interrupted
    assert summary.code == code


def test_the_summary_names_who_is_flagged_or_failed_and_why() -> None:
    summary = Summary("week-1", {"old": result("old", "flagged", 3.0, "It died.").record})
    for number in range(8):
        summary.add(result(f"s{number}", score=number / 2))
    summary.add(result("bob", "failed", None, "no notebook"))
    said = summary.text()
    assert "10 submissions: 8 graded, 1 flagged, 1 failed (1 unchanged" in said
    assert "points: 0 [1, 2, 3] 3.5 of 4" in said
    assert "flagged:\n  old  It died." in said
    assert "failed:\n  bob  no notebook" in said
    assert "s a submission" in said


def test_the_summary_counts_whose_answers_wait_for_a_person() -> None:
    summary = Summary("week-1", {"old": result("old", score=None).record})
    summary.add(result("ada", score=None))
    summary.add(result("bob", score=2 / 3))
    summary.add(result("eve", "failed", None, "no notebook"))
    said = summary.text()
    assert "waiting: 2 submissions wait for a person" in said
    assert "0.67 of 4" in said
    nobody = Summary("week-1", {})
    nobody.add(result("bob"))
    assert "waiting" not in nobody.text()


def test_what_a_person_entered_since_waits_no_longer() -> None:
    record = result("old", score=None).record
    given = {"manual": {("one", "test"): 3.0}, "extra": {("one", "test"): 0.5}}
    read = Known(**given, settled={("one", "test"): ""})
    assert as_entered(record, Known(**given)) == as_entered(record, Known()) == record
    assert as_entered(record, read)["notebooks"]["one"]["cells"]["test"]["score"] == 3.5
    assert record["notebooks"]["one"]["cells"]["test"]["score"] is None


def test_that_no_pass_is_confirmed_is_told_once_and_is_no_flag() -> None:
    told = [Summary("week-1", {}, one_process=each) for each in (True, False)]
    for summary in told:
        summary.add(result("ada"))
        summary.add(result("bob"))
    said, silent = (each.text() for each in told)
    assert said.count("no pass is confirmed") == said.count("--one-process") == 1
    assert "confirmed" not in silent
    assert told[0].code == 0


def test_names_cannot_play_tricks_on_the_terminal() -> None:
    summary = Summary("week-1", {})
    summary.add(result("\x1b[2Jeve\n", "failed", None, "\x1b]0;title\x07"))
    assert "\x1b" not in summary.text()
    assert "\x07" not in summary.text()


def test_without_a_terminal_each_submission_is_a_line() -> None:
    stream = io.StringIO()
    progress = Progress(2, quiet=False, stream=stream)
    progress.add(result("ada"))
    progress.add(result("bob", "flagged", why="Look."))
    progress.close()
    assert stream.getvalue().splitlines() == [
        "1/2 ada: graded, 1 of 4 points, 0.40 s",
        "2/2 bob: flagged, 1 of 4 points, 0.40 s: Look.",
    ]


def test_in_a_terminal_a_bar_counts_and_quiet_says_nothing() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    bar, quiet = Terminal(), Terminal()
    for stream, silent in ((bar, False), (quiet, True)):
        progress = Progress(2, quiet=silent, stream=stream)
        progress.add(result("ada", "failed"))
        progress.tick()
        progress.close()
    assert "0 graded, 0 flagged, 1 failed" in bar.getvalue()
    assert "1/2" in bar.getvalue()
    assert quiet.getvalue() == ""


def test_what_only_explains_a_grade_is_no_suspicion() -> None:
    kinds = ("late", "mended", "restored", "slow", "unsandboxed")
    assert status([{"kind": kind} for kind in kinds]) == "graded"
    for kind in ("unconfirmed", "forbidden", "tampered", "died", "flood", "unread", "tells"):
        assert status([{"kind": kind}]) == "flagged"


def test_a_result_comes_back_as_it_was_sent() -> None:
    sent = result("ada")
    sent.grades, sent.manual = {("one", "a"): None, ("one", "b"): 2.0}, {("one", "a")}
    sent.comments, sent.penalties = {("one", "c"): "No response."}, {"one": 0.5}
    assert Result.unpacked(sent.packed()) == sent


def test_a_sentence_that_holds_of_many_cells_is_said_once() -> None:
    told = "The locked cell `{0}` had been changed: {0} became 1."
    flags = [{"cell": each, "kind": "tampered", "why": told.format(each)} for each in "abc"]
    flags += [{"cell": "d", "kind": "died", "why": "It died."}]
    flags += [{"cell": each, "kind": "mended", "why": "It was mended."} for each in "ab"]
    made = result("eve", "flagged", why=" ".join(flag["why"] for flag in flags))
    made.record["flags"] = flags
    summary, stream = Summary("week-1", {}), io.StringIO()
    summary.add(made)
    Progress(1, quiet=False, stream=stream).add(made)
    for said in (summary.text(), stream.getvalue()):
        assert said.count("had been changed") == 1
        assert "`a` had been changed: a became 1. Likewise b, c. It died." in said
        assert "mended" not in said


def told(*flags: tuple[str, str, str]) -> str:
    """Return the lines of the summary on flags, given kind, cell and reason of each."""
    made = result("eve", "flagged", why="")
    made.record["flags"] = [dict(zip(("kind", "cell", "why"), each, strict=True)) for each in flags]
    summary = Summary("week-1", {})
    summary.add(made)
    return summary.text().partition("flagged:\n  eve  ")[2]


def test_no_reason_hides_behind_a_milder_one_of_its_kind() -> None:
    looks = ("compile, exec", "os.fork while it is tested")
    said = told(
        *(("looks", cell, f"It looks: {what}.") for cell, what in zip("ab", looks, strict=True))
    )
    assert said == "It looks: compile, exec. (a) It looks: os.fork while it is tested. (b)"
    many = told(*(("looks", cell, f"It looks: {cell * 3}.") for cell in "abcde"))
    assert "ccc" in many
    assert "ddd" not in many
    assert many.endswith("2 more reasons of this kind are in the report (d, e).")


def test_likewise_names_what_there_is_to_name() -> None:
    package = "Cell {} imports `{}`, which is not installed here."
    flags = [
        ("package", "", package.format(n, name)) for n, name in enumerate(("cv2", "jax", "sk"))
    ]
    assert told(*flags) == f"{flags[0][2]} Likewise `jax`, `sk`."
    twice = [("package", "", package.format(n, "cv2")) for n in range(3)]
    assert told(*twice) == f"{twice[0][2]} Likewise 2 more."
    thousands = [("package", "", package.format(2, f"m{n}")) for n in range(3_000)]
    assert told(*thousands).endswith("`m11`, `m12` and 2987 more.")
    cells = [("looks", f"cell-{n}", f"It looks: {'x' * n}.") for n in range(3_000)]
    assert len(told(*cells)) < 400
    assert told(("died", "", "It died."), ("died", "", "It died.")) == "It died."
