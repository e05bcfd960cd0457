"""Close a box, so that an answer can learn from it only the results of its calls.

The kinds of box would each fail in their own way on an unusual argument, and so reveal their kind.
Therefore one rule of the task checks the arguments first, one error replaces all failures inside,
and the results are new, whole, and of the type of the arguments.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.autograd.function import once_differentiable

from plaincourse.checking.noticing import unwatched

#: Message of every box that cannot compute an output.
UNABLE = "the box has no output for these arguments"


def closed(
    inside: Callable[..., Any],
    taken: Callable[..., Sequence[Any]],
    *,
    name: str = "box",
    **how: Any,
) -> Any:
    """Return a function that checks its arguments and calls a box's computation.

    Args:
        inside: computes the output, a tensor, text, number or a nest of them.
        taken: the rule of the task: it has the parameters of the box, returns the arguments of
            ``inside``, and raises a ``TypeError`` or ``ValueError`` that is the same for all kinds.
        name: of the function, the same for all boxes of the task.
        how: see :func:`_computed`.
    """
    signature = inspect.signature(taken)
    named = ", ".join(signature.parameters)
    all_given = len(signature.parameters)

    @unwatched
    def box(*given: Any, **also: Any) -> Any:
        if also or len(given) != all_given:  # the usual call skips binding, which is slow
            bound = _unless_it_fails(lambda: signature.bind(*given, **also))
            if bound is None:
                raise TypeError(f"the box takes these arguments: {named}")
            given, also = bound.args, bound.kwargs
        if any(isinstance(x, Tensor) and is_functorch_wrapped_tensor(x) for x in given):
            raise TypeError(
                "the box cannot be called inside of torch.vmap and torch.func: call it for each "
                "input"
            )
        handed = list(taken(*given, **also))
        found = _unless_it_fails(lambda: (_computed(inside, handed, **how),))
        if found is None:
            raise ValueError(UNABLE)
        return found[0]

    box.__name__ = box.__qualname__ = name
    box.__signature__ = signature  # type: ignore[attr-defined]
    return box


def does(inside: Callable[..., Any]) -> str:
    """Turn a function's docstring into a phrase in the third person: "divides by 8"."""
    verb, _, rest = (inside.__doc__ or "").strip().rstrip(".").partition(" ")
    return f"{verb.lower()}s {rest}"


def _unless_it_fails(compute: Callable[[], Any]) -> Any:
    """Return the result of a computation, or ``None`` if it fails; its error is not kept."""
    try:
        return compute()
    except Exception:
        return None


def _computed(
    inside: Callable[..., Any],
    handed: list[Any],
    *,
    slopes: bool = False,
    dtype: torch.dtype | None = None,
) -> Any:
    """Return the result of a box's computation in new memory.

    Args:
        inside: computes it.
        handed: the arguments.
        slopes: whether derivatives of the output, one tensor, can be computed.
        dtype: of the floating results; that of the arguments if not given.
    """
    tensors = [x for x in handed if isinstance(x, Tensor)]
    if dtype is None and tensors:
        dtype = next((x.dtype for x in tensors if x.is_floating_point()), None)
    if slopes and torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
        return _Through.apply(inside, dtype, *handed)
    with torch.no_grad():
        return _fresh(inside(*(_bare(x) for x in handed)), dtype)


def _bare(value: Any) -> Any:
    return value.detach().as_subclass(Tensor) if isinstance(value, Tensor) else value


def _fresh(value: Any, dtype: torch.dtype | None) -> Any:
    if isinstance(value, Tensor):
        whole = value.detach().to(dtype if value.is_floating_point() else value.dtype)
        return whole.clone(memory_format=torch.contiguous_format)
    return tuple(_fresh(each, dtype) for each in value) if type(value) is tuple else value


class _Through(torch.autograd.Function):
    """A box with derivatives: all boxes return one for each input, zeros or not."""

    @staticmethod
    def forward(ctx: Any, inside: Any, dtype: torch.dtype, *handed: Any) -> Tensor:
        wanted = ctx.needs_input_grad[2:]
        leaves = [_bare(x) for x in handed]
        ctx.leaves = [x.requires_grad_() for x, w in zip(leaves, wanted, strict=True) if w]
        ctx.wanted = wanted
        with torch.enable_grad():
            ctx.output = inside(*leaves).to(dtype)
        fresh: Tensor = _fresh(ctx.output, dtype)
        return fresh

    @staticmethod
    @once_differentiable
    @unwatched
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        found = _unless_it_fails(lambda: _slopes(ctx.output, ctx.leaves, gradients[0]))
        if found is None:
            raise ValueError(UNABLE)
        each = iter(found)
        return (None, None, *(next(each) if wanted else None for wanted in ctx.wanted))


def _slopes(output: Tensor, leaves: list[Tensor], gradient: Tensor) -> list[Tensor]:
    if not output.requires_grad:
        return [torch.zeros_like(x) for x in leaves]
    return list(
        torch.autograd.grad(
            output, leaves, gradient, retain_graph=True, allow_unused=True, materialize_grads=True
        )
    )
