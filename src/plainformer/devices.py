"""Which device to run on."""

import os

import torch


def device() -> torch.device:
    """Pick the fastest device present: cuda, then mps, then cpu.

    The environment variable ``PLAINFORMER_DEVICE`` overrides the choice.

    Raises:
        ValueError: ``PLAINFORMER_DEVICE`` names a device that torch does not know or
            that this machine lacks.
    """
    wanted = os.environ.get("PLAINFORMER_DEVICE", "").strip()
    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.mps.is_available()}
    if not wanted:
        return torch.device(next(name for name in ("cuda", "mps", "cpu") if present[name]))
    if not present.get(wanted.split(":")[0], False):
        here = ", ".join(name for name, found in present.items() if found)
        raise ValueError(
            f"PLAINFORMER_DEVICE={wanted!r} is not a device of this machine, which has: {here}. "
            "Set it to one of these, or unset it to let plainformer choose."
        )
    return torch.device(wanted)


def named(name: torch.device | str) -> torch.device:
    """Return a device by its name, if this machine has it.

    Args:
        name: such as "cpu", "cuda:1" or "mps".

    Raises:
        ValueError: there is no such device, or PyTorch was built without it.
    """
    if not isinstance(name, torch.device | str):
        raise ValueError(f"device {name!r}: expected a name, such as 'cpu' or 'cuda:0'")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"device {name}: not a device that works here ({reason})") from error
