"""Overwrite the memory of earlier calls, so that no later call finds their inputs in it.

``torch.empty`` and ``numpy.empty`` return memory without writing into it. The C library overwrites
freed memory in all children of a fork server (:mod:`plaincourse.kernels.client`). NumPy keeps small
blocks for its next arrays and frees them late.
"""

import numpy as np

#: NumPy keeps blocks of fewer than _SMALL bytes, at most _KEPT of each size.
_SMALL, _KEPT = 1024, 7


def overwrite() -> None:
    """Write zeros into the blocks that NumPy keeps, in a few milliseconds."""
    for size in range(1, _SMALL):
        _ = [np.zeros(size, np.uint8) for _ in range(_KEPT)]
