"""Files in a submission cannot lead out of the student's own folder."""

import json
import os
from pathlib import Path

import pytest

from plaincourse.grading import files
from plaincourse.grading.beside import copy_files
from plaincourse.grading.jobs import Job, Known, Result
from plaincourse.grading.results import Journal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "submitted" / "ada" / "week-1"
    made.mkdir(parents=True)
    (made / "one.ipynb").write_text("{}")
    return made


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(
        graded=lambda student: tmp_path / "autograded" / student / "week-1",
        log=tmp_path / "logs" / "log.jsonl",
        ignore=("*.pyc", "record.json"),
        files={"data.txt": b"the course's"},
        permissions=0o444,
    )


def job(journal: Journal, folder: Path, base: str = "b", known: Known | None = None) -> Job:
    return journal.job("ada", "week-1", folder, base=base, known=known or Known())


def result(of: Job, text: str = "{}") -> Result:
    return Result(
        student="ada",
        assignment="week-1",
        digest=of.digest,
        notebooks={"one": text},
        record={"digest": of.digest, "status": "graded"},
    )


def test_links_pipes_and_giants_are_refused_by_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST", 10)
    (tmp_path / "secret").write_text("s")
    (folder / "link.txt").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    (folder / "big").write_bytes(b"x" * 11)
    (folder / "more").mkdir()
    (folder / "more" / "own.txt").write_text("o")
    found = files.list_files(folder)
    assert set(found.files) == {"one.ipynb", "more/own.txt"}
    assert {name: why[:12] for name, why in found.refused.items()} == {
        "link.txt": "it is a link",
        "up": "it is a link",
        "pipe": "it is not a ",
        "big": "it is larger",
    }
    for name in ("link.txt", "pipe", "big"):
        with pytest.raises(OSError, match=r".+"):
            files.read_file(folder / name)


LONG = {"cells": [{"cell_type": "code", "source": "x = 1", "outputs": ["y" * 90]}]}
BESIDE = {
    "old.ipynb": (json.dumps(LONG), ""),
    "lib/helpers.ipynb": (json.dumps(LONG), ""),
    "old.ipynb.orig": (json.dumps(LONG), ""),
    "code.ipynb": (json.dumps({"cells": [{"source": "y" * 200}]}), "are no outputs"),
    "cut.ipynb": (json.dumps(LONG)[:-20], "breaks off"),
    "pack.ipynb": ("x" * 200, "it has "),
}


@pytest.mark.parametrize("name", BESIDE)
def test_a_long_notebook_beside_the_graded_one_costs_no_grade(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST", 100)
    text, why = BESIDE[name]
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    (folder / "data.txt").write_text("mine")
    found, into = files.list_files(folder), tmp_path / "into"
    into.mkdir()
    copy_files(found, into, without={"one.ipynb"})
    assert (into / "data.txt").read_text() == "mine"
    assert not (into / "one.ipynb").exists()
    if why:
        assert why in found.refused[name]
    else:
        assert json.loads((into / name).read_text())["cells"][0]["source"] == "x = 1"
        assert found.refused == {}


def test_a_folder_that_is_a_link_holds_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    assert files.list_files(tmp_path / "alias").files == {}


@pytest.mark.parametrize("name", ["../out", "a/../../out", "/etc/out"])
def test_nothing_is_written_outside_of_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="leads out"):
        files.write_file(tmp_path, name, b"")


def test_a_notebook_replaced_by_a_link_overwrites_no_file_elsewhere(
    folder: Path, journal: Journal, tmp_path: Path
) -> None:
    victim = tmp_path / "victim.ipynb"
    victim.write_text("precious")
    (folder / "one.ipynb").unlink()
    (folder / "one.ipynb").symlink_to(victim)
    asked = job(journal, folder)
    assert "one.ipynb" in asked.refused
    final = journal.graded("ada")
    final.parent.mkdir(parents=True)
    final.symlink_to(tmp_path)  # even with a link in place of the graded folder
    journal.publish(result(asked, "graded"), asked)
    assert victim.read_text() == "precious"
    assert not final.is_symlink()
    assert (final / "one.ipynb").read_text() == "graded"


def test_the_graded_folder_is_replaced_whole(folder: Path, journal: Journal) -> None:
    (folder / "old.txt").write_text("1")
    (folder / "data.txt").write_text("the student's")
    first = job(journal, folder)
    journal.publish(result(first), first)
    (folder / "old.txt").unlink()
    second = job(journal, folder)
    journal.publish(result(second), second)
    final = journal.graded("ada")
    assert {path.name for path in final.iterdir()} == {"one.ipynb", "data.txt"}
    assert (final / "data.txt").read_bytes() == b"the course's"
    assert [path.name for path in final.parent.iterdir()] == ["week-1"]


def test_a_submission_without_a_record_is_not_graded(folder: Path, journal: Journal) -> None:
    asked = job(journal, folder)
    journal.publish(result(asked), asked)
    assert journal.record("ada") is None
    journal.finish(result(asked))
    assert journal.record("ada") == {"digest": asked.digest, "status": "graded"}
    assert journal.log is not None
    assert json.loads(journal.log.read_text())["digest"] == asked.digest
    (journal.graded("ada") / "record.json").write_text("{ torn")
    assert journal.record("ada") is None


def test_the_digest_changes_with_all_that_matters_and_nothing_else(
    folder: Path, journal: Journal
) -> None:
    from datetime import timedelta

    before = job(journal, folder).digest
    (folder / "cache.pyc").write_text("ignored")
    assert job(journal, folder).digest == before
    # Penalties are recomputed in every run, so a longer deadline does not require new grading.
    assert job(journal, folder, known=Known(extension=timedelta(days=1))).digest == before
    others = {job(journal, folder, base="other course").digest}
    (folder / "one.ipynb").write_text("[]")
    others.add(job(journal, folder).digest)
    (folder / "one.ipynb").rename(folder / "two.ipynb")
    others.add(job(journal, folder).digest)
    (folder / "link").symlink_to("two.ipynb")
    others.add(job(journal, folder).digest)
    assert len(others | {before}) == 5
