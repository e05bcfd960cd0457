"""Suppress the displays and figures of an answer, because a check calls it often.

If each of some hundred calls left a figure open, all would be shown at the end of the cell, and a
cell with that much output is truncated.
"""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def unseen() -> Iterator[Callable[[], None]]:
    """Display nothing in the body, and close the figures that it opens.

    The body receives a function that closes them between two calls. Without IPython and Matplotlib
    this has no effect.
    """
    before = set(_open())

    def closed() -> None:
        for number in [each for each in _open() if each not in before]:
            with contextlib.suppress(Exception):  # a back end may have a window that is gone
                sys.modules["matplotlib.pyplot"].close(number)

    shell = _shell()
    shown = shell.display_pub if shell else None
    if shell:
        shell.display_pub = _silent(shown)
    try:
        yield closed
    finally:
        closed()
        if shell:
            shell.display_pub = shown


def _open() -> list[int]:
    """Return the numbers of the figures that pyplot holds open, oldest first."""
    with contextlib.suppress(Exception):  # a notebook may have replaced the module
        return list(sys.modules["matplotlib.pyplot"].get_fignums())
    return []


def _shell() -> Any:
    """Return the IPython shell of this process, or ``None``."""
    module = sys.modules.get("IPython.core.interactiveshell")
    shell = module.InteractiveShell if module else None
    return shell.instance() if shell and shell.initialized() else None


def _silent(shown: Any) -> Any:
    """Return a display publisher that publishes nothing but otherwise acts like the given one."""
    silent = _kind()()
    silent.__dict__["shown"] = shown
    return silent


@functools.cache
def _kind() -> Any:
    from IPython.core.displaypub import DisplayPublisher

    class Silent(DisplayPublisher):
        def __getattr__(self, name: str) -> Any:
            """Read other attributes from the original, where a kernel sets an output's cell."""
            return getattr(self.__dict__["shown"], name)

        def publish(self, *given: Any, **more: Any) -> None:
            """Publish nothing."""

        def clear_output(self, wait: bool = False) -> None:
            """Clear nothing."""

    return Silent
