"""Rotary scalings by parts: compared with transformers, and laws for fast and slow planes."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.positions import Llama3, YaRN
from plainformer.positions.rotary import frequencies_of
from tests.plainformer.rope_scalings import BASES, FACTORS, WIDTHS, check_equal, theirs


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("factor", FACTORS)
def test_llama3_equals_transformers(base, width, factor):
    same = {"width": width, "base": base}
    for context, low, high in [(8192, 1.0, 4.0), (512, 2, 3)]:
        expected = theirs(
            "llama3",
            factor=factor,
            low_freq_factor=low,
            high_freq_factor=high,
            original_max_position_embeddings=context,
            **same,
        )
        ours = Llama3(factor=factor, context=context, low_freq_factor=low, high_freq_factor=high)
        check_equal(ours, expected, **same)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"beta_fast": 16, "beta_slow": 2},
        {"truncate": False},
        {"attention_factor": 1.25},
        {"mscale": 0.707, "mscale_all_dim": 1.0},
        {"mscale": 0.707},
    ],
)
def test_yarn_equals_transformers(base, width, factor, options):
    same = {"width": width, "base": base}
    for context in (64, 4096, 1_000_000):
        original = {"original_max_position_embeddings": context}
        expected = theirs("yarn", factor=factor, **original, **options, **same)
        check_equal(YaRN(factor=factor, context=context, **options), expected, **same)


@pytest.mark.parametrize("kind", [YaRN, Llama3])
@given(factor=st.floats(1, 100), context=st.integers(16, 10**5), base=st.sampled_from(BASES))
def test_by_parts_fast_planes_stay_slow_ones_are_divided_and_none_is_outside(
    kind, factor, context, base
):
    before = frequencies_of(64, base)
    after = kind(factor=factor, context=context).scale(before, 1)
    assert ((after <= before * (1 + 1e-12)) & (after >= before / factor * (1 - 1e-12))).all()
    turns = context * before / (2 * torch.pi)
    assert after[turns > 40].equal(before[turns > 40])
    if kind is Llama3:
        slow = turns < 1
        torch.testing.assert_close(after[slow], before[slow] / factor)


@pytest.mark.parametrize("kind", [YaRN, Llama3])
def test_a_factor_of_one_changes_nothing(kind):
    before, scaling = frequencies_of(16, 1e4), kind(factor=1, context=9)
    torch.testing.assert_close(scaling.scale(before, 1), before, rtol=1e-15, atol=0)
    assert scaling.magnitude == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: YaRN(factor=0, context=4), "factor=0"),
        (lambda: YaRN(factor=2, context=0), "context=0"),
        (lambda: YaRN(factor=2, context=4, beta_fast=1), "beta_fast=1, beta_slow=1.0: both count"),
        (lambda: Llama3(factor=2, context=-1), "context=-1"),
        (
            lambda: Llama3(factor=2, context=4, low_freq_factor=5),
            "low_freq_factor=5, high_freq_factor=4.0: both count turns",
        ),
    ],
)
def test_what_does_not_fit_is_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
