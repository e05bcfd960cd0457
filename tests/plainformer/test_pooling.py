"""Pooling a sequence into one vector ignores padding."""

import pytest
import torch

from plainformer.pooling import mean_pool, token_pool
from tests.plainformer.tensors import normal


def test_the_mean_is_that_of_each_sequence_alone():
    hidden, lengths = normal(3, 5, 4, seed=0), [5, 2, 1]
    real = torch.arange(5) < torch.tensor(lengths)[:, None]
    alone = torch.stack([x[:n].mean(dim=0) for x, n in zip(hidden, lengths, strict=True)])
    torch.testing.assert_close(mean_pool(hidden, real), alone)


def test_what_stands_in_the_padding_does_not_matter_even_if_it_is_nan():
    hidden = normal(2, 4, 3, seed=0)
    real = torch.tensor([[True, True, False, False], [False, True, True, True]])
    other = torch.where(real[..., None], hidden, torch.nan)
    assert torch.equal(mean_pool(hidden, real), mean_pool(other, real))


def test_a_sequence_of_padding_alone_gets_zeros():
    assert torch.equal(
        mean_pool(normal(1, 3, 2, seed=0), torch.zeros(1, 3, dtype=torch.bool)),
        torch.zeros(1, 2, dtype=torch.float64),
    )


def test_one_token_of_each_sequence_is_taken():
    hidden = normal(2, 4, 3, seed=0)
    found = token_pool(hidden, torch.tensor([0, 3]))
    assert torch.equal(found, torch.stack([hidden[0, 0], hidden[1, 3]]))


@pytest.mark.parametrize("position", [-1, 4])
def test_a_position_outside_is_named(position):
    with pytest.raises(ValueError, match=f"position {position} is outside 0..3"):
        token_pool(normal(1, 4, 2, seed=0), torch.tensor([position]))


@pytest.mark.parametrize(
    ("dtype", "n", "size"),
    [
        (torch.float16, 4096, 30.0),
        (torch.float16, 2200, -30.0),
        (torch.bfloat16, 5000, 1.0),
        (torch.float16, 3, 60_000.0),
    ],
)
def test_a_mean_of_half_precision_is_summed_in_float32(dtype, n, size):
    hidden = torch.full((1, n, 2), size, dtype=dtype)
    found = mean_pool(hidden, torch.ones(1, n, dtype=torch.bool))
    assert found.dtype == dtype
    torch.testing.assert_close(found.float(), hidden[:, 0].float(), rtol=1e-3, atol=0)
