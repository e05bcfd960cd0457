"""Stop a notebook's other processes while one of its answers is tested.

An answer is watched in its own process only. Another process could compute for it and send the
results through a pipe, a file or shared memory, so no other process may run during a test.
"""

import contextlib
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from plaincourse.kernels.families import descendants

#: The reasons reported for processes that were stopped, by name, and for one that still ran.
HELD = (
    "While this answer was tested, what the notebook had left running beside it was held: {}. "
    "An answer that asks another process gets no reply."
)
RAN = (
    "While this answer was tested, another process of the notebook ran, which nobody watches. So "
    "the answer was not judged."
)
_SWITCHES = re.compile(r"^(?:non)?voluntary_ctxt_switches:\s*(\d+)$", flags=re.MULTILINE)
#: The maximal number of kinds of processes that are named.
_NAMED = 5
_PATIENCE = 2.0  # seconds that a process has in which to stop


@dataclass
class Held:
    """The processes that were stopped during a test.

    Attributes:
        names: their names, sorted.
        ran: whether one of them ran anyway, or a new one had appeared by the end.
    """

    names: list[str] = field(default_factory=list)
    ran: bool = False


@contextlib.contextmanager
def others_held(pid: int, own: Iterable[int]) -> Iterator[Held]:
    """Stop the other processes of a sandbox while the body runs, and continue them afterwards.

    Args:
        pid: the outermost process of the sandbox.
        own: process ids that keep running: those that existed before any cell ran.
    """
    own, found = set(own), Held()
    seen: set[int] = set()
    end = time.monotonic() + _PATIENCE
    while new := descendants(pid) - own - seen:  # one may start another before it stops
        seen |= new
        for each in new:
            _signal(each, signal.SIGSTOP)
        while any(_state(each)[0] not in "TtZX" for each in new) and time.monotonic() < end:
            time.sleep(0.001)
    used = {each: _state(each)[1] for each in seen if _state(each)[0] not in "ZX"}
    found.names = sorted(filter(None, map(_name, used)))
    try:
        yield found
    finally:
        there = descendants(pid) - own
        found.ran = any(
            each not in used or _state(each) not in [("T", used[each]), ("t", used[each])]
            for each in there
            if _state(each)[0] not in "ZX"
        )
        for each in used:
            _signal(each, signal.SIGCONT)


def counted(names: Iterable[str]) -> str:
    """List the names with their counts, frequent ones first; at most five names."""
    found = Counter(names).most_common()
    listed = [name[:40] if count == 1 else f"{name[:40]} ({count} times)" for name, count in found]
    more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    return ", ".join(listed[:_NAMED]) + more


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _name(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text("utf-8", errors="replace").strip()
    return ""


def _state(pid: int) -> tuple[str, list[str]]:
    """Return the state of a process as the system writes it, and how often its threads ran.

    The state of a process that is gone is "X".
    """
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
        threads = Path(f"/proc/{pid}/task").glob("*/status")
        ran = [_SWITCHES.findall(each.read_text("utf-8", errors="replace")) for each in threads]
        return text.rpartition(")")[2].split()[0], [count for each in ran for count in each]
    return "X", []
