"""Students, files and times are read from the names in a learning platform's archive."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaincourse.collecting import plugins
from plaincourse.collecting.names import read_names, split_titles
from plaincourse.proving.course import Course
from tests.plaincourse.platform_archives import FILE, NAME, ROOT, archive, collect, pack, settings

DATE = "2027-02-01-21-45-30"
NFD = unicodedata.normalize("NFD", "Zoë Löw")
LIST = """\
submission_501:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1815'
    :email: ada@example.org
  :created_at: 2027-02-01 21:45:30.123456000 Z
  :score: 3.0
  :results:
    tests:
    - name: "odd: [\\x1b"
      output: |
        :submitters:
        - :name: Eve
submission_502:
  :submitters:
  - :name: Bob
    :sid:
    :email: bob@example.org
  :created_at: 2027-02-01 23:45:30 +01:00
submission_503:
  :submitters:
  - :name: Cy
    :sid: '3'
    :email: cy@example.org
  - :name: Di
    :sid: '4'
    :email: di@example.org
"""
ARCHIVES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "canvas": (
        {
            f"doejohn_12345_67890_{FILE}": "john",
            f"okoroamara_LATE_12346_67891_{FILE}": "amara",
            f"de_la_cruz_12347_67892_{FILE}": "cruz",
            f"李娜_12348_67893_{FILE}": "li",
        },
        {"doejohn": "john", "okoroamara": "amara", "de_la_cruz": "cruz", "李娜": "li"},
    ),
    "canvas without names": (
        {f"anon_x1Y2z_67890_{FILE}": "x", f"LATE_anon_77777_67891_{FILE}": "late"},
        {"anon_x1Y2z": "x", "anon_77777": "late"},
    ),
    "moodle": (
        {
            f"Mei Lin_4711_assignsubmission_file_/{FILE}": "mei",
            f"{NFD}_4712_assignsubmission_file_/{FILE}": "zoe",
            f"محمد علي_4713_assignsubmission_file_/{FILE}": "ali",
        },
        {"Mei Lin": "mei", "Zoë Löw": "zoe", "محمد علي": "ali"},
    ),
    "moodle, old": (
        {
            f"Mei Lin_4711_assignsubmission_file_{FILE}": "mei",
            f"Jo_Ann Po_4712_assignsubmission_file_{FILE}": "jo",
        },
        {"Mei Lin": "mei", "Jo_Ann Po": "jo"},
    ),
    "moodle, without names": (
        {
            f"Participant_4711_assignsubmission_file/{FILE}": "a",
            f"Participant_4712_assignsubmission_file/{FILE}": "b",
        },
        {"Participant_4711": "a", "Participant_4712": "b"},
    ),
    "moodle, groups": (
        {
            f"Team A_31_assignsubmission_file/{FILE}": "a",
            f"Default group_assignsubmission_file/{FILE}": "b",
        },
        {"Team A": "a", "Default group": "b"},
    ),
    "blackboard": (
        {
            f"{NAME}_a_doe_attempt_{DATE}_{FILE}": "a",
            f"{NAME}_a_doe_attempt_{DATE}.txt": "Name: A (a_doe)\nAssignment: x\n",
            f"{NAME}_b_doe_attempt_2027-02-01-00-00-00_{FILE}": "b",
        },
        {"a_doe": "a", "b_doe": "b"},
    ),
    "blackboard, its own title": (
        {
            f"Week 1_van_der_berg_attempt_{DATE}_{FILE}": "der",
            f"Week 1_van_den_berg_attempt_{DATE}_{FILE}": "den",
        },
        {"van_der_berg": "der", "van_den_berg": "den"},
    ),
    "blackboard, a title of words": (
        {
            f"HW_1_ada_attempt_{DATE}_{FILE}": "ada",
            f"HW_1_b_doe_attempt_{DATE}_{FILE}": "b",
        },
        {"ada": "ada", "b_doe": "b"},
    ),
    "blackboard, by receipts": (
        {
            f"HW_x_u_17_attempt_{DATE}_{FILE}": "17",
            f"HW_x_u_17_attempt_{DATE}.txt": "Name: Ann (Bob) Lee (u_17)\nAssignment: HW_x\n",
            f"HW_x_u_18_attempt_{DATE}_{FILE}": "18",
            f"HW_x_u_18_attempt_{DATE}.txt": "\ufeffName: Bo (u_18)\r\n",
        },
        {"u_17": "17", "u_18": "18"},
    ),
    "gradescope": (
        {
            "assignment_9_export/submission_metadata.yml": LIST,
            f"assignment_9_export/submission_501/{FILE}": "ada",
            f"assignment_9_export/submission_502/{FILE}": "bob",
            f"assignment_9_export/submission_503/{FILE}": "two",
        },
        {"1815": "ada", "bob@example.org": "bob", "3": "two", "4": "two"},
    ),
}


@pytest.mark.parametrize("platform", ARCHIVES)
@pytest.mark.parametrize("how", ["zip", "folder", "wrapped"])
def test_a_platforms_archive_becomes_submissions(tmp_path: Path, platform: str, how: str) -> None:
    files, right = ARCHIVES[platform]
    if how == "folder":
        for name, content in files.items():
            path = archive(tmp_path, name)
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(content, "utf-8")
        found = collect(tmp_path)
    else:
        wrap = "all of them/" if how == "wrapped" else ""
        found = collect(tmp_path, {f"{wrap}{name}": content for name, content in files.items()})
    assert {student: found.whose(student) for student in found.files} == right
    assert "Not collected" not in found.said


def test_times_are_those_of_the_names(tmp_path: Path) -> None:
    files = {
        f"{NAME}_{user}_attempt_2027-02-01-{time}_{FILE}": user
        for user, time in {"a": "00-00-00", "b": "21-45-30", "c": "23-59-59"}.items()
    }
    found = collect(tmp_path, {**files, f"{NAME}_d_attempt_2027-02-01-21-45-99_{FILE}": "d"})
    stamps = {student: each.get("timestamp.txt") for student, each in found.files.items()}
    assert stamps == {
        "a": b"2027-02-01 00:00:00",
        "b": b"2027-02-01 21:45:30",
        "c": b"2027-02-01 23:59:59",
        "d": None,
    }
    assert found.came("d")["time"] == "2027-02-01-21-45-99"
    assert 'd: the time "2027-02-01-21-45-99" could not be read' in found.said


def test_times_of_gradescope_have_their_zones(tmp_path: Path) -> None:
    found = collect(tmp_path, ARCHIVES["gradescope"][0])
    assert found.files["1815"]["timestamp.txt"] == b"2027-02-01 21:45:30.123456"
    assert found.files["bob@example.org"]["timestamp.txt"] == b"2027-02-01 22:45:30"
    assert found.came("3")["group"] == 2


def test_times_may_be_of_another_zone(tmp_path: Path) -> None:
    files = {f"{NAME}_a_attempt_{DATE}_{FILE}": "a"}
    found = collect(tmp_path, files, Extractor={"timezone": "America/New_York"})
    assert found.files["a"]["timestamp.txt"] == b"2027-02-02 02:45:30"


def test_a_mark_of_lateness_is_kept(tmp_path: Path) -> None:
    found = collect(tmp_path, {**ARCHIVES["canvas"][0], f"late_1_2_{FILE}": "not"})
    late = [student for student in found.files if found.came(student)["late"]]
    assert late == ["okoroamara"]
    assert "okoroamara: Canvas marked it late" in found.said


NAMESAKES = {
    "moodle": [f"Wei Zhang_{n}_assignsubmission_file_/{FILE}" for n in (4711, 4712)],
    "canvas": [f"zhangwei_{n}_9{n}_{FILE}" for n in (11, 12)],
    "spelled": [f"{n}_assignsubmission_file/{FILE}" for n in ("Zoë_1", f"{NFD[:4]}_2")],
    "spaces": [f"{n}_assignsubmission_file/{FILE}" for n in ("Wei Li_1", "Wei  Li_2", "wei li_3")],
}


@pytest.mark.parametrize("kind", NAMESAKES)
def test_people_of_one_name_are_kept_apart(tmp_path: Path, kind: str) -> None:
    names = NAMESAKES[kind]
    found = collect(tmp_path, {name: name for name in names})
    assert sorted(found.whose(student) for student in found.files) == sorted(names)
    assert all(found.came(student)["number"] in student for student in found.files)


def test_a_namesake_who_comes_later_takes_nobodys_place(tmp_path: Path) -> None:
    first, second = NAMESAKES["moodle"]
    assert list(collect(tmp_path, {first: "1"}).files) == ["Wei Zhang"]
    found = collect(tmp_path, {first: "1 again", second: "2"}, force=True)
    assert found.whose("Wei Zhang") == "1 again"
    assert found.whose("Wei Zhang_4712") == "2"
    assert len(found.files) == 2


def test_two_spellings_of_one_student_are_one(tmp_path: Path) -> None:
    pack(archive(tmp_path, "1.zip"), {f"{NFD}_7_assignsubmission_file/{FILE}": "old"})
    later = pack(
        archive(tmp_path, "2.zip"),
        {f"{unicodedata.normalize('NFC', NFD)}_7_assignsubmission_file/{FILE}": "new"},
    )
    found = collect(tmp_path)
    assert later.exists()
    assert list(found.files) == ["Zoë Löw"]
    assert found.whose("Zoë Löw") == "new"


def test_a_title_is_told_by_students_who_are_known_or_by_the_setting(tmp_path: Path) -> None:
    files = {f"My_first_u_17_attempt_{DATE}_{FILE}": "17"}
    (tmp_path / "submitted" / "u_17" / "another").mkdir(parents=True)
    assert list(collect(tmp_path, files).files) == ["u_17"]
    other = tmp_path / "other"
    assert list(collect(other, files, Extractor={"title": "My first"}).files) == ["u_17"]


@pytest.mark.parametrize(
    "other", ["bob_1_2_x.ipynb", f"T_bob_attempt_{DATE}_x.ipynb", "bob_3_assignsubmission_file_x"]
)
@pytest.mark.parametrize("platform", ["canvas", "moodle, old", "blackboard"])
def test_nobody_hands_in_for_another_by_the_name_of_a_file(
    tmp_path: Path, platform: str, other: str
) -> None:
    files, right = ARCHIVES[platform]
    name = next(iter(files))
    found = collect(tmp_path, {**files, name.replace(FILE, other): "evil"})
    assert set(found.files) == set(right)
    assert found.files[next(iter(right))][other] == b"evil"


@given(
    st.text(st.characters(exclude_characters="_/\0", exclude_categories=["Cs"]), min_size=1),
    st.integers(0, 10**9),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1),
)
def test_what_a_file_is_called_never_says_whose_it_is(name: str, number: int, file: str) -> None:
    for path in (
        f"{name}_{number}_assignsubmission_file_/{file}",
        f"{name}_{number}_assignsubmission_file_{file}",
        f"{name}_{number}_{number}_{file}",
    ):
        said = read_names([path])[path]
        if name != "LATE":
            assert said.name in (name, f"{name}_{number}")
            assert (said.number, said.file) == (str(number), file)


def test_a_title_with_numbers_in_it_is_no_student_of_canvas() -> None:
    names = [f"Unit_1_2_{user}_attempt_{DATE}_{FILE}" for user in ("ada", "bob")]
    named = split_titles(read_names(names), titles=[], receipts={}, students=[])
    assert [named[name].name for name in names] == ["ada", "bob"]


@pytest.mark.parametrize("name", [f"{NAME}.ipynb", f"jane_{NAME}.ipynb", "LATE_1_2_a.ipynb"])
def test_another_name_is_nobodys_and_is_said(tmp_path: Path, name: str) -> None:
    found = collect(tmp_path, {name: "x", f"doejohn_1_2_{FILE}": "john"})
    assert list(found.files) == ["doejohn"]
    assert f"Not collected: all.zip: {name}" in found.said


def test_the_settings_name_the_plugins() -> None:
    named = settings().ZipCollectApp
    assert named.extractor_plugin == f"{plugins.__name__}.{plugins.Extractor.__name__}"
    assert named.collector_plugin == f"{plugins.__name__}.{plugins.Collector.__name__}"


def test_an_instructors_own_pattern_comes_first(tmp_path: Path) -> None:
    pattern = r".*/(?P<student_id>\w+)--(?P<file_id>.+)"
    files = {f"ada--{FILE}": "ada", f"doejohn_1_2_{FILE}": "john"}
    found = collect(tmp_path, files, FileNameCollectorPlugin={"named_regexp": pattern})
    assert {student: found.whose(student) for student in found.files} == {
        "ada": "ada",
        "doejohn": "john",
    }


def test_the_command_takes_an_archive_apart(tmp_path: Path) -> None:
    course = Course(tmp_path, config=ROOT / "nbgrader_config.py", solutions=ROOT / "solutions")
    files = {**ARCHIVES["canvas"][0], **ARCHIVES["moodle"][0], **ARCHIVES["blackboard"][0]}
    pack(archive(tmp_path), files)
    said = course.nbgrader("zip_collect", NAME)
    assert "Skipped" not in said
    there = {path.parent.parent.name for path in tmp_path.glob(f"submitted/*/{NAME}/{FILE}")}
    right = {**ARCHIVES["canvas"][1], **ARCHIVES["moodle"][1], **ARCHIVES["blackboard"][1]}
    assert there == set(right)


RECEIPT = (
    "Name: {0} ({0})\nAssignment: x\n\nSubmission Field:\n{1}\n\nComments:\n{2}\n\nFiles:\n\tx\n"
)
NO_TEXT = "There is no student submission text data for this assignment."
NO_COMMENT = "There are no student comments for this assignment."


def test_what_a_student_typed_into_blackboards_page_is_told_and_kept(tmp_path: Path) -> None:
    typed = {
        "ada": (NO_TEXT, "Sorry, 3 is in\nmy e-mail."),
        "bo": ("See my link.", NO_COMMENT),
        "cy": ("<p>One.</p>", "Two."),
        "di": (NO_TEXT, NO_COMMENT),
    }
    files = {}
    for user, said in typed.items():
        files[f"{NAME}_{user}_attempt_{DATE}_{FILE}"] = user
        files[f"{NAME}_{user}_attempt_{DATE}.txt"] = RECEIPT.format(user, *said)
    found = collect(tmp_path, files)
    comments = {user: found.came(user)["comment"] for user in typed}
    assert comments == {
        "ada": "Sorry, 3 is in my e-mail.",
        "bo": "See my link.",
        "cy": "<p>One.</p> Two.",
        "di": "",
    }
    assert 'ada: the student wrote "Sorry, 3 is in my e-mail."' in found.said
    assert "my e-mail." in found.files["ada"]["receipt.txt"].decode()
    assert {user for user in typed if "receipt.txt" in found.files[user]} == {"ada", "bo", "cy"}


def test_no_line_warns_of_a_file_that_is_taken(tmp_path: Path) -> None:
    names = [f"Copy of {FILE}", "final.ipynb", "Untitled (1).ipynb"]
    found = collect(tmp_path, {f"s{n}_{n}_{n}0_{name}": "x" for n, name in enumerate(names, 1)})
    assert [set(files) - {"collected.json"} for files in found.files.values()] == [
        {name} for name in names
    ]
    assert "nvalid" not in found.said
    assert "Copying" not in found.said
    assert "Found the submissions of 3 students" in found.said
