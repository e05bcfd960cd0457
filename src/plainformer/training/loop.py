"""The training loop, which can be interrupted and resumed without loss."""

import math
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

from plainformer import modes
from plainformer.models import Config
from plainformer.training import states
from plainformer.training.batches import Batches, micro_batches
from plainformer.training.interruption import Before, InterruptedStep
from plainformer.training.journal import Journal, Row, progress
from plainformer.training.losses import NonFiniteLoss, check_targets, summed_cross_entropy
from plainformer.training.objectives import Example, Objective
from plainformer.training.optimiser import adamw, clip
from plainformer.training.precision import Precision
from plainformer.training.processes import Alone
from plainformer.training.products import used_in
from plainformer.training.saving import Plan, Saver
from plainformer.training.settings import Settings
from plainformer.training.stopping import Stop
from plainformer.unknown_fields import check_known


class Trainer:
    """Train a model, alone or with other processes; continue an interrupted run.

    An error in a step or in an evaluation, or Ctrl-C, undoes it, and calling :meth:`run` again
    continues as without the interruption. A batch whose loss or gradient is not finite is skipped.
    Between steps the model's parts have the modes set by the user; in a step, see
    :func:`~plainformer.modes.training`.

    Args:
        model: the model; it is moved to the device and dtype of the settings.
        objective: the training objective.
        batches: the training data; each process takes its share.
        folder: folder of checkpoints and logs. A run that it contains is continued.
        settings: length and options of the run.
        processes: this process, or one of several.
        held_out: the evaluation data.
        tensorboard: whether curves are also written for TensorBoard.
        say: called with messages, in the first process.

    Attributes:
        step: number of steps done.

    Raises:
        ValueError: a setting does not match, or the folder's checkpoint belongs to another run.

    Cost: a step takes about three forward passes; memory for four numbers for each parameter, and
    for the backward pass of one micro-step.
    """

    def __init__(
        self,
        *,
        model: nn.Module,
        objective: Objective,
        batches: Batches,
        folder: Path | str,
        settings: Settings,
        processes: Alone | None = None,
        held_out: Batches | None = None,
        tensorboard: bool = False,
        say: Callable[[str], object] = print,
    ) -> None:
        check_known(settings, Settings, "a training")
        if settings.evaluate and held_out is None:
            raise ValueError(
                f"evaluate={settings.evaluate} without held_out: there is nothing to evaluate on; "
                "give held_out batches, or leave evaluate at 0"
            )
        self.processes = processes = Alone() if processes is None else processes
        self.objective, self.settings, self.schedule = objective, settings, settings.schedule()
        self.batches = batches.of(processes.rank, processes.world)
        self.held_out = held_out and held_out.of(processes.rank, processes.world)
        self.precision = Precision(settings.precision, processes.device)
        self.bare = self.precision.weights_of(model).to(processes.device)
        self.model = processes.wrap(self.bare)
        self.optimiser = adamw(self.bare, rate=settings.rate, decay=settings.decay)
        torch.manual_seed(settings.seed + processes.rank)
        self.saver = Saver(
            folder=Path(folder) / "checkpoints",
            model=self.model,
            optimiser=self.optimiser,
            scaler=self.precision.scaler,
            batches=self.batches,
            processes=processes,
            plan=_plan(self.bare, objective, batches, settings),
            free=("steps", "warmup", "rate", "final") if settings.prolong else (),
            keep=settings.keep,
            say=say,
        )
        self.step = self.saver.resume()
        self._evaluated, self._broken = self.step, ""
        writes = processes.rank == 0
        self.journal = Journal(Path(folder), self.step, writes=writes, tensorboard=tensorboard)

    def run(self) -> bool:
        """Train to the last step, or until a signal asks to stop.

        Returns:
            Whether the last step is done. In either case a checkpoint holds the current state.

        Raises:
            NonFiniteLoss: a loss or a gradient is NaN or infinite; called again, the method
                continues with the next batch.
            InterruptedStep: see :meth:`train_step`.
        """
        settings, asked = self.settings, False
        bar = progress(settings.steps, self.step, show=self.processes.rank == 0)
        with bar, self.journal, Stop() as stop:
            while True:
                self._evaluate_where_due()
                self._save_where_due(asked)
                if asked or self.step == settings.steps:
                    return self.step == settings.steps
                row = self.train_step()
                bar.set_postfix(loss=f"{row['loss']:.4f}", refresh=False)
                bar.update()
                asked = bool(self.processes.sum(torch.tensor(float(stop.asked), device="cpu")))

    def train_step(self) -> Row:
        """Do one step, and return the row that is logged.

        Raises:
            NonFiniteLoss: its loss or gradient is NaN or infinite; the weights did not change, and
                the batch is skipped.
            InterruptedStep: an earlier step was interrupted while the weights changed.
            ValueError: a target with a positive weight is not a token.
        """
        if self._broken:
            raise InterruptedStep(self._broken)
        before = Before(self.optimiser, self.precision.scaler, self.batches)
        row: Row = {}
        try:
            self.optimiser.zero_grad()  # gradients left by other code
            with modes.training(self.bare), used_in(self.bare):
                targets, loss = self._gradients()
            norm = self._norm()
            rate = self.schedule(self.step)
            row |= {"step": self.step + 1, "targets": targets, "loss": loss}
            row |= {"rate": rate, "norm": norm}
            self._update(rate)
        except NonFiniteLoss:
            self.optimiser.zero_grad()
            raise
        except BaseException as error:
            if self._taken_back(before, error):
                self._done(row)
            raise
        self._done(row)
        return row

    @torch.no_grad()
    def evaluate(self) -> float:
        """Return the mean loss on the same held-out batches in each call, in nats per target.

        It is NaN if all their weights are 0, because the mean over no targets is not 0.

        Raises:
            ValueError: no held-out batches were given.
        """
        if self.held_out is None:
            raise ValueError("no held_out batches were given: there is nothing to evaluate on")
        batches = self.held_out.of(self.processes.rank, self.processes.world)
        sums = torch.zeros(2, dtype=torch.float64, device="cpu")
        random = states.random_state()
        try:
            with modes.evaluating(modes.modules_of(self.model)), used_in(self.bare):
                for _ in range(self.settings.evaluation_batches):
                    example = self.objective.prepare(*batches.take())
                    counted = example.weights.double().sum()
                    sums += torch.stack([self._loss(example).double().cpu(), counted])
        except BaseException:
            states.load_random_state(random)
            raise
        finally:
            self.processes.settle(self.model)
        total, count = self.processes.sum(sums).tolist()
        loss: float = total / count if count else math.nan
        return loss

    def _evaluate_where_due(self) -> None:
        every, done = self.settings.evaluate, self.step == self.settings.steps
        due = self.held_out is not None and (done or (every and self.step % every == 0))
        if due and self._evaluated != self.step:
            self.journal.evaluation({"step": self.step, "loss": self.evaluate()})
            self._evaluated = self.step

    def _save_where_due(self, asked: bool) -> None:
        done = self.step == self.settings.steps
        due = asked or done or self.step % self.settings.checkpoint == 0
        if due and self.saver.saved != self.step:
            self.saver.save(self.step)

    def _gradients(self) -> tuple[float, float]:
        """Compute the gradients of the next batch; return its targets, and its mean loss."""
        parts = self.settings.accumulate
        rows, keys = self.batches.take()
        size = len(keys) // parts
        examples = [
            self.objective.prepare(part, keys[i * size : (i + 1) * size])
            for i, part in enumerate(micro_batches(rows, parts))
        ]
        counted = torch.stack([example.weights.double().sum() for example in examples]).sum()
        targets = float(self.processes.sum(counted))
        loss = torch.zeros((), dtype=torch.float64, device="cpu")
        for i, example in enumerate(examples):
            with self.processes.micro_step(self.model, last=i == parts - 1):
                part = self._loss(example, self.settings.smoothing) / max(targets, 1.0)
                scaled = self.precision.scaler.scale(part * self.processes.world)
                scaled.backward()  # type: ignore[no-untyped-call]
            loss += part.detach().double().cpu()
        value = float(self.processes.sum(loss))
        if not math.isfinite(value):
            raise self._not_finite("loss", value)
        return targets, value

    def _loss(self, example: Example, smoothing: float = 0.0) -> Tensor:
        there = example.to(self.processes.device)
        with self.precision.computing():
            logits = self.objective.logits(self.model, there)
        check_targets(example.targets, example.weights, logits.shape[-1])
        return summed_cross_entropy(
            logits, there.targets, there.weights, smoothing=smoothing, trusted=True
        )

    def _norm(self) -> float:
        """Clip the gradient, and return its length before clipping."""
        scaler = self.precision.scaler
        scaler.unscale_(self.optimiser)
        length = clip(self.bare.parameters(), self.settings.clip)
        if not math.isfinite(length) and not scaler.is_enabled():
            raise self._not_finite("gradient's norm", length)
        return length

    def _update(self, rate: float) -> None:
        scaler = self.precision.scaler
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        scaler.step(self.optimiser)
        scaler.update()

    def _done(self, row: Row) -> None:
        """Count the step, after its weights have changed, and log it."""
        self.step += 1
        try:
            self.journal.training(row)
        finally:
            self.optimiser.zero_grad()

    def _taken_back(self, before: Before, error: BaseException) -> bool:
        """Undo a step that ``error`` interrupted; return whether the step was complete."""
        try:
            return before.take_back()
        except InterruptedStep:
            self._broken = (
                f"step {self.step + 1} was interrupted while it changed the weights, some of which "
                "have taken it and others not: make a new model and a new Trainer of this folder, "
                "which goes on from " + self._last("the beginning, as no checkpoint was written")
            )
            error.add_note(self._broken)
            return False

    def _not_finite(self, what: str, value: float) -> NonFiniteLoss:
        return NonFiniteLoss(
            f"the {what} is {value} at step {self.step + 1}; the last good checkpoint is "
            + self._last("none, as none was written yet")
            + ": lower the learning rate, warm up for longer, or, in float16, use bfloat16"
        )

    def _last(self, otherwise: str) -> str:
        return str(self.saver.last) if self.saver.last else otherwise


def _plan(model: nn.Module, objective: Objective, batches: Batches, settings: Settings) -> Plan:
    """Return the settings, by name, that must not change when the run is continued."""
    plan: Plan = {"objective": repr(objective), "batch": batches.size, **settings.plan()}
    if isinstance(config := getattr(model, "config", None), Config):
        plan |= {name: repr(value) for name, value in config.to_dict().items()}
    return plan
