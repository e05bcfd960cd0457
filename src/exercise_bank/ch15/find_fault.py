"""Exercise 15.find_fault: find the fault of a stretched model in a closed box by its scores."""

import math

import torch
from torch import Generator, Tensor

from exercise_bank.ch15.boxes import BY_THE_BOOK, FAULTS, SOUND, Box, box
from exercise_bank.ch15.mistakes.find_fault import MISCONCEPTIONS
from exercise_bank.draws import more
from exercise_bank.skills import rung
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Alternative, Exercise, Inputs, Law

#: Where a fault has an effect: the layer, the plane, the sizes of chunks, and the key.
SHOWN: dict[str, tuple[int, int, list[int], int]] = {
    "formula": (0, 0, [1], 0),
    "twice": (0, 0, [1], 0),
    "once": (0, 0, [1], 0),
    "every layer": (1, 0, [1], 0),
    "new length": (0, 1, [21], 0),
    "old keys": (0, 1, [11, 10], 4),
}
TOLD = {
    "formula": "the configuration has 1.2, and this model uses 0.1 · ln 4 + 1",
    "twice": "queries and keys are multiplied by 1.2, and here each of them twice",
    "once": "queries are multiplied by 1.2 here, and keys are not",
    "every layer": "layers 1 and 3 have a window and are not stretched",
    "new length": "turns are counted within the 256 positions of training, not within 1,024",
    "old keys": "the cache has the keys of the first chunk, rotated with the old frequencies",
}


def boxes(*kinds: str) -> list[Inputs]:
    return [{"box": box(kind)} for kind in kinds]


FACTORS = ("formula", "twice", "once")
FREQUENCIES = ("new length", "old keys")


def factors(g: Generator) -> list[Inputs]:
    return boxes(*_ordered(g, *FACTORS))


def factors_and_another(g: Generator) -> list[Inputs]:
    return boxes(*_ordered(g, *FACTORS, BY_THE_BOOK))


def layers(g: Generator) -> list[Inputs]:
    return boxes(*_ordered(g, "every layer", BY_THE_BOOK))


def frequencies(g: Generator) -> list[Inputs]:
    return boxes(*_ordered(g, *FREQUENCIES))


def frequencies_and_another(g: Generator) -> list[Inputs]:
    return boxes(*_ordered(g, *FREQUENCIES, "every layer"))


def sound(g: Generator) -> list[Inputs]:
    return boxes(*_ordered(g, *SOUND, "new length"))


def _ordered(g: Generator, *kinds: str) -> list[str]:
    """Return the kinds in order; in hidden inputs repeat some of them and shuffle."""
    if not isinstance(g, Fresh):
        return list(kinds)
    kinds += kinds[: more(g)]
    return [kinds[i] for i in torch.randperm(len(kinds), generator=g).tolist()]


def one_of(names: tuple[str, ...]) -> Law:
    """Make a law about a group of faults: their names are given to their boxes and no others."""

    def law(inputs: Inputs, answer: object) -> str | None:
        said = a_name(inputs, answer)
        right = answer in FAULTS and (answer in names) == (find_fault(**inputs) in names)
        return None if right else said

    return law


def a_name(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not one of the names, or this model's behaviour."""
    if type(answer) is not str or answer not in FAULTS:
        return f"return one of {', '.join(map(repr, FAULTS))}; yours is {answer!r}"
    true = find_fault(**inputs)
    if answer == true:
        return None
    if true == "none":
        return (
            "this model agrees with its configuration in every layer: its scores for keys up to "
            f"the query are those of `by_the_book` up to rounding; yours says {answer!r}"
        )
    layer, plane, sizes, at = SHOWN[true]
    x = torch.zeros(sum(sizes), 8, dtype=torch.float64)
    x[:, 2 * plane] = 1
    gave, should, named = (
        each(layer, x, x, sizes)[-1, at].item()
        for each in (inputs["box"], box("cached"), box(answer))
    )
    but = (
        ""
        if answer == "none" or abs(gave - named) < 1e-3
        else (f", which would give {named:.4f} there")
    )
    return (
        f"in layer {layer}, with queries and keys that are 1 in component {2 * plane} and 0 "
        f"elsewhere, in chunks of {sizes}, this model gives the last query and key {at} a score of "
        f"{gave:.4f}; the configuration gives {should:.4f}: {TOLD[true]}. Yours says "
        f"{answer!r}{but}"
    )


def find_fault(box: Box) -> str:
    """Return the name of the model's fault, or "none"."""

    def score(layer: int, plane: int, sizes: list[int], at: int) -> float:
        x = torch.zeros(sum(sizes), 8)
        x[:, 2 * plane] = 1
        return float(box(layer, x, x, sizes)[-1, at]) * math.sqrt(8)

    square = score(0, 0, [1], 0)
    for name, wrong in (
        ("formula", (0.1 * math.log(4) + 1) ** 2),
        ("twice", 1.2**4),
        ("once", 1.2),
    ):
        if abs(square - wrong) < 0.01:
            return name
    if abs(score(1, 0, [1], 0) - 1) > 0.01:
        return "every layer"
    if abs(score(0, 1, [21], 0) - 1.44 * math.cos(20 * 0.0324)) > 0.01:
        return "new length"
    right = 1.44 * math.cos(16 * 0.0324)
    return "old keys" if abs(score(0, 1, [11, 10], 4) - right) > 0.01 else "none"


def turned(x: Tensor, frequencies: tuple[float, ...]) -> Tensor:
    angles = torch.arange(len(x))[:, None] * torch.tensor(frequencies)
    numbers = torch.complex(x[:, 0::2], x[:, 1::2]) * torch.exp(1j * angles)
    return torch.view_as_real(numbers).flatten(1)


def by_a_table(box: Box) -> str:
    g = torch.Generator().manual_seed(3)
    query, key = torch.randn(2, 40, 8, generator=g)
    plain, long = (1.0, 0.1, 0.01, 0.001), (1.0, 0.0324, 0.0025, 0.00025)

    def scores(frequencies: tuple[float, ...], factor: float) -> Tensor:
        q, k = turned(query, frequencies), turned(key, frequencies)
        return (factor * q @ k.T / 8**0.5).tril()

    full, local = (box(layer, query, key, [40]).tril() for layer in (2, 3))
    formula = 1 + 0.1 * math.log(4.0)
    wrong = {"formula": formula * formula, "twice": 1.2**4, "once": 1.2}
    for name, factor in wrong.items():
        if torch.allclose(full, scores(long, factor), atol=1e-3):
            return name
    if not torch.allclose(local, scores(plain, 1.0), atol=1e-3):
        return "every layer"
    if not torch.allclose(full, scores(long, 1.44), atol=1e-3):
        return "new length"
    chunks = box(2, query, key, [20, 20]).tril()
    return "none" if torch.allclose(chunks, full, atol=1e-3) else "old keys"


def by_quotients(box: Box) -> str:
    x = torch.ones(30, 8)
    full, local = box(0, x, x, [30]), box(1, x, x, [30])
    factor = round(float(full[3, 3] / math.sqrt(8)), 2)
    if factor != 1.44:
        return {1.3: "formula", 2.07: "twice", 1.2: "once"}[factor]
    if float(local[0, 0]) > 3:
        return "every layer"
    y = torch.zeros(30, 8)
    y[:, 2] = 1.0
    alone = box(2, y, y, [30])
    angle = math.acos(min(1.0, float(alone[29, 0] / alone[29, 29])))
    if angle > 29 * 0.05:
        return "new length"
    again = box(0, x, x, [10] * 3)
    return "none" if torch.allclose(again, full, rtol=1e-4) else "old keys"


TASK = Exercise(
    id="15.find_fault",
    title="A stretched model in a closed box",
    level="hard",
    minutes=15,
    concepts=("yarn-by-parts", "yarn-temperature", "extensions-measured"),
    reference=find_fault,
    rungs=(
        rung("one of the wrong factors is named if the model has one, and only then", 1.5,
             factors_and_another, one_of(FACTORS), "distance 0 shows the factor, squared"),
        rung("which factor it is", 1.25, factors, a_name),
        rung("the layers that are stretched", 1.25, layers, one_of(("every layer",))),
        rung("wrong frequencies, of all keys or of cached ones", 1.75,
             frequencies_and_another, one_of(FREQUENCIES),
             "frequencies show at a distance, in one chunk or two"),
        rung("which wrong frequencies they are", 0.75, frequencies, a_name),
        rung("sound models are called sound, beside one with a wrong length", 0.5, sound,
             one_of(FAULTS[1:])),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by a table of wrong models", answer=by_a_table),
        Alternative(name="by quotients", answer=by_quotients),
    ),
    hints=(
        "For which queries and keys can you say in your head what a score is? At which distance do "
        "frequencies not matter?",
        "With one component of 1 a score is a multiplier times the cosine of frequency · distance "
        "/ √8. At distance 0 the multiplier is left; far apart a slow plane shows its frequency.",
        "Go from simple to less simple: layer 0 at distance 0; layer 1; plane 1 at distance 20; "
        "then the same in two chunks, with a key of the first chunk that is not at position 0.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "find_fault.score: line 5: * plane dropped",
                "find_fault.score: line 5: 2 becomes 3 in 2 * plane",
                "find_fault: line 7: 0 becomes -1 in score(0, 0, [1], 0) (2)",
                "find_fault: line 7: 0 becomes 1 in score(0, 0, [1], 0) (2)",
                "find_fault: line 11: 0 becomes -1 in score(1, 0, [1], 0)",
                "find_fault: line 11: 0 becomes 1 in score(1, 0, [1], 0)",
            ),
            "at distance 0 every plane gives the same score, and plane 1 is asked elsewhere",
        ),
        **dict.fromkeys(
            (
                "find_fault: line 7: 0 becomes -1 in score(0, 0, [1], 0) (3)",
                "find_fault: line 11: 0 becomes -1 in score(1, 0, [1], 0) (2)",
            ),
            "of one key the first is the last",
        ),
        **dict.fromkeys(
            (
                "find_fault: line 9: < 0.01 becomes <= 0.01",
                "find_fault: line 11: > 0.01 becomes >= 0.01",
                "find_fault: line 13: > 0.01 becomes >= 0.01",
                "find_fault: line 16: > 0.01 becomes >= 0.01",
            ),
            "no model is off by exactly a hundredth",
        ),
        **dict.fromkeys(
            (
                "find_fault: line 9: - wrong has its sides swapped",
                "find_fault: line 11: - 1 has its sides swapped",
                "find_fault: line 13: - 1.44 * math.cos(20 * 0.0324) has its sides swapped",
                "find_fault: line 16: - right has its sides swapped",
            ),
            "a distance has no direction",
        ),
        **dict.fromkeys(
            (
                "find_fault: line 11: abs of score(1, 0, [1], 0) - 1 dropped",
                "find_fault: line 16: abs of score(0, 1, [11, 10], 4) - right dropped",
            ),
            "the fault that is left to be found errs on this side",
        ),
        "find_fault.score: line 6: float of box(layer, x, x, sizes)[-1, at] dropped": (
            "a tensor of one number compares as the number does"
        ),
    },
)  # fmt: skip
