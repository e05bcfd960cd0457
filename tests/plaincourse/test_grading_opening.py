"""Each state of a gradebook is reported in one sentence with advice."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from plaincourse.grading.jobs import CourseError
from plaincourse.grading.opening import explain, explain_uncaught, gradebook_file, opened
from tests.plaincourse.test_autograde_writer import url

__all__ = ["url"]


def _changed(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as link:
        for each in statements:
            link.execute(each)
        link.commit()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


STATES: dict[str, tuple[Callable[[Path], object], str]] = {
    "text in its place": (lambda path: path.write_text("grades! " * 200), "damaged or is not"),
    "cut short": (_cut, "damaged or is not"),
    "a folder in its place": (_folder, "a folder is in its place"),
    "an older nbgrader": (
        lambda path: _changed(path, "alter table student drop column lms_user_id"),
        "Run: nbgrader db upgrade",
    ),
    "another older nbgrader": (
        lambda path: _changed(path, "alter table assignment rename column course_id to course"),
        "Run: nbgrader db upgrade",
    ),
}


def _read(url: str) -> None:
    with opened(url) as book:
        list(book.students)
        book.find_assignment("week-1")


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_told_in_one_sentence(url: str, state: str) -> None:
    change, says = STATES[state]
    path = Path(url.removeprefix("sqlite:///"))
    change(path)
    with pytest.raises(CourseError, match=says) as error:
        _read(url)
    said = str(error.value)
    assert said.startswith(f"the gradebook {path}: ")
    assert "[SQL" not in said
    assert "\n" not in said
    if "upgrade" not in says:
        assert "db upgrade" not in said


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("sqlite:////nowhere/at/all/gradebook.db", "Check that its folder exists"),
        ("no address", "Expected an address such as sqlite"),
        ("oracel://course/grades", "Expected an address such as sqlite"),
        ("postgresql://me:secret@localhost:1/grades", "db_url"),
    ],
)
def test_an_address_that_leads_nowhere_is_told(address: str, says: str) -> None:
    with pytest.raises(CourseError, match=says) as error, opened(address):
        pass
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("name", ["What is attention?.db", "ML%20course.db", "a b.db", "ü&=.db"])
def test_a_file_is_the_one_that_is_written(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    assert gradebook_file(f"sqlite:///{tmp_path / name}") == tmp_path / name


def test_an_error_of_another_kind_is_told_with_its_own_words() -> None:
    said = explain(RuntimeError("the moon is full\nand more"), "postgresql://localhost/grades")
    assert said == (
        "the gradebook postgresql://localhost/grades: it cannot be used (the moon is full). Check "
        "that the database runs, and that c.CourseDirectory.db_url in nbgrader_config.py is right"
    )


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """The errors that Python still shows after the configuration was read twice."""
    found: list[BaseException] = []

    def hook(kind: object, error: BaseException, trace: object) -> None:
        found.append(error)

    monkeypatch.setattr(sys, "excepthook", hook)
    explain_uncaught()
    explain_uncaught()
    return found


def _uncaught(url: str) -> None:
    """Use the gradebook like ``nbgrader db``, and exit like its command."""
    try:
        with Gradebook(url) as book:
            book.add_student("ada")
            book.find_assignment("week-1")
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)


@pytest.mark.parametrize("state", STATES)
def test_a_command_of_nbgrader_shows_no_sql(
    url: str, state: str, shown: list[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    change, says = STATES[state]
    change(Path(url.removeprefix("sqlite:///")))
    _uncaught(url)
    said = capsys.readouterr().err
    assert shown == []
    assert said.startswith("error: the gradebook ")
    assert says in said
    assert said.count("\n") == 1
    assert not any(word in said for word in ("SELECT", "INSERT", "sqlalche", "Traceback"))


def test_a_locked_gradebook_is_told_to_a_command_of_nbgrader(
    url: str,
    shown: list[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real = sqlite3.connect
    monkeypatch.setattr(
        sqlite3.dbapi2, "connect", lambda *args, **kw: real(*args, **{**kw, "timeout": 0.1})
    )
    with closing(real(url.removeprefix("sqlite:///"), isolation_level=None)) as link:
        link.execute("begin exclusive")
        _uncaught(url)
    assert "another program is using it" in capsys.readouterr().err
    assert shown == []


def test_a_plus_in_an_assignments_name_is_one_sentence(
    shown: list[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        CourseDirectory().assignment_id = "02+attention"
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
    said = capsys.readouterr().err
    assert said.startswith("error: the name of the assignment has a +")
    assert said.count("\n") == 1
    assert shown == []


def test_other_errors_are_shown_as_before(url: str, shown: list[BaseException]) -> None:
    for error in (ValueError("no"), KeyError("ada"), SystemExit(2)):
        sys.excepthook(type(error), error, None)
    assert [type(each) for each in shown] == [ValueError, KeyError, SystemExit]
