"""Numerical precision of training: that of the weights, or a lower one where that is safe."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


class Precision:
    """Compute in one of four precisions; weights and the optimiser stay in float32 or wider.

    bfloat16 and float16 are used only in matrix products (autocast). float16 has so few small
    numbers that gradients are multiplied before the backward pass, and divided after it (loss
    scaling); a step whose gradients overflow is skipped, and the factor halved.

    Args:
        name: "float64", "float32", "bfloat16" or "float16".
        device: device of the model.

    Raises:
        ValueError: the name is unknown, or float16 is requested on a device other than CUDA.

    Ref: Micikevicius et al. 2018, sections 3.1 to 3.3.
    """

    def __init__(self, name: str, device: torch.device) -> None:
        if name not in DTYPES:
            raise ValueError(f"precision={name!r}: expected one of {sorted(DTYPES)}")
        if name == "float16" and device.type != "cuda":
            raise ValueError(f"precision='float16' needs CUDA, not {device.type}: use bfloat16")
        self.name, self.dtype, self.device = name, DTYPES[name], device
        self.scaler = torch.amp.GradScaler(device.type, enabled=name == "float16")

    def weights_of(self, model: nn.Module) -> nn.Module:
        """Convert ``model`` to the dtype in which its weights are stored."""
        return model.to(torch.float64 if self.name == "float64" else torch.float32)

    def computing(self) -> AbstractContextManager[None]:
        """Return the context manager of a forward pass."""
        if self.name.startswith("float") and self.name != "float16":
            return nullcontext()
        context: AbstractContextManager[None] = torch.autocast(self.device.type, dtype=self.dtype)
        return context
