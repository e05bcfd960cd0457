"""How the heads are shared out over threads, each of which computes alone."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import torch

SMALL = 2**19  # scores from which a second thread is worth its start, about 0.1 ms


def share_out(work: Callable[[slice], None], n: int, *, scores: int) -> None:
    """Call ``work`` with parts of 0 … n - 1, one for each of PyTorch's threads.

    A tile is too small for several threads to work on one product of it: they would wait for one
    another most of the time. So each thread takes some heads, and computes alone. PyTorch lets go
    of Python's lock inside its functions, so that Python's threads run side by side.

    Args:
        work: computes for some of the heads; writes to no place that another part writes to.
        n: number of key/value heads.
        scores: how many scores are computed in all. A few are not worth a thread.

    Raises:
        Exception: what ``work`` raised in any of the threads.
    """
    threads = min(torch.get_num_threads(), n)
    if threads < 2 or scores < SMALL:
        work(slice(0, n))
        return
    cuts = [n * i // threads for i in range(threads + 1)]
    parts = [slice(a, b) for a, b in pairwise(cuts)]
    inference = torch.is_inference_mode_enabled()
    with one_thread(), ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(partial(_alone, work, inference), part) for part in parts[1:]]
        work(parts[0])
        for other in others:
            other.result()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let no function of PyTorch use threads of its own, and restore their number after.

    OpenMP's threads, once they have helped, wait for more work in a loop that keeps a core busy for
    milliseconds: one that Python's threads need.
    """
    before = torch.get_num_threads()
    if before > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if before > 1:
            torch.set_num_threads(before)


def _alone(work: Callable[[slice], None], inference: bool, part: slice) -> None:
    """Work in a thread as the calling one would: these settings are each thread's own."""
    torch.set_num_threads(1)
    with torch.inference_mode(inference), torch.no_grad():
        work(part)
