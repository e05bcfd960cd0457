"""Products that autocast must leave in the type in which they were asked for."""

from contextlib import AbstractContextManager, nullcontext

import torch


def exact(device: torch.device) -> AbstractContextManager[object]:
    """Return a context in which products are computed in the dtype of their factors.

    Autocast narrows every matrix product, also those that are widened on purpose, such as scores
    in float32 for queries in float16.

    Args:
        device: where the factors are.
    """
    if torch.is_autocast_enabled(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()
