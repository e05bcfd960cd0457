import pytest
import torch

from plainformer import masks, softmax
from plainformer.looking import rollout
from tests.plainformer.tensors import normal


def layers(n, seed=0):
    return [softmax(normal(2, 3, 5, 5, seed=seed + i), masks.causal(5)) for i in range(n)]


def test_rows_of_a_rollout_sum_to_one_and_stay_causal():
    reached = rollout(layers(4))
    torch.testing.assert_close(reached.sum(-1), torch.ones(2, 5, dtype=reached.dtype))
    assert (reached.triu(1) == 0).all()


def test_the_last_layer_is_applied_last():
    first, second = layers(2)
    expected = second.mean(1) @ first.mean(1)
    torch.testing.assert_close(rollout([first, second], residual=0.0), expected)
    assert not torch.allclose(expected, first.mean(1) @ second.mean(1))


def test_with_all_residual_every_position_is_itself():
    torch.testing.assert_close(
        rollout(layers(3), residual=1.0), torch.eye(5, dtype=torch.float64).expand(2, 5, 5)
    )


@pytest.mark.parametrize(("given", "residual"), [([], 0.5), (layers(1), 1.5), (layers(1), -0.1)])
def test_no_layers_and_no_share_are_named(given, residual):
    with pytest.raises(ValueError, match=f"{len(given)} layers, residual={residual}"):
        rollout(given, residual=residual)
