"""Whole models: a configuration, and what it builds."""

from plainformer.models.config import Config
from plainformer.models.decoder import Decoder
from plainformer.models.encoder import Encoder
from plainformer.models.encoder_decoder import EncoderDecoder
from plainformer.models.masked_lm import MaskedLanguageModel

__all__ = ["Config", "Decoder", "Encoder", "EncoderDecoder", "MaskedLanguageModel"]
