"""The whole state of a training run, as plain tensors and numbers.

Parameters are named and whole, in one process, in copies, and in shards. So each kind of run can
load the state that another kind has saved.
"""

import random
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor, distribute_tensor

State = dict[str, Any]


def model_state(model: nn.Module) -> dict[str, Tensor]:
    """Return the parameters by name, gathered from all shards.

    Args:
        model: the model, as returned by :meth:`~plainformer.training.processes.Alone.wrap`.
    """
    return {_plain(name): _whole(p.detach()) for name, p in model.named_parameters()}


def load_model(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Set the parameters.

    Args:
        model: the model, wrapped or not.
        state: the result of :func:`model_state`.

    Raises:
        ValueError: names or shapes differ; all are listed.
    """
    mine = {_plain(name): p for name, p in model.named_parameters()}
    wrong = [f"{n} is missing" for n in sorted(mine.keys() - state.keys())]
    wrong += [f"{n} is not in this model" for n in sorted(state.keys() - mine.keys())]
    wrong += [
        f"{n} is {tuple(state[n].shape)}, here {tuple(p.shape)}"
        for n, p in mine.items()
        if n in state and p.shape != state[n].shape
    ]
    if wrong:
        raise ValueError(f"the checkpoint is of another model: {'; '.join(wrong)}")
    with torch.no_grad():
        for name, parameter in mine.items():
            parameter.copy_(_like(state[name], parameter))


def optimiser_state(model: nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, State]:
    """Return the optimiser's state of each parameter, by the parameter's name.

    Args:
        model: the model, wrapped or not.
        optimiser: optimiser of the model's parameters.
    """
    return {
        _plain(name): {key: _whole(value) for key, value in optimiser.state[p].items()}
        for name, p in model.named_parameters()
        if p in optimiser.state
    }


def load_optimiser(
    model: nn.Module, optimiser: torch.optim.Optimizer, state: dict[str, State]
) -> None:
    """Set the state of the optimiser.

    Args:
        model: the model, wrapped or not.
        optimiser: optimiser of the model's parameters.
        state: the result of :func:`optimiser_state`.
    """
    for name, parameter in model.named_parameters():
        if _plain(name) in state:
            optimiser.state[parameter] = {
                key: _like(value, parameter) if value.ndim else value.clone()
                for key, value in state[_plain(name)].items()
            }


def random_state() -> State:
    """Return the states of all random generators of this process."""
    version, numbers, last = random.getstate()
    old: dict[str, Any] = np.random.get_state(legacy=False)  # noqa: NPY002
    state: State = {
        "torch": torch.get_rng_state(),
        "python": [version, torch.tensor(numbers, device="cpu"), last],
        "numpy": {
            **old,
            "state": {
                "key": torch.from_numpy(old["state"]["key"].astype(np.int64)),
                "pos": old["state"]["pos"],
            },
        },
    }
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state()
    return state


def load_random_state(state: State) -> None:
    """Set all random generators of this process.

    Args:
        state: the result of :func:`random_state`.
    """
    torch.set_rng_state(state["torch"])
    version, numbers, last = state["python"]
    random.setstate((version, tuple(numbers.tolist()), last))
    key, place = state["numpy"]["state"]["key"], state["numpy"]["state"]["pos"]
    old = {**state["numpy"], "state": {"key": key.numpy().astype(np.uint32), "pos": place}}
    np.random.set_state(old)  # noqa: NPY002
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state(state["cuda"])


def _plain(name: str) -> str:
    return name.removeprefix("module.")  # DDP's


def _whole(value: Tensor) -> Tensor:
    whole = value.full_tensor() if isinstance(value, DTensor) else value
    return whole.detach().to("cpu", copy=True)


def _like(value: Tensor, parameter: Tensor) -> Tensor:
    if isinstance(parameter, DTensor):
        whole = value.to(parameter.to_local().device)
        return distribute_tensor(whole, parameter.device_mesh, parameter.placements)
    return value.to(parameter.device, copy=True)
