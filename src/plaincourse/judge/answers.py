"""Helpers for tests that act on a student's objects beyond the abilities of proxies.

Each helper does the same to an object of this process and to a proxy, so that a test cell gives the
same results in one process and in two. A value that a proxy returns is a copy, so writing into it
has no effect on the student's side. These helpers write there::

    from plaincourse.judge import answers

    model = SelfAttention(4, 2, 2)
    answers.set_parameters(model, {"query.weight": torch.ones(2, 4)})
    grads = answers.gradients(model, model(x).square().sum(), ["query.weight"])
"""

import functools
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from plaincourse.checking.by_name import by_name
from plaincourse.checking.remote import session_of
from plaincourse.judge.footprints import measured

_F = TypeVar("_F", bound=Callable[..., Any])
#: Functions that the student's side runs if a helper receives a proxy.
HELPERS: dict[str, Callable[..., Any]] = {}


def helper(function: _F) -> _F:
    """Run a function in the student's process if one of its arguments is a proxy."""
    HELPERS[function.__name__] = function

    @functools.wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        session = next((session_of(each) for each in args if session_of(each)), None)
        if session is None:
            return function(*args, **kwargs)
        return session.ask("help", function.__name__, *args, **kwargs)

    return either  # type: ignore[return-value]


@helper
def parameters(module: nn.Module) -> dict[str, Tensor]:
    """Return copies of a module's parameters by name."""
    return {name: each.detach().clone() for name, each in module.named_parameters()}


@helper
def set_parameters(module: nn.Module, values: Mapping[str, Tensor]) -> None:
    """Write values into a module's parameters.

    Raises:
        KeyError: the module has no parameter of that name.
        ValueError: the shape of a value differs from that of its parameter.
    """
    known = dict(module.named_parameters(remove_duplicate=False))
    for name, value in values.items():
        if name not in known:
            raise KeyError(f"no parameter {name!r}; there are {', '.join(known) or 'none'}")
        if known[name].shape != value.shape:
            has, given = tuple(known[name].shape), tuple(value.shape)
            raise ValueError(f"the parameter {name} has shape {has}, the value {given}")
        with torch.no_grad():
            known[name].copy_(value)


@helper
def owned(module: nn.Module, paths: Sequence[str]) -> list[int]:
    """Count trainable numbers: those of the parameter at each path, and last all others.

    A path is attributes with dots, ``"query.weight"``. A parameter at two paths counts at the
    first; a tensor that is not a parameter of the module counts 0.
    """
    sizes = {id(each): each.numel() for each in module.parameters()}
    counts = [sizes.pop(id(operator.attrgetter(path)(module)), 0) for path in paths]
    return [*counts, sum(sizes.values())]


@helper
def place(module: nn.Module, weights: Mapping[str, Tensor], *, rest: float = 0.5) -> list[str]:
    """Copy weights into the layers of a module, in one step.

    The module is put into evaluation mode and converted to the dtype of the weights. Every other
    parameter is filled with one number, so that its use is visible. A bare tensor in place of a
    layer is assumed to be used as ``x @ weight``: it receives the transpose, if the shape fits.

    Args:
        module: the student's module.
        weights: by the attribute of a layer, its matrix (out, in).
        rest: the value of all other parameters.

    Returns:
        The place of each weight: ``"query.weight"``, or ``"query"`` for a bare tensor.

    Raises:
        AttributeError: there is no such attribute.
        TypeError: it is not a layer.
        ValueError: its shape differs.
    """
    module.eval().to(next(iter(weights.values())).dtype)
    with torch.no_grad():
        for each in module.parameters():
            each.fill_(rest)
    return [_copy(module, name, matrix, tuple(weights)) for name, matrix in weights.items()]


def _copy(module: nn.Module, name: str, matrix: Tensor, names: tuple[str, ...]) -> str:
    if not hasattr(module, name):
        some = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
        raise AttributeError(
            f"self.{name} is missing: make the projections in __init__, under the names {some}"
        )
    layer = getattr(module, name)
    if isinstance(layer, Tensor):
        return _copy_bare(module, name, layer, matrix)
    weight = getattr(layer, "weight", None)
    if not isinstance(weight, Tensor):
        raise TypeError(f"self.{name} is a {type(layer).__name__}; make it an nn.Linear")
    if weight.shape != matrix.shape:
        raise ValueError(_wrong_shape(f"{name}.weight", weight, matrix))
    _fill(layer, "weight", matrix)
    return f"{name}.weight"


def _copy_bare(module: nn.Module, name: str, weight: Tensor, matrix: Tensor) -> str:
    if weight.shape not in (matrix.shape, matrix.mT.shape):
        raise ValueError(_wrong_shape(name, weight, matrix))
    _fill(module, name, matrix.mT if weight.shape == matrix.mT.shape else matrix)
    return name


def _fill(owner: Any, name: str, values: Tensor) -> None:
    """Replace the values of an attribute; a parameter remains the same parameter."""
    held = getattr(owner, name)
    if isinstance(held, nn.Parameter) or not isinstance(owner, nn.Module):
        held.data = values.detach().clone()
    else:
        setattr(owner, name, values.detach().clone().requires_grad_(held.requires_grad))


def _wrong_shape(name: str, weight: Tensor, matrix: Tensor) -> str:
    out, into = matrix.shape
    return (
        f"self.{name} has shape {tuple(weight.shape)}, expected {(out, into)}: the layer takes "
        f"vectors of width {into} (first argument of nn.Linear) to width {out} (second)"
    )


def gradients(owner: Any, loss: Tensor, paths: Sequence[str]) -> list[Tensor | None]:
    """Return a loss's gradients for tensors of a student's object, ``None`` if none arrives.

    Args:
        owner: a module, or any object with attributes.
        loss: one number, computed here from the object's return values.
        paths: attributes with dots, ``"query.weight"``.
    """
    _fresh(owner, list(paths))
    if loss.requires_grad:
        loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    found: list[Tensor | None] = _collected(owner, list(paths))
    return found


def _tensors(owner: Any, paths: Sequence[str]) -> list[Tensor]:
    tensors = [operator.attrgetter(path)(owner) for path in paths]
    return [each for each in tensors if each.requires_grad]


@helper
def _fresh(owner: Any, paths: Sequence[str]) -> None:
    for each in _tensors(owner, paths):
        each.grad = None
        if not each.is_leaf:
            each.retain_grad()


@helper
def _collected(owner: Any, paths: Sequence[str]) -> list[Tensor | None]:
    found = [operator.attrgetter(path)(owner).grad for path in paths]
    for each in _tensors(owner, paths):
        each.grad = None
    return [None if each is None else each.detach() for each in found]


@helper
def take(iterable: Any, number: int) -> list[Any]:
    """Return at most ``number`` further values of an iterable."""
    return list(itertools.islice(iter(iterable), number))


@helper
def changes(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """Call a function; return its result, and its arguments as they are afterwards.

    The arguments passed to this helper stay unchanged.
    """
    args, kwargs = _copied(args), _copied(kwargs)
    result = function(*args, **kwargs)
    return result, {**dict(enumerate(args)), **kwargs}


@helper
def footprint(function: Callable[..., Any], **given: Any) -> list[Any]:
    """Call a function; return its result and its memory use.

    Args:
        function: the function.
        **given: its arguments.

    Returns:
        The result, the shape of the largest tensor that was made, the largest count of numbers
        alive at once in tensors made during the call, and the largest size in bytes of other Python
        objects.
    """
    return measured(by_name(function), given)


def _copied(value: Any) -> Any:
    """Return a copy of data that can be written into without changing the original."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(each) for each in value)
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return value.copy() if hasattr(value, "__array__") and hasattr(value, "copy") else value


def raises(kind: type[BaseException], function: Callable[..., Any], *args: Any, **kw: Any) -> str:
    """Return the message of the exception that a call raises.

    Raises:
        AssertionError: the call returns, or raises an exception of another type.
    """
    try:
        function(*args, **kw)
    except kind as error:
        return str(error)
    except Exception as error:
        raise AssertionError(
            f"expected {kind.__name__}, got {type(error).__name__}: {error}"
        ) from None
    raise AssertionError(f"expected {kind.__name__}; the call returned")


@helper
def equal(a: Any, b: Any) -> bool:
    """Return the result of the student's own ``==`` for two objects, at least one theirs."""
    return bool(a == b)


def whole(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function of the student's; return its result as an object, even if it is data.

    Values read from the result then keep their class and methods. A task whose answer makes an
    object, such as a module, needs this, because all other calls return data.
    """
    session = session_of(function)
    if session is None:
        return function(*args, **kwargs)
    return session.kept(function, *args, **kwargs)


def made(near: Any, kind: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Make an object of a library, such as ``nn.Linear``, in the process of a student's object.

    A module of the tests cannot be passed to a student's function; one made there can.

    Args:
        near: any object of the student's.
        kind: a class or function of torch, NumPy or Python.
        *args: its positional arguments.
        **kwargs: its keyword arguments.
    """
    session = session_of(near)
    if session is None:
        return kind(*args, **kwargs)
    return session.kept(kind, *args, **kwargs)
