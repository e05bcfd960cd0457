"""A worker process: waits for a submission, grades it, sends the result."""

import ctypes
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from plaincourse.grading.jobs import Job, Result

_PR_SET_PDEATHSIG = 1


def main(link: Connection, begin: Callable[[], Callable[[Any], Callable[[Job], Result]]]) -> None:
    """Say that all is ready, or why not; then grade until the link is closed.

    Args:
        link: jobs come, results go. The first message is empty, or says why nothing can begin.
        begin: returns what takes the task, the first thing to come, and returns what grades.
    """
    _part()
    try:
        grade = begin()(link.recv())
    except EOFError:
        return
    except Exception as error:
        traceback.print_exc()
        link.send_bytes(f"{type(error).__name__}: {error}".encode())
        return
    link.send_bytes(b"")
    while True:
        try:
            job = link.recv()
        except (EOFError, OSError):
            return
        link.send_bytes(grade(job).packed())


def _part() -> None:
    """Leave the terminal's group, so that its Ctrl-C is the coordinator's alone; die with it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(os, "setsid"):
        os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        parent = multiprocessing.parent_process()
        if parent is not None and not parent.is_alive():
            os._exit(1)  # it is gone already
