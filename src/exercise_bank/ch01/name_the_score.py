"""Exercise 01.name_the_score: which score is in the closed box?"""

import math

import torch
from torch import Generator

from exercise_bank.ch01.boxes import NAMES, Box, closed
from exercise_bank.ch01.mistakes.name_the_score import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung

#: Evidence that a box contains a score, by the score's name.
SHOWN_BY = {
    "dot": "the logarithm of the ratio of two of its weights is the difference of the two dot "
    "products",
    "scaled dot": "the logarithm of the ratio of two of its weights is half the difference of the "
    "two dot products",
    "cosine": "the logarithm of the ratio of two of its weights is the difference of the two "
    "cosines",
    "additive": "its weights fit none of the other scores, which you can work out for your vectors "
    "to many digits",
    "hard": "its weights are exactly 0 and 1, wherever the scores lie",
}


def boxes(g: Generator, *names: str) -> list[Inputs]:
    return [{"attention": closed(name, g)} for name in names]


def two_dots(g: Generator) -> list[Inputs]:
    return boxes(g, "scaled dot", "dot", "scaled dot")


def every(g: Generator) -> list[Inputs]:
    return boxes(g, "additive", *NAMES, "additive", "additive")


def only(name: str) -> Law:
    """Make a law that the name of a score is given to its boxes and to no others."""

    def law(inputs: Inputs, answer: object) -> str | None:
        right = reference(inputs["attention"])
        if (answer == name) == (right == name) and isinstance(answer, str):
            return None
        return wrong_name(right, answer)

    return law


def the_right_name(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that does not mean the score in the box, however it is spelled."""
    right = reference(inputs["attention"])
    if isinstance(answer, str) and answer.lower().replace("_", " ").strip() == right:
        return None
    return wrong_name(right, answer)


def wrong_name(right: str, answer: object) -> str:
    """Report a box that was called by a wrong name, with the evidence for the right one."""
    if isinstance(answer, str) and answer.lower().replace("_", " ").strip() == right:
        return f'the name is spelled "{right}"; you return {answer!r}'
    kind = "an" if right == "additive" else "a"
    said = f'this is {kind} "{right}" box; you return {answer!r}. What shows it: {SHOWN_BY[right]}'
    if answer != "hard":
        return said
    return f"{said}. A softmax comes close to 0 and 1 where scores lie far apart, and only there"


def as_spelled(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not exactly one of the five names."""
    if answer in NAMES:
        return None
    return f"return one of {', '.join(NAMES)}; you return {answer!r}"


def reference(attention: Box) -> str:
    """Compare a key with the zero vector: the logarithm of the ratio is the key's score."""
    query = torch.tensor([[6.0, 0, 0, 0]])
    key = torch.tensor([[1.0, 0, 0, 0], [0, 0, 0, 0]])
    match, nothing = attention(query, key)[0].tolist()
    if nothing == 0:
        return "hard"
    score = math.log(match / nothing)
    for name, expected in (("dot", 6.0), ("scaled dot", 3.0), ("cosine", 1.0)):
        if abs(score - expected) < 1e-3:
            return name
    return "additive"


def by_formulas(attention: Box) -> str:
    generator = torch.Generator().manual_seed(7)
    query, key = (2 * torch.randn(5, 4, generator=generator).double() for _ in range(2))
    found = attention(query, key)
    if ((found == 0) | (found == 1)).all():
        return "hard"
    products = query @ key.T
    lengths = query.norm(dim=1)[:, None] * key.norm(dim=1)
    known = {"dot": products, "scaled dot": products / 2, "cosine": products / lengths}
    for name, scores in known.items():
        if torch.allclose(torch.softmax(scores, dim=-1), found, atol=1e-6):
            return name
    return "additive"


def by_growth(attention: Box) -> str:
    def score(length: float, width: float) -> float:
        query, key = torch.zeros(1, 4), torch.zeros(2, 4)
        query[0, 1], key[0, 1] = length, width
        one, other = attention(query, key)[0].tolist()
        return math.log(one / other) if other > 0 else math.inf

    small, large, longer = score(2, 1), score(4, 1), score(2, 2)
    if small == math.inf:
        return "hard"
    if max(abs(small - 1), abs(large - 1), abs(longer - 1)) < 1e-3:
        return "cosine"
    if abs(large - 2 * small) < 1e-3 and abs(longer - 2 * small) < 1e-3:
        return "dot" if abs(small - 2) < 1e-3 else "scaled dot"
    return "additive"


TASK = Exercise(
    id="01.name_the_score",
    title="Which score is in the box",
    level="hard",
    minutes=20,
    concepts=(
        "dot-score",
        "scaled-dot-score",
        "cosine-score",
        "additive-score",
        "soft-against-hard",
        "root-d-as-temperature",
    ),
    reference=reference,
    rungs=(
        Rung(
            name="the hard boxes, and no others, are called hard",
            points=1.0,
            idea="a choice, no blend",
            draw=every,
            law=only("hard"),
            compare=False,
        ),
        Rung(
            name="the cosine boxes, and no others, are called cosine",
            points=1.0,
            idea="the effect of lengths",
            draw=every,
            law=only("cosine"),
            compare=False,
        ),
        Rung(
            name="the additive boxes, and no others, are called additive",
            points=1.0,
            idea="the effect of lengths",
            draw=every,
            law=only("additive"),
            compare=False,
        ),
        Rung(
            name="dot and scaled dot get their right names",
            points=1.25,
            idea="the root of the width",
            draw=two_dots,
            law=the_right_name,
            compare=False,
        ),
        Rung(
            name="all five, each by its name",
            points=1.5,
            draw=every,
            law=the_right_name,
            compare=False,
        ),
        Rung(
            name="names are spelled as in the task",
            points=0.25,
            draw=every,
            law=as_spelled,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="compared with each formula", answer=by_formulas),
        Alternative(name="by how the score grows", answer=by_growth),
    ),
    hints=(
        "You choose what goes into the box. Which query and which keys would make the five answer "
        "differently?",
        "The logarithm of the ratio of two weights is the difference of their scores. Which key "
        "has score 0 under three of the five?",
        "Make the query long. By which factor do the three scores of one key differ then, if the "
        "width is 4?",
    ),
    forbid=("plainformer", "__name__", "__closure__", "inspect", "__code__", "getsource"),
    equivalents={
        **dict.fromkeys(
            (
                f"{name}: line 3: {zero} becomes {other} in [{zero}, {zero}, {zero}, {zero}] ({n})"
                for name, zero, others in (
                    ("name_the_score", "0.0", ("-1.0", "1.0")),
                    ("reference reference", "0", ("-1", "1")),
                )
                for other in others
                for n in (2, 3, 4)
            ),
            "any key at a right angle to the query scores 0 under three of the five",
        ),
        **dict.fromkeys(
            (
                f"{name}: line {line}: {change}"
                for name in ("name_the_score", "reference reference")
                for line, change in (
                    (4, "tolist() dropped"),
                    (4, "0 becomes -1 in attention(query, key)[0]"),
                    (9, "< 0.001 becomes <= 0.001"),
                    (9, "- expected has its sides swapped"),
                )
            ),
            "a tensor of two numbers unpacks as well, there is one query, no score lies on the "
            "border, and a difference has no direction",
        ),
    },
)
