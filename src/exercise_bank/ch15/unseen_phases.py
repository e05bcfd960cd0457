"""Exercise 15.unseen_phases: planes that never complete a turn, and angles that are new."""

import math
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch15.mistakes.unseen_phases import MISCONCEPTIONS
from exercise_bank.ch15.mistakes.unseen_phases_two import TWO
from exercise_bank.draws import some
from exercise_bank.skills import rung, through
from plaincourse.exercise import Alternative, Exercise, Inputs, Law

Two = tuple[list[int], list[int]]
NAMES = ("slow", "unseen")
TURN = 2 * math.pi


def drawn(wavelengths: list[float], trained: int, distance: int) -> Inputs:
    """Make the inputs for planes with these numbers of positions per turn."""
    found = [TURN / each for each in wavelengths]
    return {"frequencies": torch.tensor(found, dtype=torch.float64), "trained": trained,
            "distance": distance}  # fmt: skip


def with_wavelengths(inputs: Inputs) -> Inputs:
    """Show the wavelengths too, because frequencies are rounded and one exact turn matters."""
    waves = {"2 * math.pi / frequencies": (TURN / inputs["frequencies"]).tolist()}
    return {"frequencies": inputs["frequencies"], **waves, **inputs}


def shuffled(g: Generator, wavelengths: list[float]) -> list[float]:
    order = torch.randperm(len(wavelengths), generator=g)
    return [wavelengths[i] for i in order.tolist()]


def turning(g: Generator) -> list[Inputs]:
    n = some(g, 40, 60)
    return [
        drawn([8.0, 64.0, 256.0], 33, 50),
        drawn([6.3, 24.5, 300.5], 65, 30),
        drawn(shuffled(g, [500.5, 6.3, 80.5, 20.5, 45.5]), n + 13, 20),
        drawn(shuffled(g, [6.3, n + 90.5, n + 30.5, n - 20.5, n + 60.5]), n, 7),
    ]


def turns_to_the_step(g: Generator) -> list[Inputs]:
    """Draw a plane whose last trained angle is exactly one turn, and one a step away from that."""
    a = 2 ** some(g, 4, 6)
    return [
        drawn([4.0, 8.0, 16.0], 9, 3),
        drawn([4.0, 8.0, 16.0], 8, 3),
        drawn([2 * a, a, a / 2], a + 1, 5),
        drawn([2 * a, a, a / 2], a, 5),
        drawn([6.3, a + 0.5, a - 0.5], a + 1, 5),
    ]


def farther(g: Generator) -> list[Inputs]:
    """Draw distances at which no slow plane has completed a turn."""
    n = some(g, 40, 60)
    return [
        drawn([8.0, 64.0, 256.0], 33, 50),
        drawn([6.3, 24.5, 300.5], 65, 100),
        drawn([6.3, 20.5, 95.5, 400.5], n, n + 20),
        drawn([900.5, 7.3, 700.5, 11.5], 2 * n, 3 * n),
        drawn([6.3, 100.5, 300.5], 21, 61),
    ]


def round_again(g: Generator) -> list[Inputs]:
    """Draw distances at which a slow plane has returned to its trained arc, or left it again."""
    n = some(g, 30, 40)
    return [
        drawn([8.0, 64.0, 256.0], 33, 80),
        drawn([6.3, 80.5, 100.5], 65, 90),
        drawn([6.3, 80.5, 100.5], 65, 155),
        drawn([7.3, 2 * n + 0.5, 4 * n + 0.5, 30 * n], n, 5 * n + 3),
        drawn([100.5, 3 * n + 0.5, 6.3, 1.5 * n + 0.3], n, 4 * n + 8),
        *(after_many_turns(g, some(g, 4000, 6000)) for _ in range(3)),
    ]


def after_many_turns(g: Generator, distance: int) -> Inputs:
    """Draw slow planes after some 60 to 90 turns, within the arc or beyond."""
    trained = some(g, 30, 40)
    turns = distance // (2 * trained)
    rests = [share * trained for share in (0.3, 1.3, 0.6, 1.6)]
    waves = [(distance - rest) / (turns + i) for i, rest in enumerate(rests)]
    return drawn([6.3, *waves], trained, distance)


def arcs_to_the_step(g: Generator) -> list[Inputs]:
    """Draw the end of the arc, and angles a step beyond it or less."""
    n = some(g, 40, 60)
    return [
        drawn([8.0, 64.0, 256.0], 33, 32),
        drawn([8.0, 64.0, 256.0], 33, 33),
        drawn([6.5, 13.3, 800.5], n, n),
        drawn([6.3, 80.5, 300.5], 65, 145),
    ]


def trained_ones(g: Generator) -> list[Inputs]:
    n = some(g, 30, 40)
    return [
        drawn([6.3, 200.5, 900.5], 65, 60),
        drawn([6.3, 12.5, 25.5], 4 * n, 9 * n + 1),
        drawn([6.3, 90.5, 500.5], n, n // 2),
        drawn([8.0, 128.0, 512.0], 33, 128),
    ]


def unseen_phases(frequencies: Tensor, trained: int, distance: int) -> Two:
    """Return the planes without a full turn in training, and those at an angle never seen."""
    last = frequencies * (trained - 1)
    slow = last < 2 * math.pi
    unseen = (frequencies * distance) % (2 * math.pi) > last
    return slow.nonzero().flatten().tolist(), unseen.nonzero().flatten().tolist()


def by_wavelength(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow, unseen = [], []
    for i, frequency in enumerate(frequencies.tolist()):
        wavelength = 2 * math.pi / frequency
        if wavelength > trained - 1:
            slow.append(i)
            if distance % wavelength > trained - 1:
                unseen.append(i)
    return slow, unseen


def by_turns(frequencies: Tensor, trained: int, distance: int) -> Two:
    turns = frequencies / (2 * math.pi)
    longest = turns * (trained - 1)
    now = turns * distance
    part = now - now.floor()
    slow = [i for i in range(len(turns)) if longest[i] < 1]
    return slow, [i for i in slow if part[i] > longest[i]]


def by_coming_back(frequencies: Tensor, trained: int, distance: int) -> Two:
    slow, unseen = [], []
    for i in range(len(frequencies)):
        turn = 2 * math.pi
        last = float(frequencies[i]) * (trained - 1)
        angle = float(frequencies[i]) * distance
        while angle >= turn:
            angle -= turn
        slow += [i] if last < turn else []
        unseen += [i] if last < angle else []
    return slow, unseen


def planes(found: Any) -> list[int] | None:
    """Return the numbers of planes in a list, a tuple or a tensor of whole numbers."""
    if isinstance(found, Tensor):
        whole = found.ndim == 1 and not found.is_floating_point() and found.dtype != torch.bool
        return found.tolist() if whole else None
    if not isinstance(found, (list, tuple)):
        return None
    found = [x.item() if isinstance(x, Tensor) and x.numel() == 1 else x for x in found]
    return list(found) if all(type(x) is int for x in found) else None


def listed(number: int) -> Law:
    """Make a law about one of the two lists, plane by plane."""

    def law(inputs: Inputs, answer: Any) -> str | None:
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            return "return a tuple of two lists of planes: `slow` and `unseen`"
        name, yours = NAMES[number], planes(answer[number])
        if yours is None:
            return f"`{name}` is a list of whole numbers, the planes from 0 on"
        right = unseen_phases(**inputs)[number]
        if yours == right:
            return None
        if sorted(yours) == right:
            return f"`{name}` names each plane once, in order; yours is {yours}"
        plane = min(set(yours) ^ set(right), default=None)
        if plane is None or not 0 <= plane < len(inputs["frequencies"]):
            return f"`{name}` is {right}; yours is {yours}"
        turn = inputs["frequencies"][plane].item() / TURN
        trained, here = turn * (inputs["trained"] - 1), turn * inputs["distance"]
        if number == 0:
            turns = "turn" if f"{trained:.4g}" == "1" else "turns"
            return (
                f"plane {plane} makes {trained:.4g} {turns} up to the longest distance of "
                f"training, {inputs['trained'] - 1}; your `slow` is {yours}"
            )
        seen = "every angle" if trained >= 1 else f"the angles from 0 to {trained:.4g} turns"
        return (
            f"plane {plane} has seen {seen}; at distance {inputs['distance']} it has made "
            f"{here:.4g} turns; your `unseen` is {yours}"
        )

    return law


def both(inputs: Inputs, answer: Any) -> str | None:
    return listed(0)(inputs, answer) or listed(1)(inputs, answer)


def read(inputs: Inputs, answer: Any) -> Any:
    """Read masks as lists, and accept the lists in the other order or counted from 1."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return answer
    slow, unseen = (
        x.nonzero().flatten() if isinstance(x, Tensor) and x.dtype == torch.bool else x
        for x in answer
    )
    lists, right = (planes(slow), planes(unseen)), unseen_phases(**inputs)
    shifted = tuple([i - 1 for i in each or ()] for each in lists)
    return right if right in (lists[::-1], shifted) else (slow, unseen)


TASK = Exercise(
    id="15.unseen_phases",
    title="Angles that were never seen",
    level="warm-up",
    minutes=8,
    concepts=("unseen-phases", "rotary-extrapolation"),
    reference=unseen_phases,
    shown=with_wavelengths,
    rungs=(
        rung("planes that never complete a turn", 1.75, turning, through(read, listed(0)),
             idea="slow: no whole turn in training"),
        rung("one turn exactly, and a step less", 0.25, turns_to_the_step,
             through(read, listed(0))),
        rung("angles that are new, a little beyond training", 0.5, farther,
             through(read, listed(1)), idea="new: beyond the plane's arc"),
        rung("the end of the arc, and a step beyond", 0.25, arcs_to_the_step,
             through(read, listed(1))),
        rung("planes that have come round again, once or many times", 1.75, round_again,
             through(read, listed(1)), idea="whole turns lead back"),
        rung("two lists, `slow` first, at distances of training and beyond", 0.5,
             trained_ones, both),
    ),
    misconceptions=(*MISCONCEPTIONS, *TWO),
    alternatives=(
        Alternative(name="by wavelength", answer=by_wavelength),
        Alternative(name="by turns", answer=by_turns),
        Alternative(name="by taking turns off", answer=by_coming_back),
    ),
    hints=(
        "Two tokens of a training text: what are the smallest and the largest distance between "
        "them? Through which angles does a plane go between these two?",
        "A plane that has made a whole turn has shown every angle. Another has shown one arc that "
        "begins at 0. Where does that arc end?",
        "Compare two angles: the last of training, and the one at `distance` after whole turns "
        "were taken off.",
    ),
    equivalents=dict.fromkeys(
        (
            "unseen_phases: line 5: tolist() dropped",
            "unseen_phases: line 5: tolist() dropped (2)",
        ),
        "a tensor of plane numbers is read as a list of them",
    ),
)  # fmt: skip
