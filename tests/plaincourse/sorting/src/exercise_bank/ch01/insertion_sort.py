"""Exercise 01.insertion_sort: insert each number at its place among those before it."""

import torch
from torch import Generator

from plaincourse.exercise import Alternative, Exercise, Inputs, Misconception, Rung


def drawn(g: Generator, *lengths: int) -> list[Inputs]:
    """Draw lists of different numbers, so that the result does not follow from the length."""
    return [{"numbers": (torch.randperm(199, generator=g)[:n] - 99).tolist()} for n in lengths]


def pairs(g: Generator) -> list[Inputs]:
    low, high = sorted(drawn(g, 2)[0]["numbers"])
    return [{"numbers": [high, low]}, {"numbers": [low, high]}]


def with_equal_ones(g: Generator) -> list[Inputs]:
    low, high = sorted(drawn(g, 2)[0]["numbers"])
    several = torch.randint(0, 4, (9,), generator=g) + low
    return [{"numbers": [high, low, high]}, {"numbers": several.tolist()}]


def insertion_sort(numbers: list[int]) -> list[int]:
    """Return the numbers in ascending order."""
    done: list[int] = []
    for number in numbers:
        place = len(done)
        while place and done[place - 1] > number:
            place -= 1
        done.insert(place, number)
    return done


def falling(numbers: list[int]) -> list[int]:
    return insertion_sort(numbers)[::-1]


def one_pass(numbers: list[int]) -> list[int]:
    numbers = list(numbers)
    for i in range(len(numbers) - 1):
        if numbers[i] > numbers[i + 1]:
            numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
    return numbers


def each_once(numbers: list[int]) -> list[int]:
    return insertion_sort(list(set(numbers)))


def last_left_out(numbers: list[int]) -> list[int]:
    return [*insertion_sort(numbers[:-1]), *numbers[-1:]]


def first_left_out(numbers: list[int]) -> list[int]:
    return [*numbers[:1], *insertion_sort(numbers[1:])]


def places(numbers: list[int]) -> list[int]:
    return [numbers.index(number) for number in insertion_sort(numbers)]


def by_selection(numbers: list[int]) -> list[int]:
    left, done = list(numbers), []
    while left:
        done.append(left.pop(left.index(min(left))))
    return done


def by_merging(numbers: list[int]) -> list[int]:
    if len(numbers) < 2:
        return list(numbers)
    a, b = by_merging(numbers[::2]), by_merging(numbers[1::2])
    done = []
    while a and b:
        done.append((a if a[0] <= b[0] else b).pop(0))
    return [*done, *a, *b]


def wrong(name: str, answer: object, believed: str, says: str) -> Misconception:
    hints = ("Sort three cards in your hand, and say what you do.", says)
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


TASK = Exercise(
    id="01.insertion_sort",
    title="Insertion sort",
    level="easy",
    minutes=10,
    concepts=("insertion",),
    reference=insertion_sort,
    rungs=(
        Rung(name="two numbers", points=1.0, draw=pairs),
        Rung(name="any numbers", points=2.0, draw=lambda g: drawn(g, 4, 9, 16)),
        Rung(name="equal numbers", points=0.5, draw=with_equal_ones),
        Rung(
            name="one number, or none",
            points=0.5,
            draw=lambda g: [*drawn(g, 1), {"numbers": []}],
        ),
    ),
    misconceptions=(
        wrong("falling", falling, "The largest comes first.", "Your numbers fall."),
        wrong("one-pass", one_pass, "One pass sorts.", "You go through the numbers once only."),
        wrong("each-once", each_once, "Sorting is about values.", "Equal numbers are lost."),
        wrong("last-left-out", last_left_out, "One fewer.", "Your last number stays where it is."),
        wrong("first-left-out", first_left_out, "From 1.", "Your first number stays where it is."),
        wrong("places", places, "An order is places.", "You return places, and not numbers."),
    ),
    alternatives=(
        Alternative(name="by selection", answer=by_selection),
        Alternative(name="by merging", answer=by_merging),
    ),
    hints=("Which numbers are sorted after one step?", "Move a number left past larger ones."),
    forbid=("sorted", "sort"),
)
