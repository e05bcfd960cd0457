"""Distribute the heads over threads, each of which computes independently."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import torch

SMALL = 2**19  # scores from which a second thread pays for its start, about 0.1 ms


def share_out(work: Callable[[slice], None], n: int, *, scores: int) -> None:
    """Call ``work`` with parts of 0 … n - 1, one for each of PyTorch's threads.

    A tile is too small for several threads to work on one product of it: they would mostly wait for
    one another. So each thread processes some of the heads alone. PyTorch releases Python's lock
    inside its functions, so that Python's threads run in parallel.

    Args:
        work: computes for some of the heads; different parts must write to different places.
        n: number of key/value heads.
        scores: total number of scores. For a small number no threads are started.

    Raises:
        Exception: the exception that ``work`` raised in any of the threads.
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
    """Restrict PyTorch's functions to one thread, and restore the number of threads afterwards.

    OpenMP's threads, after they have helped, wait for more work in a loop that keeps a core busy
    for milliseconds, and Python's threads need that core.
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
    """Call the work in a thread with the settings of the calling thread, which are thread-local."""
    torch.set_num_threads(1)
    with torch.inference_mode(inference), torch.no_grad():
        work(part)
