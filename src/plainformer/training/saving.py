"""Save and restore the whole state of a training run, so that it continues without a difference."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn

from plainformer.training import checkpoints, states
from plainformer.training.batches import Batches
from plainformer.training.processes import Alone

Plan = dict[str, float | int | str]


@dataclass(kw_only=True)
class Saver:
    """Save the state of a training run: weights, optimiser, scaler, data, random states.

    The learning rate is a function of the step, which is also saved.

    Args:
        folder: folder of the checkpoints.
        model: the model, as it is trained.
        optimiser: optimiser of its parameters.
        scaler: scaler of its loss.
        batches: the position in the data.
        processes: this process, or one of several; the first one writes.
        plan: the settings that must not change when the run is continued.
        free: names of settings in the plan that may change nevertheless.
        keep: number of checkpoints to keep.
        say: called with messages, in the first process.

    Attributes:
        last: the newest checkpoint, or None.
        saved: the step of that checkpoint; 0 for None.
    """

    folder: Path
    model: nn.Module
    optimiser: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    batches: Batches
    processes: Alone
    plan: Plan
    free: Collection[str] = ()
    keep: int = 2
    say: Callable[[str], object] = print
    last: Path | None = field(default=None, init=False)
    saved: int = field(default=0, init=False)

    def save(self, step: int) -> None:
        """Write a checkpoint after ``step`` steps; all processes must call this."""
        state = {
            "step": step,
            "plan": self.plan,
            "model": states.model_state(self.model),
            "optimiser": states.optimiser_state(self.model, self.optimiser),
            "scaler": self.scaler.state_dict(),
            "batches": self.batches.state_dict(),
            "random": self.processes.gather(states.random_state()),
        }
        path = None
        if self.processes.rank == 0:
            path = checkpoints.save(self.folder, step, state, keep=self.keep)
        self.last, self.saved = self.processes.gather(path)[0], step

    def resume(self) -> int:
        """Load the newest complete checkpoint, and return its step; 0 if there is none.

        Raises:
            ValueError: it belongs to another model, other data or another plan; or none of the
                existing ones can be read.
        """
        rank = self.processes.rank
        found = checkpoints.newest(self.folder, self.say if rank == 0 else _silent)
        paths = self.processes.gather(None if found is None else found[0])
        if len(set(paths)) > 1:
            raise ValueError(f"the processes see different checkpoints {paths}: share the folder")
        if found is None:
            if broken := checkpoints.found(self.folder):
                raise ValueError(
                    f"none of the {len(broken)} checkpoints in {self.folder} can be read, and "
                    "nothing was overwritten: put a whole one there, or, to begin anew, take them "
                    "away or name another folder"
                )
            return 0
        self.last, state = found
        changed = [
            f"{name} was {state['plan'].get(name)!r}, is {value!r}"
            for name, value in self.plan.items()
            if state["plan"].get(name) != value and name not in self.free
        ]
        if changed:
            raise ValueError(
                f"{self.last}: {'; '.join(changed)}; resume with the same settings, start in "
                "another folder, or, to go on with other steps or another rate, prolong the run "
                "(--prolong, Settings(prolong=True))"
            )
        self.batches.load_state_dict(state["batches"])
        states.load_model(self.model, state["model"])
        states.load_optimiser(self.model, self.optimiser, state["optimiser"])
        self.scaler.load_state_dict(state["scaler"])
        self.saved = state["step"]
        if len(state["random"]) == self.processes.world:
            states.load_random_state(state["random"][rank])
        elif rank == 0:
            self.say(
                f"{len(state['random'])} processes wrote {self.last.name}, {self.processes.world} "
                "go on: the same batches, but not the same bits"
            )
        return self.saved


def _silent(line: str) -> None:
    pass
