"""Submissions to grades and feedback, with the commands of the guide.

Right answers, the unchanged release, every misconception and every alternative of the bank, small
changes to the solutions, and submissions broken in every way go through ``generate_assignment``,
``plaincourse autograde``, ``generate_feedback`` and ``export``, in a temporary course. Whole
classes are slow tests; a few of these students are always graded for two chapters, and some more
for chapter 02. ``test_graders`` tests the points of each answer in a bank individually.
"""

import functools
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

from plaincourse.exercise import Essay
from plaincourse.exercise.bank import chapter
from plaincourse.proving import mutants
from plaincourse.proving.course import Course
from plaincourse.proving.damage import broken, noisy, tampered
from plaincourse.proving.submissions import Class, Graded, Submission
from tests.exercises.test_graders import PROJECTS

ROOT = Path(__file__).parents[2]
# Measuring a project takes minutes; see test_capstone.
NAMES = sorted(
    folder.name
    for folder in (ROOT / "solutions").iterdir()
    if folder.is_dir() and folder.name[:2] not in PROJECTS
)
TIMEOUT = 20
FEW = ("full", "blank", "misconception-0")
MORE_OF = "02-scaled-dot-product-attention"
MORE = (
    *FEW,
    "misconception-1",
    "alternative-0",
    "deleted",
    "edited",
    "shadowed",
    "noisy",
    "broken-0",
    "broken-1",
)
CHAPTERS = ("02", "16")
SOME = [pytest.param((name, False), id=name) for name in NAMES if name[:2] in CHAPTERS]
BROKEN = [pytest.param((MORE_OF, False), id=MORE_OF)]
ALL = [pytest.param((name, True), id=f"{name}-whole", marks=pytest.mark.slow) for name in NAMES]


def worth(each: Graded) -> float:
    return 0 if each.task.extra else each.task.points


@dataclass
class Term:
    """The results of a class with all its submissions for one assignment."""

    name: str
    course: Course
    graded: list[Graded]
    submissions: dict[str, Submission]

    @functools.cached_property
    def pages(self) -> dict[str, str]:
        return {each: self.course.feedback(self.name, each) for each in self.submissions}

    @functools.cached_property
    def totals(self) -> dict[tuple[str, str], float]:
        return self.course.exported()


def release(name: str, folder: Path) -> Course:
    course = Course(folder, config=ROOT / "nbgrader_config.py", solutions=ROOT / "solutions")
    with (folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(f"c.Execute.timeout = {TIMEOUT}\n")
    course.nbgrader("generate_assignment", name)
    return course


def hand_in(name: str, whole: bool, course: Course) -> Term:
    """Submit everything, or a few of the submissions."""
    solution, released = course.notebook("solutions", name), course.notebook("exercises", name)
    students = Class(solution, released)
    handed_in = list(students.honest(most=None if whole else 2))
    if whole or name == MORE_OF:
        handed_in += [*broken(students), *tampered(students), noisy(students)]
    if whole:
        handed_in += mutants.submissions(students, solution)
    if not whole:
        few = MORE if name == MORE_OF else FEW
        handed_in = [each for each in handed_in if each.name in few]
    course.hand_in(name, handed_in)
    submissions = {each.name: each for each in handed_in}
    return Term(name=name, course=course, graded=students.graded, submissions=submissions)


def grade_all(term: Term) -> Term:
    term.course.autograde(term.name, "--jobs=1")
    term.course.nbgrader("generate_feedback", term.name)
    return term


@pytest.fixture(scope="session")
def terms(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, bool], Future[Term]]]:
    """The terms that tests request; two are graded at a time."""
    asked = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    wanted = list(dict.fromkeys(each["term"] for each in asked if "term" in each))
    folders = [tmp_path_factory.mktemp("course") for _ in wanted]
    with ThreadPoolExecutor(max_workers=2) as pool:
        courses = pool.map(release, [name for name, _ in wanted], folders)
        begun = [hand_in(*each, course) for each, course in zip(wanted, courses, strict=True)]
        graded = [pool.submit(grade_all, term) for term in begun]
        yield dict(zip(wanted, graded, strict=True))


@pytest.fixture(params=[*SOME, *ALL])
def term(request: pytest.FixtureRequest, terms: dict[tuple[str, bool], Future[Term]]) -> Term:
    return terms[request.param].result()


def text(html: str) -> str:
    """Return a page's text without markup."""
    body = re.sub(r"<(style|script)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return words(unescape(re.sub(r"<[^>]+>", "", body)))


def words(said: str) -> str:
    return " ".join(re.sub(r"[`*]", "", said).split())


def test_every_score_is_as_expected_to_the_point(term: Term) -> None:
    got = {name: term.course.scores(term.name, name) for name in term.submissions}
    wrong = {
        (name, cell): (points, got[name].get(cell))
        for name, each in term.submissions.items()
        for cell, points in each.scores.items()
        if got[name].get(cell) != points
    }
    assert wrong == {}, "expected and got, by submission and cell"


@pytest.mark.parametrize("term", ALL, indirect=True)
def test_the_class_has_what_a_class_has(term: Term) -> None:
    names = list(term.submissions)
    full = {each.cell: worth(each) for each in term.graded}
    assert {"full", "blank", "deleted", "edited", "shadowed", "noisy", "broken-0"} <= set(names)
    for each in term.graded:
        for what in ("misconception", "alternative"):
            known = getattr(each.task, f"{what}s")
            assert {f"{what}-{number}" for number in range(len(known))} <= set(names)
        for number in range(len(each.task.misconceptions)):
            score = term.submissions[f"misconception-{number}"].scores[each.cell]
            assert score < worth(each) or each.task.extra
        for number in range(len(each.task.alternatives)):
            scores = term.submissions[f"alternative-{number}"].scores
            assert scores[each.cell] == worth(each)
    changed = [each.scores for name, each in term.submissions.items() if "mutant-" in name]
    assert len(changed) == 5
    assert all(each != full for each in changed)
    assert term.submissions["full"].scores == full
    assert term.submissions["noisy"].scores == full
    assert set(term.submissions["blank"].scores.values()) == {0}


def test_an_answer_in_words_waits_for_a_person_and_a_blank_one_is_0(term: Term) -> None:
    essays = [t.id.partition(".")[2] for t in chapter(term.name[:2]) if isinstance(t, Essay)]
    assert essays
    full, blank = (term.course.scores(term.name, name) for name in ("full", "blank"))
    assert [full[name] for name in essays] == [None] * len(essays)
    assert [blank[name] for name in essays] == [0] * len(essays)


def test_feedback_shows_each_diagnosis(term: Term) -> None:
    missing = [
        (name, cell, said)
        for name, each in term.submissions.items()
        for cell, sentences in each.says.items()
        for said in sentences
        if words(said) not in text(term.pages[name])
    ]
    assert missing == []


def test_feedback_shows_no_hidden_test_no_seed_no_path_and_no_frame_of_ours(term: Term) -> None:
    seeds = "|".join(str(each.seed) for each in term.graded)
    secret = re.compile(
        rf"HIDDEN TESTS|seed=|\b(?:{seeds})\b|plaincourse/|site-packages|ipykernel_|"
        rf"\.py\b:\d|{re.escape(str(ROOT))}|{re.escape(str(term.course.folder))}|0x[0-9a-f]{{6}}"
    )
    found = {name: secret.findall(text(page)) for name, page in term.pages.items()}
    assert {name: leaks for name, leaks in found.items() if leaks} == {}


@pytest.mark.parametrize("term", [*BROKEN, *ALL], indirect=True)
def test_what_broke_is_shown_and_its_neighbours_keep_their_points(term: Term) -> None:
    for name in (name for name in term.submissions if name.startswith("broken")):
        scores = term.course.scores(term.name, name)
        lost = set(term.submissions[name].says)
        assert all(
            scores[each.cell] == worth(each) for each in term.graded if each.cell not in lost
        )


def test_the_export_holds_the_total_of_every_student(term: Term) -> None:
    assert term.totals == {
        (term.name, name): pytest.approx(sum(each.scores.values()))
        for name, each in term.submissions.items()
    }


@pytest.mark.parametrize("term", [*BROKEN, *ALL], indirect=True)
def test_the_same_submission_gets_the_same_feedback_twice(term: Term) -> None:
    course, name = term.course, "misconception-0"
    before = term.pages[name]
    course.autograde(term.name, "--force", f"--student={name}")
    (page,) = (course.folder / "feedback" / name).glob("*/*.html")
    page.write_text("as it was before somebody gave points")
    course.nbgrader("generate_feedback", term.name, f"--student={name}")
    assert course.feedback(term.name, name) == before
