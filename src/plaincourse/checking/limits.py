"""Stop a call that takes too long, and restore the state of the process."""

import contextlib
import ctypes
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from io import StringIO
from types import FrameType

import numpy as np
import torch

from plaincourse.checking.pictures import unseen

#: Ratio of the elapsed time that a call may take to its computing time, because a machine may be
#: busy.
PATIENCE = 4.0
#: Remaining seconds below which the timer is not set again.
_SHORTEST = 0.001


class OutOfTime(BaseException):
    """A call exceeded its time limit. No ``except Exception`` can catch it.

    Args:
        grown: the number of bytes by which the memory of its process had grown by then, if that is
            known.
    """

    def __init__(self, grown: int = 0) -> None:
        super().__init__()
        self.grown = grown


@contextlib.contextmanager
def time_limit(
    seconds: float, clock: float | None = None, *, unless: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Raise :class:`OutOfTime` in the body once it has computed for ``seconds``.

    The limit counts the processor time of this process, so that a busy machine stops no call early;
    a body that only waits is stopped by elapsed time. No body is stopped before ``seconds`` have
    passed, regardless of its number of threads.

    On the main thread of a Unix process an interval timer is used, which fires again every half
    second in case a bare ``except:`` catches the first exception. Elsewhere (Windows, a worker
    thread) another thread asks the interpreter to raise the exception, once only. Neither can
    interrupt a single long call into C.

    Args:
        seconds: the limit on processor time, summed over all threads.
        clock: the limit on elapsed seconds; by default ``PATIENCE`` times ``seconds``.
        unless: while it returns true, the alarm does not raise but fires again later.
    """
    main = threading.current_thread() is threading.main_thread()
    limit = _by_signal if main and hasattr(signal, "setitimer") else _by_thread
    computed = time.process_time() + seconds
    over = time.monotonic() + (PATIENCE * seconds if clock is None else clock)

    def left() -> float:
        return min(computed - time.process_time(), over - time.monotonic())

    with limit(left, unless):
        yield


@contextlib.contextmanager
def _by_signal(left: Callable[[], float], unless: Callable[[], bool]) -> Iterator[None]:
    def ring(signum: int, frame: FrameType | None) -> None:
        more = left()
        if more > _SHORTEST:
            signal.setitimer(signal.ITIMER_REAL, more, 0.5)
        elif not unless():
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, max(left(), _SHORTEST), 0.5)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # also if the alarm fired in the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
        if timer[0]:
            signal.setitimer(signal.ITIMER_REAL, *timer)


@contextlib.contextmanager
def _by_thread(left: Callable[[], float], unless: Callable[[], bool]) -> Iterator[None]:
    target = ctypes.c_ulong(threading.get_ident())
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    lock, over = threading.Lock(), threading.Event()

    def ring() -> None:
        while not over.wait(max(left(), _SHORTEST)):
            with lock:
                if left() <= _SHORTEST and not over.is_set() and not unless():
                    raise_in(target, ctypes.py_object(OutOfTime))
                    return

    threading.Thread(target=ring, daemon=True).start()
    try:
        yield
    finally:
        # An exception that was requested and has not arrived yet arrives here. Cancelling it (None)
        # would leave Python 3.11 searching for it forever, and with a profiler it would then hang.
        with contextlib.suppress(OutOfTime):
            with lock:
                over.set()
            for _ in range(100):
                pass


@contextlib.contextmanager
def captured() -> Iterator[StringIO]:
    """Capture the output and warnings of the body, so that a notebook cell shows neither.

    nbgrader gives a graded cell 0 points if there is any output on stderr.
    """
    said = StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(record=True) as heard,
    ):
        warnings.simplefilter("always")
        yield said
    for warning in heard:
        said.write(f"{warning.category.__name__}: {warning.message}\n")


#: Makes the state clean again, within :func:`clean_state`.
_again: Callable[[], None] | None = None


@contextlib.contextmanager
def clean_state() -> Iterator[Callable[[], None]]:
    """Give the body torch's and NumPy's defaults and a fixed seed; afterwards restore their state.

    A student's ``torch.set_default_dtype(...)`` must not change the inputs that are drawn, and an
    answer must not affect the next one. The body receives a function that makes the state clean
    again between two calls, at a fiftieth of the cost. Displays of the body are not shown, and the
    figures that it opens are closed. If such blocks are nested, the state is clean before and after
    the inner one, and the outermost restores it.
    """
    global _again
    if _again is not None:
        _again()
        try:
            yield _again
        finally:
            _again()
        return
    dtype, grad = torch.get_default_dtype(), torch.is_grad_enabled()
    tensors = torch.default_generator.get_state()  # manual_seed for all devices is slow
    numbers, errors = np.random.get_state(), np.geterr()  # noqa: NPY002  the state of students' code
    python, depth, folder = random.getstate(), sys.getrecursionlimit(), os.getcwd()  # noqa: PTH109

    def surroundings() -> None:
        np.seterr(**errors)
        sys.setrecursionlimit(depth)
        os.chdir(folder)

    def afresh() -> None:
        surroundings()
        closed()
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
        torch.default_generator.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002
        random.seed(0)

    try:
        with unseen() as closed:
            _again = afresh
            afresh()
            yield afresh
    finally:
        _again = None
        surroundings()
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)
        torch.default_generator.set_state(tensors)
        np.random.set_state(numbers)  # noqa: NPY002
        random.setstate(python)
