"""A layer in the form of a decode step: two norms without weights, and four products."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from plainformer.feedforward import GatedFeedForward
from plainformer.generation.lean.products import ByteBags, Packed, Plain, Product, fastest
from plainformer.generation.lean.recipe import (
    IN_PLACE,
    Affine,
    Map,
    NotLean,
    Parts,
    affine,
    bare,
    known,
    parts_of,
    qkv,
)
from plainformer.generation.lean.store import together
from plainformer.models import Decoder

DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass(frozen=True, kw_only=True)
class Layer:
    """The parts of one layer.

    Args:
        attention_norm: the norm before attention, without weights.
        qkv: the product for queries, keys and values.
        output: attention's last projection.
        feedforward_norm: the norm before the feed-forward, without weights.
        up: the product of width f; for a gated feed-forward the gate, and then the gated values.
        down: the product back to the model's width.
        activation: activation of the feed-forward; it may overwrite its argument.
        gated: whether the feed-forward has a gate.
    """

    attention_norm: Map
    qkv: Product
    output: Product
    feedforward_norm: Map
    up: Product
    down: Product
    activation: Map
    gated: bool

    @property
    def products(self) -> list[Product]:
        """The products, in the order of a step."""
        return [self.qkv, self.output, self.up, self.down]

    def between(self, x: Tensor) -> Tensor:
        """Return the input of ``down``, from ``x``, which is the output of ``up``."""
        if not self.gated:
            return self.activation(x)
        gate, x = x.chunk(2, dim=-1)
        return self.activation(gate).mul_(x)


def check_weights(weights: str, device: torch.device) -> None:
    """Refuse a dtype in which matrices cannot be stored.

    Args:
        weights: the dtype.
        device: device of the matrices.

    Raises:
        NotLean: there is no kernel for bytes on this device.
        ValueError: ``weights`` is unknown.
    """
    if weights not in (*DTYPES, "int8"):
        raise ValueError(f"weights={weights!r}: expected one of {', '.join(DTYPES)}, int8")
    if weights == "int8" and not _has_bags(device):
        raise NotLean("weights='int8' need the CPU, and PyTorch built with FBGEMM")


def product_of(matrix: Affine, weights: str, batch: int) -> Product:
    """Store a matrix in the layout of the kernel that is fastest for a number of vectors.

    Args:
        matrix: the matrix and its bias.
        weights: the dtype in which it is stored.
        batch: number of vectors of a step.

    Raises:
        NotLean: see :func:`check_weights`.
        ValueError: see :func:`check_weights`.
    """
    device = matrix.weight.device
    check_weights(weights, device)
    if weights == "int8":
        return ByteBags(matrix.weight, matrix.bias)
    dtype = DTYPES[weights]
    if dtype != torch.float64 and _has_bags(device) and batch == 1:
        return fastest(dtype)(matrix.weight, matrix.bias, dtype)
    if dtype != torch.float64 and device.type == "cpu" and torch._C._has_mkldnn:
        return Packed(matrix.weight, matrix.bias, dtype, rows=batch)
    return Plain(matrix.weight, matrix.bias, dtype)


def layer_of(parts: Parts, *, weights: str, batch: int) -> Layer:
    """Pack one layer.

    Args:
        parts: its parts.
        weights: the dtype in which matrices are stored.
        batch: number of sequences.

    Raises:
        NotLean: the score is unknown, or there is no kernel for the dtype.
        ValueError: ``weights`` is unknown.
    """
    feedforward = parts.feedforward
    gated = isinstance(feedforward, GatedFeedForward)
    up = (feedforward.gate, feedforward.up) if gated else (feedforward.up,)
    matrices = {
        "qkv": qkv(parts.attention, parts.attention_norm),
        "output": affine(parts.attention.output),
        "up": affine(*up, norm=parts.feedforward_norm),
        "down": affine(feedforward.down),
    }
    return Layer(
        attention_norm=bare(parts.attention_norm),
        feedforward_norm=bare(parts.feedforward_norm),
        activation=IN_PLACE.get(feedforward.activation, feedforward.activation),
        gated=gated,
        **{name: product_of(matrix, weights, batch) for name, matrix in matrices.items()},
    )


@dataclass(frozen=True, kw_only=True)
class PackedWeights:
    """A model's matrices in the form of a decode step; decoders in several threads can share them.

    Args:
        layers: the layers.
        norm: the last norm, without weights.
        head: the product for the logits.
        embedding: (v, m), scaled; shares the model's memory if it needs no change.
        dtype: dtype of the vectors between the matrices.
        weights: the dtype in which matrices are stored.
        batch: number of vectors of a step.
    """

    layers: list[Layer]
    norm: Map
    head: Product
    embedding: Tensor
    dtype: torch.dtype
    weights: str
    batch: int

    @property
    def products(self) -> list[Product]:
        """All products, in the order of a step."""
        return [p for layer in self.layers for p in layer.products] + [self.head]


@torch.no_grad()
def pack(model: Decoder, *, weights: str, batch: int) -> PackedWeights:
    """Pack all matrices of a model, and lay them out in the order of a step.

    Args:
        model: the model.
        weights: the dtype in which matrices are stored.
        batch: number of vectors of a step.

    Raises:
        NotLean: the model has a part that a lean decoder does not support, or there is no kernel
            for the dtype.
        ValueError: ``weights`` is unknown.

    Cost: a copy of all matrices, converted to float64 on the way.
    """
    layers = [layer_of(part, weights=weights, batch=batch) for part in parts_of(model)]
    norm = known(model.norm)
    head = affine(model.output, norm=norm, scale=model.config.output_scale)
    dtype = torch.float64 if weights == "float64" else torch.float32
    embedding = model.embedding.weight.detach().to(dtype)
    if model.config.embedding_scale != 1:
        embedding = embedding * model.config.embedding_scale
    packed = PackedWeights(
        layers=layers,
        norm=bare(norm),
        head=product_of(head, weights, batch),
        embedding=embedding,
        dtype=dtype,
        weights=weights,
        batch=batch,
    )
    settle(packed.products, embedding.device)
    return packed


def settle(products: Sequence[Product], device: torch.device) -> None:
    """Move the weights of all products to one block of memory, in the order of a step.

    Args:
        products: the products; weights that PyTorch does not expose stay in place.
        device: their device; only those on the CPU are moved.
    """
    movable = [p for p in products if p.table is not None]
    if device.type == "cpu":
        tables = together([p.table for p in movable if p.table is not None])
        for product, table in zip(movable, tables, strict=True):
            product.table = table


def _has_bags(device: torch.device) -> bool:
    return device.type == "cpu" and "fbgemm" in torch.backends.quantized.supported_engines
