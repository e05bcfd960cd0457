"""Rotary positions: compared with the paper's matrix and transformers, and their laws."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck, gradgradcheck
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from plainformer.positions import Interpolation, Rotary, YaRN
from tests.plainformer.tensors import SEEDS, normal

WIDTHS = st.sampled_from([2, 4, 6, 10])
LAYOUTS = st.sampled_from(["halves", "pairs"])
PLACES = st.integers(0, 10**6)


def by_the_papers_matrix(x, position, base):
    """Multiply one vector by the block-diagonal matrix of equation 15."""
    d = len(x)
    matrix = torch.zeros(d, d, dtype=torch.float64)
    for i in range(d // 2):
        angle = position * base ** (-2 * i / d)
        block = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(block, dtype=torch.float64)
    return matrix @ x


@given(seed=SEEDS, d=WIDTHS, position=PLACES, base=st.sampled_from([100.0, 1e4, 5e5]))
def test_pairs_turn_by_the_papers_matrix_even_at_position_one_million(seed, d, position, base):
    x = normal(1, 1, 1, d, seed=seed)
    turned = Rotary(d, base=base, layout="pairs")(x, torch.tensor([position]))
    expected = by_the_papers_matrix(x.flatten(), position, base)
    torch.testing.assert_close(turned.flatten(), expected, rtol=1e-9, atol=1e-9)


@given(seed=SEEDS, d=WIDTHS)
def test_one_layout_is_the_other_with_its_components_in_another_order(seed, d):
    x, positions = normal(2, 3, 5, d, seed=seed), torch.arange(5)
    order = torch.arange(d).view(2, -1).T.flatten()  # 0, d/2, 1, d/2 + 1, …
    halves, pairs = Rotary(d)(x, positions), Rotary(d, layout="pairs")(x[..., order], positions)
    assert halves[..., order].equal(pairs)


@given(seed=SEEDS, d=WIDTHS, layout=LAYOUTS, places=st.tuples(PLACES, PLACES), by=PLACES)
def test_a_dot_product_depends_on_the_offset_only(seed, d, layout, places, by):
    rotary = Rotary(d, layout=layout)
    query, key = normal(1, 1, 1, d, seed=seed), normal(1, 1, 1, d, seed=seed + 1)

    def dot(shift):
        at = [torch.tensor([p + shift]) for p in places]
        return (rotary(query, at[0]) * rotary(key, at[1])).sum()

    torch.testing.assert_close(dot(by), dot(0), rtol=0, atol=1e-8)


@given(seed=SEEDS, d=WIDTHS, layout=LAYOUTS, position=PLACES)
def test_lengths_are_kept_and_position_0_turns_nothing(seed, d, layout, position):
    x, rotary = normal(2, 3, 1, d, seed=seed), Rotary(d, layout=layout)
    torch.testing.assert_close(rotary(x, torch.tensor([position])).norm(dim=-1), x.norm(dim=-1))
    assert rotary(x, torch.tensor([0])).equal(x)


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_halves_equal_transformers_llama(base):
    config = LlamaConfig(
        hidden_size=32,
        num_attention_heads=4,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    x, positions = normal(2, 4, 9, 8, seed=0).float(), torch.randint(0, 4096, (2, 9))
    cos, sin = LlamaRotaryEmbedding(config)(x, positions)
    expected, _ = apply_rotary_pos_emb(x, x, cos, sin)
    torch.testing.assert_close(Rotary(8, base=base)(x, positions), expected, rtol=0, atol=2e-3)
    near = torch.arange(9)[None]
    expected, _ = apply_rotary_pos_emb(x, x, *LlamaRotaryEmbedding(config)(x, near))
    torch.testing.assert_close(Rotary(8, base=base)(x, near), expected, rtol=1e-5, atol=1e-6)


@given(seed=SEEDS, layout=LAYOUTS)
def test_of_a_partial_rotation_the_first_components_turn_and_the_rest_pass(seed, layout):
    x, positions = normal(2, 3, 5, 7, seed=seed), torch.arange(5)
    turned = Rotary(7, layout=layout, rotated=4)(x, positions)
    assert turned[..., :4].equal(Rotary(4, layout=layout)(x[..., :4], positions))
    assert turned[..., 4:].equal(x[..., 4:])


@given(seed=SEEDS, layout=LAYOUTS)
def test_each_sequence_may_have_positions_of_its_own(seed, layout):
    x, rotary = normal(2, 3, 4, 6, seed=seed), Rotary(6, layout=layout)
    positions = torch.tensor([[0, 1, 2, 3], [9, 0, 7, 7]])
    together = rotary(x, positions)
    for row in range(2):
        assert together[row : row + 1].equal(rotary(x[row : row + 1], positions[row]))


@pytest.mark.parametrize("layout", ["halves", "pairs"])
def test_gradients_of_first_and_second_order_are_right(layout):
    rotary, positions = Rotary(5, layout=layout, rotated=4), torch.tensor([[0, 3], [8, 2]])
    x = normal(2, 1, 2, 5, seed=0).requires_grad_()
    assert gradcheck(lambda x: rotary(x, positions), (x,))
    assert gradgradcheck(lambda x: rotary(x, positions).square(), (x,))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_every_precision_turns_by_exact_angles_and_rounds_once(dtype):
    x, positions = normal(1, 2, 3, 8, seed=0).to(dtype), torch.tensor([0, 999_999, 1_000_000])
    rotary = Rotary(8).to(dtype)
    turned = rotary(x, positions)
    exact = Rotary(8)(x.double(), positions)
    assert turned.dtype == dtype
    in_float32 = 3 * torch.finfo(torch.float32).eps * x.double().norm(dim=-1, keepdim=True)
    allowed = 0.51 * torch.finfo(dtype).eps * exact.abs() + in_float32
    assert ((turned.double() - exact).abs() <= allowed).all()


def test_nothing_is_saved_with_the_weights():
    assert not Rotary(8).state_dict()


def test_no_positions_and_an_empty_batch_work():
    assert Rotary(4)(torch.zeros(1, 2, 0, 4), torch.arange(0)).shape == (1, 2, 0, 4)
    assert Rotary(4)(torch.zeros(0, 2, 3, 4), torch.arange(3)).shape == (0, 2, 3, 4)


def test_scaling_slows_the_planes_and_stretches_what_turns():
    x, positions = normal(1, 1, 3, 4, seed=0), torch.tensor([0, 8, 100])
    slowed = Rotary(4, scaling=Interpolation(factor=4))(x, positions)
    torch.testing.assert_close(slowed, Rotary(4)(x, positions / 4))
    x, scaling = normal(1, 1, 3, 6, seed=0), YaRN(factor=1, context=8, attention_factor=1.5)
    stretched = Rotary(6, rotated=4, scaling=scaling)(x, positions)
    plain = Rotary(6, rotated=4)(x, positions)
    torch.testing.assert_close(stretched[..., :4], 1.5 * plain[..., :4])
    assert stretched[..., 4:].equal(x[..., 4:])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rotary(5), "width=5, rotated=5: components turn in pairs"),
        (lambda: Rotary(0), "width=0"),
        (lambda: Rotary(4, rotated=6), "width=4, rotated=6"),
        (lambda: Rotary(8, rotated=0), "rotated=0.*at least 2"),
        (lambda: Rotary(4, base=1), "base=1: expected a number above 1"),
        (lambda: Rotary(4)(torch.ones(1, 1, 2, 6), torch.arange(2)), "x has width 6; these.* 4"),
        (lambda: Rotary(4)(torch.ones(2, 1, 2, 4), torch.arange(3)), r"\(3,\); expected \(2,\)"),
        (
            lambda: Rotary(4)(torch.ones(2, 1, 2, 4), torch.zeros(3, 2)),
            r"positions has shape \(3, 2\); expected \(2,\).*or \(2, 2\), a row for each",
        ),
        (lambda: Rotary(4)(torch.ones(1, 1, 1, 4), torch.tensor(3)), r"has shape \(\)"),
        (lambda: Rotary(4)(torch.ones(1, 1, 1, 4), torch.tensor([True])), "dtype torch.bool"),
    ],
)
def test_what_does_not_fit_is_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_an_unknown_layout_or_scaling_is_named():
    unchecked = Rotary.__init__.__wrapped__  # without the tests' types, as a reader calls it
    with pytest.raises(ValueError, match=r'layout=.*expected "halves" or "pairs"'):
        unchecked(Rotary.__new__(Rotary), 4, layout="thirds")
    with pytest.raises(ValueError, match=r"scaling='yarn'.*such as Interpolation"):
        unchecked(Rotary.__new__(Rotary), 4, scaling="yarn")
