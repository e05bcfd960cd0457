"""Whole models: a configuration, and what it builds."""

from plainformer.models.config import Config
from plainformer.models.encoder_decoder import EncoderDecoder
from plainformer.models.one_stack import Decoder, Encoder, MaskedLanguageModel

__all__ = ["Config", "Decoder", "Encoder", "EncoderDecoder", "MaskedLanguageModel"]
