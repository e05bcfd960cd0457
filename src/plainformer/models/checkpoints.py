"""The files of a checkpoint: one configuration, and weights in one file or in several shards.

The layout is that of Hugging Face: ``config.json`` next to ``model.safetensors``, or next to
``model.safetensors.index.json``, which lists the shard of each tensor.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
CONFIG = "config.json"
DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
}


class CheckpointError(ValueError):
    """A checkpoint cannot be read: a file is missing, truncated, or not of the expected format."""


class UnsupportedCheckpoint(CheckpointError):  # noqa: N818 - it says what the checkpoint is
    """A checkpoint is complete, but its configuration needs a feature that this package lacks."""


class CheckpointMismatch(CheckpointError):  # noqa: N818 - it says what is wrong
    """A checkpoint's tensors do not match its configuration.

    Args:
        faults: names by kind of fault: ``{"missing": […], "extra": […], "misshapen": […]}``.
        causes: settings that contradict the tensors, one sentence for each.
    """

    def __init__(self, faults: Mapping[str, Sequence[str]], *, causes: Sequence[str] = ()) -> None:
        self.faults = {kind: list(found) for kind, found in faults.items() if found}
        lines = [f"{kind}: {_some(found)}" for kind, found in self.faults.items()]
        cause = "".join(f". The likely cause: {'; '.join(causes)}" for _ in causes[:1])
        super().__init__("the tensors do not fit config.json; " + "; ".join(lines) + cause)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object, in UTF-8, UTF-16 or UTF-32, with or without a mark.

    Args:
        path: the file.

    Raises:
        CheckpointError: the file does not exist, or does not hold an object.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise CheckpointError(
            f"{path} is not there: is this the folder of a checkpoint?"
        ) from error
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error
    return parse_json(data, path)


def parse_json(text: str | bytes, path: Path) -> dict[str, Any]:
    """Read text that holds a JSON object.

    Args:
        text: the text, or its bytes; a byte-order mark at the start is skipped.
        path: the file that it was read from.

    Raises:
        CheckpointError: the text is not a JSON object.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff") if isinstance(text, str) else text)
    except UnicodeDecodeError as error:
        raise CheckpointError(
            f"{path} is no readable JSON: it is neither UTF-8 nor UTF-16 ({error}); save it as "
            "UTF-8, or fetch it again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{path} is no readable JSON ({error}): correct it there, or fetch it again"
        ) from error
    if not isinstance(data, dict):
        raise CheckpointError(f"{path} holds a {type(data).__name__}; expected an object")
    return data


class Weights:
    """The tensors of a checkpoint, read one shard at a time.

    Opening reads only the headers, so that names and shapes can be checked before any tensor is
    loaded.

    Args:
        folder: the folder of the files.

    Raises:
        CheckpointError: a file is missing, truncated or corrupt, or the index is wrong.

    Attributes:
        shapes: the shape of each tensor, by name.
        dtypes: the dtype of each tensor, by name, such as ``torch.bfloat16``; None for a dtype that
            is not floating-point of at least 16 bits.
        metadata: the text in the headers of the files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.dtypes: dict[str, torch.dtype | None] = {}
        self.metadata: dict[str, str] = {}
        self._shards: dict[str, list[str]] = {}
        if (self.folder / WEIGHTS).exists():
            self._shards[WEIGHTS] = list(self._open(WEIGHTS))
        elif (self.folder / INDEX).exists():
            for shard, names in _shards(self.folder / INDEX).items():
                held = set(self._open(shard))
                if lacking := sorted(set(names) - held):
                    raise CheckpointError(f"{shard} lacks {lacking}, which {INDEX} says it holds")
                self._shards[shard] = names
        else:
            raise CheckpointError(
                f"{self.folder} holds neither {WEIGHTS} nor {INDEX}{self._hint()}"
            )

    def read(self, only: Collection[str] | None = None) -> Iterator[tuple[str, Tensor]]:
        """Yield each tensor with its name, with one tensor in memory at a time.

        Args:
            only: the names of the tensors to read; all when left out.

        Raises:
            CheckpointError: a file has changed since it was opened.
        """
        for shard, names in self._shards.items():
            try:
                with safe_open(self.folder / shard, framework="pt") as file:
                    for name in names if only is None else [n for n in names if n in only]:
                        yield name, file.get_tensor(name)
            except (SafetensorError, OSError) as error:
                raise _broken(self.folder / shard, error) from error

    def _hint(self) -> str:
        pickles = sorted(path.name for path in self.folder.glob("*.bin"))
        if not pickles:
            return ""
        return (
            f"; {pickles[0]} is a pickle, which can run code when it is read, and is not read. "
            "Convert it with its own library: AutoModelForCausalLM.from_pretrained(folder)"
            ".save_pretrained(folder), or the class of that model"
        )

    def _open(self, shard: str) -> Iterator[str]:
        path = self.folder / shard
        if not path.is_file():
            raise CheckpointError(f"{path} is not there, though {INDEX} names it: fetch it")
        try:
            with safe_open(path, framework="pt") as file:
                self.metadata.update(file.metadata() or {})
                for name in file.keys():  # noqa: SIM118 - a file is no dictionary
                    part = file.get_slice(name)
                    self.shapes[name] = tuple(part.get_shape())
                    self.dtypes[name] = DTYPES.get(part.get_dtype())
                    yield name
        except (SafetensorError, OSError) as error:
            raise _broken(path, error) from error


def _some(found: Sequence[str], most: int = 20) -> str:
    rest = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + rest


def _shards(index: Path) -> Mapping[str, list[str]]:
    places = read_json(index).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(file, str) for file in places.values()):
        raise CheckpointError(f'{index} has no "weight_map" from tensors to files')
    shards = defaultdict(list)
    for name, file in places.items():
        if Path(file).name != file:
            raise CheckpointError(f"{index} names {file!r}: a shard lies in the folder itself")
        shards[file].append(name)
    return shards


def _broken(path: Path, error: Exception) -> CheckpointError:
    return CheckpointError(f"{path} is cut off or corrupt ({error}): fetch it again")
