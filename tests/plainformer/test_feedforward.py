"""Feed-forwards: compared with the equations in plain operations, and transformers' modules."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from transformers import GPT2Config, LlamaConfig, T5Config
from transformers.activations import NewGELUActivation
from transformers.models.gpt2.modeling_gpt2 import GPT2MLP
from transformers.models.llama.modeling_llama import LlamaMLP
from transformers.models.t5.modeling_t5 import T5DenseActDense, T5DenseGatedActDense

from plainformer.feedforward import FeedForward, GatedFeedForward, gelu_tanh
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, normal

ACTIVATIONS = st.sampled_from([torch.relu, F.gelu, F.silu, gelu_tanh])


def close(ours, theirs, x):
    """Compare values and gradients with a second module's."""
    found = []
    for module in (ours, theirs):
        given_x = x.clone().requires_grad_()
        y = module(given_x)
        y.square().sum().backward()
        found.append((y, given_x.grad))
    torch.testing.assert_close(*found, rtol=1e-9, atol=1e-12)


@given(seed=SEEDS, m=AWKWARD_SIZES, f=AWKWARD_SIZES, activation=ACTIVATIONS, bias=st.booleans())
def test_they_compute_their_equations(seed, m, f, activation, bias):
    torch.manual_seed(seed)
    x, sizes = normal(2, 3, m, seed=seed), {"d_model": m, "d_ff": f, "bias": bias}
    plain = FeedForward(activation=activation, **sizes).double()
    gated = GatedFeedForward(activation=activation, **sizes).double()
    w = {name: p.detach() for name, p in plain.named_parameters()}
    hidden = activation(F.linear(x, w["up.weight"], w.get("up.bias")))
    expected = F.linear(hidden, w["down.weight"], w.get("down.bias"))
    torch.testing.assert_close(plain(x), expected)
    w = {name: p.detach() for name, p in gated.named_parameters()}
    gate = activation(F.linear(x, w["gate.weight"], w.get("gate.bias")))
    hidden = gate * F.linear(x, w["up.weight"], w.get("up.bias"))
    expected = F.linear(hidden, w["down.weight"], w.get("down.bias"))
    torch.testing.assert_close(gated(x), expected)


def test_gated_equals_transformers_llama_and_t5():
    x = normal(2, 3, 6, seed=0)
    config = LlamaConfig(hidden_size=6, intermediate_size=10, num_attention_heads=1)
    llama = LlamaMLP(config).double()
    ours = GatedFeedForward(d_model=6, d_ff=10).double()
    for name, theirs in [("gate", "gate_proj"), ("up", "up_proj"), ("down", "down_proj")]:
        getattr(ours, name).load_state_dict(getattr(llama, theirs).state_dict())
    close(ours, llama, x)
    config = T5Config(d_model=6, d_ff=10, feed_forward_proj="gated-gelu", dropout_rate=0.0)
    t5 = T5DenseGatedActDense(config).double()
    ours = GatedFeedForward(d_model=6, d_ff=10, activation=gelu_tanh).double()
    for name, theirs in [("gate", "wi_0"), ("up", "wi_1"), ("down", "wo")]:
        getattr(ours, name).load_state_dict(getattr(t5, theirs).state_dict())
    close(ours, t5, x)


def test_plain_equals_transformers_gpt2_and_t5():
    x = normal(2, 3, 6, seed=0)
    gpt2 = GPT2MLP(10, GPT2Config(n_embd=6, resid_pdrop=0.0)).double()
    ours = FeedForward(d_model=6, d_ff=10, activation=gelu_tanh).double()
    for name, theirs in [("up", gpt2.c_fc), ("down", gpt2.c_proj)]:
        state = {"weight": theirs.weight.T, "bias": theirs.bias}  # stored transposed
        getattr(ours, name).load_state_dict(state)
    close(ours, gpt2, x)
    t5 = T5DenseActDense(T5Config(d_model=6, d_ff=10, dropout_rate=0.0)).double()
    ours = FeedForward(d_model=6, d_ff=10, bias=False).double()
    ours.up.load_state_dict(t5.wi.state_dict())
    ours.down.load_state_dict(t5.wo.state_dict())
    close(ours, t5, x)


@given(seed=SEEDS)
def test_the_tanh_of_gelu_is_gpt2s_and_close_to_gelu(seed):
    x = normal(50, seed=seed) * 4
    torch.testing.assert_close(gelu_tanh(x), NewGELUActivation()(x))
    torch.testing.assert_close(gelu_tanh(x), F.gelu(x), rtol=0, atol=5e-4)


@given(seed=SEEDS)
def test_each_position_is_transformed_by_itself(seed):
    torch.manual_seed(seed)
    x = normal(2, 4, 5, seed=seed)
    for module in (FeedForward(d_model=5).double(), GatedFeedForward(d_model=5).double()):
        assert module(x[:, :0]).shape == (2, 0, 5)
        torch.testing.assert_close(module(x)[1, 2], module(x[1, 2]))


@pytest.mark.parametrize(("m", "f"), [(3, 8), (12, 32), (64, 176), (4096, 10_928), (1, 8)])
def test_the_gated_width_left_out_is_8_thirds_rounded_up_to_a_multiple_of_8(m, f):
    with torch.device("meta"):
        assert GatedFeedForward(d_model=m).up.out_features == f
        assert FeedForward(d_model=m).up.out_features == 4 * m


@pytest.mark.parametrize("make", [FeedForward, GatedFeedForward])
@pytest.mark.parametrize("sizes", [{"d_model": 0}, {"d_model": 3, "d_ff": 0}, {"d_model": -1}])
def test_widths_below_one_are_named(make, sizes):
    with pytest.raises(ValueError, match=r"d_model=.*d_ff=.*a width is at least 1"):
        make(**sizes)
