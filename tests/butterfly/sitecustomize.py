"""A butterfly effect: change each weight by about its last bit before an optimiser's first step.

This imitates another processor, which adds in another order. Python imports this file automatically
if its folder is on PYTHONPATH; book/conftest.py puts it there for the kernels of notebooks if
BUTTERFLY is set, to the seed of the noise. A claim about training that does not survive this noise
is not reliable.
"""

import os

if os.environ.get("BUTTERFLY"):
    import torch
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    LAST_BIT = 1e-7
    wings = torch.Generator().manual_seed(int(os.environ["BUTTERFLY"]))

    def flap(optimiser: torch.optim.Optimizer, args: object, kwargs: object) -> None:
        """Change the weights that an optimiser is about to update for the first time."""
        if getattr(optimiser, "shaken", False):
            return
        optimiser.shaken = True
        with torch.no_grad():
            for group in optimiser.param_groups:
                for weight in group["params"]:
                    if weight.is_floating_point():
                        noise = torch.randn(weight.shape, generator=wings).to(weight)
                        weight.mul_(1 + LAST_BIT * noise)

    register_optimizer_step_pre_hook(flap)
