"""Unreadable files in a student's folder are reported with the reason, and do not affect others."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from plaincourse.grading import files
from plaincourse.grading.grade import _remark
from plaincourse.grading.jobs import Known, Result
from plaincourse.grading.results import Journal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "submitted" / "bob" / "a"
    (made / "pics").mkdir(parents=True)
    (made / "one.ipynb").write_text("{}")
    (made / "helper.py").write_text("x = 1")
    (made / "pics" / "a.png").write_bytes(b"x")
    return made


def digest(folder: Path) -> str:
    journal = Journal(
        graded=lambda student: folder.parents[2] / "autograded" / student,
        log=None,
        ignore=("feedback", "*.md"),
        files={},
        permissions=0o644,
    )
    return journal.job("bob", "a", folder, base="", known=Known()).digest


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ESTALE, errno.ENAMETOOLONG])
@pytest.mark.parametrize("what", ["", "pics"])
def test_a_folder_that_cannot_be_opened_is_left_out_and_no_error(
    number: int, what: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = os.scandir

    def refuse(path: Path) -> object:
        if Path(path) == folder / what:
            raise OSError(number, os.strerror(number))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = files.list_files(folder)
    why = found.refused[what or files.HERE]
    assert os.strerror(number) in why
    assert set(found.files) == ({"one.ipynb", "helper.py"} if what else set())
    assert files.find_notebooks(folder, ["one"])["one"].path == folder / "one.ipynb"
    said, kind = _remark(what or files.HERE, why)
    assert kind == "unread"
    assert os.strerror(number) in said


@pytest.mark.parametrize("instead", ["nothing", "a file", "a pipe", "a link to nowhere"])
def test_what_is_in_the_place_of_a_submission_is_told(instead: str, folder: Path) -> None:
    shutil.rmtree(folder)
    if instead == "a file":
        folder.write_text("me")
    elif instead == "a pipe":
        os.mkfifo(folder)
    elif instead == "a link to nowhere":
        folder.symlink_to("nowhere")
    found = files.list_files(folder)
    assert found.files == {}
    assert list(found.refused) == [files.HERE]
    assert files.find_notebooks(folder, ["one"])["one"].path is None
    assert digest(folder)


def test_an_instructors_folder_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        files.list_files(tmp_path / "nowhere", whole=True)


@pytest.mark.parametrize("name", ["one.ipynb", "helper.py", "pics/a.png"])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ESTALE])
def test_a_file_that_cannot_be_opened_is_refused_and_the_others_are_kept(
    number: int, name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(
        graded=lambda student: tmp_path / "autograded" / student / "a",
        log=None,
        ignore=(),
        files={},
        permissions=0o644,
    )
    opening = os.open

    def refuse(path: Path, *rest: object) -> int:
        if Path(path) == folder / name:
            raise OSError(number, os.strerror(number))
        return opening(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    job = journal.job("bob", "a", folder, base="", known=Known())
    assert job.refused == {name: f"the file could not be opened ({os.strerror(number)})"}
    journal.publish(Result(student="bob", assignment="a", digest=job.digest), job)
    kept = {path.name for path in (tmp_path / "autograded/bob/a").rglob("*") if path.is_file()}
    assert kept == {"helper.py", "a.png"} - {Path(name).name}


@pytest.mark.parametrize("place", ["feedback/one.ipynb", "one.md.ipynb", "old/feedback/b.ipynb"])
def test_a_notebook_that_grading_may_read_changes_the_digest(place: str, folder: Path) -> None:
    (folder / "one.ipynb").unlink()
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"cells": [1]}')
    before = digest(folder)
    assert digest(folder) == before
    path.write_text('{"cells": [2]}')
    assert digest(folder) != before
