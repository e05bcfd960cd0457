"""What a forked process does first: it ties itself to its server, and runs what was asked for."""

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

from plaincourse.kernels import families, warm


def named(target: str) -> Callable[..., Any]:
    """Import a function by its name.

    Args:
        target: ``"package.module:function"``.

    Raises:
        ValueError: the name has another form.
    """
    module, colon, name = target.partition(":")
    if not (module and colon and name):
        raise ValueError(f"{target!r}: expected the form 'package.module:function'")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def be(server: int, message: dict[str, Any], fds: list[int]) -> None:
    """Be the forked process: run what was asked for, and end.

    Args:
        server: the process id of the server.
        message: the ``target`` and its ``arguments``.
        fds: open files for it.
    """
    code = 1
    try:
        families.die_with_parent(server)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warm.reseed()
        named(message["target"])(message["arguments"], fds)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
