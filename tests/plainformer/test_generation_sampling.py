"""Steps from logits to logits: against the transformers library, their laws, their refusals."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.generation import logits_process as theirs

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
        (Temperature, 0.0, "temperature=0.0: expected a finite number above 0.*Greedy"),
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
