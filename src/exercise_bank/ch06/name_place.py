"""Exercise 06.name_place: find the place of the norm from the tensors around a sublayer."""

from typing import Any, Literal

import torch
from torch import Generator, Tensor

from exercise_bank.ch06.mistakes.name_place import MISCONCEPTIONS
from exercise_bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Law, Rung

PLACES = ("none", "pre", "post", "sandwich", "stream")

READS = "the input of the sublayer"
KEPT = "whether the stream is kept"


def normalised(x: Tensor, gain: Tensor, *, centre: bool) -> Tensor:
    x = x - x.mean(dim=-1, keepdim=True) if centre else x
    return gain * x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + 1e-5)


def watched(
    g: Generator,
    place: str,
    *,
    m: int = 4,
    centre: bool = True,
    size: float = 1.0,
    silent: int = 0,
    single: bool = True,
    sums: Literal["", "cancel", "grow"] = "",
) -> dict[str, Any]:
    """Pass a stream through one sublayer, and return the four tensors around it.

    The first features of the stream can be zeros, so that a norm which only scales leaves them
    unchanged. A number of the stream can cancel one that is written, or all sums can be far from 0.
    """
    x, wrote = size * (2 * normal(g, 3, m) + 0.5), size * (1.5 * normal(g, 3, m) + 0.3)
    gains = size * (1 + 0.3 * normal(g, 2, m).clamp(-2, 2))
    x[:, :silent], wrote[:, :silent] = 0, 0
    if sums == "cancel":
        x[0, 0], wrote[0, 0] = 2, -2
    if sums == "grow":
        x = x + x.sign()
        wrote = wrote.abs() * x.sign()
    if single:
        x, wrote, gains = x.float(), wrote.float(), gains.float()
    first = normalised(x, gains[0], centre=centre)
    last = normalised(wrote, gains[1], centre=centre)
    read, out = {
        "none": (x, x + wrote),
        "pre": (first, x + wrote),
        "post": (x, normalised(x + wrote, gains[1], centre=centre)),
        "sandwich": (first, x + last),
        "stream": (first, first + wrote),
    }[place]
    return {"x": x, "read": read, "wrote": wrote, "out": out}


def each_place(g: Generator) -> list[Inputs]:
    return [watched(g, place, m=m) for m in (4, 3) for place in PLACES]


def pre_and_none(g: Generator) -> list[Inputs]:
    example = {
        name: torch.tensor([numbers])
        for name, numbers in (
            ("x", [3.0, 1]),
            ("read", [3.0, 1]),
            ("wrote", [10.0, 20]),
            ("out", [13.0, 21]),
        )
    }
    return [example, *(watched(g, place) for place in ("pre", "none", "pre"))]


def post_and_sandwich(g: Generator) -> list[Inputs]:
    return [watched(g, place, m=6) for place in ("sandwich", "post", "post", "sandwich")]


def sandwich_and_stream(g: Generator) -> list[Inputs]:
    return [watched(g, place, m=3) for place in ("stream", "sandwich", "sandwich", "stream")]


def tokens_of_zeros(g: Generator) -> list[Inputs]:
    """Draw streams with tokens of zeros, first, inside or last; norms and sublayers leave them."""
    drawn: list[Inputs] = []
    for place in PLACES:
        outer, inner = watched(g, place, m=5), watched(g, place, m=5)
        for name, x in outer.items():
            outer[name] = torch.cat([0 * x[:1], x, 0 * x[:1]])
            inner[name][1] = 0
        drawn += [outer, inner]
    return drawn


def only_scaled(g: Generator) -> list[Inputs]:
    loud = [watched(g, place, m=7, centre=False) for place in PLACES]
    quiet = [watched(g, place, m=5, centre=False, size=0.05) for place in PLACES]
    return loud + quiet + [watched(g, place, m=6, centre=False, silent=2) for place in PLACES]


def rounded_once_more(inputs: dict[str, Any]) -> Inputs:
    """Change a sum by 1e-7 of the numbers that are added."""
    x, wrote = inputs["x"], inputs["wrote"]
    moved = inputs["out"] + 1e-7 * (x.abs() + wrote.abs()) * x.sign()
    return {**inputs, "out": moved}


def little_added(inputs: dict[str, Any]) -> Inputs:
    """Let the sublayer write little, so that the stream's rounding affects the difference."""
    wrote = 1e-4 * inputs["wrote"]
    return {**inputs, "wrote": wrote, "out": inputs["x"] + wrote}


def rounded(g: Generator) -> list[Inputs]:
    """Draw sums rounded as in another order of addition, far from 0 and near it, and in float64.

    A sum is off by about 1e-7 of the numbers that are added, so by more in a stream of large
    numbers.
    """
    drawn: list[Inputs] = []
    for place in PLACES:
        for each in (
            watched(g, place, sums="grow"),
            watched(g, place, m=33, sums="cancel"),
        ):
            drawn.append(rounded_once_more(each) if place in ("none", "pre") else each)
    drawn += [watched(g, place, m=4, single=False) for place in PLACES]
    loud = [watched(g, place, m=5, sums="grow", size=30) for place in PLACES]
    added = [
        little_added(watched(g, place, m=5, sums="grow", size=200)) for place in ("none", "pre")
    ]
    return drawn + [rounded_once_more(each) for each in loud[:2]] + loud[2:] + added


def told(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not a place, or not this one."""
    if answer not in PLACES:
        return f"return one of {', '.join(PLACES)}; yours is {answer!r}"
    right = name_place(**inputs)
    return None if answer == right else f"this place is {right!r}; your answer is {answer!r}"


def told_of(places: tuple[str, ...], what: str) -> Law:
    """Make a law that an answer is on the right side of one question."""

    def law(inputs: Inputs, answer: object) -> str | None:
        if answer not in PLACES:
            return f"return one of {', '.join(PLACES)}; yours is {answer!r}"
        inside = name_place(**inputs) in places
        if (answer in places) == inside:
            return None
        left = " or ".join(repr(each) for each in PLACES if (each in places) == inside)
        seen = what if inside else what.replace(" is ", " is not ", 1)
        return f"here {seen}, so the place is {left}; your answer is {answer!r}"

    return law


def name_place(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    """Return "none", "pre", "post", "sandwich" or "stream"."""

    def same(a: Tensor, b: Tensor) -> bool:
        return torch.allclose(a, b, rtol=1e-4, atol=1e-5)

    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    if same(out, x + wrote):
        return "pre"
    return "stream" if same(out, read + wrote) else "sandwich"


def by_distance(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    untouched = bool((read - x).abs().max() < 1e-4)
    kept = bool((out - x - wrote).abs().max() < 1e-4)
    lost = bool((out - read - wrote).abs().max() < 1e-4)
    if kept:
        return "none" if untouched else "pre"
    if untouched:
        return "post"
    return "stream" if lost else "sandwich"


def by_table(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    sees = bool(torch.isclose(read, x, atol=1e-4).all())
    added = out - wrote
    from_x = bool(torch.isclose(added, x, atol=1e-4).all())
    from_read = bool(torch.isclose(added, read, atol=1e-4).all())
    names = {
        (True, True, True): "none",
        (False, True, False): "pre",
        (False, False, True): "stream",
    }
    return names.get((sees, from_x, from_read), "post" if sees else "sandwich")


def by_what_was_added(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    def near(a: Tensor, b: Tensor) -> bool:
        return ((a - b).norm() < 1e-3 * (1e-3 + b.norm())).item()

    start = out - wrote
    if near(start, x):
        return "none" if near(read, x) else "pre"
    return "stream" if near(start, read) else "post" if near(read, x) else "sandwich"


TASK = Exercise(
    id="06.name_place",
    title="Where the norm is placed",
    level="hard",
    minutes=15,
    concepts=("add-and-norm", "post-norm", "pre-norm", "sandwich-norm", "residual-stream"),
    reference=name_place,
    rungs=(
        Rung(
            name="whether `read` is the stream, or a norm of it",
            points=1.0,
            draw=each_place,
            law=told_of(("none", "post"), "`read` is the stream x itself"),
            compare=False,
            idea=READS,
        ),
        Rung(
            name="whether `out` is x + wrote, or something else",
            points=1.0,
            draw=each_place,
            law=told_of(("none", "pre"), "`out` is x + wrote"),
            compare=False,
            idea=KEPT,
        ),
        Rung(
            name="a norm before, or none",
            points=0.75,
            draw=pre_and_none,
            law=told,
            idea=READS,
        ),
        Rung(
            name="a norm after the sum, or on both sides",
            points=1.0,
            draw=post_and_sandwich,
            law=told,
            idea=READS,
        ),
        Rung(
            name="a norm on both sides, or one after which the stream is lost",
            points=1.25,
            draw=sandwich_and_stream,
            law=told,
            idea=KEPT,
        ),
        Rung(
            name="norms that only scale, on streams of large and of small numbers; tokens of zeros",
            points=1.0,
            draw=lambda g: [*only_scaled(g), *tokens_of_zeros(g)],
            law=told,
        ),
        Rung(
            name="sums that are rounded, in float32 and float64",
            points=1.0,
            draw=rounded,
            law=told,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by distances", answer=by_distance),
        Alternative(name="by a table", answer=by_table),
        Alternative(name="by what was added to the stream", answer=by_what_was_added),
    ),
    hints=(
        "For each of the five places, write down formulas for `read` and `out`. Which two "
        "questions distinguish all but two of them?",
        "Is `read` the stream itself? And is `out` the stream plus `wrote`?",
        "Two places fail both tests. For one of them, `out` is the sum of `read` and `wrote`.",
    ),
    equivalents={
        "name_place.same: line 4: "
        "return torch.allclose( … ol=0.0001, atol=1e-05) has its sign turned": (
            "minus True is true as well"
        ),
        **dict.fromkeys(
            (
                "name_place.same: line 4: a and b swapped in torch.allclose(…)",
                "name_place: line 5: read and x swapped in same(read, x)",
                "name_place: line 6: out and x + wrote swapped in same(out, x + wrote)",
                "name_place: line 7: out and x + wrote swapped in same(out, x + wrote)",
                "name_place: line 9: out and read + wrote swapped in same(out, read + wrote)",
            ),
            "equality does not depend on the order",
        ),
        **dict.fromkeys(
            (
                "name_place.same: line 4: rtol=0.0001 dropped in torch.allclose(…)",
                "name_place.same: line 4: 0.0001 becomes 0.0 in rtol=0.0001",
            ),
            "the absolute tolerance is enough for a rounded sum",
        ),
        "name_place: line 6: x becomes read in x + wrote": "the two were found to be the same",
    },
)
