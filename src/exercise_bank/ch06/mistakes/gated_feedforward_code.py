"""Gated feed-forward networks with a slip in them, as students write them."""

import torch
from torch import Tensor
from torch.nn import functional as F


def swapped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * F.silu(x @ up.mT)) @ down.mT


def gelu_on_up(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * F.gelu(x @ up.mT)) @ down.mT


def sigmoid(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (torch.sigmoid(x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_after(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu((x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_twice(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) * F.silu(x @ up.mT)) @ down.mT


def not_bent(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * (x @ up.mT)) @ down.mT


def summed(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) + (x @ up.mT)) @ down.mT


def gelu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.gelu(x @ gate.mT) * (x @ up.mT)) @ down.mT


def gelu_by_sigmoid(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    reads = x @ gate.mT
    return (reads * torch.sigmoid(1.702 * reads) * (x @ up.mT)) @ down.mT


def gelu_by_tanh(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.gelu(x @ gate.mT, approximate="tanh") * (x @ up.mT)) @ down.mT


def gate_alone(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ gate.mT) @ down.mT


def transposed(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate) * (x @ up)) @ down


def bent_at_the_end(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(((x @ gate.mT) * (x @ up.mT)) @ down.mT)


def relu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.relu(x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_before(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((F.silu(x) @ gate.mT) * (x @ up.mT)) @ down.mT


def softmaxed(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (torch.softmax(x @ gate.mT, dim=-1) * (x @ up.mT)) @ down.mT


def chained(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ up.mT) @ down.mT


def with_residual(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return x + (F.silu(x @ gate.mT) * (x @ up.mT)) @ down.mT


def axes_lost(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    rows = x.reshape(-1, x.shape[-1])
    return (F.silu(rows @ gate.mT) * (rows @ up.mT)) @ down.mT


def two_axes_only(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return torch.mm(F.silu(torch.mm(x, gate.mT)) * torch.mm(x, up.mT), down.mT)


def two_axes_unpacked(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    _, _ = x.shape
    return axes_lost(x, gate, up, down)


def tanh(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (torch.tanh(x @ gate.mT) * (x @ up.mT)) @ down.mT


def softplus(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.softplus(x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_sum(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ gate.mT + x @ up.mT) @ down.mT


def sum_of_bent(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) + F.silu(x @ up.mT)) @ down.mT


def relu_on_up(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * F.relu(x @ up.mT)) @ down.mT


def sigmoid_on_up(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * torch.sigmoid(x @ up.mT)) @ down.mT


def gelu_twice(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.gelu(x @ gate.mT) * F.gelu(x @ up.mT)) @ down.mT


def bent_at_the_end_too(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu((F.silu(x @ gate.mT) * (x @ up.mT)) @ down.mT)


def turned(matrix: Tensor) -> Tensor:
    return matrix.reshape(matrix.shape[1], matrix.shape[0])


def down_reshaped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) * (x @ up.mT)) @ turned(down)


def readings_reshaped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ turned(gate)) * (x @ turned(up))) @ down.mT


def all_reshaped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ turned(gate)) * (x @ turned(up))) @ turned(down)


def down_as_it_is(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) * (x @ up.mT)) @ down


def readings_as_they_are(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate) * (x @ up)) @ down.mT


def product_of_outputs(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ gate.mT) @ down.mT * ((x @ up.mT) @ down.mT)


def no_minus(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    reads = x @ gate.mT
    return (reads / (1 + torch.exp(reads)) * (x @ up.mT)) @ down.mT


def inf_over_inf(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    z = x @ gate.mT
    powers = z.exp()
    return (z * (powers / (1 + powers)) * (x @ up.mT)) @ down.mT


def inf_over_inf_at_once(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    z = x @ gate.mT
    return (z * z.exp() / (1 + z.exp()) * (x @ up.mT)) @ down.mT


def on_the_left(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return down @ (F.silu(gate @ x) * (up @ x))
