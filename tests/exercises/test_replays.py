"""Answers that repeat the right results for visible inputs without reading inputs earn nothing."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from plaincourse.checking import memory
from plaincourse.checking.grader import grade
from plaincourse.checking.trials import draw
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import chapter, load
from plaincourse.proving.lazy import MOST
from plaincourse.proving.replays import REPLAYS, earned, problems
from tests.exercises.test_graders import CHAPTERS

EXERCISES = [task for number in CHAPTERS for task in chapter(number) if isinstance(task, Exercise)]
#: Hidden seeds like those that `plaincourse reseed` draws.
SEEDS = [2**64 + 12_345, 2**64 + 777, 2**65 - 990_001]
#: Tasks whose answer is an object, which is used rather than compared.
OBJECTS = {"02.SelfAttention"}


@pytest.fixture(scope="module", autouse=True)
def inputs_drawn_once() -> Iterator[None]:
    """Draw the inputs of a task once for both tests of it."""
    with memory.kept():
        yield


def shared() -> Iterator[Any]:
    """Yield the tasks; all but two of each chapter are slow tests."""
    for number in CHAPTERS:
        for place, task in enumerate(each for each in EXERCISES if each.id[:2] == number):
            yield pytest.param(task, marks=() if place < 2 else pytest.mark.slow, id=task.id)


@pytest.mark.parametrize(
    "seed", SEEDS[:1] + [pytest.param(s, marks=pytest.mark.slow) for s in SEEDS[1:]]
)
@pytest.mark.parametrize("task", list(shared()))
def test_a_replay_of_visible_results_earns_next_to_nothing(task: Exercise, seed: int) -> None:
    found = list(earned(task, seed))
    assert len(found) == (0 if task.id in OBJECTS else len(REPLAYS))
    assert [each for each in found if each.share > MOST] == []


@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_number_order_and_inputs_come_from_the_seed(task: Exercise) -> None:
    counts, orders = set(), set()
    for seed in SEEDS:
        hidden = [trial for trial in draw(task, seed) if not trial.visible]
        turns = [trial.turn for trial in hidden]
        counts.add(tuple(sum(trial.rung is rung for trial in hidden) for rung in task.rungs))
        orders.add(tuple(sorted(range(len(turns)), key=turns.__getitem__)))
    assert len(counts) > 1
    assert len(orders) == len(SEEDS)


def learner(words: list[str]) -> Any:
    """Make an answer to 12.fix_forward that has the right words for the visible boxes, in turn.

    It stores the outputs of the first boxes for random inputs. A later box with the same outputs
    gets the same word.
    """
    left, names = list(words), {}

    def fix_forward(box: Any) -> str:
        chance, g, found = random.Random(5), torch.Generator().manual_seed(0), []
        for _ in range(14):
            q = chance.randint(1, 8)
            k, size = q + chance.randint(0, 30), chance.choice([1, 1, 300])
            query, key, value = (torch.randn(n, 2, generator=g) for n in (q, k, k))
            tile = chance.randint(1, 6), chance.choice([1, 2, 5, 9])
            output, sums, _ = box(size * query, key, value, chance.random() < 0.5, *tile)
            found += [round(x, 2) + 0.0 for x in (*output.flatten().tolist(), *sums.tolist())]
        seen = str(found)
        return names.setdefault(seen, left.pop(0)) if left else names.get(seen, "none")

    return fix_forward


@pytest.mark.parametrize(("order", "least", "most"), [("", 0.5, 1), ("hidden seeds", 0, MOST)])
def test_the_right_words_in_turn_are_no_teacher_if_the_judge_shuffles(
    order: str, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = load("12.fix_forward")
    assert isinstance(task, Exercise)
    words = [trial.expected.value for trial in draw(task, None)]
    monkeypatch.setattr(memory, "_drawn", {})  # the drawn ones already have an order
    with memory.kept(answers=True, order=order):
        answer = learner(words)
        grade(task, answer)  # a test cell uses the visible inputs first
        share = grade(task, answer, seed=SEEDS[0]).score / task.points
    assert least <= share <= most


def test_a_task_whose_draws_ignore_the_seed_is_found() -> None:
    task = load("03.causal_mask")
    assert isinstance(task, Exercise)
    fixed = replace(task.rungs[-1], draw=lambda g: [{"q": 2, "k": 3}, {"q": 3, "k": 3}])
    (said,) = problems(replace(task, rungs=(fixed,)), SEEDS[0])
    assert "a replay looked up by the arguments earns 100%" in said
    assert problems(task, SEEDS[0]) == []


def test_a_seed_counts_to_its_last_bit() -> None:
    """PyTorch alone uses the last 32 bits, and draws the same for two of these."""
    task = load("02.scores")
    assert isinstance(task, Exercise)
    firsts = [
        next(trial for trial in draw(task, 5 + more) if not trial.visible).inputs["query"]
        for more in (0, 1, 2**32, 2**63, 2**64, 2**65)
    ]
    drawn = {tuple(each.flatten().tolist()) for each in firsts}
    assert len(drawn) == len(firsts)
    with pytest.raises(ValueError, match="a seed is 0 or more"):
        draw(task, -1)
    generators = [torch.Generator().manual_seed(5 + more) for more in (0, 2**32)]
    one, other = (torch.randn(3, generator=g) for g in generators)
    assert torch.equal(one, other), "PyTorch reads all bits by now: drawing.generator can go"


def test_who_notes_what_the_attentions_of_the_check_return_does_not_know_the_hidden_ones() -> None:
    """Record each visible attention's outputs, and answer hidden ones with the nearest of them.

    An exact table earned all points when the attentions were the same for every seed.
    """
    task = load("03.find_leak")
    assert isinstance(task, Exercise)
    drawn = torch.Generator().manual_seed(1)
    sizes = ((n, width) for n in (4, 7) for width in (3, 3, 2))
    made = [torch.randn(*size, generator=drawn, dtype=torch.float64) for size in sizes]

    def returned(attention: Any) -> torch.Tensor:
        return torch.cat([attention(*made[:3]).flatten(), attention(*made[3:]).flatten()])

    noted = [(returned(trial.inputs["attention"]), trial.expected.value) for trial in draw(task, 0)]

    def exact(attention: Any, query: Any, key: Any, value: Any) -> bool:
        gives = returned(attention)
        return next((leaks for known, leaks in noted if torch.equal(known, gives)), True)

    def nearest(attention: Any, query: Any, key: Any, value: Any) -> bool:
        gives = returned(attention)
        return bool(min(noted, key=lambda each: float((each[0] - gives).norm()))[1])

    for seed in SEEDS:
        assert grade(task, exact, seed=seed).score == 0
        assert grade(task, nearest, seed=seed).score <= task.points / 4


def test_no_seed_of_many_repeats_the_lengths_of_the_visible_haystacks() -> None:
    task = load("15.needle")
    assert isinstance(task, Exercise)
    task = replace(task, rungs=task.rungs[:2])
    found = (each for n in range(1000, 1060) for each in earned(task, n * 7919 + 1))
    assert [each for each in found if each.rungs] == []
