"""Positions of tokens: added to embeddings, applied to queries and keys, or added to scores."""

from plainformer.positions.alibi import Alibi
from plainformer.positions.learned import Learned
from plainformer.positions.relative import RelativeBias
from plainformer.positions.rotary import Rotary
from plainformer.positions.rotary_by_parts import Llama3, YaRN
from plainformer.positions.rotary_scaling import DynamicNTK, Interpolation, LongRoPE, NTKAware
from plainformer.positions.sinusoidal import Sinusoidal

__all__ = [
    "Alibi",
    "DynamicNTK",
    "Interpolation",
    "Learned",
    "Llama3",
    "LongRoPE",
    "NTKAware",
    "RelativeBias",
    "Rotary",
    "Sinusoidal",
    "YaRN",
]
