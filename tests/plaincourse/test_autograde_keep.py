"""A failed write costs one submission; if nothing can be written, the run ends with a message."""

import errno
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import event

from plaincourse.grading.gradebook import Writer
from plaincourse.grading.jobs import CourseError, Job, Result
from plaincourse.grading.results import Journal, keep
from tests.plaincourse.test_autograde_writer import pair, url

__all__ = ["url"]


def journal(folder: Path, **changed: Any) -> Journal:
    fields: dict[str, Any] = {"log": folder / "logs" / "log.jsonl", "ignore": (), "files": {}}
    where = folder / "autograded"
    return Journal(**{
        **fields, "graded": lambda student: where / student / "week-1", "permissions": 0o644,
        **changed,
    })  # fmt: skip


def three(folder: Path, **changed: Any) -> list[tuple[Result, Job]]:
    """Return the results of three submissions, with changes to bob's."""
    pairs = []
    for name in ("ada", "bob", "cy"):
        result, _ = pair(name, **(changed if name == "bob" else {}))
        result.record = {"status": "graded", "why": "", "digest": "d"}
        result.notebooks = {"one": "{}"}
        handed = folder / "submitted" / name
        handed.mkdir(parents=True)
        job = Job(student=name, assignment="week-1", folder=handed, digest="d")
        pairs.append((result, job))
    return pairs


def kept(url: str, pairs: Iterable[tuple[Result, Job]], where: Journal) -> dict[str, Result]:
    """Store results, and return the reported result of each."""
    said: dict[str, Result] = {}
    writer = Writer(url, course_id="default_course", assignment="week-1")
    try:
        results, jobs = zip(*pairs, strict=True)
        told = keep(results, jobs, where, writer, lambda each: said.update({each.student: each}))
    finally:
        writer.close()
    assert told == len(said)
    return said


def graded(url: str) -> dict[str, float]:
    """Return the points of each student in the gradebook."""
    with Gradebook(url) as book:
        return {each.student.id: each.score for each in book.assignment_submissions("week-1")}


def check(said: dict[str, Result], where: Journal, what: str, why: str) -> None:
    """Assert that only bob failed, and that he is not recorded as graded anywhere."""
    assert {name: each.status for name, each in said.items()} == {
        **{"ada": "graded", "bob": "failed", "cy": "graded"}
    }
    reason = said["bob"].record["why"]
    assert f"{what} could not be written" in reason
    assert why in reason
    assert [name for name in said if where.record(name)] == ["ada", "cy"]
    assert where.log is not None
    log = [json.loads(line) for line in where.log.read_text().splitlines()]
    assert sorted(each["status"] for each in log) == ["failed", "graded", "graded"]


def test_a_folder_that_cannot_be_written_costs_its_submission(url: str, tmp_path: Path) -> None:
    where = journal(tmp_path)
    (tmp_path / "autograded").mkdir()
    (tmp_path / "autograded" / "bob").write_text("a file where a folder should be")
    said = kept(url, three(tmp_path), where)
    check(said, where, "its folder", "NotADirectoryError")
    assert set(graded(url)) == {"ada", "cy"}


def test_grades_that_cannot_be_written_cost_their_submission(url: str, tmp_path: Path) -> None:
    where = journal(tmp_path)
    said = kept(url, three(tmp_path, grades={("one", "test"): object()}), where)
    check(said, where, "its grades", "float")
    assert graded(url) == {"ada": 2.0, "cy": 2.0}


def test_a_record_that_cannot_be_written_costs_its_submission(url: str, tmp_path: Path) -> None:
    where, pairs = journal(tmp_path), three(tmp_path)
    (pairs[1][1].folder / "record.json").mkdir()
    (pairs[1][1].folder / "record.json" / "x").write_text("in the record's place")
    check(kept(url, pairs, where), where, "its record", "IsADirectoryError")


def test_an_old_record_of_what_is_not_kept_goes(url: str, tmp_path: Path) -> None:
    where = journal(tmp_path)
    pairs = three(tmp_path)
    kept(url, pairs, where)
    assert where.record("bob")
    unreadable = journal(tmp_path, files={"../x": b""})
    kept(url, pairs[1:2], unreadable)
    assert where.record("bob") is None
    assert (where.graded("bob") / "one.ipynb").exists(), "what was graded before is still there"


@pytest.mark.parametrize(
    ("number", "says"),
    [(errno.ENOSPC, "disk is full"), (errno.EROFS, "can only be read"), (errno.EDQUOT, "quota")],
)
def test_a_disk_on_which_nothing_can_be_written_ends_the_run(
    url: str, tmp_path: Path, number: int, says: str
) -> None:
    def full(student: str) -> Path:
        raise OSError(number, "no", student)

    with pytest.raises(CourseError, match=f"{says}.*What was graded before is safe; the same"):
        kept(url, three(tmp_path), journal(tmp_path, graded=full))
    assert graded(url) == {}


def test_a_log_that_cannot_be_written_ends_the_run(url: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    where = journal(tmp_path, log=tmp_path / "file" / "log.jsonl")
    with pytest.raises(CourseError, match=r"the log .* cannot be written"):
        kept(url, three(tmp_path), where)
    assert where.record("ada")


def test_a_gradebook_that_cannot_be_written_ends_the_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, begun = journal(tmp_path), Writer.__init__

    def only_read(writer: Writer, *given: Any, **more: Any) -> None:
        begun(writer, *given, **more)
        writer._book.engine.dispose()
        only = "PRAGMA query_only = ON"
        event.listen(writer._book.engine, "connect", lambda link, _: link.execute(only))

    monkeypatch.setattr(Writer, "__init__", only_read)
    with pytest.raises(CourseError, match=r"gradebook .* cannot be written .*readonly"):
        kept(url, three(tmp_path), where)
    assert [name for name in ("ada", "bob", "cy") if where.record(name)] == []


def test_the_first_result_is_told_of_at_once(url: str, tmp_path: Path) -> None:
    pairs = three(tmp_path)
    seen: list[int] = []
    said: list[Result] = []

    def come() -> Iterator[Result]:
        for result, _ in pairs:
            seen.append(len(said))
            yield result

    with closing(Writer(url, course_id="default_course", assignment="week-1")) as writer:
        jobs = [job for _, job in pairs]
        assert keep(come(), jobs, journal(tmp_path), writer, said.append) == 3
    assert seen == [0, 1, 1]  # the others wait in turn
