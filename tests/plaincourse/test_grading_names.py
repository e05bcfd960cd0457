"""Students with brackets, stars and other signs in their names are graded and get a page."""

import csv
import glob
import io
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaincourse.grading.ids import safe_id, unfit
from plaincourse.grading.literal_names import glob_literally
from tests.plaincourse import autograde_course as tiny

CONFIG = """
from plaincourse.feedback import FeedbackExporter, GetPoints, TellPlainly, only_pages
from plaincourse.grading.ids import safe_id, unfit
from plaincourse.grading.literal_names import match_names_literally
match_names_literally()
c.CourseDirectory.ignore.append("*.md")
c.GenerateFeedback.exporter_class = FeedbackExporter
c.GenerateFeedback.post_convert_hook = only_pages
c.GenerateFeedback.preprocessors = [GetPoints, TellPlainly]
c.GenerateFeedback.force = True
"""
STUDENTS = ["Li Na [Group 2]", "[a-z]", "b", "x*y?", "{0} 100% {student_id}", "Зоя 李娜's"]


def test_everybody_gets_a_grade_a_page_and_a_row(tmp_path: Path) -> None:
    home = tmp_path / "term [2030] {1} 100%"
    home.mkdir()
    shutil.copytree(tiny.make(tmp_path / "made") / "source", home / "source")
    (home / "nbgrader_config.py").write_text(tiny.CONFIG + CONFIG)
    (home / "source" / tiny.NAME / "secret.md").write_text("the solution")
    tiny.command(home, "nbgrader", "generate_assignment", tiny.NAME)
    released = sorted(path.name for path in (home / "release" / tiny.NAME).iterdir())
    assert released == ["data.txt", "one.ipynb", "two.ipynb"]
    for student in STUDENTS:
        tiny.hand_in(home, student, square=tiny.RIGHT)
    tiny.autograde(home, "--jobs=2")
    tiny.command(home, "nbgrader", "generate_feedback", tiny.NAME)
    pages = [path.relative_to(home / "feedback").parts for path in home.rglob("feedback/*/*/*")]
    assert sorted(pages) == sorted(
        (student, tiny.NAME, page) for student in STUDENTS for page in ("one.html", "two.html")
    )
    tiny.command(home, "plaincourse.cli", "report", tiny.NAME, "--csv", "canvas")
    said = (home / "reports" / f"{tiny.NAME}-canvas.csv").read_text("utf-8")
    rows = list(csv.reader(io.StringIO(said)))
    assert len(rows) == 2 + len(STUDENTS)
    assert {row[-1] for row in rows[2:]} == {"7"}
    shutil.rmtree(home / "feedback")
    tiny.command(home, "nbgrader", "generate_feedback", tiny.NAME, "--student=[a-z]")
    assert [path.name for path in (home / "feedback").iterdir()] == ["[a-z]"]


@pytest.mark.parametrize("name", ["*", "**", "*.ipynb", "*[a]"])
def test_a_name_that_begins_as_a_pattern_of_all_names_is_no_id(name: str) -> None:
    assert unfit(name) == "it begins with *"
    assert "*" not in safe_id(name)[0]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a/*/hw", ["a/[x]/hw", "a/x/hw"]),
        ("a/[x]/hw", ["a/[x]/hw"]),
        ("a/[wx]/hw", ["a/x/hw"]),
        ("a/[x]/hw/*.ipynb", ["a/[x]/hw/n.ipynb"]),
        ("a/*/hw [1]", ["a/x/hw [1]"]),
        ("a/?/hw", ["a/x/hw"]),
        ("a/nobody/*", []),
    ],
)
def test_a_part_that_exists_stands_for_itself(
    pattern: str, found: list[str], tmp_path: Path
) -> None:
    for name in ("[x]/hw/n.ipynb", "x/hw/n.ipynb", "x/hw [1]/n.ipynb"):
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / name).write_text("")
    paths = glob_literally(f"{tmp_path}/{pattern}")
    assert sorted(path.removeprefix(f"{tmp_path}/") for path in paths) == found


@given(
    st.lists(
        st.text("ab[]*?{}% !-é", min_size=1, max_size=6).filter(lambda name: name[0] != "*"),
        min_size=1,
        max_size=5,
        unique=True,
    )
)
def test_every_name_is_found_by_itself_and_among_all(names: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="a[b]") as place:
        for name in names:
            Path(place, name, "hw").mkdir(parents=True)
            Path(place, name, "hw", "n.ipynb").touch()
        everybody = {f"{place}/{name}/hw" for name in names}
        assert set(glob_literally(f"{place}/*/hw")) == everybody
        for name in names:
            assert glob_literally(f"{place}/{name}/hw") == [f"{place}/{name}/hw"]
            assert glob_literally(f"{place}/{name}/hw/*.ipynb") == [f"{place}/{name}/hw/n.ipynb"]


@given(st.lists(st.sampled_from(["a", "b*", "*", "?", "[ab]"]), min_size=1, max_size=3))
def test_patterns_without_such_names_mean_what_they_did(parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        for name in ("a/b/a", "b/a/b", "ab/bb/c"):
            Path(place, name).mkdir(parents=True)
        pattern = "/".join([place, *parts])
        assert sorted(glob_literally(pattern)) == sorted(glob.glob(pattern))  # noqa: PTH207
