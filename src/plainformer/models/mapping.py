"""What another library calls our parameters, and how it lays them out."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from torch import Tensor, nn

from plainformer.models.config import Config
from plainformer.models.settings import Settings


@dataclass(frozen=True)
class Source:
    """Where one of our parameters stands in a checkpoint.

    Args:
        name: what the tensor is called there.
        transposed: whether it stands there as (in, out) instead of (out, in).
        part: which of ``parts`` equal slices of its rows is ours, after transposing.
        parts: into how many parameters of ours it is cut.
    """

    name: str
    transposed: bool = False
    part: int = 0
    parts: int = 1

    def take(self, tensor: Tensor) -> Tensor:
        """Return the parameter, as a view of the checkpoint's ``tensor``."""
        tensor = tensor.T if self.transposed else tensor
        return tensor.chunk(self.parts)[self.part]

    def shape(self, ours: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape that the checkpoint's tensor must have, from that of ``ours``."""
        whole = (ours[0] * self.parts, *ours[1:])
        return whole[::-1] if self.transposed else whole


Sources = dict[str, Source]


@dataclass(frozen=True, kw_only=True)
class Family:
    """How the checkpoints of one kind of model are read.

    Args:
        model: builds the model.
        config: reads ``config.json``; it may look at the names of the tensors, too.
        sources: names the checkpoint's tensor for each of our parameters.
        prefix: what stands before the names, or does not.
        copies: tensors that repeat another one, by name: they may be there or not.
        harmless: names of tensors that are not needed.
        spellings: older spellings, as patterns, and what they are called now.
    """

    model: Callable[[Config], nn.Module]
    config: Callable[[Settings, Collection[str]], Config]
    sources: Callable[[Config], Sources]
    prefix: str = ""
    copies: Mapping[str, str] = field(default_factory=dict)
    harmless: str = r"(?!)"
    spellings: Mapping[str, str] = field(default_factory=dict)

    def name(self, theirs: str) -> str:
        """Return the plain name of a tensor: without prefix, in today's spelling.

        Args:
            theirs: the name in the file.
        """
        theirs = theirs.removeprefix(self.prefix)
        for old, new in self.spellings.items():
            theirs = re.sub(old, new, theirs)
        return theirs

    def is_harmless(self, name: str) -> bool:
        """Say whether a tensor of that plain ``name`` may be left alone."""
        return re.fullmatch(self.harmless, name) is not None


def each_layer(n_layers: int, ours: str, theirs: str, parts: Mapping[str, Source]) -> Sources:
    """Repeat the table of one layer for all of them.

    Args:
        n_layers: how many there are.
        ours: what stands before our names, with ``{}`` for the layer's number.
        theirs: the same of theirs.
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
    """Name a linear layer's weight, and its bias where it has one.

    Args:
        ours: our name of the layer.
        theirs: their name of it.
        bias: whether it has a bias.
    """
    kinds = ["weight", "bias"] if bias else ["weight"]
    return {f"{ours}.{kind}": Source(f"{theirs}.{kind}") for kind in kinds}
