"""Drawing: shares of an interval, independent generators, refused logits."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.generation import Sampler, drawing, sampling
from plainformer.generation.drawing import (
    Dice,
    check_logits,
    draw,
    generators_of,
    log_probabilities,
    pick,
    seed_of,
)
from tests.plainformer.tensors import SEEDS, normal
from tests.plainformer.traps import Trap

FEW = settings(max_examples=25)


def test_each_token_is_picked_for_exactly_its_share_of_the_line():
    probabilities = torch.tensor([0, 3, 1, 0, 4, 0], dtype=torch.float64) / 8
    uniform = torch.arange(64, dtype=torch.float64) / 64
    picked = pick(probabilities.expand(64, -1), uniform)
    assert picked.bincount(minlength=6).tolist() == [0, 24, 8, 0, 32, 0]
    assert (picked.diff() >= 0).all()


@FEW
@given(seed=SEEDS, v=st.sampled_from([1, 2, 5, 300]), scale=st.sampled_from([1.0, 30.0, 900.0]))
def test_a_token_without_probability_is_never_picked_even_at_the_ends(seed, v, scale):
    probabilities = (scale * normal(4, v, seed=seed)).softmax(-1)
    probabilities[:, seed % v] = 0
    probabilities[:, (seed + 1) % v] += 1e-3
    for end in (0.0, 1 - 2**-53):
        picked = pick(probabilities, torch.full((4,), end, dtype=torch.float64))
        assert (probabilities.gather(-1, picked[:, None]) > 0).all()


@FEW
@given(seed=st.integers(0, 2**40), b=st.sampled_from([1, 2, 5]))
def test_a_row_draws_what_it_draws_alone(seed, b):
    weights = normal(b, 50, seed=seed % 1000).softmax(-1)
    together = draw(weights, generators_of(seed, b))
    alone = [int(draw(weights[i : i + 1], generators_of(seed_of(seed, i), 1))) for i in range(b)]
    assert together.tolist() == alone


@pytest.mark.parametrize("step", [1, 2, 40, 2**32])
def test_batches_of_different_seeds_share_no_sequence(step):
    first, second = ({g.initial_seed() for g in generators_of(seed, 200)} for seed in (5, 5 + step))
    assert len(first) == len(second) == 200
    assert not first & second


def test_draw_and_dice_draw_the_same_from_the_same_generator():
    probabilities = normal(1, 20, seed=0).softmax(-1)
    generators = generators_of(7, 1)
    dice = Dice(generators_of(7, 1)[0])
    drawn = [int(draw(probabilities, generators)) for _ in range(40)]
    assert drawn == [dice.draw(probabilities[0]) for _ in range(40)]
    assert len(set(drawn)) > 5


def test_draws_follow_the_probabilities():
    probabilities = torch.tensor([[0.1, 0.6, 0.3]], dtype=torch.float64)
    drawn = draw(probabilities.expand(4000, -1), generators_of(3, 1)[0])
    counts = drawn.bincount(minlength=3)
    torch.testing.assert_close(counts / 4000, probabilities[0].float(), atol=0.03, rtol=0)
    dice = Dice(generators_of(3, 1)[0])
    heads = sum(dice.coin(0.3) for _ in range(4000))
    assert abs(heads / 4000 - 0.3) < 0.03


def test_a_coin_of_probability_0_or_1_is_certain():
    dice = Dice(generators_of(0, 1)[0])
    assert all(dice.coin(1.0) and not dice.coin(0.0) for _ in range(200))


def test_without_a_seed_torchs_own_decides():
    def numbers():
        torch.manual_seed(5)
        return [torch.rand((), generator=g).item() for g in generators_of(None, 2)]

    first = numbers()
    assert first == numbers()
    assert first[0] != first[1]


@pytest.mark.parametrize("seed", [-1, 2**62])
def test_seeds_that_are_no_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="expected a whole number from 0"):
        generators_of(seed, 1)


def test_too_few_generators_are_refused_and_an_empty_batch_is_empty():
    with pytest.raises(ValueError, match="1 generators for 2 rows"):
        draw(torch.full((2, 3), 1 / 3), generators_of(0, 1))
    assert draw(torch.zeros(0, 3), []).shape == (0,)


def test_some_tokens_at_minus_infinity_are_fine():
    check_logits(torch.tensor([[-torch.inf, 0.0]]))
    check_logits(torch.zeros(0, 4))


def test_log_probabilities_are_the_models_own():
    logits = normal(3, 7, seed=0)
    tokens = torch.tensor([0, 6, 2])
    expected = logits.log_softmax(-1)[torch.arange(3), tokens]
    torch.testing.assert_close(log_probabilities(logits, tokens), expected)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("place", ["rand", "stack", "pick"])
@pytest.mark.parametrize("at", [1, 2])
def test_a_draw_that_is_interrupted_draws_the_same_again(monkeypatch, shared, place, at):
    probabilities = normal(3, 7, seed=0).softmax(dim=-1)
    generators = generators_of(5, 3)
    generators = generators[0] if shared else generators
    expected = draw(probabilities, generators_of(5, 3)[0] if shared else generators_of(5, 3))
    home, usual = (drawing, pick) if place == "pick" else (torch, getattr(torch, place))
    trap = Trap(at if place == "rand" else 1)

    def interrupted(*arguments, **more):
        trap()
        return usual(*arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(home, place, interrupted)
        with pytest.raises(KeyboardInterrupt):
            draw(probabilities, generators)
    assert torch.equal(draw(probabilities, generators), expected)


@pytest.mark.parametrize("part", ["temperature", "probabilities", "draw"])
def test_a_sampler_that_is_interrupted_draws_the_same_again(monkeypatch, part):
    sampler, logits = Sampler(temperature=0.7, top_k=5, seed=3), normal(2, 7, seed=0)
    generators = sampler.generators(2)
    expected = sampler(logits, sampler.generators(2))
    where = {
        "temperature": (sampling.Temperature, "__call__"),
        "probabilities": (sampling.TopK, "__call__"),
        "draw": (drawing, "pick"),
    }
    with monkeypatch.context() as patch:
        patch.setattr(*where[part], Trap(1))
        with pytest.raises(KeyboardInterrupt):
            sampler(logits, generators)
    assert torch.equal(sampler(logits, generators), expected)
