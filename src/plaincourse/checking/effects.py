"""Decide whether an operation is forbidden by its effect, regardless of its name.

PyTorch has many names for one operation: ``softmax`` is also ``special.softmax``, ``softmin``,
``nn.Softmax2d``, the first half of ``cross_entropy``, and a part of every attention. All of them
call a few operations of ATen, and the decision is based on these. A derivative is not an operation,
so the module asks autograd itself whether one is being computed.
"""

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

#: For a forbidden name, the operations of ATen that do its work.
DONE_BY = {
    "scaled_dot_product_attention": re.compile("attention|_safe_softmax"),
    "MultiheadAttention": re.compile("multi_head_attention|transformer_encoder_layer"),
    "softmax": re.compile("softmax|attention|transformer_encoder_layer"),
    "log_softmax": re.compile("log_softmax"),
    "layer_norm": re.compile("layer_norm|group_norm|batch_norm"),
    "cross_entropy": re.compile("nll_loss|cross_entropy"),
    "nll_loss": re.compile("nll_loss"),
    "backward": re.compile("backward"),
    "optim": re.compile("^_fused_(adam|sgd|adagrad)"),
    "cat": re.compile("^_?cat$"),
    "pad": re.compile("^(constant_pad_nd|_pad_|(reflection|replication)_pad|_padded_dense)"),
}
#: For a forbidden name, other names of library code that does the same work.
ALSO = {
    "concatenate": ("r_", "c_"),
    "func": ("_functorch",),
    "MultiheadAttention": ("multi_head_attention_forward",),
    "scaled_dot_product_attention": ("flex_attention", "varlen_attn"),
    "softmax": ("softmin", "Softmax", "Softmin", "Softmax2d", "LogSoftmax", "gumbel_softmax"),
}
#: Names by which a task forbids automatic differentiation.
DERIVES = ("autograd", "backward")
#: Names that run an operation past the modes that observe it. No answer needs them.
PASSES_BY = frozenset({
    "redispatch", "redispatch_boxed", "_op_dk", "decompose", "_disable_current_modes", "_pop_mode",
    "_pop_mode_temporarily", "_DisableTorchDispatch", "_DisablePythonDispatcher",
    "_ExcludeDispatchKeyGuard", "_IncludeDispatchKeyGuard", "_ForceDispatchKeyGuard",
    "_AutoDispatchBelowAutograd", "_pop_torch_dispatch_stack",
})  # fmt: skip


#: Prefix of the name for the use of a library that a task cannot name in advance.
READY_MADE = "a ready-made function of "
#: Name for unobserved operations: which operations ran is unknown.
UNSEEN = "a way past the watch"


def is_told(name: Any, forbid: Sequence[str]) -> bool:
    """Return whether an untrusted name is one that a watch can have reported.

    Args:
        name: the reported name.
        forbid: the names that the task forbids.
    """
    if type(name) is not str or not forbid:
        return False
    return name in (*forbid, UNSEEN) or (
        name.removeprefix(READY_MADE).isidentifier()
        and (name.startswith(READY_MADE) and len(name) < 100)
    )


class _Names(NamedTuple):
    """The names that a task forbids; nothing in it is mutable."""

    means: Mapping[str, str]
    patterns: tuple[tuple[str, re.Pattern[str]], ...]

    def families(self, function: str) -> tuple[str, ...]:
        parts = [part.strip("_") for part in function.split(".")]
        kinds = [name for name, done in self.patterns if done.search(function.lower())]
        return (*(self.means[part] for part in parts if part in self.means), *kinds)

    def done(self, operation: Any) -> str:
        schema = getattr(operation, "_schema", None)
        name = schema.name.partition("::")[2] if schema else operation.name()
        if found := next((each for each, done in self.patterns if done.search(name)), ""):
            return found
        names = (name, name.strip("_"), "torch")
        return next((self.means[each] for each in names if each in self.means), "")


class Effects(NamedTuple):
    """The parts of an answer's work that a task forbids.

    An answer that obtains this object cannot change it.

    Attributes:
        means: for a name that may not be used, the forbidden name that it is a synonym of.
        families: maps the qualified name of a library's function to the forbidden names of its
            kind; underscores around a part of it are ignored.
        done: maps an operation of PyTorch to the forbidden name of its effect, or to an empty
            string.
        derives: the forbidden name of a derivative; empty if none is forbidden.
        first: the first forbidden name of an operation or of a derivative; empty if there is none.
    """

    means: Mapping[str, str]
    families: Callable[[str], tuple[str, ...]]
    done: Callable[[Any], str]
    derives: str
    first: str

    def named(self, operation: Any, given: Sequence[Any]) -> str:
        """Return the forbidden name of a running operation, or an empty string.

        Args:
            operation: an operation of PyTorch.
            given: its positional arguments.
        """
        return self.done(operation) or (self.derives if self.derives and _derives(given) else "")

    def framed(self, around: Iterable[str]) -> str:
        """Return the forbidden name that the running library code has, or an empty string.

        Args:
            around: the names of the functions and modules that are running.
        """
        return next((self.means.get(x) or x for x in around if self._is_named(x)), "")

    def _is_named(self, name: str) -> bool:
        return name in self.means or name.startswith(READY_MADE)


@functools.lru_cache(maxsize=256)
def effects_of(*forbid: str) -> Effects:
    """Return the parts of an answer's work that a task forbids.

    Args:
        forbid: the names that the task forbids.
    """
    means = {name: name for name in forbid}
    for name in forbid:
        means |= dict.fromkeys(ALSO.get(name, ()), name)
    patterns = tuple((name, DONE_BY[name]) for name in forbid if name in DONE_BY)
    names = _Names(MappingProxyType(means), patterns)
    # Methods of immutable objects, not closures, because the cells of a closure can be written
    # into.
    families = functools.lru_cache(maxsize=None)(names.families)
    done = functools.lru_cache(maxsize=None)(names.done)
    derives = next((name for name in DERIVES if name in forbid), "")
    first = next((name for name, _ in patterns), derives)
    return Effects(names.means, families, done, derives, first)


def leave_forward_mode() -> None:
    """Leave a level of forward differentiation that earlier code left open."""
    with contextlib.suppress(RuntimeError):  # raised if a level is open, because there is only one
        torch._C._enter_dual_level()
    torch._C._exit_dual_level(level=0)


def _derives(given: Sequence[Any]) -> bool:
    """Return whether a derivative is being computed, backward or forward."""
    if torch._C._current_autograd_node() is not None:
        return True
    if not any(isinstance(each, torch.Tensor) for each in given):
        return False
    try:
        level = torch._C._enter_dual_level()
    except RuntimeError:  # there is one already: PyTorch refuses a second
        return True
    torch._C._exit_dual_level(level=level)
    return False
