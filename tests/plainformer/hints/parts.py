"""Small models, caches and folders for the rows of advice."""

import tempfile
from pathlib import Path

import torch

from plainformer.cache import ContiguousCache
from plainformer.models import Config, Decoder
from tests.plainformer.tensors import normal

SIZES = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2, "context": 8}
TOKENS = torch.tensor([[1, 2, 3, 4]])


def model(kind=Decoder, **changes):
    return kind(Config(**{**SIZES, **changes})).eval()


def place():
    return Path(tempfile.mkdtemp())


def appended(cache, n):
    cache.append(normal(1, 2, n, 4, seed=0), normal(1, 2, n, 4, seed=1))
    return cache


def held(n, cache=None):
    return appended(ContiguousCache() if cache is None else cache, n)
