"""What a process has to close when it ends, and its forks have to let go of."""

import atexit
import os
import weakref
from typing import Protocol


class Living(Protocol):
    """Something that lives outside of this process."""

    def close(self) -> None:
        """End it."""

    def forget(self) -> None:
        """Let go of it, in a fork of the process that it belongs to."""


_LIVE: weakref.WeakSet[Living] = weakref.WeakSet()


def add(each: Living) -> None:
    """Close it when this process ends, and let the forks of this process forget it."""
    _LIVE.add(each)


@atexit.register
def _close_all() -> None:
    for each in list(_LIVE):
        each.close()


def _forget_all() -> None:
    for each in list(_LIVE):
        each.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
