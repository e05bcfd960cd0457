"""Stop a call that takes too long, and leave no trace of it."""

import contextlib
import ctypes
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from io import StringIO
from types import FrameType

import numpy as np
import torch


class OutOfTime(BaseException):
    """A call took longer than it may. No ``except Exception`` can swallow it.

    Args:
        grown: by how many bytes the memory of its process had grown by then, where that is known.
    """

    def __init__(self, grown: int = 0) -> None:
        super().__init__()
        self.grown = grown


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`OutOfTime` in the body once ``seconds`` have passed.

    On the main thread of a Unix process an interval timer does it, and it rings again every half
    second in case that a bare ``except:`` swallows the first. Elsewhere (Windows, a worker
    thread) another thread asks the interpreter to raise it; a body that ignores it once is not
    asked again. Neither can stop one long call into C, which ends first.
    """
    main = threading.current_thread() is threading.main_thread()
    limit = _by_signal if main and hasattr(signal, "setitimer") else _by_thread
    with limit(seconds):
        yield


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    def ring(signum: int, frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # also where the alarm rang in the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if timer[0]:
            signal.setitimer(signal.ITIMER_REAL, *timer)


@contextlib.contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    target = ctypes.c_ulong(threading.get_ident())
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    lock, over = threading.Lock(), False

    def ring() -> None:
        with lock:
            if not over:
                raise_in(target, ctypes.py_object(OutOfTime))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
        timer.cancel()
        raise_in(target, None)


@contextlib.contextmanager
def captured() -> Iterator[StringIO]:
    """Collect what the body prints and warns, so that a notebook cell shows neither.

    nbgrader gives a graded cell 0 points as soon as anything stands on stderr.
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


#: What makes the state clean again, within :func:`clean_state`.
_again: Callable[[], None] | None = None


@contextlib.contextmanager
def clean_state() -> Iterator[Callable[[], None]]:
    """Give the body torch's and NumPy's defaults and a fixed seed; afterwards restore what was.

    A student's ``torch.set_default_dtype(...)`` must not change what is drawn, and an answer
    must not change what the next one sees. The body is given a function that makes the state clean
    again between two calls, at a fiftieth of the cost. Within another body of this kind the state
    is clean before and after, and the outer one restores what was.
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
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
        torch.default_generator.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002
        random.seed(0)

    try:
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
