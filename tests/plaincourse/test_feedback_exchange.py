"""Feedback is returned through the exchange to all students who submitted through it."""

import logging
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash
from traitlets.config import Config

from plaincourse.feedback import only_pages, release_what_came_by_the_exchange
from plaincourse.feedback.exchange import SECRET, TIME

# nbgrader leaves timestamp.txt open.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

NAME = "week-1"
#: Other files in a student's folder of pages.
BY_THE_EXCHANGE = {TIME: "2027-02-01 10:00:00 UTC", SECRET: "the secret of {}"}
#: The same for students who submitted in a different way.
OTHERS = {
    "copied by hand": {},
    "collected from an archive": {TIME: BY_THE_EXCHANGE[TIME]},
    "collected, with the platform's words": {TIME: "", "collected.json": "{}"},
}
STUDENTS = ["ada", "zoë", "Li Na [Group 2]", "Lovelace, Ada"]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ExchangeReleaseFeedback, "copy_files", ExchangeReleaseFeedback.copy_files)
    release_what_came_by_the_exchange()
    release_what_came_by_the_exchange()  # settings are read more than once
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    return tmp_path


def made(course: Path, student: str, files: dict[str, str]) -> None:
    """Make a page as ``nbgrader generate_feedback`` does, with the files of a submission."""
    folder = course / "feedback" / student / NAME
    folder.mkdir(parents=True)
    (folder / "one.html").write_text(f"the page of {student}")
    for name, text in files.items():
        (folder / name).write_text(text.format(student))
    graded = course / "autograded" / student / NAME / "one.ipynb"
    only_pages(assignment=NAME, student=student, notebooks=[str(graded)])


def released(course: Path, caplog: pytest.LogCaptureFixture) -> tuple[dict[str, str], str]:
    """Release feedback; return the pages in the exchange by name, and all warnings."""
    said: list[str] = []
    config = Config(
        CourseDirectory={"root": str(course), "assignment_id": NAME, "course_id": "attention"},
        Exchange={"root": str(course / "exchange")},
    )
    log = logging.getLogger("feedback")
    with caplog.at_level("WARNING", logger=log.name):
        place = CourseDirectory(config=config)
        ExchangeReleaseFeedback(coursedir=place, config=config, log=log).start()
    said += [each.getMessage() for each in caplog.records]
    pages = course / "exchange" / "attention" / "feedback"
    return {each.stem: each.read_text() for each in pages.iterdir()}, "\n".join(said)


def key(student: str) -> str:
    return str(notebook_hash(secret=f"the secret of {student}", notebook_id="one"))


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("lacking", [None, TIME])
def test_a_page_reaches_its_student(
    student: str, lacking: str | None, course: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = {name: text for name, text in BY_THE_EXCHANGE.items() if name != lacking}
    made(course, student, files)
    pages, said = released(course, caplog)
    assert pages == {key(student): f"the page of {student}"}
    assert said == ""


@pytest.mark.parametrize("how", OTHERS)
@pytest.mark.parametrize("other", ["aaron", "mia", "Zuse, Konrad"])
def test_work_that_came_another_way_costs_nobody_a_page(
    how: str, other: str, course: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for student in ("bob", "noor"):
        made(course, student, BY_THE_EXCHANGE)
    made(course, other, OTHERS[how])
    pages, said = released(course, caplog)
    assert pages == {key(student): f"the page of {student}" for student in ("bob", "noor")}
    assert said.startswith("1 student's page was not released")
    assert other in said


def test_of_many_some_are_named(course: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(14):
        made(course, f"s{number:02}", {})
    pages, said = released(course, caplog)
    assert pages == {}
    assert "14 pages were not released" in said
    assert "s09, 4 more" in said
