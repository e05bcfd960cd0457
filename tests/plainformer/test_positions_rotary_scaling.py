"""Rotary scalings: compared with transformers' own functions, and laws for the planes."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.positions import DynamicNTK, Interpolation, LongRoPE, NTKAware, Rotary
from plainformer.positions.rotary import frequencies_of
from tests.plainformer.rope_scalings import BASES, FACTORS, WIDTHS, check_equal, theirs
from tests.plainformer.tensors import normal


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("factor", FACTORS)
def test_interpolation_equals_transformers(base, width, factor):
    same = {"width": width, "base": base}
    expected = theirs("linear", factor=factor, **same)
    check_equal(Interpolation(factor=factor), expected, **same)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("width", WIDTHS[1:])
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("length", [1, 4096, 4097, 10_000])
def test_dynamic_ntk_equals_transformers_and_changes_nothing_within_the_context(
    base, width, factor, length
):
    same = {"width": width, "base": base}
    expected = theirs("dynamic", factor=factor, length=length, **same)
    ours = DynamicNTK(factor=factor, context=4096)
    check_equal(ours, expected, length=length, **same)
    check_equal(DynamicNTK(factor=factor, context=4096, length=length), expected, **same)
    if length <= 4096:
        assert ours.scale(frequencies_of(width, base), length).equal(frequencies_of(width, base))


@pytest.mark.parametrize("length", [1, 4096, 4097])
def test_longrope_equals_transformers(length):
    short, long = [1 + i / 10 for i in range(4)], [1.0, 4.0, 8, 30.0]
    same = {"width": 8, "base": 1e4}
    expected = theirs(
        "longrope",
        short_factor=short,
        long_factor=long,
        factor=32.0,
        original_max_position_embeddings=4096,
        length=length,
        **same,
    )
    ours = LongRoPE(short=short, long=long, context=4096, factor=32.0)
    check_equal(ours, expected, length=length, **same)
    fixed = LongRoPE(
        short=short, long=long, context=4096, factor=1, attention_factor=2, length=length
    )
    assert fixed.scale(frequencies_of(8, 1e4), 1).equal(ours.scale(frequencies_of(8, 1e4), length))
    assert fixed.magnitude == 2


@given(planes=st.integers(2, 40), factor=st.floats(1, 100), base=st.sampled_from(BASES))
def test_ntk_aware_is_a_larger_base_that_divides_the_last_plane_by_the_factor(planes, factor, base):
    d, before = 2 * planes, frequencies_of(2 * planes, base)
    after = NTKAware(factor=factor).scale(before, 1)
    torch.testing.assert_close(after, frequencies_of(d, base * factor ** (d / (d - 2))))
    torch.testing.assert_close(after[-1], before[-1] / factor)
    assert after[0] == 1


@pytest.mark.parametrize("scaling", [Interpolation(factor=1), NTKAware(factor=1)])
def test_a_factor_of_one_changes_nothing(scaling):
    before = frequencies_of(16, 1e4)
    torch.testing.assert_close(scaling.scale(before, 1), before, rtol=1e-15, atol=0)
    assert scaling.magnitude == 1


def test_rotary_asks_for_the_length_of_each_sequence_alone():
    x, positions = normal(2, 1, 3, 8, seed=0), torch.tensor([[0, 1, 2], [97, 98, 99]])
    called = Rotary(8, scaling=DynamicNTK(factor=2, context=50))(x, positions)
    fixed = Rotary(8, scaling=DynamicNTK(factor=2, context=50, length=100))(x, positions)
    assert called[1].equal(fixed[1])
    assert called[0].equal(Rotary(8)(x, positions)[0])
    alone = Rotary(8, scaling=DynamicNTK(factor=2, context=50))(x[1:], positions[1])
    assert alone.equal(fixed[1:])
    short = Rotary(8, scaling=DynamicNTK(factor=2, context=50))(x[:1], positions[0])
    assert short.equal(Rotary(8)(x[:1], positions[0]))
    empty = Rotary(8, scaling=DynamicNTK(factor=2, context=50))
    assert empty(torch.zeros(1, 1, 0, 8), torch.arange(0)).shape == (1, 1, 0, 8)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Interpolation(factor=0.5), "factor=0.5: expected how many times longer"),
        (lambda: NTKAware(factor=float("nan")), "factor=nan"),
        (lambda: DynamicNTK(factor=2, context=0), "context=0: expected a number of positions"),
        (lambda: DynamicNTK(factor=2, context=4, length=0), "length=0"),
        (lambda: LongRoPE(short=[1.0], long=[1.0], context=0, factor=2), "context=0"),
        (
            lambda: Rotary(8, scaling=LongRoPE(short=[1.0], long=[1] * 4, context=8, factor=2)),
            "short has 1 divisors; expected one for each of the 4 planes",
        ),
    ],
)
def test_what_does_not_fit_is_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
