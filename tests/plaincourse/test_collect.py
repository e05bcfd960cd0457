"""The archives of learning platforms are taken apart: who handed in what is read from the names."""

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from traitlets.config.loader import PyFileConfigLoader

from plaincourse.proving.course import Course

ROOT = Path(__file__).parents[2]
NAME = "02-scaled-dot-product-attention"
FOUND = {
    f"{NAME}_jane_attempt_2026-11-20-10-00-00_{NAME}.ipynb": ("jane", "2026-11-20-10-00-00"),
    f"Essay week 3_u_17_attempt_2026-11-20-10-00-00_{NAME}.ipynb": ("17", "2026-11-20-10-00-00"),
    f"doejohn_12345_67890_{NAME}.ipynb": ("doejohn", None),
    f"okoroamara_LATE_12345_67890_{NAME}.ipynb": ("okoroamara", None),
    f"Mei Lin_4711_assignsubmission_file/{NAME}.ipynb": ("Mei Lin", None),
    f"Mei Lin_4711_assignsubmission_file_/{NAME}.ipynb": ("Mei Lin", None),
    f"Mei Lin_4711_assignsubmission_file_{NAME}.ipynb": ("Mei Lin", None),
}


@pytest.fixture(scope="module")
def pattern() -> Any:
    config = PyFileConfigLoader(str(ROOT / "nbgrader_config.py")).load_config()
    return re.compile(config.FileNameCollectorPlugin.named_regexp)


@pytest.mark.parametrize("name", FOUND)
def test_a_platforms_name_says_who_and_what(pattern: re.Pattern[str], name: str) -> None:
    found = pattern.match(f"/course/downloaded/{NAME}/extracted/all/{name}")
    assert found
    assert (found["student_id"], found["timestamp"]) == FOUND[name]
    assert found["file_id"] == f"{NAME}.ipynb"


@pytest.mark.parametrize("name", [name for name in FOUND if not name.startswith("Essay")])
@pytest.mark.parametrize("other", ["bob_1_2_x.ipynb", "bob_attempt_2026-11-20_x.ipynb"])
def test_nobody_hands_in_for_another_by_the_name_of_a_file(
    pattern: re.Pattern[str], name: str, other: str
) -> None:
    found = pattern.match(
        f"/course/downloaded/{NAME}/extracted/all/{name[: -len(NAME) - 6]}{other}"
    )
    assert found
    assert (found["student_id"], found["file_id"]) == (FOUND[name][0], other)


@pytest.mark.parametrize("name", [f"{NAME}.ipynb", f"jane_{NAME}.ipynb", "LATE_1_2_a.ipynb"])
def test_another_name_is_nobodys(pattern: re.Pattern[str], name: str) -> None:
    assert not pattern.match(f"/course/downloaded/{NAME}/extracted/all/{name}")


def test_an_archive_becomes_submissions(tmp_path: Path) -> None:
    course = Course(tmp_path, config=ROOT / "nbgrader_config.py", solutions=ROOT / "solutions")
    archive = tmp_path / "downloaded" / NAME / "archive" / "all.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as file:
        for name in list(FOUND)[:1] + list(FOUND)[2:5]:
            file.writestr(name, "{}")
    said = course.nbgrader("zip_collect", NAME)
    assert "Skipped" not in said
    there = {path.parent.parent.name for path in tmp_path.glob(f"submitted/*/{NAME}/{NAME}.ipynb")}
    assert there == {"jane", "doejohn", "okoroamara", "Mei Lin"}
