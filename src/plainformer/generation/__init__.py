"""Generation: what follows a prompt, one token after another."""

from plainformer.generation.drafting import Drafter, ModelDrafter, PromptLookup
from plainformer.generation.generate import generate
from plainformer.generation.prompts import EmptyPrompt, PromptTooLong, UnknownToken
from plainformer.generation.reading import growing, static
from plainformer.generation.results import Generated, Token
from plainformer.generation.sampler import NaNLogits, Sampler
from plainformer.generation.speculative import VocabularyMismatch
from plainformer.generation.stopping import EndToken, StopSequence
from plainformer.generation.streaming import stream

__all__ = [
    "Drafter",
    "EmptyPrompt",
    "EndToken",
    "Generated",
    "ModelDrafter",
    "NaNLogits",
    "PromptLookup",
    "PromptTooLong",
    "Sampler",
    "StopSequence",
    "Token",
    "UnknownToken",
    "VocabularyMismatch",
    "generate",
    "growing",
    "static",
    "stream",
]
