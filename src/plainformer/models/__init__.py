"""Whole models: a configuration, and the modules that are built from it."""

from plainformer.models.config import Config
from plainformer.models.encoder_decoder import EncoderDecoder
from plainformer.models.one_stack import Decoder, Encoder, MaskedLanguageModel

__all__ = ["Config", "Decoder", "Encoder", "EncoderDecoder", "MaskedLanguageModel"]
