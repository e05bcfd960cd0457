"""Mixtures of experts: compared with dense sums in float64, and with transformers' modules."""

import inspect

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from transformers import DeepseekV3Config, MixtralConfig
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3MoE
from transformers.models.mixtral.modeling_mixtral import (
    MixtralSparseMoeBlock,
    load_balancing_loss_func,
)

from plainformer.experts import MixtureOfExperts, balance_loss, loads, route, shifted_bias
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal

GATES = st.sampled_from(["softmax", "sigmoid"])


def dense(moe, x):
    """Compute every expert for every token, and give experts that were not chosen weight 0."""
    logits = x @ moe.router.weight.T
    scores = F.softmax(logits, -1) if moe.gate == "softmax" else 1 / (1 + torch.exp(-logits))
    rank = (scores + moe.bias).argsort(dim=-1, descending=True).argsort(dim=-1)
    kept = torch.where(rank < moe.chosen, scores, torch.zeros(()).double())
    weights = kept / kept.sum(dim=-1, keepdim=True)
    up = torch.stack([e.up.weight for e in moe.experts])
    gate = torch.stack([e.gate.weight for e in moe.experts])
    down = torch.stack([e.down.weight for e in moe.experts])
    hidden = F.silu(torch.einsum("...m,efm->...ef", x, gate))
    hidden = hidden * torch.einsum("...m,efm->...ef", x, up)
    y = torch.einsum("...e,...ef,emf->...m", weights, hidden, down)
    return y if moe.shared is None else y + moe.shared(x)


@given(
    seed=SEEDS, n=AWKWARD_SIZES, m=AWKWARD_SIZES, f=AWKWARD_SIZES, experts=st.integers(1, 6),
    gate=GATES, shared=st.integers(0, 2), data=st.data(),
)  # fmt: skip
def test_it_equals_a_dense_sum_forward_and_backward(seed, n, m, f, experts, gate, shared, data):
    torch.manual_seed(seed)
    chosen = data.draw(st.integers(1, experts))
    moe = MixtureOfExperts(
        d_model=m, d_ff=f, experts=experts, chosen=chosen, shared=shared, gate=gate
    ).double()
    moe.bias = 0.1 * torch.randn(experts).double()
    found = []
    for compute in (moe, lambda x: dense(moe, x)):
        x = normal(2, n, m, seed=seed).requires_grad_()
        moe.zero_grad(set_to_none=False)
        y = compute(x)
        (y * normal(*y.shape, seed=seed + 1)).sum().backward()
        grads = [torch.zeros_like(p) if p.grad is None else p.grad.clone()
                 for p in moe.parameters()]  # fmt: skip
        found.append((y, x.grad, *grads))
    torch.testing.assert_close(*found, rtol=1e-9, atol=1e-12)


def test_gradients_are_those_of_differences():
    torch.manual_seed(0)
    moe = MixtureOfExperts(d_model=3, d_ff=2, experts=4, chosen=2, gate="sigmoid").double()
    x = normal(5, 3, seed=0).requires_grad_()
    assert torch.autograd.gradcheck(moe, x)


def copy_experts(moe, up_and_gate, down):
    """Give the experts the weights of transformers' stacked ones."""
    for i, expert in enumerate(moe.experts):
        gate, up = up_and_gate[i].chunk(2)
        expert.gate.weight.data, expert.up.weight.data = gate.clone(), up.clone()
        expert.down.weight.data = down[i].clone()


def close_with_gradients(ours, theirs, x):
    """Compare outputs and gradients; transformers' routers compute in float32."""
    found = []
    for module in (ours, theirs):
        given_x = x.clone().requires_grad_()
        y = module(given_x)
        y.square().sum().backward()
        found.append((y, given_x.grad))
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


def test_it_equals_transformers_mixtral():
    torch.manual_seed(0)
    config = MixtralConfig(
        hidden_size=6, intermediate_size=5, num_local_experts=4, num_experts_per_tok=2
    )
    theirs = MixtralSparseMoeBlock(config)
    for p in theirs.parameters():
        torch.nn.init.normal_(p)
    ours = MixtureOfExperts(d_model=6, d_ff=5, experts=4, chosen=2)
    ours.router.weight.data = theirs.gate.weight.data.clone()
    copy_experts(ours, theirs.experts.gate_up_proj.data, theirs.experts.down_proj.data)
    close_with_gradients(ours, theirs, normal(2, 7, 6, seed=1, dtype=torch.float32))


def test_it_equals_transformers_deepseek_v3():
    torch.manual_seed(0)
    config = DeepseekV3Config(
        hidden_size=6, moe_intermediate_size=5, n_routed_experts=8, num_experts_per_tok=3,
        n_shared_experts=2, n_group=1, topk_group=1, routed_scaling_factor=1.0,
    )  # fmt: skip
    theirs = DeepseekV3MoE(config)
    for p in theirs.parameters():
        torch.nn.init.normal_(p)
    theirs.gate.e_score_correction_bias.normal_()
    ours = MixtureOfExperts(d_model=6, d_ff=5, experts=8, chosen=3, shared=2, gate="sigmoid")
    ours.router.weight.data = theirs.gate.weight.data.clone()
    ours.bias = theirs.gate.e_score_correction_bias.clone()
    copy_experts(ours, theirs.experts.gate_up_proj.data, theirs.experts.down_proj.data)
    for name in ("gate", "up", "down"):
        weight = getattr(theirs.shared_experts, f"{name}_proj").weight.data
        getattr(ours.shared, name).weight.data = weight.clone()
    close_with_gradients(ours, theirs, normal(2, 7, 6, seed=1, dtype=torch.float32))


@given(seed=SEEDS, n=AWKWARD_SIZES, chosen=st.integers(1, 5), gate=GATES)
def test_weights_sum_to_one_and_a_bias_changes_the_choice_only(seed, n, chosen, gate):
    logits, bias = normal(n, 5, seed=seed), normal(5, seed=seed + 1)
    weights, experts = route(logits, chosen, gate=gate, bias=bias)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(n).double())
    scores = logits.softmax(-1) if gate == "softmax" else logits.sigmoid()
    picked = scores.gather(-1, experts)
    torch.testing.assert_close(weights, picked / picked.sum(dim=-1, keepdim=True))
    for row, taken in zip(scores + bias, experts, strict=True):
        assert set(taken.tolist()) == set(row.argsort(descending=True)[:chosen].tolist())


def test_balance_loss_is_one_if_balanced_and_that_of_transformers():
    even = torch.full((4, 4), 0.25).double()
    assert balance_loss(even, torch.arange(4)[:, None]).item() == pytest.approx(1)
    sure = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).double()
    assert balance_loss(sure, torch.tensor([[0]])).item() == pytest.approx(4)
    logits = normal(9, 5, seed=0, dtype=torch.float32).requires_grad_()
    _, experts = route(logits, 2)
    ours = balance_loss(logits.softmax(dim=-1), experts)
    theirs = (
        load_balancing_loss_func((logits,), num_experts=5, top_k=2) / 2
    )  # theirs sums 2 choices
    torch.testing.assert_close(ours, theirs)
    gradients = [torch.autograd.grad(loss, logits)[0] for loss in (ours, theirs)]
    torch.testing.assert_close(*gradients)


def test_a_step_of_the_loss_or_of_the_bias_makes_a_load_more_even():
    logits = normal(400, 8, seed=0) + torch.linspace(0, 2, 8).double()
    bias = torch.zeros(8).double()
    before = loads(route(logits, 2, gate="sigmoid")[1], 8)
    for _ in range(400):
        bias = shifted_bias(bias, route(logits, 2, gate="sigmoid", bias=bias)[1], 0.002)
    after = loads(route(logits, 2, gate="sigmoid", bias=bias)[1], 8)
    assert before.sum() == after.sum() == 800
    assert before.max() > 180
    assert after.min() > 90
    assert after.max() < 110
    pushed = logits.clone().requires_grad_()
    loss = balance_loss(pushed.softmax(dim=-1), route(pushed, 2)[1])
    (gradient,) = torch.autograd.grad(loss, pushed)
    assert gradient.sum(dim=0)[7] > 0 > gradient.sum(dim=0)[0]  # descent lowers the busy one


def test_bias_moves_by_the_sign_of_the_difference_from_the_mean():
    experts = torch.tensor([[0, 1], [0, 2], [0, 1], [0, 1]])  # 4, 3, 1, 0 tokens; the mean is 2
    assert shifted_bias(torch.zeros(4), experts, 0.5).tolist() == [-0.5, -0.5, 0.5, 0.5]
    exact = torch.tensor([[0, 1], [1, 0]])
    assert shifted_bias(torch.ones(2), exact, 0.5).tolist() == [1, 1]


def test_no_tokens_and_all_experts():
    moe = MixtureOfExperts(d_model=3, d_ff=2, experts=2, chosen=2)
    assert moe(torch.zeros(0, 3)).shape == (0, 3)
    assert moe(torch.zeros(2, 0, 3)).shape == (2, 0, 3)
    weights, _ = route(torch.tensor([[0.0, 0.0]]), 2)
    assert weights.tolist() == [[0.5, 0.5]]


SIZES = {"d_model": 4, "d_ff": 3, "experts": 4, "chosen": 2}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"chosen": 5}, "chosen=5 of 4 experts"),
        ({"chosen": 0}, "chosen=0"),
        ({"chosen": True}, "chosen=True"),
        ({"experts": 0}, "experts=0"),
        ({"shared": -1}, "shared=-1"),
        ({"gate": "tanh"}, "gate='tanh': expected one of 'softmax', 'sigmoid'"),
        ({"d_ff": 0}, "d_ff=0"),
        ({"d_model": 0}, "d_model=0"),
    ],
)
def test_bad_sizes_are_refused_by_name(wrong, message):
    with pytest.raises(ValueError, match=message):
        MixtureOfExperts(**{**SIZES, **wrong})


def test_bad_arguments_of_functions_are_refused_by_name():
    logits = torch.zeros(2, 4)
    with pytest.raises(ValueError, match="chosen=5 of 4 experts"):
        route(logits, 5)
    with pytest.raises(ValueError, match="gate='relu'"):
        route(logits, 2, gate="relu")
    with pytest.raises(ValueError, match="experts from 0 to 4: expected numbers from 0 to 3"):
        balance_loss(logits.softmax(-1), torch.tensor([[0], [4]]))
    with pytest.raises(ValueError, match="experts from -1 to 0"):
        shifted_bias(torch.zeros(4), torch.tensor([[-1, 0]]), 0.1)
    with pytest.raises(ValueError, match=r"rate=-0\.1"):
        shifted_bias(torch.zeros(4), torch.tensor([[0, 1]]), -0.1)


def test_a_bias_of_another_length_is_refused_by_name():
    with pytest.raises(ValueError, match=r"bias of shape \(3,\): expected \(4,\)"):
        inspect.unwrap(route)(torch.zeros(2, 4), 2, bias=torch.zeros(3))
