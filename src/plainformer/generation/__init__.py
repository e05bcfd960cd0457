"""Generation: continue prompts, one token at a time.

:func:`generate` and :func:`stream` automatically use a fast path where possible:
:class:`~plainformer.generation.lean.LeanDecoder`, which can also be used alone, with weights in
``int8`` or ``bfloat16`` too.
"""

from plainformer.generation.drafting import Drafter, VocabularyMismatch
from plainformer.generation.drawing import NaNLogits
from plainformer.generation.generate import generate, stream
from plainformer.generation.lean import LeanDecoder, NotLean
from plainformer.generation.reading import (
    EmptyPrompt,
    PromptTooLong,
    UnknownToken,
    growing,
    static,
)
from plainformer.generation.sampling import Sampler
from plainformer.generation.speculative import ModelDrafter, PromptLookup
from plainformer.generation.stopping import EndToken, Generated, StopSequence, Stream, Token

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
