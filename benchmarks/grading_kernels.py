"""The life of one kernel, stock and ours: seconds from start to end, and memory of its own."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager

Maker = Callable[[], AsyncKernelManager]
WARM = "import torch, numpy, matplotlib.pyplot\ntorch.ones(2) @ torch.ones(2)"


async def life(make: Maker) -> tuple[float, int]:
    """Return the seconds of a kernel's life, and its private memory in bytes.

    It is born, imports what a notebook imports, and is shut down.

    Args:
        make: returns a kernel manager that has not started.
    """
    start = time.perf_counter()
    async with _running(make()) as (manager, client):
        await client.execute_interactive(WARM, output_hook=lambda message: None)
        waited = time.perf_counter()
        memory = private(_pid(manager.provisioner))
        waited = time.perf_counter() - waited
    return time.perf_counter() - start - waited, memory


@contextlib.asynccontextmanager
async def _running(manager: AsyncKernelManager) -> AsyncIterator[tuple[Any, Any]]:
    await manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        yield manager, client
    finally:
        client.stop_channels()
        await manager.shutdown_kernel()


def _pid(provisioner: Any) -> int:
    """Return the kernel's process: in the sandbox, the last of a line of processes that wait."""
    pid = provisioner.child.pid if hasattr(provisioner, "child") else provisioner.pid
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return int(pid)


def private(pid: int) -> int:
    """Return the memory that a process shares with no other, in bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


def stock() -> AsyncKernelManager:
    """Make a manager of a stock kernel."""
    return AsyncKernelManager(kernel_name="python3")


def lives(makers: dict[str, Maker], rounds: int) -> dict[str, list[tuple[float, int]]]:
    """Let a kernel of each kind live in each round, in turn.

    Args:
        makers: what makes a manager, by name.
        rounds: how many.
    """

    async def all_of_them() -> dict[str, list[tuple[float, int]]]:
        found: dict[str, list[tuple[float, int]]] = {name: [] for name in makers}
        for turn in range(rounds):
            for name in makers if turn % 2 == 0 else reversed(makers):
                found[name].append(await life(makers[name]))
        return found

    return asyncio.run(all_of_them())
