"""A Gradescope submission without a known author is not silently assigned to a student."""

from pathlib import Path

import pytest

from plaincourse.grading.collected import NAMELESS
from tests.plaincourse.platform_archives import FILE, NAME, collect

LIST = "submission_metadata.yml"
ADA = "submission_1:\n  :submitters:\n  - :name: Ada\n    :email: ada@example.org\n"
LISTS = {
    "an empty list": (f"{ADA}submission_2:\n  :submitters: []\n", "nobody"),
    "no value": (f"{ADA}submission_2:\n  :submitters:\n  :score: 1\n", "nobody"),
    "no such key": (f"{ADA}submission_2:\n  :score: 1\n", "nobody"),
    "empty names": (
        f"{ADA}submission_2:\n  :submitters:\n  - :name: ''\n    :email:\n",
        "nobody",
    ),
    "not listed": (ADA, "unlisted"),
    "another number": (f"{ADA}submission_22:\n  :submitters:\n  - :name: Bob\n", "unlisted"),
}


@pytest.mark.parametrize("how", LISTS)
def test_who_handed_in_is_unknown_and_that_is_said(how, tmp_path: Path) -> None:
    text, why = LISTS[how]
    files = {LIST: text, f"submission_1/{FILE}": "ada", f"submission_2/{FILE}": "?"}
    found = collect(tmp_path, files)
    assert found.came("ada@example.org")["nameless"] == ""
    assert found.whose("submission_2") == "?"
    assert found.came("submission_2")["nameless"] == why
    assert f"submission_2: not known whose it is: {NAMELESS[why]}" in found.said


@pytest.mark.parametrize("text", [None, "submission_1: [", "- a"])
def test_without_a_list_that_can_be_read_no_submission_has_a_name(text, tmp_path: Path) -> None:
    files = {f"submission_1/{FILE}": "ada", f"submission_2/{FILE}": "?"}
    found = collect(tmp_path, files if text is None else {LIST: text, **files})
    for student in ("submission_1", "submission_2"):
        assert found.came(student)["nameless"] == ("no list" if text is None else "unlisted")
    assert found.said.count("not known whose it is") == 2


@pytest.mark.parametrize(
    "name", [f"anon_x1Y2z_67890_{FILE}", f"Participant_4711_assignsubmission_file/{FILE}"]
)
def test_names_that_the_instructor_had_hidden_are_no_lack(name, tmp_path: Path) -> None:
    assert "not known whose" not in collect(tmp_path, {name: "x"}).said


def test_an_earlier_attempt_with_the_notebook_stands_first_among_the_older_ones(
    tmp_path: Path,
) -> None:
    day = f"{NAME}_ada_attempt_2027-02-0"
    files = {f"{day}1-10-00-00_a{number}.png": "x" for number in range(20)}
    files |= {f"{day}1-10-00-00.txt": "Name: Ada (ada)", f"{day}1-10-00-00_{FILE}": "work"}
    files |= {f"{day}2-10-00-00_shot.png": "x", f"{day}2-10-00-00.txt": "Name: Ada (ada)"}
    found = collect(tmp_path, files)
    assert FILE not in found.files["ada"]
    assert found.came("ada")["older"][0].endswith(FILE)
