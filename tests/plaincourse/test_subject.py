"""A course's subject is declared in its package ``exercise_bank``, and read without an import."""

import sys

import pytest
from traitlets.config import Config

import exercise_bank
from plaincourse.exercise.course import distribution, folder, subject
from plaincourse.grading.jobs import CourseError
from plaincourse.grading.settings import Settings

read = subject.__wrapped__  # type: ignore[attr-defined]


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A package ``exercise_bank`` that is found before this course's."""
    package = tmp_path / "exercise_bank"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "exercise_bank")
    return package


def test_this_course_says_what_it_teaches_with():
    assert read() == (exercise_bank.SUBJECT,)


def test_it_is_read_without_the_tasks_being_imported(course):
    (course / "__init__.py").write_text('raise RuntimeError\nSUBJECT = "sorting"\n')
    assert read() == ("sorting",)
    assert folder() == course
    assert "exercise_bank" not in sys.modules


def test_a_course_may_teach_with_no_package(course):
    (course / "__init__.py").write_text('"""Tasks about sorting."""\n')
    assert read() == ()


def test_where_no_course_is_installed_there_is_no_subject(monkeypatch):
    monkeypatch.setattr("plaincourse.exercise.course.find_spec", lambda name: None)
    assert read() == ()
    with pytest.raises(LookupError, match="install it"):
        folder()


def test_grading_names_the_package_that_is_not_there(monkeypatch):
    monkeypatch.setattr("plaincourse.grading.settings.subject", lambda: ("sorting_of_nobody",))
    settings = Settings(config=Config(), sanitize=(), autograde=(), ignore=())
    with pytest.raises(CourseError, match=r"^there is no package 'sorting_of_nobody'; install it$"):
        settings.digest()


@pytest.mark.parametrize("value", ["3", "'a course'", "('a', 'b')"])
def test_what_is_no_name_of_a_package_is_refused(course, value):
    (course / "__init__.py").write_text(f"SUBJECT = {value}\n")
    with pytest.raises(ValueError, match=r"exercise_bank/__init__\.py: SUBJECT = .*; expected"):
        read()


def test_pip_knows_the_course_by_the_name_of_what_brought_the_command(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])
    assert distribution() == "plaincourse"
