"""One function finds the course: in the working directory of a command, or not at all."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from plaincourse.classroom.reading import read
from plaincourse.cli import main
from plaincourse.grading.arrival import borrowed
from plaincourse.grading.course import Course, find_course
from plaincourse.grading.files import find_notebooks, list_files
from plaincourse.grading.jobs import CourseError, status
from tests.plaincourse.class_of_120 import NAME, records, write_gradebook, write_records

CONFIG = "c = get_config()\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user's own settings, which is empty."""
    folder = tmp_path / "home" / ".jupyter"
    folder.mkdir(parents=True)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(folder))
    return folder


@pytest.fixture
def course(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a course, as the working directory."""
    folder = tmp_path / "course"
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(CONFIG)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook of a class, for tests to copy."""
    folder = tmp_path_factory.mktemp("gradebook")
    write_gradebook(folder, records(size=4))
    return folder / "gradebook.db"


@pytest.mark.parametrize(
    ("file", "setting"),
    [
        ("nbgrader_config.py", 'c.CourseDirectory.root = "{other}"'),
        ("nbgrader_config.py", 'c.NbGrader.course_directory = "{other}"'),
        ("nbgrader_config.py", 'c.CourseDirectory.db_url = "sqlite:///{other}/gradebook.db"'),
        ("nbgrader_config.py", 'c.CourseDirectory.submitted_directory = "handed-in"'),
        ("jupyter_config.py", 'c.CourseDirectory.root = "{other}"'),
    ],
)
@pytest.mark.parametrize(
    "words",
    [["autograde", NAME, "--jobs=1"], ["report", NAME], ["trial-class", NAME]],
    ids=lambda words: words[0],
)
def test_settings_at_home_lead_no_command_into_another_course(
    file: str,
    setting: str,
    words: list[str],
    course: Path,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = course.with_name("other")
    other.mkdir()
    (home / file).write_text(CONFIG + setting.format(other=other) + "\n")
    write_records(course, records(size=1))
    assert main(words) == 1
    said = capsys.readouterr().err
    assert str(home / file) in said
    assert "CourseDirectory" in said
    assert list(other.iterdir()) == []


def test_a_root_of_the_course_itself_is_right_and_that_of_another_is_refused(
    course: Path, home: Path
) -> None:
    config = course / "nbgrader_config.py"
    (home / "nbgrader_config.py").write_text(f'{CONFIG}c.CourseDirectory.root = "{course}"\n')
    assert find_course(assignment="a").root.samefile(course)
    config.write_text(f'{CONFIG}c.CourseDirectory.root = "{course.parent}"\n')
    with pytest.raises(CourseError, match="names another folder"):
        find_course(assignment="a")


def test_how_to_grade_is_said_by_the_folder_of_the_course_alone(course: Path, home: Path) -> None:
    (home / "nbgrader_config.py").write_text(f"{CONFIG}c.Execute.timeout = 1\n")
    (course / "nbgrader_config.py").write_text(f"{CONFIG}c.Execute.interrupt_on_timeout = True\n")
    assert dict(find_course(assignment="a").config.Execute) == {"interrupt_on_timeout": True}


@pytest.mark.parametrize("text", ["1 / 0", "c.CourseDirectory.db_url = 3", "import nowhere", "("])
def test_settings_that_fail_are_said(text: str, course: Path) -> None:
    (course / "nbgrader_config.py").write_text(f"{CONFIG}{text}\n")
    with pytest.raises(CourseError, match=r"nbgrader_config\.py fails"):
        find_course(assignment="a")


@pytest.mark.parametrize("command", ["autograde", "report", "trial-class"])
def test_an_assignment_with_a_plus_is_refused_by_its_name(
    command: str, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "02+attention"]) == 1
    said = capsys.readouterr()
    assert "the name of the assignment 02+attention has a +" in said.out + said.err
    assert "nbgrader_config.py fails" not in said.out + said.err


@pytest.mark.parametrize(
    "url",
    ["sqlite:///{above}/grades.db", "sqlite:///../grades.db", "sqlite:///{above}/./grades.db"],
)
def test_the_report_reads_the_gradebook_that_grading_writes(
    url: str, course: Path, gradebook: Path
) -> None:
    shutil.copy(gradebook, course.parent / "grades.db")
    line = f'c.CourseDirectory.db_url = "{url.format(above=course.parent)}"\n'
    (course / "nbgrader_config.py").write_text(CONFIG + line)
    os.chdir(course.parent)  # the address is relative to the course's folder all the same
    room = read(course, NAME)
    assert len(room.works) == 4
    assert all(work.student.last for work in room.works)
    assert not (course / "gradebook.db").exists()


@pytest.mark.parametrize(
    "lines",
    [
        'c.CourseDirectory.autograded_directory = "marked"\n'
        'c.CourseDirectory.submitted_directory = "in"\n',
        'c.CourseDirectory.directory_structure = "{nbgrader_step}/{assignment_id}/{student_id}"\n',
        "c.CourseDirectory.directory_structure = "
        '"{nbgrader_step}/of-{student_id}-it/deep/{assignment_id}"\n',
    ],
)
def test_renamed_folders_are_found_by_the_report(lines: str, course: Path, gradebook: Path) -> None:
    (course / "nbgrader_config.py").write_text(CONFIG + lines)
    shutil.copy(gradebook, course)
    write_records(course.parent, records(size=4))
    found = find_course(assignment=NAME)
    for student in records(size=4):
        shutil.copytree(course.parent / "autograded" / student / NAME, found.graded(student))
    found.folder(found.place.submitted_directory, "s900").mkdir(parents=True)
    room = read(course, NAME)
    assert [work.sandbox for work in room.works] == ["namespaces"] * 4
    assert [student.id for student in room.ungraded] == ["s900"]


@pytest.mark.parametrize(
    "name",
    [
        *("What is attention? 2027", "ML%20course", "a#b & c=d?e", "100 %", "50%25", "[Group 1]"),
        *("ä ö", "Why?", "%41ttention", "autumn%2Fspring", "?mode=ro"),
    ],
)
@pytest.mark.parametrize("words", ["", "--db"])
def test_the_gradebook_is_in_the_folder_whatever_the_folder_is_called(
    name: str,
    words: str,
    tmp_path: Path,
    home: Path,
    gradebook: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "classes" / name
    folder.mkdir(parents=True)
    shutil.copy(gradebook, folder)
    (folder / "nbgrader_config.py").write_text(CONFIG)
    monkeypatch.chdir(folder)
    url = f"sqlite:///{folder}/gradebook.db" if words else ""
    place = find_course(assignment=NAME, url=url).place
    with Gradebook(place.db_url) as book:
        book.add_student("ada")
    assert [path.name for path in folder.parent.iterdir()] == [name]
    with sqlite3.connect(folder / "gradebook.db") as link:
        assert link.execute("select id from student where id = 'ada'").fetchall() == [("ada",)]
    assert "ada" in [student.id for student in read(Path(), NAME, url=url).missing]


def hand_in(course: Path, *students: str) -> Course:
    for student in students:
        (course / "submitted" / student / NAME).mkdir(parents=True)
    return find_course(assignment=NAME)


@pytest.mark.parametrize(
    "name", [".ipynb_checkpoints", ".git", ".Trash-1000", "lost+found", "@eaDir", ".snapshot"]
)
def test_folders_of_tools_are_not_students(name: str, course: Path) -> None:
    found = hand_in(course, "ada", name)
    assert list(found.submitted()) == ["ada"]
    assert found.passed_over() == [name]


def test_what_stands_in_the_place_of_a_folder_is_somebodys_submission(course: Path) -> None:
    found = hand_in(course, "ada", "bob", "eve")
    (course / "submitted" / "bob" / NAME).rmdir()
    (course / "submitted" / "bob" / NAME).write_text("a file")
    (course / "submitted" / "eve" / NAME).rmdir()
    (course / "submitted" / "eve" / NAME).symlink_to(course / "gone")
    (course / "submitted" / "zoe").symlink_to(course / "gone")
    (course / "submitted" / "README").write_text("a file of the instructor's")
    (course / "submitted" / "nobody").mkdir()
    assert list(found.submitted()) == ["ada", "bob", "eve", "zoe"]


LINKS = {
    "the folder": ("mal", "ada"),
    "the folder, by its whole path": ("mal", "{submitted}/ada"),
    "the assignment": (f"mal/{NAME}", f"../ada/{NAME}"),
    "another assignment": (f"mal/{NAME}", "../ada/draft"),
    "by another link": ("mal", "between"),
}


@pytest.mark.parametrize("how", LINKS)
def test_a_link_to_another_students_folder_is_found(how: str, course: Path) -> None:
    found = hand_in(course, "ada")
    submitted = course / "submitted"
    (submitted / "between").symlink_to("ada")
    link, target = submitted / LINKS[how][0], LINKS[how][1].format(submitted=submitted)
    (submitted / "ada" / "draft").mkdir()
    (submitted / "ada" / NAME / f"{NAME}.ipynb").write_text("{}")
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    folders = found.submitted()
    links = found.linked(folders)
    assert links["mal"] == (link, "ada")
    assert "ada" not in links
    assert list_files(links["mal"][0]).refused == {".": "it is a link to another file"}
    (nothing,) = find_notebooks(links["mal"][0], [NAME]).values()
    assert nothing.path is None
    assert "there was a link to another folder" in nothing.why
    assert '"mal' in borrowed(LINKS[how][0], "ada")["why"]
    assert status([borrowed(LINKS[how][0], "ada")]) == "flagged"


def test_a_link_to_where_the_instructor_keeps_work_is_followed(course: Path) -> None:
    found = hand_in(course, "ada", "bob")
    (course / "kept" / NAME).mkdir(parents=True)
    (course / "submitted" / "cyd").symlink_to(course / "kept")
    (course / "submitted" / "dan").mkdir()
    (course / "submitted" / "dan" / "draft").mkdir()
    (course / "submitted" / "dan" / NAME).symlink_to("draft")
    assert found.linked(found.submitted()) == {}


@pytest.mark.parametrize("error", [PermissionError, OSError])
def test_a_students_folder_that_cannot_be_searched_is_a_submission(
    error: type[OSError], course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = hand_in(course, "ada", "bob")
    looked = Path.lstat

    def look(path: Path) -> os.stat_result:
        if "bob" in path.parts:  # root, who may run the tests, has permission
            raise error(13, "Permission denied")
        return looked(path)

    monkeypatch.setattr(Path, "lstat", look)
    assert list(found.submitted()) == ["ada", "bob"]
