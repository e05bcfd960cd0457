"""Wait until a file descriptor can be read from."""

import math
import select


def readable(handle: int, seconds: float | None) -> bool:
    """Return whether a descriptor can be read from, or has ended, within a time.

    Unlike ``select.select``, this takes descriptors of 1,024 and above, which a process has that
    holds many open.

    Args:
        handle: the descriptor of a pipe, a socket or a process.
        seconds: how long to wait at most; ``None`` for as long as it takes.
    """
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    return bool(waiting.poll(None if seconds is None else math.ceil(1000 * seconds)))
