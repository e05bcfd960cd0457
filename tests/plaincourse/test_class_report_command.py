"""``plaincourse report`` writes a page and the requested exports."""

import argparse
import errno
import os
from pathlib import Path

import pytest

from plaincourse import class_report
from tests.plaincourse.class_of_120 import NAME, records, write_records


@pytest.fixture
def course(tmp_path):
    write_records(tmp_path, records(size=3))
    return tmp_path


def report(*words):
    parser = argparse.ArgumentParser()
    class_report.add_parser(parser.add_subparsers())
    args = parser.parse_args(["report", *map(str, words)])
    return args.run(args)


def test_the_page_lies_in_reports_and_no_csv_is_written_unasked(course, capsys):
    assert report(NAME, "--course", course) == 0
    assert [path.name for path in (course / "reports").iterdir()] == [f"{NAME}.html"]
    assert "3 submissions" in capsys.readouterr().out


def test_similar_work_is_listed_only_when_it_is_asked_for(course):
    report(NAME, "--course", course)
    assert "Similar work" not in (course / "reports" / f"{NAME}.html").read_text("utf-8")
    assert report(NAME, "--course", course, "--similar") == 0
    assert "Similar work" in (course / "reports" / f"{NAME}.html").read_text("utf-8")


def test_csv_files_lie_beside_the_page_in_utf_8_with_remarks(course, capsys):
    out = course / "deep" / "r.html"
    assert report(NAME, "--course", course, "--out", out, "--csv", "all", "--provisional") == 0
    names = {path.name for path in out.parent.iterdir()}
    assert names == {"r.html", "r-canvas.csv", "r-moodle.csv", "r-gradescope.csv"}
    raw = (out.parent / "r-canvas.csv").read_bytes()
    assert raw.startswith(b"Student,ID,SIS User ID,SIS Login ID,Section,")
    assert raw.endswith(b"\r\n")
    assert "a roster without grades" in capsys.readouterr().out


def test_only_the_files_that_are_asked_for_are_written(course):
    report(NAME, "--course", course, "--csv", "moodle", "--csv", "moodle", "canvas")
    names = {path.suffix for path in (course / "reports").glob("*canvas*")}
    assert names == {".csv"}
    assert not list((course / "reports").glob("*gradescope*"))


@pytest.mark.parametrize("first", [["all"], ["moodle"], ["gradescope", "canvas"]])
@pytest.mark.parametrize("then", [[], ["canvas"]])
def test_files_of_an_earlier_run_do_not_lie_beside_a_new_page(first, then, course, capsys):
    report(NAME, "--course", course, "--csv", *first)
    (course / "reports" / "other-moodle.csv").write_text("another assignment's")
    (course / "reports" / f"{NAME}-leaderboard.jsonl").write_text("{}\n")
    (course / "reports" / f"{NAME}-mine.csv").write_text("mine")
    capsys.readouterr()
    report(NAME, "--course", course, *(["--csv", *then] if then else []))
    names = {path.name for path in (course / "reports").iterdir()} - {f"{NAME}.html"}
    kept = {"other-moodle.csv", f"{NAME}-mine.csv"}
    assert names == kept | {f"{NAME}-{kind}.csv" for kind in then}
    assert f"{NAME}-leaderboard.jsonl: removed" in capsys.readouterr().out


def test_an_unknown_assignment_is_an_error_and_writes_nothing(course, capsys):
    assert report("hw9", "--course", course) == 1
    assert "plaincourse autograde hw9" in capsys.readouterr().err
    assert not (course / "reports").exists()


def test_a_broken_record_is_a_warning_and_the_page_is_written(course, capsys):
    (course / "autograded" / "s001" / NAME / "record.json").write_text("{")
    assert report(NAME, "--course", course) == 0
    assert "s001" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_an_error_and_no_traceback(course, capsys):
    (course / "reports").write_text("a file, where a folder should be")
    assert report(NAME, "--course", course) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_a_book_that_cannot_be_read_is_an_error_and_no_traceback(course, capsys):
    (course / "pyproject.toml").write_text("[tool.plaincourse]\n")
    (course / "book").mkdir()
    (course / "book" / "concepts.yml").write_text("{}")
    assert report(NAME, "--course", course) == 1
    assert "concepts.yml: expected a list" in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("before", [None, "<html>the report of yesterday</html>"])
@pytest.mark.parametrize("name", ["week.html", "week-canvas.csv", "week-leaderboard.jsonl"])
def test_a_report_that_cannot_be_written_leaves_the_one_before(
    tmp_path, monkeypatch, number, before, name
):
    path = tmp_path / name
    if before is not None:
        path.write_text(before)

    def full(self, data):
        with self.open("wb") as file:
            file.write(data[:3])
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match=f"{name} could not be written .*; an earlier report is"):
            class_report._write(path, "<html>today</html>")
    left = {each.name: each.read_text() for each in tmp_path.iterdir()}
    assert left == ({} if before is None else {name: before})
    class_report._write(path, "<html>today</html>")
    assert [each.name for each in tmp_path.iterdir()] == [name]
