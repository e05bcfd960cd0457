"""The sampler: its order, its draws, and logits that it refuses."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import GenerationConfig
from transformers.generation.utils import GenerationMixin

from plainformer.generation import NaNLogits, Sampler
from plainformer.generation.sampler import check_logits, log_probabilities
from tests.plainformer.tensors import SEEDS, normal

FEW = settings(max_examples=25)


class Theirs(GenerationMixin):
    """Only what lists the steps of the transformers library, in its order."""

    class config:
        is_encoder_decoder = False

    generation_config = GenerationConfig()
    device = torch.device("cpu")


@FEW
@given(
    seed=SEEDS,
    t=st.sampled_from([0.5, 1.0, 2.0]),
    k=st.sampled_from([None, 1, 4, 30]),
    p=st.sampled_from([None, 0.3, 0.8]),
    m=st.sampled_from([None, 0.05, 0.4]),
)
def test_probabilities_equal_those_of_transformers_in_its_order(seed, t, k, p, m):
    logits = 3 * normal(4, 20, seed=seed)
    asked = GenerationConfig(temperature=t, top_k=k, top_p=p, min_p=m, do_sample=True)
    steps = Theirs()._get_logits_processor(asked, input_ids_seq_length=1)
    expected = steps(torch.zeros(4, 1, dtype=torch.long), logits).softmax(-1)
    ours = Sampler(temperature=t, top_k=k, top_p=p, min_p=m).probabilities(logits)
    torch.testing.assert_close(ours, expected)


def test_temperature_comes_before_top_p():
    logits = torch.tensor([[0.6, 0.4]], dtype=torch.float64).log()
    assert Sampler(top_p=0.6).probabilities(logits).tolist() == [[1, 0]]
    assert (Sampler(temperature=2, top_p=0.6).probabilities(logits) > 0).all()


@FEW
@given(seed=SEEDS)
def test_temperature_0_is_greedy_whatever_else_is_asked(seed):
    logits = normal(3, 11, seed=seed)
    sampler = Sampler(temperature=0, top_k=3, top_p=0.5)
    assert torch.equal(sampler(logits, sampler.generators(3)), logits.argmax(-1))
    assert torch.equal(sampler.probabilities(logits).argmax(-1), logits.argmax(-1))
    assert sampler.probabilities(logits).sum() == 3


@FEW
@given(seed=st.integers(0, 2**30))
def test_a_sequence_draws_the_same_in_any_batch(seed):
    logits = normal(4, 30, seed=seed)
    sampler = Sampler(top_k=9, seed=seed)
    together = sampler(logits, sampler.generators(4))
    alone = [Sampler(top_k=9, seed=seed + i) for i in range(4)]
    expected = [int(s(logits[i : i + 1], s.generators(1))) for i, s in enumerate(alone)]
    assert together.tolist() == expected


def test_half_precision_logits_are_widened_before_anything_is_summed():
    logits = torch.zeros(1, 5000, dtype=torch.bfloat16)
    probabilities = Sampler(top_p=0.9999).probabilities(logits)
    assert probabilities.dtype == torch.float64
    assert abs(float(probabilities.sum()) - 1) < 1e-12


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ([0.0, torch.nan, 1.0], "NaN"),
        ([torch.inf, torch.nan, 1.0], "NaN"),
        ([0.0, torch.inf, 1.0], r"\+inf"),
        ([-torch.inf] * 3, "nothing but -inf"),
    ],
)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_no_numbers_name_row_and_step(value, what, temperature):
    logits = torch.zeros(3, 3)
    logits[1] = torch.tensor(value)
    sampler = Sampler(temperature=temperature, top_p=0.9)
    with pytest.raises(NaNLogits, match=f"sequence 1 at step 0 hold {what}") as caught:
        sampler(logits, sampler.generators(3))
    assert (caught.value.row, caught.value.step) == (1, 0)
    with pytest.raises(NaNLogits, match="sequence 8 at step 4"):
        sampler.probabilities(logits, where=[(7, 4), (8, 4), (9, 4)])


def test_some_tokens_at_minus_infinity_are_fine():
    check_logits(torch.tensor([[-torch.inf, 0.0]]))
    check_logits(torch.zeros(0, 4))


def test_log_probabilities_are_the_models_own():
    logits = normal(3, 7, seed=0)
    tokens = torch.tensor([0, 6, 2])
    expected = logits.log_softmax(-1)[torch.arange(3), tokens]
    torch.testing.assert_close(log_probabilities(logits, tokens), expected)


@pytest.mark.parametrize(
    "wrong", [{"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"min_p": 2.0}, {"seed": -1}]
)
def test_numbers_out_of_range_are_refused_at_once(wrong):
    (name, value), *_ = wrong.items()
    with pytest.raises(ValueError, match=f"{name}={value}"):
        Sampler(**wrong)
