"""Wait until a file descriptor can be read from."""

import math
import select


def readable(handle: int, seconds: float | None) -> bool:
    """Return whether a descriptor becomes readable, or ends, within a time.

    Unlike ``select.select``, this accepts descriptors of 1,024 and above, which occur in a process
    with many open files.

    Args:
        handle: the descriptor of a pipe, a socket or a process.
        seconds: the longest wait; ``None`` for no limit.
    """
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    return bool(waiting.poll(None if seconds is None else math.ceil(1000 * seconds)))
