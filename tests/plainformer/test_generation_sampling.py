"""Rules from logits to logits, and the sampler: compared with transformers, and their laws."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import GenerationConfig
from transformers.generation import logits_process as theirs
from transformers.generation.utils import GenerationMixin

from plainformer.generation import NaNLogits, Sampler
from plainformer.generation.drawing import seed_of
from plainformer.generation.sampling import MinP, Temperature, TopK, TopP
from tests.plainformer.tensors import SEEDS, normal

VOCABULARIES = st.sampled_from([1, 2, 3, 17, 100])
SHARES = st.sampled_from([1e-9, 0.1, 0.35, 0.5, 0.9, 0.999])
FEW = settings(max_examples=25)


def logits_of(v, seed, *, ties=False):
    logits = 3 * normal(3, v, seed=seed)
    return logits.round() if ties else logits


@FEW
@given(v=VOCABULARIES, seed=SEEDS, k=st.sampled_from([1, 2, 5, 200]), ties=st.booleans())
def test_top_k_lets_in_what_transformers_does_ties_included(v, seed, k, ties):
    logits = logits_of(v, seed, ties=ties)
    expected = theirs.TopKLogitsWarper(k)(None, logits)
    assert torch.equal(TopK(k)(logits), expected)


@FEW
@given(v=VOCABULARIES, seed=SEEDS, p=SHARES)
def test_top_p_lets_in_what_transformers_does_where_nothing_ties(v, seed, p):
    logits = logits_of(v, seed)
    assert torch.equal(TopP(p)(logits), theirs.TopPLogitsWarper(p)(None, logits))


@FEW
@given(v=VOCABULARIES, seed=SEEDS, p=SHARES)
def test_top_p_lets_in_more_than_transformers_only_by_ties_with_the_last(v, seed, p):
    logits = logits_of(v, seed, ties=True)
    ours, expected = TopP(p)(logits).isfinite(), theirs.TopPLogitsWarper(p)(None, logits).isfinite()
    least = logits.masked_fill(~expected, torch.inf).amin(dim=-1, keepdim=True)
    # p may fall on the edge between two tokens, where rounding decides for either library
    weights = logits.softmax(-1)
    above = (weights * (logits > least)).sum(-1)
    clear = (above - p).abs() > 1e-9
    assert torch.equal(ours[clear], (expected | (logits == least))[clear])


@FEW
@given(v=VOCABULARIES, seed=SEEDS, p=SHARES, ties=st.booleans())
def test_min_p_lets_in_what_transformers_does_ties_included(v, seed, p, ties):
    logits = logits_of(v, seed, ties=ties)
    assert torch.equal(MinP(p)(logits), theirs.MinPLogitsWarper(p)(None, logits))


@FEW
@given(v=VOCABULARIES, seed=SEEDS, t=st.sampled_from([0.01, 0.7, 1.0, 3.0]))
def test_temperature_gives_the_probabilities_of_transformers(v, seed, t):
    logits = logits_of(v, seed)
    expected = theirs.TemperatureLogitsWarper(t)(None, logits).softmax(-1)
    torch.testing.assert_close(Temperature(t)(logits).softmax(-1), expected)


def test_a_tiny_temperature_and_huge_logits_do_not_overflow():
    logits = torch.tensor([[1e300, -1e300, 1e300]], dtype=torch.float64)
    assert Temperature(1e-300)(logits).softmax(-1).tolist() == [[0.5, 0.0, 0.5]]


@FEW
@given(
    v=VOCABULARIES,
    seed=SEEDS,
    ties=st.booleans(),
    step=st.sampled_from([Temperature(0.7), TopK(2), TopP(0.6), MinP(0.2), TopP(1.0), MinP(0)]),
)
def test_shuffling_the_vocabulary_shuffles_the_result(v, seed, ties, step):
    logits = logits_of(v, seed, ties=ties)
    order = torch.randperm(v, generator=torch.Generator().manual_seed(seed))
    assert torch.equal(step(logits[:, order]), step(logits)[:, order])


@FEW
@given(v=VOCABULARIES, seed=SEEDS, step=st.sampled_from([TopK(1), TopP(1e-12), MinP(1.0)]))
def test_the_likeliest_token_is_always_let_in_and_each_step_can_leave_it_alone(v, seed, step):
    logits = logits_of(v, seed)
    kept = step(logits).isfinite()
    assert torch.equal(kept.int().argmax(-1), logits.argmax(-1))
    assert (kept.sum(-1) == 1).all()


@pytest.mark.parametrize("step", [TopK(9), TopP(1.0), MinP(0.0)])
def test_the_widest_setting_lets_in_everything_unchanged(step):
    logits = torch.tensor([[0.0, -40.0, -80.0]], dtype=torch.float64)
    assert torch.equal(step(logits), logits)


def test_top_p_stops_at_the_share_and_not_behind_it():
    logits = torch.tensor([[0.5, 0.25, 0.25]], dtype=torch.float64).log()
    assert TopP(0.5)(logits).isfinite().tolist() == [[True, False, False]]
    assert TopP(0.51)(logits).isfinite().tolist() == [[True, True, True]]


@pytest.mark.parametrize(
    ("make", "value", "words"),
    [
        (Temperature, 0.0, "temperature=0.0: expected a finite number above 0.*temperature=0"),
        (Temperature, -1.0, "temperature=-1.0"),
        (Temperature, float("nan"), "temperature=nan"),
        (Temperature, float("inf"), "temperature=inf"),
        (TopK, 0, "top_k=0: expected at least 1"),
        (TopP, 0.0, "top_p=0.0: expected a share above 0 and at most 1"),
        (TopP, 1.1, "top_p=1.1"),
        (TopP, float("nan"), "top_p=nan"),
        (MinP, -0.1, "min_p=-0.1: expected a share from 0 to 1"),
        (MinP, 1.5, "min_p=1.5"),
    ],
)
def test_values_out_of_range_are_refused(make, value, words):
    with pytest.raises(ValueError, match=words):
        make(value)


class Theirs(GenerationMixin):
    """Only the part that lists the steps of the transformers library, in its order."""

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
@given(seed=SEEDS)
def test_greedy_takes_the_first_of_equal_logits(seed):
    logits = normal(5, 9, seed=seed).round()
    expected = [row.index(max(row)) for row in logits.tolist()]
    assert Sampler(temperature=0)(logits, []).tolist() == expected


@FEW
@given(seed=st.integers(0, 2**30))
def test_a_sequence_draws_the_same_in_any_batch(seed):
    logits = normal(4, 30, seed=seed)
    sampler = Sampler(top_k=9, seed=seed)
    together = sampler(logits, sampler.generators(4))
    alone = [Sampler(top_k=9, seed=seed_of(seed, i)) for i in range(4)]
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


@pytest.mark.parametrize(
    "wrong", [{"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"min_p": 2.0}, {"seed": -1}]
)
def test_numbers_out_of_range_are_refused_at_once(wrong):
    (name, value), *_ = wrong.items()
    with pytest.raises(ValueError, match=f"{name}={value}"):
        Sampler(**wrong)
