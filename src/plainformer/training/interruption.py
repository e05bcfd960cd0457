"""Interrupted steps: restore the state before the step, or complete the step."""

import torch

from plainformer.training import states
from plainformer.training.batches import Batches


class InterruptedStep(RuntimeError):  # noqa: N818 - it says what happened
    """A step was interrupted after some of the weights had changed, but not all."""


class Before:
    """Position in the data, random states and optimiser before a step.

    Args:
        optimiser: counts the steps of each parameter as ``step`` in its state.
        scaler: scaler of the loss.
        batches: the position in the data.

    Cost: a few kilobytes; no weight is copied.
    """

    def __init__(
        self, optimiser: torch.optim.Optimizer, scaler: torch.amp.GradScaler, batches: Batches
    ) -> None:
        self.optimiser, self.scaler, self.batches = optimiser, scaler, batches
        self.position, self.random = batches.position, states.random_state()
        self.counts = self._counts()

    def take_back(self) -> bool:
        """Undo a step that was interrupted, or drop its gradients if all weights have changed.

        Returns:
            Whether all weights have changed, so that the step is complete.

        Raises:
            InterruptedStep: some weights have changed and others have not.
        """
        now = self._counts()
        changed = [now[p] > count for p, count in self.counts.items() if p.grad is not None]
        self.optimiser.zero_grad()
        if self.scaler.is_enabled():
            self.scaler.update(self.scaler.get_scale())  # resets its unscaled state
        if any(changed) and not all(changed):
            raise InterruptedStep("some weights have changed, and others have not")
        if not any(changed):
            self.batches.position = self.position
            states.load_random_state(self.random)
        return any(changed)

    def _counts(self) -> dict[torch.Tensor, int]:
        state = self.optimiser.state
        parameters = (p for group in self.optimiser.param_groups for p in group["params"])
        return {p: int(state[p]["step"]) if state.get(p) else 0 for p in parameters}
