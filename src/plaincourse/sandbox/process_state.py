"""Clean the state that a forked process inherits, and set limits, before student code runs in it.

The limits are on memory, time, open files and processes.
"""

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from plaincourse.sandbox.room import MIB, Limits

if sys.platform != "win32":
    import resource

_KEPT = """
    LANG LANGUAGE LC_ALL LC_CTYPE LC_NUMERIC LC_TIME LC_COLLATE LC_MONETARY LC_MESSAGES TZ
    OMP_NUM_THREADS MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS
    MPLBACKEND PYTHONHASHSEED PYTHONWARNINGS PYTHONIOENCODING PYTHONUTF8
    PYDEVD_DISABLE_FILE_VALIDATION
""".split()
_FONTS_AT_MOST = 8 * MIB


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of ``given`` that student code may see. No others are passed on."""
    kept = {name: given[name] for name in _KEPT if name in given}
    programs = (os.path.join(sys.prefix, "bin"), "/usr/local/bin", "/usr/bin", "/bin")
    return kept | {"PATH": os.pathsep.join(programs), "PYTHONDONTWRITEBYTECODE": "1"}


def replace_environment(home: str, temporary: str) -> None:
    """Reduce the environment, and wipe the memory that holds the original one.

    Args:
        home: The new value of HOME.
        temporary: The new value of TMPDIR.
    """
    now = environment(os.environ) | {
        "HOME": home,
        "USER": "student",
        "LOGNAME": "student",
        "SHELL": "/bin/sh",
        "TMPDIR": temporary,
        "MPLCONFIGDIR": os.path.join(home, ".config", "matplotlib"),
    }
    os.environ.clear()  # this also clears posix.environ, which is the same dictionary
    # /proc/self/environ shows the block that the program was started with, also after `unset`.
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        numbers = file.read().rpartition(")")[2].split()
    start, end = int(numbers[47]), int(numbers[48])
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)
    os.environ.update(now)
    tempfile.tempdir = None  # Python caches it; None makes it look again


def font_cache() -> list[tuple[str, bytes]]:
    """Read matplotlib's list of fonts as (name, content); making it anew would take seconds."""
    given = os.environ.get("MPLCONFIGDIR")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(given) if given else Path(cache, "matplotlib")
    found = []
    with contextlib.suppress(OSError):  # no such folder: matplotlib makes its list on demand
        for path in folder.glob("fontlist-*.json"):
            if path.stat().st_size < _FONTS_AT_MOST:
                found.append((path.name, path.read_bytes()))
    return found


def close_files(keep: Iterable[int]) -> None:
    """Close every open file except 0 to 2 and ``keep``; standard input becomes empty."""
    kept = {0, 1, 2, *keep}
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            with contextlib.suppress(OSError):  # the descriptor that listed the folder
                os.close(int(name))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if nothing != 0:
        os.close(nothing)


def reset_signals() -> None:
    """Restore the default effect of every signal; SIGINT raises KeyboardInterrupt."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError):  # two that the C library reserves
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # as in Python, where they raise an OSError
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def first_to_go() -> None:
    """Make this process the first that Linux kills when memory runs out."""
    with contextlib.suppress(OSError):  # some containers refuse it
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")


def limit(limits: Limits, *, held: int, processes: int) -> None:
    """Set the limits that Linux keeps for each process.

    Args:
        limits: The limits to set.
        held: Bytes of address space that this process has already.
        processes: How many processes and threads the user may have.
    """
    memory = held + limits.memory
    _lower(resource.RLIMIT_AS, memory, memory)
    # The soft limit ends the process with a signal that names the cause; the hard limit kills it.
    _lower(resource.RLIMIT_CPU, limits.seconds, limits.seconds + 2)
    _lower(resource.RLIMIT_FSIZE, limits.file, limits.file)
    _lower(resource.RLIMIT_NOFILE, limits.handles, limits.handles)
    _lower(resource.RLIMIT_NPROC, processes, processes)
    _lower(resource.RLIMIT_CORE, 0, 0)
    _lower(resource.RLIMIT_MSGQUEUE, 0, 0)


def limit_memory(limits: Limits) -> None:
    """Set only the limit on memory, for a process that is not isolated."""
    memory = addresses() + limits.memory
    _lower(resource.RLIMIT_AS, memory, memory)


def _lower(kind: int, soft: int, hard: int) -> None:
    ceiling = resource.getrlimit(kind)[1]
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))


def addresses() -> int:
    """Return the bytes of address space that this process has now."""
    return _pages(0)


def resident() -> int:
    """Return the bytes of memory that this process holds now."""
    return _pages(1)


def _pages(column: int) -> int:
    handle = os.open("/proc/self/statm", os.O_RDONLY)  # read at each call of an answer
    try:
        said = os.read(handle, 200)
    finally:
        os.close(handle)
    return int(said.split()[column]) * os.sysconf("SC_PAGE_SIZE")


def tasks() -> int:
    """Return the number of processes and threads of the whole machine."""
    return int(Path("/proc/loadavg").read_text(encoding="utf-8").split()[3].partition("/")[2])


def spare_user(uid_map: str, pid: int) -> int:
    """Choose an unused user number, a different one for each process.

    Args:
        uid_map: The text of ``/proc/self/uid_map``: the numbers that exist here.
        pid: The number of the process that needs a user.

    Returns:
        The user number. Limits on the number of processes count per user.
    """
    high = 0x70000000 + pid
    ranges = [(int(first), int(count)) for first, _, count in map(str.split, uid_map.splitlines())]
    if any(first <= high < first + count for first, count in ranges):
        return high
    first, count = max(ranges, key=lambda found: found[1])
    if count <= 2:
        return first + count - 1
    upper = count // 2  # the lower half holds the system's known users
    return first + upper + pid % (count - upper - 1)
