"""The command line of training: ``python -m plainformer.train --help``."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from plainformer.devices import device, named
from plainformer.models import pretrained
from plainformer.training import states
from plainformer.training.loop import Trainer
from plainformer.training.losses import NonFiniteLoss
from plainformer.training.options import parser
from plainformer.training.processes import Alone, Replicas, Shards, under_torchrun
from plainformer.training.settings import Settings
from plainformer.training.tasks import Task, settings_of, task_of, verdict

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: its arguments; those of the process when left out.

    Returns:
        The exit code: 0 trained, 2 refused or failed, 130 interrupted.
    """
    args = parser().parse_args(argv)
    rank = int(os.environ.get("RANK", "0"))
    try:
        return _train(args, rank)
    except KeyboardInterrupt:
        print("stopped at once; the same command goes on from the last checkpoint", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, NonFiniteLoss) as error:
        who = f" (process {rank})" if rank else ""
        print(f"error{who}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def _train(args: argparse.Namespace, rank: int) -> int:
    def say(line: str) -> None:
        if rank == 0:
            print(line, file=sys.stderr)

    task, settings = task_of(args), settings_of(args)
    where = device() if args.device is None else named(args.device)
    alone = not under_torchrun()
    processes = Alone(where) if alone else {"ddp": Replicas, "fsdp": Shards}[args.parallel](where)
    try:
        return _train_with(processes, task, settings, args, say)
    finally:
        processes.close()


def _train_with(
    processes: Alone,
    task: Task,
    settings: Settings,
    args: argparse.Namespace,
    say: Callable[[str], None],
) -> int:
    """Train, and leave no model behind: a group of processes is closed when nothing uses it."""
    torch.manual_seed(settings.seed)
    trainer = Trainer(
        model=task.build(),
        objective=task.objective,
        batches=task.batches,
        folder=Path(args.out),
        settings=settings,
        processes=processes,
        held_out=task.held_out,
        tensorboard=args.tensorboard,
        say=say,
    )
    if trainer.step:
        say(f"going on from step {trainer.step} of {settings.steps}")
    if not trainer.run():
        say(f"stopped after step {trainer.step}; the same command goes on from there")
        return INTERRUPTED
    loss = trainer.evaluate()
    weights = states.model_state(trainer.model)
    if processes.rank == 0:
        model = task.build()
        states.load_model(model, weights)
        pretrained.save(model, args.out)
        print(verdict(loss, task.floor))
        print(f"saved: {args.out} (python -m plainformer.generate --model {args.out})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
