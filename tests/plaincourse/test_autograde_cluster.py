"""The same submissions get the same grades on a Dask cluster."""

import sys
from pathlib import Path

import pytest

from plaincourse.grading import cluster
from plaincourse.grading.jobs import CourseError, Job
from tests.plaincourse import autograde_course as tiny


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CourseError, match=r"plainformer\[cluster\]"):
        cluster.Cluster("tcp://127.0.0.1:1")


def test_a_submission_travels_as_bytes_and_links_do_not(tmp_path: Path) -> None:
    (tmp_path / "one.ipynb").write_bytes(b"{}")
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "skip.pyc").write_bytes(b"")
    job = Job(student="ada", assignment="week-1", folder=tmp_path, digest="d")
    assert cluster.pack(job, ["*.pyc"]).files == {"one.ipynb": b"{}"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(CourseError, match=r"no Dask scheduler answers at tcp://127.0.0.1:1 "):
        cluster.Cluster("tcp://127.0.0.1:1")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_grades(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    here = tiny.make(tmp_path / "course")
    (tiny.hand_in(here, "right", square=tiny.RIGHT) / "extra.txt").write_text("x")
    tiny.hand_in(here, "wrong", square="def square(x):\n    return 2 * x")
    tiny.hand_in(here, "half", "one")
    there = tiny.twin(here)
    tiny.autograde(here, status=3)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as made:
        tiny.autograde(there, f"--cluster={made.scheduler_address}", status=3)
    assert tiny.tables(there) == tiny.tables(here)
    assert (there / "autograded" / "right" / tiny.NAME / "extra.txt").exists()
