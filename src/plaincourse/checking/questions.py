"""Grade the answer to a question: a letter, a number, or several numbers."""

import math
from typing import Any

import numpy as np
from torch import Tensor

from plaincourse.checking.diagnose import without_praise
from plaincourse.checking.in_words import show
from plaincourse.checking.remote import settled
from plaincourse.exercise import Misconception, Question
from plaincourse.exercise.report import NOT_YET, UNREADABLE, Line, Report

_AGAIN = "Work it out once more."
_POINT = "A decimal comma makes two numbers of one: write a point, as in 0.5."
_QUOTED = "text in quotation marks: leave them out, and units as well"
#: Types that contain numbers and are not read, by their names.
_OF_NUMBERS = {
    "str": _QUOTED,
    "dict": "a dictionary: write its numbers alone",
    "set": "a set, which has no order: write ( ) in place of { }",
    "frozenset": "a set, which has no order: write a tuple",
}
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def grade_question(question: Question, answer: Any) -> Report:
    """Compare an answer with the right one and with the known wrong ones.

    The answer is read only once, for all comparisons. If it has several numbers, each part that is
    right earns its share.
    """
    answer = settled(answer)
    if answer is None or answer is ...:
        return _report(question, 0.0, NOT_YET, still(answer))
    given, gaps = answer, _gaps(question, answer)
    if gaps:
        given = _padded(question, answer)
        if len(gaps) == len(given):
            return _report(question, 0.0, NOT_YET, still(...))
        given = tuple(math.nan if i in gaps else each for i, each in enumerate(given))
    problem = _unreadable(question, given)
    if problem:
        return _report(question, 0.0, UNREADABLE, problem, instead=_asked(question, given))
    mine = _read(question, given)
    right = (question.answer, *(each.answer for each in question.alternatives))
    if any(_equal(question, mine, _read(question, each)) for each in right):
        lines = _lines(question, _read(question, question.answer))
        return _report(question, question.points, "That is right.", lines=lines)
    lines = _lines(question, mine)
    score = sum(line.earned for line in lines)
    heading = "Right in part." if score else "Not this."
    known, said = _known(question, mine, gaps)
    left_open = (_left_open(question, gaps),) if gaps else ()
    if known:
        hints = tuple(dict.fromkeys(hint for each in known for hint in each.hints))
        return _report(
            question,
            score,
            heading,
            *left_open,
            *said,
            matched=known[0].name,
            hints=hints,
            lines=lines,
        )
    again = " ".join((*left_open, *said))
    quoted = again if gaps else f"Your answer is {show(answer)}. {again}"
    return _report(question, score, heading, quoted, instead=again, lines=lines)


def _padded(question: Question, answer: Any) -> tuple[Any, ...]:
    """Return an answer of several numbers, padded with ``None`` for each missing number."""
    many = len(_numbers(question.answer) or ())
    return (*answer, *[None] * (many - len(answer)))


def _gaps(question: Question, answer: Any) -> list[int]:
    """Return the positions without a number in an answer of several, which may be too short."""
    many = 1 if question.options else len(_numbers(question.answer) or ())
    if not isinstance(answer, (tuple, list)) or not 0 < len(answer) <= many or many < 2:
        return []
    return [i for i, each in enumerate(_padded(question, answer)) if _is_gap(each)]


def _is_gap(part: Any) -> bool:
    return part is None or part is ... or (isinstance(part, str) and not part.strip(" .…?"))


def _left_open(question: Question, gaps: list[int]) -> str:
    """Return the sentence about the numbers that are missing."""
    many = len(gaps) > 1
    names = [question.letters[i] if question.letters else _PLACES[i] for i in gaps]
    which = _listed(names) if question.letters else f"The {_listed(names)} number{'s' * many}"
    counts = "are missing, and count" if many else "is missing, and counts"
    return f"{which} {counts} as wrong."


def _known(
    question: Question, mine: Any, gaps: list[int]
) -> tuple[list[Misconception], tuple[str, ...]]:
    """Return the misconceptions that explain a wrong answer, and the sentences to show.

    If none explains the whole answer, return those that explain all the numbers in which they
    differ from the right answer. If there are none of these either, return one whose first wrong
    number is the same as the answer's.
    """
    ways = [
        (each, way)
        for each in question.misconceptions
        for way in (_read(question, one) for one in each.ways.values())
    ]
    whole = [(each, way) for each, way in ways if _equal(question, mine, way)]
    letters = question.letters
    if whole and not (letters and len(_off(question, whole[0][1])) == 1):
        return [whole[0][0]], (whole[0][0].says,)
    if question.options:
        return [], (_AGAIN,)
    if len(mine) < 2:
        return [], (_few_digits(question, mine, 0) or _AGAIN,)
    wrong = _off(question, mine)
    if not question.letters and wrong == gaps:
        return [], ()
    known: dict[int, Misconception] = {}
    for each, way in sorted(ways, key=lambda pair: -len(_off(question, pair[1]))):
        off = _off(question, way)
        if known.keys().isdisjoint(off) and all(
            place in wrong and _near(question, mine[place], way[place]) for place in off
        ):
            known |= dict.fromkeys(off, each)
    found = list(dict.fromkeys(known[i] for i in wrong if i in known))
    short = {i: _few_digits(question, mine, i) for i in wrong if i not in known}
    few = {i: each for i, each in short.items() if each}
    said = [*(without_praise(each.says) for each in found), *few.values()]
    rest = [i for i in wrong if i not in known and i not in gaps and i not in few]
    if letters and rest:
        said.append(f"Work out {_listed([letters[i] for i in rest])} once more.")
    elif (found or few) and rest:
        numbers = "numbers" if len(rest) > 1 else "number"
        said.append(f"Work out your {_listed([_PLACES[i] for i in rest])} {numbers} once more.")
    if letters:
        said += _of_the_right(question, letters, wrong)
    if letters or found or few:
        return found, tuple(said)
    first = [each for each, way in ways if _errs_first(question, mine, way)]
    if len(set(map(id, first))) != 1:
        return [], (_AGAIN,)
    which = f"Your {_PLACES[wrong[0]]} number is what this mistake gives:"
    says = without_praise(first[0].says)
    return first[:1], (which, says, "More may be wrong further on. Mend this first.")


def _few_digits(question: Question, mine: Any, place: int) -> str:
    """Return a remark on a right number with too few digits, rounded or truncated; else empty.

    One digit is too few to distinguish a rounded number from a wrong one.
    """
    given, right = mine[place], (_numbers(question.answer) or ())[place]
    near = (n for n in range(1, 17) if _near(question, _with_digits(right, n), right))
    asked = next(near, 0)
    for digits in range(2, asked):
        rounded = _with_digits(right, digits)
        if any(math.isclose(given, each, rel_tol=1e-6) for each in (rounded, _cut(right, digits))):
            name = (
                question.letters[place]
                if question.letters
                else (f"Your {_PLACES[place]} number" if len(mine) > 1 else "It")
            )
            return f"{name} is right to {digits} digits, and {asked} are asked."
    return ""


def _with_digits(number: float, digits: int) -> float:
    """Round a number to a number of significant digits."""
    return float(f"{number:.{digits - 1}e}")


def _cut(number: float, digits: int) -> float:
    """Truncate a number to a number of significant digits."""
    whole, power = f"{number:.15e}".split("e")
    return float(f"{whole[: whole.index('.') + digits]}e{power}")


def _of_the_right(question: Question, letters: str, wrong: list[int]) -> list[str]:
    """Return the sentences about right numbers; some earn nothing without a wrong one."""
    unpaid: dict[int, list[int]] = {}
    for i in range(len(letters)):
        parts = [part for part in question.parts.values() if i in part]
        wanting = [[j for j in part if j in wrong] for part in parts]
        if i not in wrong and wanting and all(wanting):  # no part that contains it is right
            unpaid[i] = min(wanting, key=len)
    right = [x for i, x in enumerate(letters) if i not in {*wrong, *unpaid}]
    said = [f"{_listed(right)} {'are' if len(right) > 1 else 'is'} right."] if right else []
    for lacking in dict.fromkeys(map(tuple, unpaid.values())):
        with_it = [letters[i] for i, each in unpaid.items() if tuple(each) == lacking]
        verb, their = ("are", "count") if len(with_it) > 1 else ("is", "counts")
        missing = _listed([letters[j] for j in lacking])
        said.append(f"{_listed(with_it)} {verb} right, and {their} together with {missing}.")
    return said


def _errs_first(question: Question, mine: Any, way: Any) -> bool:
    """Return whether the first number that is wrong is the same in two answers."""
    here, there = (_off(question, each)[:1] for each in (mine, way))
    return here == there and _near(question, mine[here[0]], way[here[0]])


def _off(question: Question, numbers: Any) -> list[int]:
    """Return the positions of the numbers that are wrong."""
    pairs = zip(numbers, _numbers(question.answer) or (), strict=True)
    return [i for i, each in enumerate(pairs) if not _near(question, *each)]


def _listed(letters: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(letters[:-1]), letters[-1])))


def still(answer: Any) -> str:
    """Return a request to replace ``None`` or ``...`` by an answer."""
    there = "..." if answer is ... else "None"
    return f"Your answer is still `{there}`. Write your own in the cell above."


def _unreadable(question: Question, answer: Any) -> str | None:
    """Describe the requested form and that of the answer; ``None`` if the answer can be read."""
    if question.options:
        if isinstance(answer, str) and _letter(answer) in _letters(question):
            return None
    elif (numbers := _numbers(answer)) is not None:
        wanted = len(_numbers(question.answer) or ())
        if len(numbers) == wanted:
            return None
        return f"{_form(question)}; yours has {len(numbers)}.{_comma(len(numbers), wanted)}"
    kind = _kind(question, answer)
    return f"{_form(question)}; yours is {show(answer)}{f'. That is {kind}' if kind else ''}."


def _asked(question: Question, answer: Any) -> str:
    """Describe the same without quoting the answer, for a page that may not quote it."""
    numbers = None if question.options else _numbers(answer)
    if numbers is None:
        return f"{_form(question)}; yours is {_kind(question, answer) or 'something else'}."
    wanted = len(_numbers(question.answer) or ())
    many = "more" if len(numbers) > wanted else "fewer"
    return f"{_form(question)}; yours has {many}.{_comma(len(numbers), wanted)}"


def _comma(given: int, wanted: int) -> str:
    """Return the sentence on decimal commas, if they explain that there are too many numbers."""
    return f" {_POINT}" if wanted < given <= 2 * wanted else ""


def _form(question: Question) -> str:
    """Return the form in which a question asks for its answer."""
    if question.options:
        return "Answer with one of " + ", ".join(f'"{letter}"' for letter in question.options)
    many = len(_numbers(question.answer) or ())
    if many > 1:
        return f"Answer with {many} numbers, with a comma between them"
    return "Answer with one number"


def _kind(question: Question, answer: Any) -> str:
    """Describe a common wrong form of numbers; empty if the form is not a common one."""
    if question.options:
        return ""
    name = type(answer).__name__
    if isinstance(answer, (tuple, list)):
        inner = {type(each).__name__ for each in answer} & {*_OF_NUMBERS, "tuple", "list"}
        if "str" in inner:
            return f"numbers with {_QUOTED}"
        return "numbers within further brackets: take those out" if inner else ""
    return _OF_NUMBERS.get(name, "")


def _read(question: Question, answer: Any) -> Any:
    """Return an answer as its letter or its numbers."""
    return _letter(answer) if question.options else _numbers(answer)


def _equal(question: Question, mine: Any, theirs: Any) -> bool:
    """Compare two answers after reading them."""
    if question.options:
        return bool(mine == theirs)
    if mine is None or theirs is None or len(mine) != len(theirs):
        return False
    return all(_near(question, *each) for each in zip(mine, theirs, strict=True))


def _lines(question: Question, mine: Any) -> tuple[Line, ...]:
    """Return the points of each part of an answer; empty if the answer is one value."""
    wanted = () if question.options else _numbers(question.answer) or ()
    if len(wanted) < 2:
        return ()
    parts = question.parts or {f"the {_PLACES[i]} number": (i,) for i in range(len(wanted))}
    share = question.points / len(parts)
    wrong = set(_off(question, mine))
    return tuple(
        Line(name=name, points=share, earned=share if wrong.isdisjoint(places) else 0.0)
        for name, places in parts.items()
    )


def _near(question: Question, mine: float, theirs: float) -> bool:
    return math.isclose(mine, theirs, rel_tol=0, abs_tol=question.tolerance)


def _letters(question: Question) -> set[str]:
    return {_letter(letter) for letter in question.options}


def _letter(answer: str) -> str:
    return answer.strip().strip("().:").strip().upper()


def _numbers(answer: Any) -> tuple[float, ...] | None:
    """Read one number or several; return ``None`` for any other value."""
    if isinstance(answer, (Tensor, np.ndarray)):
        answer = answer.tolist()
    try:
        if isinstance(answer, (tuple, list)):
            return tuple(map(_float, answer))
        return (_float(answer),)
    except (TypeError, ValueError):
        return None


def _float(number: Any) -> float:
    """Read a number; one that is too large for a float becomes infinite."""
    try:
        return float(number)
    except OverflowError:
        return -math.inf if number < 0 else math.inf


def _report(
    question: Question,
    score: float,
    headline: str,
    *diagnosis: str,
    matched: str | None = None,
    hints: tuple[str, ...] = (),
    instead: str = "",
    lines: tuple[Line, ...] = (),
) -> Report:
    return Report(
        id=question.id,
        title=question.title,
        score=float(score),
        points=question.points,
        headline=headline,
        diagnosis=diagnosis,
        matched=matched,
        aimed=matched is not None,
        rungs=lines,
        hints=() if score == question.points else hints or question.hints,
        instead=instead,
    )
