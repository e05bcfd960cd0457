"""Generation: what follows a prompt, one token after another.

:func:`generate` and :func:`stream` take a fast path by themselves where they can:
:class:`~plainformer.generation.lean.LeanDecoder`, which can also be used alone, with weights in
``int8`` or ``bfloat16`` too.
"""

from plainformer.generation.drafting import Drafter, ModelDrafter, PromptLookup
from plainformer.generation.generate import generate
from plainformer.generation.lean import LeanDecoder, NotLean
from plainformer.generation.prompts import EmptyPrompt, PromptTooLong, UnknownToken
from plainformer.generation.reading import growing, static
from plainformer.generation.results import Generated, Stream, Token
from plainformer.generation.sampler import NaNLogits, Sampler
from plainformer.generation.speculative import VocabularyMismatch
from plainformer.generation.stopping import EndToken, StopSequence
from plainformer.generation.streaming import stream

__all__ = [
    "Drafter",
    "EmptyPrompt",
    "EndToken",
    "Generated",
    "LeanDecoder",
    "ModelDrafter",
    "NaNLogits",
    "NotLean",
    "PromptLookup",
    "PromptTooLong",
    "Sampler",
    "StopSequence",
    "Stream",
    "Token",
    "UnknownToken",
    "VocabularyMismatch",
    "generate",
    "growing",
    "static",
    "stream",
]
