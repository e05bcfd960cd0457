"""All closed boxes refuse arguments out of range in the same way, so that this reveals nothing."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from exercise_bank.arguments import numbers, whole
from exercise_bank.ch04.boxes import box as shared
from exercise_bank.ch11 import boxes as online
from exercise_bank.ch12 import boxes as tiled
from exercise_bank.ch13 import boxes as cached
from exercise_bank.ch14 import boxes as samplers
from exercise_bank.ch15 import boxes as stretched
from exercise_bank.ch15.readers import reader
from exercise_bank.ch16 import boxes as servers
from tests.exercises.test_closed_boxes import BOXED, GOOD, boxes
from tests.exercises.test_stated import prompt

X, ONE = torch.ones(4, 2), torch.ones(4, 8)
HALF = torch.full((2, 2), 0.5)
NAN, WAVES = torch.full((4, 2), torch.nan), torch.ones(4, 2, dtype=torch.complex64)
#: By chapter: the boxes' module, good arguments, and bad ones with a word of the error message.
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


N, LONG, WIDE = torch.ones(4097, 2), torch.ones(4097, 8), torch.ones(2, 4097)
#: By task: arguments of the right shapes but too large, and the limit.
TOO_LARGE: dict[str, list[tuple[tuple[Any, ...], int]]] = {
    "01.name_the_score": [((LONG[:, :4], LONG[:1, :4]), 4096),
                          ((LONG[:4000, :4], LONG[:4000, :4]), 4_000_000)],
    "02.name_the_mistake": [((X, X, WIDE.repeat(2, 1)), 4096),
                            ((N[:2001], N[:2000], N[:2000]), 4_000_000)],
    "03.find_leak": [((N[:2001],) * 3, 4_000_000), ((N, N, N), 4096)],
    "04.who_shares": [((N[None], N[None], N[None]), 4096),
                      ((N[None, :2001], N[None, :2001], N[None, :2001]), 4_000_000)],
    "05.name_the_bug": [((N, X, X, torch.arange(4097), torch.arange(4)), 4096),
                        ((N[:2001],) * 3 + (torch.arange(2001),) * 2, 4_000_000)],
    "08.find_fault": [((X[0], N, N[:, 0], 1.0), 4096),
                      ((X[0], torch.ones(100_000, 2), torch.ones(100_000), 1.0), 4096)],
    "11.find_fault": [((WIDE, N, 2), 4096)],
    "12.fix_forward": [((X, N, N, True, 2, 2), 4096), ((N, N, N, False, 64, 64), 4096)],
    "13.find_fault": [((N, N, N, [4097], None), 4096)],
    "14.find_fault": [((HALF, HALF[:1], 200_001), 200_000)],
    "15.find_fault": [((0, LONG, LONG, [4000, 97]), 4096)],
    "16.find_fault": [(([(0, [7], 1)], 10_001), 10_000), (([(0, [7] * 10_001, 1)], 9), 10_000),
                      (([(0, [7], 10_001)], 9), 10_000), (([(301, [7], 1)], 9), 300)],
}  # fmt: skip
#: The boxes of these tasks receive the answer's own inputs, which never reach a limit.
AS_GIVEN = {"07.name_the_box", "09.backup", "09.silences", "15.needle"}
#: Empty arguments of the right shapes.
TOO_SMALL: dict[str, list[tuple[Any, ...]]] = {
    "08.find_fault": [(X[0], X[:0], X[:0, 0], 1.0), (X[0, :0], X[:, :0], X[:, 0], 1.0)],
    "11.find_fault": [(X.mT[:, :0], X[:0], 2), (X.mT[:0], X, 2)],
    "12.fix_forward": [(X[:0], X, X, True, 2, 2), (X, X[:0], X[:0], True, 2, 2),
                       (X[:, :0], X[:, :0], X, True, 2, 2), (X, X, X[:, :0], True, 2, 2)],
    "13.find_fault": [(X[:, :0], X[:, :0], X, [4], None), (X, X, X[:, :0], [4], None)],
}  # fmt: skip
BY_ID = {task.id: task for task in BOXED}


def box_of(name: str) -> Callable[..., Any]:
    """Return a box of a task; the box of chapter 04 has one key head."""
    if name == "04.who_shares":
        return shared([0], 1)
    return next(boxes(BY_ID[name]))[0]


def test_every_task_with_boxes_has_its_limits_tried() -> None:
    assert TOO_LARGE.keys() | AS_GIVEN == BY_ID.keys()


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_limit_of_size_is_named_and_no_shape_is_blamed(name: str) -> None:
    for call, limit in TOO_LARGE[name]:
        said = refusal(box_of(name), *call)
        assert str(limit) in said.partition("expected")[2]


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_limit_of_size_stands_in_the_prompt(name: str) -> None:
    text = prompt(BY_ID[name])
    limits = {2000 if name[:2] == "03" else limit for _, limit in TOO_LARGE[name]}
    assert [limit for limit in limits if f"{limit:,}" not in text] == []


@pytest.mark.parametrize("name", TOO_SMALL)
def test_an_empty_axis_is_named_and_no_shape_is_blamed(name: str) -> None:
    for call in TOO_SMALL[name]:
        assert re.search(r"there are 0 [a-z ]+: expected 1 to", refusal(box_of(name), *call))


@pytest.mark.parametrize(
    ("value", "word"), [(X.to_sparse(), "sparse"), (X.to("meta"), "meta"), (X.half(), "float16")]
)
def test_a_refusal_of_a_tensor_says_what_is_wrong_with_it(value: Any, word: str) -> None:
    with pytest.raises(TypeError, match=word):
        numbers("x", value, 2)


TYPES = (torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float32, torch.float64)
ON_TENSORS = [name for name in GOOD if any(isinstance(x, Tensor) for x in GOOD[name])]


@pytest.mark.parametrize("name", ON_TENSORS)
def test_boxes_take_the_types_of_which_their_page_speaks(name: str) -> None:
    def taken(dtype: torch.dtype) -> bool:
        given = [
            x.to(dtype) if isinstance(x, Tensor) and x.is_floating_point() else x
            for x in GOOD[name]
        ]
        return "expected real numbers, float32 or float64" not in refusal(box_of(name), *given)

    assert [each for each in TYPES if taken(each)] == [torch.float32, torch.float64]
    text = prompt(BY_ID[name])
    assert "`float32` and `float64` both do" in " ".join(text.split())
    assert not re.search(r"any\s+float|every\s+float|bfloat16|float16|float8", text)
