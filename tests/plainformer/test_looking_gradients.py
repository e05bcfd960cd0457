import pytest
import torch

from plainformer.looking import gradient_times_input, integrated_gradients
from tests.plainformer.tensors import normal


def linear(x):
    return (x * torch.arange(1.0, 13.0, dtype=x.dtype).view(4, 3)).sum((1, 2))


def curved(x):
    return torch.tanh(x).sum((1, 2)) + (x[:, 0] * x[:, 1]).sum(-1)


def test_of_a_linear_target_both_give_each_tokens_share():
    x = normal(2, 4, 3, seed=0)
    shares = (x * torch.arange(1.0, 13.0, dtype=x.dtype).view(4, 3)).sum(-1)
    torch.testing.assert_close(gradient_times_input(linear, x), shares)
    torch.testing.assert_close(integrated_gradients(linear, x, steps=1), shares)


def test_integrated_gradients_sum_to_the_difference_from_the_baseline():
    x, base = normal(2, 4, 3, seed=0), normal(2, 4, 3, seed=1)
    given = integrated_gradients(curved, x, base, steps=400).sum(-1)
    torch.testing.assert_close(given, curved(x) - curved(base), rtol=1e-4, atol=1e-4)
    rough = integrated_gradients(curved, x, base, steps=4).sum(-1) - (curved(x) - curved(base))
    assert rough.abs().max() > 1e-4, "the error falls with the steps"


def test_gradient_times_input_is_the_derivative_along_the_embedding():
    x, small = normal(1, 4, 3, seed=2), 1e-6
    for place in range(4):
        longer = x.clone()
        longer[:, place] *= 1 + small
        slope = (curved(longer) - curved(x)) / small
        torch.testing.assert_close(
            gradient_times_input(curved, x)[:, place], slope, rtol=1e-4, atol=1e-5
        )


def test_they_work_where_gradients_are_off():
    with torch.no_grad():
        assert gradient_times_input(linear, normal(1, 4, 3, seed=0)).shape == (1, 4)


def test_a_target_of_the_wrong_shape_and_no_steps_are_named():
    with pytest.raises(ValueError, match=r"target gave shape \(\): expected one number for each"):
        gradient_times_input(lambda x: x.sum(), normal(2, 4, 3, seed=0))
    with pytest.raises(ValueError, match="steps=0"):
        integrated_gradients(linear, normal(1, 4, 3, seed=0), steps=0)
