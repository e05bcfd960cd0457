"""Tell by what an operation does whether it is forbidden, whatever it is called.

PyTorch has many names for one operation: ``softmax`` is also ``special.softmax``, ``softmin``,
``nn.Softmax2d``, the first half of ``cross_entropy``, and a part of every attention. All of them
end in a few operations of ATen, and these are judged. A derivative is not an operation: whether
one is being computed is asked of autograd itself.
"""

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

#: By a forbidden name, the operations of ATen that do its work.
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
#: By a forbidden name, others that library code of the same work has.
ALSO = {
    "concatenate": ("r_", "c_"),
    "func": ("_functorch",),
    "MultiheadAttention": ("multi_head_attention_forward",),
    "scaled_dot_product_attention": ("flex_attention", "varlen_attn"),
    "softmax": ("softmin", "Softmax", "Softmin", "Softmax2d", "LogSoftmax", "gumbel_softmax"),
}
#: Names by which a task forbids that somebody else differentiates.
DERIVES = ("autograd", "backward")
#: What runs an operation past the modes that would see it. No answer needs it.
PASSES_BY = frozenset({
    "redispatch", "redispatch_boxed", "_op_dk", "decompose", "_disable_current_modes", "_pop_mode",
    "_pop_mode_temporarily", "_DisableTorchDispatch", "_DisablePythonDispatcher",
    "_ExcludeDispatchKeyGuard", "_IncludeDispatchKeyGuard", "_ForceDispatchKeyGuard",
    "_AutoDispatchBelowAutograd", "_pop_torch_dispatch_stack",
})  # fmt: skip


#: How the use of a library is named that a task cannot name beforehand.
READY_MADE = "a ready-made function of "
#: How it is named that operations ran where nothing saw them: which ones they were is unknown.
UNSEEN = "a way past the watch"


def is_told(name: Any, forbid: Sequence[str]) -> bool:
    """Return whether a name, which may be anyone's, is one that a watch can have seen.

    Args:
        name: what was told.
        forbid: the names that the task forbids.
    """
    if type(name) is not str or not forbid:
        return False
    return name in (*forbid, UNSEEN) or (
        name.removeprefix(READY_MADE).isidentifier()
        and (name.startswith(READY_MADE) and len(name) < 100)
    )


class _Names(NamedTuple):
    """What a task forbids, by name; nothing in it can be written into."""

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
    """What of an answer's work a task forbids. An answer that comes by it cannot change it.

    Attributes:
        means: by a name that may not be used, the forbidden one that it is another name of.
        families: from the qualified name of a library's function to the forbidden names of whose
            kind it is; underscores around a part of it do not count.
        done: from an operation of PyTorch's to the forbidden name of what it does, or an empty
            text.
        derives: the forbidden name of a derivative; empty if none is forbidden.
        first: the first forbidden name of an operation or of a derivative; empty if there is none.
    """

    means: Mapping[str, str]
    families: Callable[[str], tuple[str, ...]]
    done: Callable[[Any], str]
    derives: str
    first: str

    def named(self, operation: Any, given: Sequence[Any]) -> str:
        """Return the forbidden name of what runs, or an empty text.

        Args:
            operation: of PyTorch's.
            given: its positional arguments.
        """
        return self.done(operation) or (self.derives if self.derives and _derives(given) else "")

    def framed(self, around: Iterable[str]) -> str:
        """Return the forbidden name that library code bears, or an empty text.

        Args:
            around: the names of the functions and modules that are running.
        """
        return next((self.means.get(x) or x for x in around if self._is_named(x)), "")

    def _is_named(self, name: str) -> bool:
        return name in self.means or name.startswith(READY_MADE)


@functools.lru_cache(maxsize=256)
def effects_of(*forbid: str) -> Effects:
    """Return what of an answer's work a task forbids.

    Args:
        forbid: the names that the task forbids.
    """
    means = {name: name for name in forbid}
    for name in forbid:
        means |= dict.fromkeys(ALSO.get(name, ()), name)
    patterns = tuple((name, DONE_BY[name]) for name in forbid if name in DONE_BY)
    names = _Names(MappingProxyType(means), patterns)
    # Methods of what cannot change, and no closures, whose cells can be written into.
    families = functools.lru_cache(maxsize=None)(names.families)
    done = functools.lru_cache(maxsize=None)(names.done)
    derives = next((name for name in DERIVES if name in forbid), "")
    first = next((name for name, _ in patterns), derives)
    return Effects(names.means, families, done, derives, first)


def leave_forward_mode() -> None:
    """Leave the level of forward differentiation that somebody left open."""
    with contextlib.suppress(RuntimeError):  # raised where one is open, as there is only one
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
    except RuntimeError:  # there is one: PyTorch refuses a second
        return True
    torch._C._exit_dual_level(level=level)
    return False
