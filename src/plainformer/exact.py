"""Products that autocast must leave in the dtype of their factors."""

from contextlib import AbstractContextManager, nullcontext

import torch


def exact(device: torch.device) -> AbstractContextManager[object]:
    """Return a context in which products are computed in the dtype of their factors.

    Autocast narrows every matrix product, including those that are widened on purpose, such as
    scores in float32 for queries in float16.

    Args:
        device: the device of the factors.
    """
    if torch.is_autocast_enabled(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()
