"""Exercise 14.find_fault: speculative samplers in closed boxes, and tests that can reject."""

import math
from functools import lru_cache
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch14.boxes import FAULTS, SOUND, Box, box
from exercise_bank.ch14.mistakes.find_fault import MISCONCEPTIONS
from exercise_bank.draws import more
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Law

#: Limit on an answer's rounds in all; above it, two more calls would take too long.
TWICE_MORE = 300_000
#: Number of calls for each sampler, with other draws: a poor test should not pass by chance.
TIMES = 4
#: Arguments for which a fault has an effect: p, q, and a token that is too frequent at a place.
SHOWN: dict[str, tuple[list[list[float]], list[list[float]], int, int]] = {
    "keeps all": ([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0]], 0, 1),
    "other draft": ([[0.5, 0.5], [0.5, 0.5]], [[0.8, 0.2]], 0, 0),
    "by p alone": ([[0.5, 0.5], [0.5, 0.5]], [[0.8, 0.2]], 0, 0),
    "from p": ([[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0]], 0, 0),
    "not clipped": ([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0]], 0, 1),
    "bonus row": ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0]], 1, 0),
}


def boxes(g: Generator, *kinds: str) -> list[Inputs]:
    """Make samplers; hidden inputs have other draws."""
    return [{"box": box(kind, more(g, 2**20))} for kind in kinds]


def kept(g: Generator) -> list[Inputs]:
    return boxes(g, "keeps all", "by p alone")


def replaced(g: Generator) -> list[Inputs]:
    return boxes(g, "from p", "not clipped")


def bonus(g: Generator) -> list[Inputs]:
    return boxes(g, "bonus row", "keeps all")


def declared(g: Generator) -> list[Inputs]:
    return boxes(g, "other draft", "by p alone")


def sound(g: Generator) -> list[Inputs]:
    return boxes(g, *SOUND, "keeps all")


def again_and_again(g: Generator) -> list[Inputs]:
    """Return every sampler a few times, each time with other draws, in any order."""
    kinds = (*FAULTS[1:], *SOUND) * TIMES
    order = torch.randperm(len(kinds), generator=g).tolist()
    salts = torch.randint(3, 2**20, (len(kinds),), generator=g).tolist()
    return [{"box": box(kinds[i], salt)} for i, salt in zip(order, salts, strict=True)]


@lru_cache(maxsize=256)
def right(box: Box) -> str:
    """Return the right name, cached for repeated calls by laws."""
    return find_fault(box)


class Wavering(str):
    """A wrong name from an answer that gives others if only the draws differ."""

    others: tuple[str, ...] = ()


def serve(answer: Any, inputs: Inputs) -> Any:
    """Call an answer; if its name is wrong, call it again on the same sampler with other draws."""
    asked: list[int] = []

    def sampler(p: Tensor, q: Tensor, rounds: int) -> Tensor:
        asked.append(int(rounds))
        return inputs["box"](p, q, rounds)

    name = answer(box=sampler)
    few = sum(asked) <= TWICE_MORE
    if not (few and isinstance(name, str) and name in FAULTS) or name == right(inputs["box"]):
        return name
    others = {answer(box=inputs["box"].again(salt)) for salt in (1, 2)} - {name}
    if not others <= set(FAULTS) or not others:
        return name
    wavering = Wavering(name)
    wavering.others = tuple(sorted(others))
    return wavering


def a_name(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not a name, depends on chance, or does not fit this sampler."""
    if not isinstance(answer, str) or answer not in FAULTS:
        return f"return one of {', '.join(map(repr, FAULTS))}; yours is {answer!r:.60}"
    true = right(inputs["box"])
    if answer == true:
        return None
    if isinstance(answer, Wavering):
        return (
            f"yours says {answer!r}, and with other draws of the same sampler "
            f"{' or '.join(map(repr, answer.others))}: chance decides. Draw more rounds, choose p "
            "and q for which the faults lie further apart, and allow for the spread of a share, "
            "about √(p(1 - p)/rounds)"
        )
    if true == "none":
        return f"this sampler gives the model's distribution for any p and q; yours says {answer!r}"
    p, q, place, token = SHOWN[true]

    def often(sampler: Box) -> float:
        tokens = sampler(torch.tensor(p), torch.tensor(q), 5_000)[:, place]
        return (tokens == token).sum().item() / max((tokens >= 0).sum().item(), 1)

    gives, named = often(inputs["box"]), often(box(answer))
    but = (
        ""
        if answer == "none" or abs(gives - named) < 0.05
        else (f", which would give it in {100 * named:.0f}%")
    )
    return (
        f"for p = {p} and q = {q} this sampler gives token {token} at place {place} in "
        f"{100 * gives:.0f}% of the rounds that get there, and the model in "
        f"{100 * p[place][token]:.0f}%; yours says {answer!r}{but}"
    )


def most_often(law: Law) -> Law:
    """Make a law that accepts a wrong name if other draws give the right one twice."""

    def forgiving(inputs: Inputs, answer: Any) -> str | None:
        rights = (right(inputs["box"]),)
        slip = isinstance(answer, Wavering) and answer.others == rights
        return None if slip else law(inputs, answer)

    return forgiving


def sound_or_not(inputs: Inputs, answer: object) -> str | None:
    """Accept the name of any fault for a fault."""
    faulty = answer in FAULTS[1:] and right(inputs["box"]) != "none"
    return None if faulty else a_name(inputs, answer)


def find_fault(box: Box) -> str:
    """Return the name of the sampler's fault, or "none"."""

    def share(p: list[float], q: list[float], place: int = 0) -> float:
        rows = torch.tensor([p, [0.0, 1.0]])
        tokens = box(rows, torch.tensor([q]), 5_000)[:, place]
        return (tokens == 0).sum().item() / max((tokens >= 0).sum().item(), 1)

    if share([1.0, 0.0], [1.0, 0.0], place=1) > 0.5:
        return "bonus row"
    certain = share([1.0, 0.0], [0.0, 1.0])
    if certain < 0.95:
        return "keeps all" if certain < 0.05 else "not clipped"
    if share([0.5, 0.5], [1.0, 0.0]) > 0.6:
        return "from p"
    half = share([0.5, 0.5], [0.8, 0.2])
    if half < 0.45:
        return "by p alone"
    return "other draft" if half > 0.55 else "none"


def by_predictions(box: Box) -> str:
    """Compute the predictions of each sampler for one p and q, and choose the nearest."""
    p = torch.tensor([[0.45, 0.05, 0.3, 0.2], [0.1, 0.2, 0.3, 0.4]])
    q = torch.tensor([[0.15, 0.35, 0.4, 0.1]])

    def mixed(draft: Tensor, keep: Tensor, rest: Tensor) -> Tensor:
        stays = draft * keep
        return stays + (1 - stays.sum()) * rest / rest.sum()

    keep, missing = (p[0] / q[0]).clamp_max(1), (p[0] - q[0]).clamp_min(0)
    sharp = q[0] ** 2 / (q[0] ** 2).sum()
    expected = {
        "none": p[0],
        "keeps all": q[0],
        "other draft": mixed(sharp, keep, missing),
        "by p alone": mixed(q[0], p[0], missing),
        "from p": mixed(q[0], keep, p[0]),
        "not clipped": mixed(q[0], keep, (p[0] - q[0]).abs()),
    }
    tokens = box(p, q, 50_000)
    often = torch.bincount(tokens[:, 0], minlength=4) / len(tokens)
    name = min(expected, key=lambda each: (expected[each] - often).abs().sum().item())
    second = tokens[:, 1][tokens[:, 1] >= 0]
    if name == "none" and len(second):
        off = torch.bincount(second, minlength=4) / len(second) - p[1]
        name = "bonus row" if off.abs().max() > 0.05 else name
    return name


def by_chi_square(box: Box) -> str:
    """Test hypotheses in turn, each against its own distribution."""

    def rejected(p: list[list[float]], q: list[list[float]], place: int) -> bool:
        tokens = box(torch.tensor(p), torch.tensor(q), 30_000)[:, place]
        tokens = tokens[tokens >= 0]
        wanted = torch.tensor(p[place]) * len(tokens)
        came = torch.bincount(tokens, minlength=len(wanted))
        if (came[wanted == 0] > 0).any():
            return True
        inside = wanted > 0
        chi = ((came - wanted)[inside] ** 2 / wanted[inside]).sum().item()
        return chi > 30

    even = [0.5, 0.5, 0.0]
    if rejected([[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]], [[0.2, 0.3, 0.5]], 1):
        return "bonus row"
    if rejected([[0.0, 0.0, 1.0], even], [[0.5, 0.5, 0.0]], 0):
        tokens = box(torch.tensor([[0.0, 0.0, 1.0], even]), torch.tensor([even]), 1000)
        return "not clipped" if (tokens[:, 0] == 2).any() else "keeps all"
    if rejected([even, even], [[1.0, 0.0, 0.0]], 0):
        return "from p"
    if rejected([[0.2, 0.3, 0.5], even], [[0.5, 0.3, 0.2]], 0):
        tokens = box(torch.tensor([[0.6, 0.4], [1, 0]]), torch.tensor([[0.7, 0.3]]), 30_000)
        return "other draft" if (tokens[:, 0] == 0).float().mean() > 0.6 else "by p alone"
    return "none"


def with_two_guesses(box: Box) -> str:
    """Test the second guess of a round whose first is certain."""
    sure, never, even, tilted = (torch.tensor([x, 1 - x]) for x in (1.0, 0.0, 0.5, 0.9))

    def often(place: int, p: tuple[Tensor, ...], q: tuple[Tensor, ...]) -> float:
        tokens = box(torch.stack(p), torch.stack(q), 20_000)[:, place].tolist()
        there = [token for token in tokens if token != -1]
        return there.count(0) / len(there) if there else math.nan

    found = {
        "bonus row": often(2, (sure, sure, never), (sure, sure)) > 0.5,
        "keeps all": often(1, (sure, sure, sure), (sure, never)) < 0.1,
        "not clipped": often(1, (sure, sure, sure), (sure, never)) < 0.9,
        "from p": often(1, (sure, even, sure), (sure, sure)) > 0.6,
        "by p alone": often(1, (sure, even, sure), (sure, tilted)) < 0.475,
        "other draft": often(1, (sure, even, sure), (sure, tilted)) > 0.525,
    }
    return next((name for name, yes in found.items() if yes), "none")


PROBES = "each fault has a p and q that show it"
EXACT = "slow is not wrong"
CHANCE = "enough rounds, and a margin for chance"

TASK = Exercise(
    id="14.find_fault",
    title="A sampler in a closed box",
    level="hard",
    minutes=13,
    concepts=("speculative-exactness",),
    reference=find_fault,
    call=serve,
    rungs=(
        rung("which guesses are kept", 1.0, kept, most_often(a_name), PROBES),
        rung("what replaces a refused guess", 1.0, replaced, most_often(a_name), PROBES),
        rung("the token behind the last guess", 1.0, bonus, most_often(a_name), PROBES),
        rung("the distribution of the guesses", 1.0, declared, most_often(a_name), PROBES),
        rung("exact samplers are called sound", 1.0, sound, most_often(sound_or_not), EXACT),
        rung("each of them four times, with other draws", 2.0, again_and_again, a_name, CHANCE),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by the result of each", answer=by_predictions),
        Alternative(name="by chi-square tests", answer=by_chi_square),
        Alternative(name="by the second guess", answer=with_two_guesses),
    ),
    hints=(
        "For which p and q can you say in your head what a sound sampler gives, and what one that "
        "keeps every guess gives?",
        "Compute, for each fault, how often token 0 comes first with p = (0.5, 0.5) and q = "
        "(0.8, 0.2). Which faults does that distinguish, and which need another p and q?",
        "Certain rows are sharp probes: p = (1, 0) with q = (0, 1), or p = q = (1, 0) with "
        "(0, 1) behind it. Compare shares of the rounds that got there, with a margin that "
        "5,000 rounds allow.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "find_fault.share: line 4: torch.tensor of [p, [0.0, 1.0]] dropped",
                "find_fault.share: line 5: torch.tensor of [q] dropped",
                "find_fault.share: line 6: item() dropped",
                "find_fault.share: line 6: item() dropped (2)",
            ),
            "the box takes lists, and a tensor of one number serves as a number",
        ),
        **dict.fromkeys(
            (
                f"find_fault.share: line 5: 5000 becomes {other} in "
                "box(rows, torch.tensor([q]), 5000)"
                for other in (4999, 5001)
            ),
            "one draw more or less decides nothing",
        ),
        "find_fault.share: line 6: (tokens >= 0).sum().item() and 1 swapped in "
        "max((tokens >= 0).sum().item(), 1)": "a maximum has no order",
        "find_fault.share: line 6: 0 becomes -1 in tokens >= 0": (
            "all rounds get to place 0, and to place 1 where p and q are equal"
        ),
        "find_fault.share: line 6: 1 becomes 2 in max((tokens >= 0).sum().item(), 1)": (
            "it only keeps 0 from being divided by 0"
        ),
        **dict.fromkeys(
            (
                "find_fault: line 7: > 0.5 becomes >= 0.5",
                "find_fault: line 7: 0.5 becomes 0.0 in "
                "share([1.0, 0.0], [1.0, 0.0], place=1) > 0.5",
                "find_fault: line 10: < 0.95 becomes <= 0.95",
                "find_fault: line 10: 0.95 becomes 1.0 in certain < 0.95",
                "find_fault: line 11: < 0.05 becomes <= 0.05",
                "find_fault: line 12: > 0.6 becomes >= 0.6",
                "find_fault: line 15: < 0.45 becomes <= 0.45",
                "find_fault: line 17: > 0.55 becomes >= 0.55",
            ),
            "no box has a share near this border",
        ),
    },
)
