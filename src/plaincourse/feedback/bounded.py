"""Process untrusted text in a separate process with a limit on time and memory.

Markdown, HTML, CSS and formulas are parsed by libraries whose cost may grow with the square of the
text's length, or with the depth of its brackets. A list of such texts would never be complete, so
the work itself is limited. If it fails, the caller continues with a plainer result.
"""

import contextlib
import os
import resource
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from plaincourse.kernels.listening import readable

#: Limits: seconds of processor time, seconds of wall-clock time, additional bytes of memory, and
#: bytes of a result.
SECONDS, CLOCK, MEMORY, LARGEST = 20, 120.0, 1 << 30, 64 << 20
_DONE, _FAILED, _OVER = b"+", b"-", b"!"


class OverLimitError(RuntimeError):
    """The work exceeded its limit on time or memory, or its process crashed."""


def bounded(make: Callable[[], str]) -> str:
    """Return a text that is made in a fork of this process.

    Args:
        make: makes the text. Its side effects are lost with the fork.

    Raises:
        OverLimitError: it exceeded a limit, or the fork crashed.
        Exception: any error of ``make``, raised by a second call in this process.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # on a fork with running threads
        child = os.fork()
    if not child:
        _work(make, writing)
    os.close(writing)
    try:
        said = _hear(reading)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if said[:1] == _DONE:
        return said[1:].decode(errors="surrogatepass")
    if said[:1] == _FAILED:
        return make()
    raise OverLimitError(
        f"it took more than {SECONDS} seconds, {MEMORY >> 20} MiB, or {LARGEST >> 20} MiB of text"
    )


def _work(make: Callable[[], str], writing: int) -> NoReturn:
    """Make the text, write it, and exit."""
    said = _OVER
    try:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        memory = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        said = _DONE + make().encode(errors="surrogatepass")
    except (RecursionError, MemoryError):
        pass
    except BaseException:
        said = _FAILED
    with contextlib.suppress(BaseException), open(writing, "wb") as file:
        file.write(said if len(said) <= LARGEST else _OVER)
    os._exit(0)


def _hear(reading: int) -> bytes:
    """Read the output of the fork until it exits or its time is over."""
    parts: list[bytes] = []
    end = time.monotonic() + CLOCK
    while readable(reading, max(0.0, end - time.monotonic())):
        part = os.read(reading, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return b""
