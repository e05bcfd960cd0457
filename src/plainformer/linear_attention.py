r"""Linear attention and the gated delta rule: a state of fixed size in place of all the keys.

All positions write to one matrix, the state :math:`S_t` of shape e × d, and a query reads it:

.. math::

    S_t = \alpha_t\, S_{t-1} (I - \beta_t\, \mathbf k_t \mathbf k_t^\top)
    + \beta_t\, \mathbf v_t \mathbf k_t^\top, \qquad \mathbf o_t = S_t\, \mathbf q_t

This is the gated delta rule. Without the term :math:`\mathbf k_t \mathbf k_t^\top`, as with
``delta=False``, it is linear attention. Three forms compute the same outputs: position by position,
for all pairs at once, and in chunks. They suit decoding, short inputs, and training.
"""

from functools import reduce
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from plainformer.whole_numbers import Whole, whole

Read = tuple[Float[Tensor, "*batch q e"], Float[Tensor, "*batch e d"]]


class _Inputs(NamedTuple):
    """Inputs of one call, complete, and all in the precision of the state."""

    query: Tensor
    key: Tensor
    value: Tensor
    beta: Tensor
    alpha: Tensor
    state: Tensor


def step(
    query: Float[Tensor, "*batch d"],
    key: Float[Tensor, "*batch d"],
    value: Float[Tensor, "*batch e"],
    beta: Float[Tensor, "*batch"] | None = None,
    alpha: Float[Tensor, "*batch"] | None = None,
    *,
    state: Float[Tensor, "*batch e d"] | None = None,
    delta: bool = True,
) -> tuple[Float[Tensor, "*batch e"], Float[Tensor, "*batch e d"]]:
    r"""Write one position to the state and read it, as in one step of decoding.

    With a key of length 1 and :math:`\beta = 1` the delta rule replaces the value that was stored
    at this key: afterwards :math:`S \mathbf k = \mathbf v`. Linear attention adds to it.

    Args:
        query: reads the state after the position is written.
        key: the key under which the value is stored. The delta rule expects length 1.
        value: the value to store.
        beta: how much of it is written, from 0 to 2; 1 when left out.
        alpha: how much of the old state is kept, above 0 and at most 1; 1 when left out.
        state: the state before this position; zeros when left out.
        delta: subtract the value that the state holds at the key before writing. False is linear
            attention.

    Returns:
        The output and the new state. In half precision the state is float32.

    Raises:
        ValueError: shapes do not match, a dtype is not floating, or ``beta`` or ``alpha`` is out of
            its range.

    Cost: 3·d·e multiplications, 2·d·e without the delta term, and d·e more for ``alpha``; the state
    is d·e numbers, however long the sequence.

    Ref: Yang, Kautz and Hatamizadeh 2025 (Gated DeltaNet); with ``alpha`` = 1 Schlag et al. 2021.

    >>> one = torch.ones(1)
    >>> _, state = step(one, one, torch.tensor([5.0]))
    >>> step(one, one, torch.tensor([7.0]), state=state)[0].item()
    7.0
    >>> step(one, one, torch.tensor([7.0]), state=state, delta=False)[0].item()
    12.0
    """
    gates = [None if x is None else x[..., None] for x in (beta, alpha)]
    rows = query[..., None, :], key[..., None, :], value[..., None, :]
    output, state = recurrent(*rows, *gates, state=state, delta=delta)
    return output[..., 0, :], state


def recurrent(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch q d"],
    value: Float[Tensor, "*batch q e"],
    beta: Float[Tensor, "*batch q"] | None = None,
    alpha: Float[Tensor, "*batch q"] | None = None,
    *,
    state: Float[Tensor, "*batch e d"] | None = None,
    mask: Bool[Tensor, "*batch q"] | None = None,
    delta: bool = True,
) -> Read:
    """Attend position by position, with one state, as in the equation.

    Args:
        query: one for each position; not scaled here.
        key: one for each position. The delta rule expects length 1; for linear attention with
            feature maps, queries and keys are given as features.
        value: one for each position.
        beta: how much of a value is written, from 0 to 2; 1 when left out.
        alpha: how much of the state is kept, above 0 and at most 1; 1 when left out.
        state: the state before the first position; zeros when left out.
        mask: True for a token, False for padding, which leaves the state as it is.
        delta: as in :func:`step`.

    Returns:
        The outputs, each of which reads the positions up to its own, and the last state.

    Raises:
        ValueError: shapes do not match, a dtype is not floating, ``beta`` or ``alpha`` is out of
            its range, or ``mask`` is not boolean with one entry for each position.

    Cost: q times that of :func:`step`, in q sequential steps.

    Ref: Yang, Kautz and Hatamizadeh 2025 (Gated DeltaNet).
    """
    given = _checked(query, key, value, beta, alpha, state, mask)
    state, outputs = given.state, []
    for t in range(query.shape[-2]):
        q, k, v = given.query[..., t, :], given.key[..., t, :], given.value[..., t, :]
        state = given.alpha[..., t, None, None] * state
        if delta:
            v = v - (state @ k[..., None])[..., 0]
        state = state + (given.beta[..., t, None] * v)[..., None] * k[..., None, :]
        outputs.append((state @ q[..., None])[..., 0])
    read = torch.stack(outputs, dim=-2) if outputs else torch.zeros_like(given.value)
    return read.to(value.dtype), state


def parallel(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch q d"],
    value: Float[Tensor, "*batch q e"],
    beta: Float[Tensor, "*batch q"] | None = None,
    alpha: Float[Tensor, "*batch q"] | None = None,
    *,
    state: Float[Tensor, "*batch e d"] | None = None,
    mask: Bool[Tensor, "*batch q"] | None = None,
    delta: bool = True,
) -> Read:
    r"""Attend for all pairs at once, with a masked matrix like that of softmax attention.

    With :math:`\gamma_t = \alpha_1 \cdots \alpha_t`, let :math:`\Gamma_{ij} = \gamma_i / \gamma_j`
    for :math:`j \le i` and 0 above. Then :math:`O = (\Gamma \circ QK^\top)\, U`, where row t of U
    is the vector that position t writes at its key. For linear attention :math:`U = \beta V`. For
    the delta rule U solves a triangular system, in which each row depends on the rows before it:

    .. math:: (I + \operatorname{diag}(\beta)\, \operatorname{tril}(\Gamma \circ KK^\top, -1))\, U
        = \operatorname{diag}(\beta)\, V

    Args:
        query: as in :func:`recurrent`, like all arguments below.
        key: one for each position.
        value: one for each position.
        beta: how much of a value is written.
        alpha: how much of the state is kept.
        state: the state before the first position.
        mask: True for a token, False for padding.
        delta: as in :func:`step`.

    Returns:
        The outputs and the last state.

    Raises:
        ValueError: as for :func:`recurrent`.

    Cost: q²·(d + e) + 2·q·d·e multiplications, and q²·(d + e/2) + q·d·e more for the delta rule;
    q² numbers of memory.

    Ref: Yang et al. 2024 (DeltaNet), without the decay; Yang, Kautz and Hatamizadeh 2025.
    """
    given = _checked(query, key, value, beta, alpha, state, mask)
    output, state = _at_once(given, delta)
    return output.to(value.dtype), state


def chunked(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch q d"],
    value: Float[Tensor, "*batch q e"],
    beta: Float[Tensor, "*batch q"] | None = None,
    alpha: Float[Tensor, "*batch q"] | None = None,
    *,
    chunk: Whole = 64,
    state: Float[Tensor, "*batch e d"] | None = None,
    mask: Bool[Tensor, "*batch q"] | None = None,
    delta: bool = True,
) -> Read:
    """Attend in chunks: all pairs within a chunk at once, and a state between chunks.

    Args:
        query: as in :func:`recurrent`, like all arguments below.
        key: one for each position.
        value: one for each position.
        beta: how much of a value is written.
        alpha: how much of the state is kept.
        chunk: c, positions in a chunk; the last chunk may be shorter.
        state: the state before the first position.
        mask: True for a token, False for padding.
        delta: as in :func:`step`.

    Returns:
        The outputs and the last state.

    Raises:
        ValueError: as for :func:`recurrent`; or ``chunk`` is below 1.

    Cost: q·c·(d + e) + 2·q·d·e multiplications, and q·c·(d + e/2) + q·d·e more for the delta rule,
    in q/c sequential steps; c² numbers of memory and the state.

    Ref: Yang et al. 2024 (DeltaNet), Yang, Kautz and Hatamizadeh 2025. Their kernels solve the
    systems of all chunks before the first state is known; here each is solved when it is reached.
    """
    chunk = whole(chunk, "chunk", least=1)
    given = _checked(query, key, value, beta, alpha, state, mask)
    state, outputs = given.state, []
    for start in range(0, query.shape[-2], chunk):
        rows = slice(start, start + chunk)
        q, k, v = (x[..., rows, :] for x in given[:3])
        written, kept = (x[..., rows] for x in given[3:5])
        part = _Inputs(q, k, v, written, kept, state)
        output, state = _at_once(part, delta)
        outputs.append(output)
    read = torch.cat(outputs, dim=-2) if outputs else torch.zeros_like(given.value)
    return read.to(value.dtype), state


def _at_once(given: _Inputs, delta: bool) -> tuple[Tensor, Tensor]:
    """Compute the outputs of a chunk and the state after it from the state before it."""
    query, key, value, beta, alpha, state = given
    n = query.shape[-2]
    causal = torch.ones(n, n, dtype=torch.bool, device=query.device).tril()
    logs = alpha.log().cumsum(dim=-1)
    # Masked before the exponential, which could overflow above the diagonal.
    decay = (logs[..., :, None] - logs[..., None, :]).masked_fill(~causal, -torch.inf).exp()
    kept = logs.exp()[..., None]  # decay of the state before the first position
    written = beta[..., None] * value
    if delta:
        written = written - beta[..., None] * kept * (key @ state.mT)
        matrix = beta[..., None] * (decay * (key @ key.mT)).tril(-1)
        written = torch.linalg.solve_triangular(matrix, written, upper=False, unitriangular=True)
    output = (decay * (query @ key.mT)) @ written + kept * (query @ state.mT)
    if n:
        left = decay[..., -1, :, None]  # weight of each position in the last state
        state = kept[..., -1:, :] * state + (left * written).mT @ key
    return output, state


def _checked(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    beta: Any,
    alpha: Any,
    state: Any,
    mask: Any,
) -> _Inputs:
    """Check the inputs, and fill in those that were left out."""
    if query.ndim < 2 or query.shape != key.shape or value.shape[:-1] != key.shape[:-1]:
        raise ValueError(
            f"query, key, value of shapes {tuple(query.shape)}, {tuple(key.shape)}, "
            f"{tuple(value.shape)}: expected (..., q, d), (..., q, d), (..., q, e)"
        )
    rows, batch = key.shape[:-1], key.shape[:-2]
    expected = {"beta": (beta, rows), "alpha": (alpha, rows), "mask": (mask, rows),
                "state": (state, (*batch, value.shape[-1], key.shape[-1]))}  # fmt: skip
    for name, (x, shape) in expected.items():
        if x is not None and (not isinstance(x, Tensor) or x.shape != shape):
            found = f"shape {tuple(x.shape)}" if isinstance(x, Tensor) else type(x).__name__
            raise ValueError(f"{name} of {found}: expected a tensor of shape {tuple(shape)}")
    named = {"query": query, "key": key, "value": value, "beta": beta, "alpha": alpha,
             "state": state}  # fmt: skip
    tensors = {name: x for name, x in named.items() if x is not None}
    for name, x in tensors.items():
        if not x.is_floating_point():
            raise ValueError(f"{name} has dtype {x.dtype}; expected a floating dtype")
    wide = reduce(torch.promote_types, (x.dtype for x in tensors.values()), torch.float32)
    query, key, value = query.to(wide), key.to(wide), value.to(wide)
    beta = key.new_ones(rows) if beta is None else beta.to(wide)
    alpha = key.new_ones(rows) if alpha is None else alpha.to(wide)
    state = key.new_zeros(expected["state"][1]) if state is None else state.to(wide)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise ValueError(f"mask has dtype {mask.dtype}; expected torch.bool")
        key, value = (x.masked_fill(~mask[..., None], 0) for x in (key, value))
        beta, alpha = beta.masked_fill(~mask, 0), alpha.masked_fill(~mask, 1)
    if not ((beta >= 0) & (beta <= 2)).all():
        raise ValueError("beta: expected numbers from 0 to 2, such as the sigmoid of a logit")
    if not ((alpha > 0) & (alpha <= 1)).all():
        raise ValueError("alpha: expected numbers above 0 and at most 1; 1 keeps the whole state")
    return _Inputs(query, key, value, beta, alpha, state)
