"""What a fork server is started with: which variables of ours, and where its sockets may lie."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from plaincourse.exercise.course import subject

# What the server may know of our environment: a child's /proc/self/environ shows what the server
# was started with, whatever the child does afterwards.
_PASSED = (
    "CUDA_VISIBLE_DEVICES HOME LANG LC_ALL LD_LIBRARY_PATH MPLCONFIGDIR PATH PYTHONPATH "
    "SYSTEMROOT TZ VIRTUAL_ENV XDG_CACHE_HOME"
).split()
_FIXED = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # each further arena takes 64 MiB of the address space
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    **{f"{package.upper()}_DEVICE": "cpu" for package in subject()},
    "PYTHONHASHSEED": "0",
}


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return what a fork server knows of our environment, and what every child needs.

    Args:
        ours: the environment of this process.
    """
    return {name: ours[name] for name in _PASSED if name in ours} | _FIXED


def begin(folder: Path, log: IO[bytes], fd: int) -> "subprocess.Popen[bytes]":
    """Start a fork server that nothing is forked from yet.

    Args:
        folder: where it works.
        log: takes what it says.
        fd: its end of the socket to its client.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "plaincourse.kernels.server", str(fd)],
        cwd=folder,
        env=environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=[fd],
        start_new_session=True,
    )


def short_folder() -> str:
    """Choose where sockets may lie: the system allows their paths 107 bytes.

    A folder below ``/tmp`` comes last: the sandbox has a ``/tmp`` of its own, which is writable.
    """
    usual = tempfile.gettempdir()
    for folder in ("/var/tmp", usual, "/tmp"):
        if len(os.fsencode(folder)) <= 60 and os.access(folder, os.W_OK | os.X_OK):
            return folder
    return usual
