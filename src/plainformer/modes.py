"""Training and evaluation modes: set the one that is needed, and restore the previous one."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from torch import nn


@runtime_checkable
class Switchable(Protocol):
    """A module, or another object with PyTorch's two modes."""

    training: bool

    def train(self, mode: bool = True) -> object:
        """Switch dropout on or off, depending on ``mode``."""
        ...


# Modules in training mode that are being evaluated, and the number of calls that evaluate them:
# several threads may use one model, and only the last of them switches dropout on again.
_evaluated: dict[Switchable, int] = {}
_lock = threading.Lock()


def modules_of(model: Switchable) -> list[Switchable]:
    """Return the parts of a model that have their own mode.

    Args:
        model: a module, whose submodules are its parts; or another object, which has none.
    """
    return list(model.modules()) if isinstance(model, nn.Module) else [model]


@contextmanager
def evaluating(modules: Sequence[Switchable]) -> Iterator[None]:
    """Put modules into evaluation mode while the block runs.

    Afterwards each module has its previous mode again, also after an error: parts that were in
    evaluation mode before, such as frozen ones, stay in it.

    Args:
        modules: the modules that :func:`modules_of` returned.

    Cost: one check of each module.
    """
    if not _evaluated and not any(module.training for module in modules):
        yield
        return
    changed: list[Switchable] = []
    try:
        with _lock:
            for module in modules:
                if module.training or module in _evaluated:
                    changed.append(module)
                    _evaluated[module] = _evaluated.get(module, 0) + 1
                    _switch(module, False)
        yield
    finally:
        with _lock:
            for module in changed:
                _evaluated[module] -= 1
                if not _evaluated[module]:
                    del _evaluated[module]
                    _switch(module, True)


@contextmanager
def training(model: nn.Module) -> Iterator[None]:
    """Put a model into training mode while the block runs.

    If the model itself is in training mode, its parts keep their modes. If it is in evaluation
    mode, as after loading, all parts are put into training mode, except those whose parameters are
    all frozen.

    Args:
        model: the model that is trained.

    Cost: one check of each module and each parameter.
    """
    before = {module: module.training for module in model.modules()}
    try:
        if not model.training:
            for module in before:
                module.training = True
            for module in before:
                parameters = list(module.parameters())
                if parameters and not any(p.requires_grad for p in parameters):
                    for part in module.modules():
                        part.training = False
        yield
    finally:
        for module, mode in before.items():
            if module.training != mode:
                module.training = mode


def _switch(module: Switchable, mode: bool) -> None:
    if isinstance(module, nn.Module):
        module.training = mode  # train() would switch the parts of the module, too
    else:
        module.train(mode)
