"""What is out of range is refused by every closed box in one way, so that it tells nothing."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from exercise_bank.arguments import whole
from exercise_bank.ch11 import boxes as online
from exercise_bank.ch12 import boxes as tiled
from exercise_bank.ch13 import boxes as cached
from exercise_bank.ch14 import boxes as samplers
from exercise_bank.ch15 import boxes as stretched
from exercise_bank.ch15.readers import reader
from exercise_bank.ch16 import boxes as servers

X, ONE = torch.ones(4, 2), torch.ones(4, 8)
HALF = torch.full((2, 2), 0.5)
NAN, WAVES = torch.full((4, 2), torch.nan), torch.ones(4, 2, dtype=torch.complex64)
#: By chapter: the module of the boxes, good arguments, and bad ones, with a word of the refusal.
BOXES: dict[str, tuple[Any, tuple[Any, ...], list[tuple[tuple[Any, ...], str]]]] = {
    "11": (online, (X.mT, X, 2), [
        ((X.mT, X, 0), "block"), ((X.mT, X, -1), "block"), ((X.mT, X, 1.5), "block"),
        ((X.mT, X, "2"), "block"), ((X.mT, X, True), "block"), ((X.mT, X, 10**30), "block"),
        ((X.mT, NAN, 2), "value"), ((WAVES.mT, X, 2), "scores"), (([[1.0]], X, 2), "scores"),
        ((X.mT[0], X, 2), "scores"), ((X, X, 2), "keys"),
    ]),
    "12": (tiled, (X, X, X, True, 2, 2), [
        ((X, X, X, True, 0, 2), "height"), ((X, X, X, True, 2, -1), "width"),
        ((X, X, X, True, "2", 2), "height"), ((X, X, X, True, 2, 2.0), "width"),
        ((X, X, X, None, 2, 2), "causal"), ((X, X, X, "no", 2, 2), "causal"),
        ((X, X, X, 1, 2, 2), "causal"), ((WAVES, X, X, True, 2, 2), "query"),
        ((X, NAN, X, True, 2, 2), "key"), ((X, X, X[:2], True, 2, 2), "expected"),
        ((X[:, :0], X[:, :0], X, True, 2, 2), "expected"),
    ]),
    "13": (cached, (X, X, X, [2, 2], None), [
        ((X, X, X, [5, -1], None), "sizes"), ((X, X, X, [2.0, 2.0], None), "sizes"),
        ((X, X, X, ["4"], None), "sizes"), ((X, X, X, [True, 3], None), "sizes"),
        ((X, X, X, "22", None), "sizes"), ((X, X, X, [4], 0), "window"),
        ((X, X, X, [4], -1), "window"), ((X, X, X, [4], 1.5), "window"),
        ((X, X, X, [4], "2"), "window"), ((X, NAN, X, [4], None), "key"),
        ((X, X, WAVES, [4], None), "value"), ((X, ONE, X, [4], None), "features"),
    ]),
    "14": (samplers, (HALF, HALF[:1], 5), [
        ((HALF, HALF[:1], 0), "rounds"), ((HALF, HALF[:1], -3), "rounds"),
        ((HALF, HALF[:1], 2.5), "rounds"), ((HALF, HALF[:1], "5"), "rounds"),
        ((HALF, HALF[:1], True), "rounds"), ((HALF, HALF[:1], 10**9), "rounds"),
        ((HALF + 0j, HALF[:1], 5), "p is"), ((HALF * torch.nan, HALF[:1], 5), "p holds"),
        (("half", HALF[:1], 5), "p is"), ((HALF, HALF[0], 5), "q has"),
    ]),
    "15": (stretched, (0, ONE, ONE, [2, 2]), [
        ((4, ONE, ONE, [4]), "layer"), ((-1, ONE, ONE, [4]), "layer"),
        ((True, ONE, ONE, [4]), "layer"), ((1.0, ONE, ONE, [4]), "layer"),
        (("1", ONE, ONE, [4]), "layer"), ((0, ONE, ONE, [5, -1]), "sizes"),
        ((0, ONE, ONE, [2.0, 2.0]), "sizes"), ((0, ONE * 1j, ONE, [4]), "query"),
        ((0, ONE, ONE * torch.nan, [4]), "key"), ((0, ONE, ONE.tolist(), [4]), "key"),
    ]),
    "16": (servers, ([(0, [7, 8], 2)], 9), [
        (([(0, [7], 2)], 0), "pages"), (([(0, [7], 2)], -1), "pages"),
        (([(0, [7], 2)], "9"), "pages"), (([(0, [7], 2)], 9.5), "pages"),
        (([(0, [], 2)], 9), "prompt"), (([(0, "ab", 2)], 9), "prompt"),
        (([(0, [1.5], 2)], 9), "prompt"), (([(-1, [7], 2)], 9), "step"),
        (([(0, [7], 0)], 9), "tokens"), (([(0, [7], "2")], 9), "tokens"),
        (([(0.5, [7], 2)], 9), "step"), (([(0, [7])], 9), "request"),
    ]),
}  # fmt: skip
CASES = [
    pytest.param(chapter, bad, word, id=f"{chapter}-{i}-{word}")
    for chapter, (_, _, every) in BOXES.items()
    for i, (bad, word) in enumerate(every)
]


def refusal(call: Callable[..., Any], *given: Any) -> str:
    try:
        call(*given)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "taken"


@pytest.mark.parametrize(("chapter", "bad", "word"), CASES)
def test_all_boxes_refuse_it_in_one_way(chapter: str, bad: tuple[Any, ...], word: str) -> None:
    module = BOXES[chapter][0]
    said = {refusal(module.box(kind), *bad) for kind in (*module.FAULTS, *module.SOUND)}
    assert len(said) == 1
    assert word in said.pop()


@pytest.mark.parametrize("chapter", BOXES)
def test_all_boxes_take_what_is_in_range(chapter: str) -> None:
    module, good, _ = BOXES[chapter]
    for kind in (*module.FAULTS, *module.SOUND):
        module.box(kind)(*good)


@pytest.mark.parametrize(
    ("prompt", "question"), [("a text", "of x?"), ([1, 2], "of x?"), (["a"], None), ({}, "of x?")]
)
def test_readers_take_sentences_and_a_question(prompt: Any, question: Any) -> None:
    for each in (reader(), reader(last=3), reader(limit=1, knows={"x": "y"}), reader(single=True)):
        with pytest.raises(TypeError, match="list of sentences"):
            each(prompt, question)


@pytest.mark.parametrize("value", [3, torch.tensor(3)])
def test_whole_numbers_of_any_kind_are_taken(value: Any) -> None:
    assert whole("n", value, 1, 5) == 3
