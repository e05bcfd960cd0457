"""A decoder whose steps take little longer than reading its weights."""

from plainformer.generation.lean.decoder import LeanDecoder, greedy
from plainformer.generation.lean.recipe import NotLean

__all__ = ["LeanDecoder", "NotLean", "greedy"]
