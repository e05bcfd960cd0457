"""Checkpoints that are written completely or not at all, with a checksum against corruption.

The name of a file holds the step and the first digits of the SHA-256 of its content. It is moved
into place in one step, so that an interrupted call leaves the previous checkpoint as the newest.
"""

import hashlib
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from plainformer.models.storage import write_atomically

NAME = re.compile(r"step-(\d{8})-([0-9a-f]{16})\.pt")


class CorruptCheckpoint(ValueError):  # noqa: N818 - it says what the checkpoint is
    """A checkpoint's content has changed since it was written: it is truncated, or bits differ."""


def save(folder: Path, step: int, state: dict[str, Any], *, keep: int = 2) -> Path:
    """Write a checkpoint, then remove all but the newest.

    Args:
        folder: folder of the checkpoints.
        step: number of steps done.
        state: tensors, numbers, text, lists and dictionaries of them.
        keep: number of checkpoints to keep.

    Returns:
        The file.

    Raises:
        ValueError: ``keep`` is below 1.
        OSError: the disk is full, or the folder is not writable; earlier checkpoints stay.

    Cost: the size of the state on the disk, before older checkpoints are removed.
    """
    if keep < 1:
        raise ValueError(f"keep={keep}: at least the newest checkpoint stays")
    path = folder / "step-unnamed.pt"
    name = ""

    def write(part: Path) -> None:
        nonlocal name
        torch.save(state, part)
        name = f"step-{step:08d}-{digest(part)}.pt"

    unnamed = path
    write_atomically(unnamed, write)
    final = unnamed.replace(folder / name)
    for old in found(folder)[:-keep]:
        old.unlink()
    return final


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint, without executing any code in it.

    Args:
        path: the file.

    Raises:
        CorruptCheckpoint: its content has changed since it was written.

    Cost: one pass over the file for its digest, one to read it.
    """
    match = NAME.fullmatch(path.name)
    if not match:
        raise CorruptCheckpoint(f"{path}: expected a name like step-00000100-<16 digits>.pt")
    try:
        if digest(path) != match[2]:
            raise CorruptCheckpoint(
                f"{path} is cut off or corrupt: its content has another digest than its name; "
                "delete it to go on from the checkpoint before it"
            )
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise CorruptCheckpoint(f"{path} cannot be read: {error.strerror or error}") from error
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        why = str(error).strip().partition("\n")[0]
        raise CorruptCheckpoint(f"{path} holds no checkpoint of this package: {why}") from error
    return state


def newest(
    folder: Path, say: Callable[[str], object] = lambda line: None
) -> tuple[Path, dict[str, Any]] | None:
    """Return the newest complete checkpoint, or None if there is none.

    Args:
        folder: folder of the checkpoints.
        say: called with a message for each file that was skipped, with the reason.
    """
    for part in sorted(folder.glob(".step-*.part")):
        say(f"skipped {part.name}: it was never finished")
    for path in reversed(found(folder)):
        try:
            return path, load(path)
        except CorruptCheckpoint as error:
            say(f"skipped: {error}")
    return None


def found(folder: Path) -> list[Path]:
    """List the checkpoints of a folder, the oldest first.

    Args:
        folder: folder of the checkpoints.
    """
    return sorted(path for path in folder.glob("step-*.pt") if NAME.fullmatch(path.name))


def digest(path: Path) -> str:
    """Return the first 16 digits of the SHA-256 of a file.

    Args:
        path: the file.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
