"""Names and layouts of our parameters in other libraries' files, and whether they fit a model."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce

import torch
from torch import Tensor, nn

from plainformer.models.checkpoints import CheckpointError, CheckpointMismatch, Weights
from plainformer.models.config import Config
from plainformer.models.settings import Settings


@dataclass(frozen=True)
class Source:
    """The place of one of our parameters in a checkpoint.

    Args:
        name: name of the tensor in the checkpoint.
        transposed: whether it is stored as (in, out) instead of (out, in).
        part: index of our slice among ``parts`` equal slices of its rows, after transposing.
        parts: number of our parameters that it is split into.
    """

    name: str
    transposed: bool = False
    part: int = 0
    parts: int = 1

    def take(self, tensor: Tensor) -> Tensor:
        """Return the parameter, as a view of ``tensor``, which is the checkpoint's."""
        tensor = tensor.T if self.transposed else tensor
        return tensor.chunk(self.parts)[self.part]

    def ours(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of our parameter, from the ``shape`` of the checkpoint's tensor."""
        whole = shape[::-1] if self.transposed else shape
        return (whole[0] // self.parts, *whole[1:]) if whole else whole

    def shape(self, ours: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the checkpoint's tensor, from the shape of ``ours``."""
        whole = (ours[0] * self.parts, *ours[1:])
        return whole[::-1] if self.transposed else whole


Sources = dict[str, Source]


@dataclass(frozen=True, kw_only=True)
class Family:
    """The layout of the checkpoints of one kind of model.

    Args:
        model: builds the model.
        config: reads ``config.json``; it may also use the names of the tensors.
        sources: names the checkpoint's tensor for each of our parameters.
        prefix: an optional prefix of the names.
        copies: tensors that repeat another one, by name; they are optional.
        harmless: names of tensors that are not needed.
        spellings: patterns of older names, and the current names.
        settings: the names in ``config.json`` of the fields of our configuration.
    """

    model: Callable[[Config], nn.Module]
    config: Callable[[Settings, Collection[str]], Config]
    sources: Callable[[Config], Sources]
    prefix: str = ""
    copies: Mapping[str, str] = field(default_factory=dict)
    harmless: str = r"(?!)"
    spellings: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)

    def name(self, theirs: str) -> str:
        """Return the plain name of a tensor: without the prefix, in the current spelling.

        Args:
            theirs: the name in the file.
        """
        theirs = theirs.removeprefix(self.prefix)
        for old, new in self.spellings.items():
            theirs = re.sub(old, new, theirs)
        return theirs

    def is_harmless(self, name: str) -> bool:
        """Return whether a tensor of that plain ``name`` may be ignored."""
        return re.fullmatch(self.harmless, name) is not None


def each_layer(n_layers: int, ours: str, theirs: str, parts: Mapping[str, Source]) -> Sources:
    """Repeat the table of one layer for all of them.

    Args:
        n_layers: number of layers.
        ours: prefix of our names, with ``{}`` for the layer's number.
        theirs: prefix of theirs, likewise.
        parts: from our names within a layer to theirs.

    >>> table = each_layer(2, "blocks.{}.", "h.{}.", {"up.weight": Source("fc.w")})
    >>> [(ours, source.name) for ours, source in table.items()]
    [('blocks.0.up.weight', 'h.0.fc.w'), ('blocks.1.up.weight', 'h.1.fc.w')]
    """
    return {
        ours.format(i) + name: Source(
            theirs.format(i) + source.name, source.transposed, source.part, source.parts
        )
        for i in range(n_layers)
        for name, source in parts.items()
    }


def linear(ours: str, theirs: str, *, bias: bool) -> Sources:
    """Map a linear layer's weight, and its bias if it has one.

    Args:
        ours: our name of the layer.
        theirs: their name of the layer.
        bias: whether it has a bias.
    """
    kinds = ["weight", "bias"] if bias else ["weight"]
    return {f"{ours}.{kind}": Source(f"{theirs}.{kind}") for kind in kinds}


class Fit:
    """Match a checkpoint's tensors with a model's parameters; refuse those that do not fit.

    At this point only names, shapes and dtypes are read.

    Args:
        family: layout of this kind of checkpoint.
        table: the checkpoint's tensor for each parameter.
        shapes: shapes of the model's parameters, each shared one once.
        weights: the checkpoint's files.

    Raises:
        CheckpointMismatch: tensors are missing, extra, misshapen or quantised; all are listed.

    Attributes:
        dtype: the widest dtype of its tensors.
    """

    def __init__(
        self,
        family: Family,
        table: Sources,
        shapes: Mapping[str, tuple[int, ...]],
        weights: Weights,
    ) -> None:
        self.family, self.weights = family, weights
        self._sources = {source.name for source in table.values()}
        files: defaultdict[str, list[str]] = defaultdict(list)
        for name in weights.shapes:
            files[family.name(name)].append(name)
        self._places: dict[str, tuple[str, Source]] = {}  # by our name: theirs in the file
        used, missing, misshapen, unknown = set(), set(), set(), set()
        own = {table[ours].name for ours in shapes if ours in table}
        for ours, shape in shapes.items():
            if ours not in table:  # the configuration now has a parameter that the format lacks
                unknown.add(ours)
                continue
            source = table[ours]
            plain = self._present(source.name, files, own)
            if plain not in files:
                missing.add(plain)
                continue
            used.add(plain)
            self._places[ours] = files[plain][0], source
            found, expected = weights.shapes[files[plain][0]], source.shape(shape)
            if found != expected:
                misshapen.add(f"{plain} is {found}, expected {expected}")
        stored = {name: weights.dtypes[name] for name, _ in self._places.values()}
        faults = {
            "parameters without a place in this format (which change asks for them?)": sorted(
                unknown
            ),
            "missing": sorted(missing),
            "extra": sorted(name for name in set(files) - used if not self._spare(name)),
            "misshapen": sorted(misshapen),
            "given twice": sorted(name for name, found in files.items() if len(found) > 1),
            "quantised, or no floating-point numbers": [
                n for n, kind in stored.items() if not kind
            ],
        }
        if any(faults.values()):
            raise CheckpointMismatch(faults)
        self.dtype = reduce(torch.promote_types, filter(None, stored.values()))

    def copy_into(self, model: nn.Module, *, finite: bool = False) -> None:
        """Copy the tensors into the parameters of ``model``, one tensor in memory at a time.

        Args:
            model: the model.
            finite: whether NaN and infinite weights are refused.

        Raises:
            CheckpointMismatch: a tensor that should repeat another one differs from it.
            CheckpointError: a weight is not finite, or a file can no longer be read.
        """
        parameters = dict(model.named_parameters())
        takers: defaultdict[str, list[tuple[str, Source]]] = defaultdict(list)
        for ours, (name, source) in self._places.items():
            takers[name].append((ours, source))
        with torch.no_grad():
            for name, tensor in self.weights.read():
                if finite and not bool(tensor.isfinite().all()):
                    raise CheckpointError(f"{name} holds NaN or infinite weights")
                for ours, source in takers.get(name, []):
                    parameters[ours].copy_(source.take(tensor))
        self._check_repeats(parameters)

    def _check_repeats(self, parameters: Mapping[str, Tensor]) -> None:
        """Refuse tensors that should repeat another one, and differ from it."""
        places = {source.name: (ours, name) for ours, (name, source) in self._places.items()}
        taken = {name for name, _ in self._places.values()}
        repeats = {}
        for name in set(self.weights.shapes) - taken:
            original = places.get(self.family.copies.get(self.family.name(name), ""))
            if original is not None:
                repeats[name] = original
        tied: list[str] = []
        alike: list[str] = []
        for name, tensor in self.weights.read(repeats):
            ours, original_name = repeats[name]
            if not torch.equal(tensor.to(parameters[ours]), parameters[ours]):
                differ = tied if self.family.name(name) in self._sources else alike
                differ.append(f"{name} from {original_name}")
        if tied or alike:
            faults = {"different, though config.json ties them": tied}
            faults["different, though the model has one tensor for both"] = alike
            raise CheckpointMismatch(faults)

    def _present(self, name: str, files: Collection[str], own: Collection[str]) -> str:
        """Return the name, or that of a tensor that repeats it if only this one is present.

        A tensor that is in ``own``, because it is the source of another parameter, is not a repeat.
        """
        copies = (copy for copy, of in self.family.copies.items() if of == name)
        spare = (copy for copy in copies if copy in files and copy not in own)
        return name if name in files else next(spare, name)

    def _spare(self, name: str) -> bool:
        return name in self.family.copies or self.family.is_harmless(name)


def empty(model: nn.Module, *, dtype: torch.dtype, device: torch.device) -> nn.Module:
    """Allocate the memory of a model that was built without it; the memory is not initialised.

    Shared parameters stay shared.

    Args:
        model: built under ``torch.device("meta")``.
        dtype: dtype of its parameters.
        device: device of its parameters.
    """
    made: dict[Tensor, nn.Parameter] = {}
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if parameter not in made:
                made[parameter] = nn.Parameter(
                    torch.empty(parameter.shape, dtype=dtype, device=device)
                )
            setattr(module, name, made[parameter])
        for name, buffer in module.named_buffers(recurse=False):
            assert not buffer.numel(), f"{name} would lose its values"
            setattr(module, name, torch.empty(buffer.shape, dtype=dtype, device=device))
    return model
