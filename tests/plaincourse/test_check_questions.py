"""Questions accept letters, numbers and several numbers, in all common notations."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from plaincourse import check
from plaincourse.checking.diagnose import without_praise
from plaincourse.exercise import Essay, Misconception, Question
from plaincourse.exercise.bank import load
from plaincourse.proving.validate import validate
from tests.plaincourse.split_students import student
from tests.plaincourse.tasks import CHOICE, NUMBER, PAIR


@pytest.mark.parametrize("answer", ["B", "b", " b ", "(b)", "B."])
def test_a_letter_may_be_written_in_any_way(answer: str) -> None:
    assert check(CHOICE, answer).score == 2


@pytest.mark.parametrize("answer", [0.25, 1 / 4, "0.25", torch.tensor(0.25), np.float32(0.2504)])
def test_a_number_may_be_of_any_kind_and_a_little_off(answer: object) -> None:
    assert check(NUMBER, answer).score == 2


@pytest.mark.parametrize("digits", [309, 400, 5000])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_that_no_float_holds_is_wrong_and_stops_nothing(sign: int, digits: int) -> None:
    huge = sign * 10**digits
    report = check(NUMBER, huge)
    assert (report.score, report.headline) == (0.0, "Not this.")
    assert check(PAIR, (huge, 3)).score == check(PAIR, (7, 3)).score
    assert "thousands of digits" in check(NUMBER, 10**5000).text()
    assert "can be read" in check(NUMBER, [huge, huge]).text()


@pytest.mark.parametrize("answer", [(2, 3), [2, 3], torch.Size([2, 3]), np.array([2, 3])])
def test_several_numbers_may_come_in_any_container(answer: object) -> None:
    assert check(PAIR, answer).score == 2


@pytest.mark.parametrize(
    ("question", "answer", "name"),
    [(CHOICE, "c", "third"), (NUMBER, 0.5, "half"), (PAIR, (3, 2), "swapped")],
)
def test_a_known_wrong_answer_is_explained(question: Question, answer: object, name: str) -> None:
    report = check(question, answer)
    assert (report.score, report.matched, report.headline) == (0.0, name, "Not this.")
    assert report.diagnosis == (f"This is what {name} gives.",)


@pytest.mark.parametrize(("answer", "name"), [((2, 9), None), ((2, 2), "even")])
def test_each_of_several_numbers_earns_its_share(answer: object, name: str | None) -> None:
    report = check(PAIR, answer)
    assert (report.score, report.matched, report.headline) == (1.0, name, "Right in part.")
    assert [(line.name, line.earned, line.points) for line in report.rungs] == [
        ("the first number", 1.0, 1.0),
        ("the second number", 0.0, 1.0),
    ]
    assert report.hints


THREE = replace(
    PAIR,
    answer=(2, 3, 5),
    alternatives=(),
    misconceptions=tuple(
        Misconception(name=said, answer=answer, believed="", says=said, hints=(said,))
        for said, answer in (("One.", (7, 3, 5)), ("Two.", (2, 8, 9)), ("All.", (4, 6, 8)))
    ),
)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((7, 8, 9), ("One.", "Two.")),
        ((7, 3, 1), ("One.", "Work out your third number once more.")),
        ((7, 1, 1), ("One.", "Work out your second and third numbers once more.")),
        ((2, 8, 5), ("Your second number is what this mistake gives:", "Two.", "More may be")),
        ((4, 1, 1), ("Your first number is what this mistake gives:", "All.", "More may be")),
        ((1, 6, 8), ("Your answer is (1, 6, 8). Work it out once more.",)),
    ],
)
def test_two_mistakes_in_several_numbers_are_both_told(answer, said) -> None:
    diagnosis = check(THREE, answer).diagnosis
    assert len(diagnosis) == len(said)
    assert all(one.startswith(part) for one, part in zip(diagnosis, said, strict=True))


@pytest.mark.parametrize(
    ("says", "kept"),
    [
        ("Your sum is right. Nothing is divided.", "Nothing is divided."),
        ("A and B are right, and so is C. D is twice D.", "D is twice D."),
        (
            "Your cut is right, and your axes are (b, n): n is first.",
            "Your axes are (b, n): n is first.",
        ),
        ("Your l is right, and your output is not: o stays.", None),
        ("Yours is right where q = k; elsewhere a row is missing.", None),
        ("Your sum is right.", None),
        ("Your sum is right. nn.Linear has a bias.", "nn.Linear has a bias."),
    ],
)
def test_of_two_mistakes_the_diagnosis_of_one_calls_nothing_right(says, kept) -> None:
    assert without_praise(says) == (kept or says)


def test_a_number_whose_part_earns_nothing_is_not_called_right() -> None:
    littles = load("16.littles_law")
    assert isinstance(littles, Question)
    first, second, _, last = littles.answer
    report = check(littles, (first, second, 0.123, last))  # two others depend on the third
    assert report.score == pytest.approx(1.0)
    assert report.diagnosis[0].endswith("A is right. B and D are right, and count together with C.")
    unlike = check(littles, (first, second, 0.123, 4.5))
    assert unlike.diagnosis[0].endswith("A is right. B is right, and counts together with C.")


def test_a_part_of_several_numbers_is_right_when_all_of_them_are() -> None:
    question = replace(PAIR, parts={"two": (0,), "both": (0, 1)})
    assert [check(question, each).score for each in ((2, 3), (2, 4), (1, 3))] == [2, 1, 0]
    problems = validate(replace(PAIR, parts={"two": (0,)}))
    assert "99.pair: its parts take the numbers [0] of 2" in problems


def test_an_unknown_wrong_number_gets_the_general_hints() -> None:
    report = check(NUMBER, 0.26)
    assert (report.score, report.matched, report.hints) == (0.0, None, NUMBER.hints)


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (CHOICE, "E", 'Answer with one of "A", "B", "C"'),
        (CHOICE, 2, 'Answer with one of "A", "B", "C"'),
        (NUMBER, "a quarter", "Answer with one number"),
        (NUMBER, float("nan"), "Your answer is nan"),
        (NUMBER, (0, 25), "Answer with one number; yours has 2. A decimal comma makes two"),
        (NUMBER, [1, 2, 3], "Answer with one number; yours has 3."),
        (PAIR, (2, 3, 4), "with a comma between them; yours has 3. A decimal comma"),
        (PAIR, len, "Answer with 2 numbers, with a comma between them; yours is the function len"),
        (PAIR, "3, 4", "yours is '3, 4'. That is text in quotation marks: leave them out"),
        (PAIR, {4, 3}, "yours is {3, 4}. That is a set, which has no order"),
    ],
)
def test_what_cannot_be_an_answer_is_told_what_can(
    question: Question, answer: object, said: str
) -> None:
    report = check(question, answer)
    assert report.score == 0
    assert said in report.diagnosis[0]


@pytest.mark.parametrize(
    ("slug", "answer", "said"),
    [
        ("04.target_axis", (0.6, 1.33), "Your second number is right to 3 digits, and 4 are asked"),
        ("04.target_axis", (0.9, 1.33), "once more"),
        ("04.target_axis", (0.6, np.float32(1.3)), "Your second number is right to 2 digits"),
        ("04.target_axis", (0.6, 1.34), "Work it out once more"),
        ("05.turned_score", 0.73, "It is right to 2 digits, and 3 are asked"),
        ("05.turned_score", 0.7, "Work it out once more"),
        ("03.masked_row", 0.84, "It is right to 2 digits, and 3 are asked"),
        ("09.last_row", (0.66, 0.45, 0.78), "P is right to 2 digits, and 3 are asked. Q and R"),
        ("06.block_cost", (28000, 7449600), "P is right to 2 digits, and 5 are asked. F is right"),
        ("12.backward_by_hand", (6.5, 0.375, 0.12), "Work it out once more"),
    ],
)
def test_a_right_number_with_too_few_digits_is_told_how_many_are_asked(slug, answer, said) -> None:
    question = load(slug)
    assert isinstance(question, Question)
    report = check(question, answer)
    assert said in " ".join(report.diagnosis)
    assert said in report.instead
    assert report.score < question.points


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (PAIR, (2, 7, 3, 9), "with a comma between them; yours has more. A decimal comma"),
        (PAIR, (2, 7, 3), "with a comma between them; yours has more. A decimal comma"),
        (PAIR, tuple(range(90)), "yours has more."),
        (PAIR, ("2 MiB", "3 MiB"), "with a comma between them; yours is numbers with text in quo"),
        (PAIR, "2, 3", "yours is text in quotation marks: leave them out, and units as well."),
        (PAIR, {"A": 2, "B": 3}, "yours is a dictionary: write its numbers alone."),
        (PAIR, {2, 3}, "yours is a set, which has no order: write ( ) in place of { }."),
        (PAIR, ((2, 3), 3), "yours is numbers within further brackets: take those out."),
        (PAIR, len, "yours is something else."),
        (PAIR, 2, "yours has fewer."),
        (NUMBER, "7 MiB", "Answer with one number; yours is text in quotation marks"),
        (CHOICE, 2, 'Answer with one of "A", "B", "C"; yours is something else.'),
    ],
)
def test_the_page_names_the_form_that_was_given_and_quotes_nothing(question, answer, said) -> None:
    report = check(question, answer)
    assert said in report.instead
    assert not set("79") & set(report.instead)
    with student("", answer=answer) as session:
        there = check(question, session.names(["answer"])["answer"])
    assert (there.headline, there.instead) == (report.headline, report.instead)


@pytest.mark.parametrize(
    ("answer", "points", "said"),
    [
        ((2, 3, ...), 4 / 3, "The third number is missing, and counts as wrong."),
        ((2, 3, None), 4 / 3, "The third number is missing, and counts as wrong."),
        ([2, 3, "?"], 4 / 3, "The third number is missing, and counts as wrong."),
        ((2, 3), 4 / 3, "The third number is missing, and counts as wrong."),
        ((..., 3, 5), 4 / 3, "The first number is missing, and counts as wrong."),
        ((None, 3, ""), 2 / 3, "The first and third numbers are missing, and count as wrong."),
        ([2], 2 / 3, "The second and third numbers are missing, and count as wrong."),
        ((7, 3, ...), 2 / 3, "The third number is missing, and counts as wrong. One."),
        ((1, ...), 0, "The second and third numbers are missing, and count as wrong. Work it out"),
    ],
)
def test_a_missing_number_costs_its_own_share_alone(answer, points, said) -> None:
    report = check(THREE, answer)
    assert report.score == pytest.approx(points)
    assert " ".join(report.diagnosis).startswith(said)
    with student("", answer=answer) as session:
        there = check(THREE, session.names(["answer"])["answer"])
    assert there.text() == report.text()


def test_a_missing_number_with_a_letter_is_named_by_it() -> None:
    littles = load("16.littles_law")
    assert isinstance(littles, Question)
    first, second, third, _ = littles.answer
    report = check(littles, (first, second, third, ...))
    assert "D is missing, and counts as wrong." in report.text()
    assert "Work out D" not in report.text()
    assert 0 < report.score < littles.points


@pytest.mark.parametrize("answer", [(..., ...), (None, None), [...], ("", None)])
def test_several_numbers_that_are_all_missing_are_no_answer_yet(answer: object) -> None:
    report = check(PAIR, answer)
    assert (report.score, report.headline) == (0.0, "Not answered yet.")


@pytest.mark.parametrize("answer", [None, ...])
def test_a_question_left_open_is_not_answered_yet(answer: object) -> None:
    report = check(CHOICE, answer)
    assert report.headline == "Not answered yet."
    assert report.diagnosis == (
        f"Your answer is still `{'None' if answer is None else '...'}`. "
        "Write your own in the cell above.",
    )


def test_an_essay_is_refused_and_its_rubric_is_data() -> None:
    essay = load("02.why_root_d")
    assert isinstance(essay, Essay)
    assert essay.points == sum(points for points, _ in essay.rubric)
    with pytest.raises(TypeError, match="graded by a person"):
        check(essay, "because")


def test_numbers_with_letters_are_explained_one_by_one() -> None:
    """An error in one number is reported independently of the others."""
    letters = replace(
        PAIR,
        answer=(2, 3, 4),
        letters="ABC",
        parts={},
        misconceptions=tuple(
            Misconception(name=name, answer=answer, believed=".", says=f"{name}.", hints=(hint,))
            for name, answer, hint in (
                ("A doubled", (4, 3, 4), "halve"),
                ("B doubled", (2, 6, 4), "halve"),
                ("C doubled", (2, 3, 8), "again"),
                ("All turned", (4, 3, 2), "turn"),
            )
        ),
    )
    assert not validate(letters)
    problems = validate(replace(letters, letters="AB"))
    assert "99.pair: it has 2 letters for 3 numbers" in problems
    for answer, matched, said in (
        ((4, 3, 4), "A doubled", ("A doubled.", "B and C are right.")),
        ((4, 6, 4), "A doubled", ("A doubled.", "B doubled.", "C is right.")),
        ((4, 7, 4), "A doubled", ("A doubled.", "Work out B once more.", "C is right.")),
        ((4, 6, 8), "A doubled", ("A doubled.", "B doubled.", "C doubled.")),
        ((4, 3, 2), "All turned", ("All turned.",)),
    ):
        report = check(letters, answer)
        assert (report.matched, report.diagnosis) == (matched, said)
    assert check(letters, (4, 6, 8)).hints == ("halve", "again")
    unknown = check(letters, (2, 7, 7))
    assert (unknown.matched, unknown.instead) == (None, "Work out B and C once more. A is right.")
    assert unknown.diagnosis == (f"Your answer is (2, 7, 7). {unknown.instead}",)


def test_a_number_that_earns_its_own_part_is_right_whatever_another_part_lacks() -> None:
    littles = load("16.littles_law")
    assert isinstance(littles, Question)
    report = check(littles, (*littles.answer[:3], 0.123))
    assert report.score == pytest.approx(2.0)
    assert report.diagnosis[-1].endswith("A, B and C are right.")
