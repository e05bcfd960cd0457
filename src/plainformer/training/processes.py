"""One process, or several that share the work: copies of the model (DDP), or shards (FSDP2).

All three have the same interface. Gradients are averaged over the processes; the loop divides each
loss by the weights of the whole batch and multiplies it by the number of processes, so that the
average becomes a sum.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.nn.parallel import DistributedDataParallel

from plainformer.blocks import Block


class Alone:
    """One process.

    Attributes:
        rank: its number among the processes.
        world: number of processes.

    Args:
        device: device of the model.
    """

    rank, world = 0, 1

    def __init__(self, device: torch.device | str = "cpu") -> None:
        self.device = torch.device(device)

    def wrap(self, model: nn.Module) -> nn.Module:
        """Return ``model`` in the form in which it is trained."""
        return model

    @contextmanager
    def micro_step(self, model: nn.Module, *, last: bool) -> Iterator[None]:
        """Exchange gradients of ``model`` in the ``last`` micro-step of a step only."""
        yield

    def sum(self, numbers: Tensor) -> Tensor:
        """Add ``numbers`` over all processes."""
        return numbers

    def settle(self, model: nn.Module) -> None:
        """Release weights that a forward pass of ``model`` has gathered."""

    def gather(self, thing: Any) -> list[Any]:
        """Return each process's ``thing``, in the order of their ranks."""
        return [thing]

    def close(self) -> None:
        """Leave the group of processes."""


class Replicas(Alone):
    """Processes with one copy of the model each (DDP).

    Args:
        device: device of this process's copy.

    Ref: Li et al. 2020 (PyTorch Distributed), section 3.
    """

    def __init__(self, device: torch.device | str = "cpu") -> None:
        super().__init__(device)
        if self.device.type == "cuda":
            self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
            torch.cuda.set_device(self.device)
        if not dist.is_initialized():
            dist.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def wrap(self, model: nn.Module) -> nn.Module:
        """Return ``model`` with its gradients averaged over the processes."""
        return DistributedDataParallel(model)

    @contextmanager
    def micro_step(self, model: nn.Module, *, last: bool) -> Iterator[None]:
        """Exchange gradients of ``model`` in the ``last`` micro-step of a step only."""
        assert isinstance(model, DistributedDataParallel)
        if last:
            yield
        else:
            with model.no_sync():
                yield

    def sum(self, numbers: Tensor) -> Tensor:
        """Add ``numbers`` over all processes."""
        total = numbers.to(self.device)
        dist.all_reduce(total)
        return total.to(numbers.device)

    def gather(self, thing: Any) -> list[Any]:
        """Return each process's ``thing``, in the order of their ranks."""
        things: list[Any] = [None] * self.world
        dist.all_gather_object(things, thing)
        return things

    def close(self) -> None:
        """Leave the group of processes.

        Models of the group must be deleted before: otherwise the last of them would close the group
        while it holds Python's lock, for which the group's own threads may wait.
        """
        gc.collect()
        if dist.is_initialized():
            dist.destroy_process_group()


class Shards(Replicas):
    """Processes with a part of every weight each (FSDP2); a layer is gathered when it is used.

    They are constructed like :class:`Replicas`.

    Ref: Rajbhandari et al. 2020 (ZeRO), section 5.3; Zhao et al. 2023 (FSDP).
    """

    def wrap(self, model: nn.Module) -> nn.Module:
        """Shard the weights of ``model``, layer by layer, and return it."""
        mesh = init_device_mesh(self.device.type, (self.world,))
        for module in model.modules():
            if isinstance(module, Block):
                fully_shard(module, mesh=mesh)
        fully_shard(model, mesh=mesh)
        return model

    @contextmanager
    def micro_step(self, model: nn.Module, *, last: bool) -> Iterator[None]:
        """Exchange gradients of ``model`` in the ``last`` micro-step of a step only."""
        assert isinstance(model, FSDPModule)
        model.set_requires_gradient_sync(last)
        yield

    def settle(self, model: nn.Module) -> None:
        """Release weights that a forward pass of ``model`` has gathered.

        The outermost weights stay whole until a backward pass. An evaluation has none, and the
        optimiser only knows the sharded weights.
        """
        for module in model.modules():
            if isinstance(module, FSDPModule):
                module.reshard()


def under_torchrun() -> bool:
    """Return whether torchrun started this process."""
    return "RANK" in os.environ and "WORLD_SIZE" in os.environ
