"""Small trainings, here or in separate processes that can be killed."""

import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import torch

from plainformer.lab.corpus import Chain
from plainformer.models import Config, Decoder
from plainformer.training import Batches, NextToken, Settings, Trainer, Windows

CHAIN = Chain(alphabet=b"abcdef", order=1, branch=2, noise=0.02)
CONFIG = Config(vocabulary=256, d_model=16, n_layers=1, n_heads=2, context=8)


def trainer(folder: Path, *, objective=None, config=CONFIG, source=None, processes=None, **changes):
    """Make a small training; the settings may be changed."""
    torch.set_num_threads(1)
    torch.manual_seed(3)
    wanted = {"steps": 8, "rate": 5e-3, "checkpoint": 3} | changes
    batch = wanted.pop("batch", 8)
    source = Windows(CHAIN.sample(3000), 9) if source is None else source
    return Trainer(
        model=Decoder(config),
        objective=objective or NextToken(),
        batches=Batches(source=source, size=batch, seed=1),
        held_out=Batches(source=Windows(CHAIN.sample(20_000, seed=1), 9), size=batch),
        folder=folder,
        settings=Settings(**wanted),
        processes=processes,
        say=lambda line: None,
    )


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return the weights of a folder's newest checkpoint."""
    from plainformer.training import checkpoints

    found = checkpoints.newest(folder / "checkpoints")
    assert found is not None
    return found[1]["model"]


def fork(work: Callable[[], object], **environment: str) -> int:
    """Run some work in a separate process, and return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        os.environ.update(environment)
        work()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def wait(child: int) -> int:
    """Return the exit code of a process, negative if a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_after(child: int, path: Path, lines: int) -> None:
    """Kill a process as soon as a file has a number of lines."""
    end = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert time.monotonic() < end, "it never came so far"
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "it ended too soon"
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    assert wait(child) == -signal.SIGKILL


def together(work: Callable[[], object], count: int = 2) -> list[int]:
    """Run some work in several processes that form a group, and return their exit codes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(count)}
    children = [fork(work, RANK=str(rank), **place) for rank in range(count)]
    return [wait(child) for child in children]


def logs(folder):
    """Read the tables that a run wrote."""
    return {name: (folder / name).read_bytes() for name in ("training.csv", "evaluation.csv")}
