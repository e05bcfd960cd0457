"""A vector times a matrix is a bag: the sum of the matrix's rows, each times one component.

PyTorch has a kernel for such sums, ``embedding_bag``, written for recommender systems, where the
table is far larger than any cache. It keeps one block of the sum in registers while the rows of
that block stream past, which is how a matrix–vector product ought to be read. On some processors
the BLAS reads at half of its speed, on others faster
(:mod:`~plainformer.generation.lean.choice`). It also reads rows of bytes, which it widens in
registers.
"""

from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.generation.lean.products import Product, blocked, multiplied_in

SUM = 0  # the mode of embedding_bag
BYTES_OF_A_BLOCK = 128  # of a row; two registers of AVX-512 hold a block's sum
COLUMNS_OF_BYTES = 384  # each row of such a block brings its own scale and zero


class Seats:
    """Places for the factors of all bags of a shape, and which row each of them multiplies.

    Each block is a bag, and wants the whole vector, so it is written once for each of them. All
    matrices of a shape share the places: they stay in the cache.

    Args:
        blocks: number of bags.
        n: components of the vector.
        dtype: type of the factors.
        bias: whether each block has one more row, the bias, whose factor is always 1.
    """

    def __init__(self, blocks: int, n: int, dtype: torch.dtype, bias: bool) -> None:
        rows = n + bias
        factors = torch.ones(blocks, rows, dtype=dtype)
        self.place, self.factors = factors[:, :n], factors.view(-1)
        self.indices = torch.arange(blocks * rows, dtype=torch.int32)
        self.offsets = torch.arange(0, blocks * rows, rows, dtype=torch.int32)


# Every step writes them before it reads them, so decoders may share them, but threads may not.
seats = lru_cache(maxsize=None)(Seats)


class Bags(Product):
    """Multiply one vector by blocks of 128 bytes a row.

    Args:
        weight: (n, o).
        bias: (o,), or None; it becomes one more row.
        dtype: ``torch.float32`` or ``torch.bfloat16``.

    Cost: reads n·o weights once, and for each row of a block a factor and an index.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> None:
        self.n, self.o = weight.shape
        rows = weight if bias is None else torch.cat([weight, bias[None]])
        self.table: Tensor = blocked(rows.to(dtype), BYTES_OF_A_BLOCK // dtype.itemsize)
        self.seats = seats(len(self.table) // len(rows), self.n, dtype, bias is not None)

    def __call__(self, x: Float[Tensor, "1 n"]) -> Float[Tensor, "1 o"]:
        """Multiply the vector of one step."""
        s = self.seats
        s.place.copy_(x)
        y = torch.embedding_bag(self.table, s.indices, s.offsets, False, SUM, False, s.factors)[0]
        return y.view(1, -1)[:, : self.o].to(x.dtype)

    def many(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply any number of vectors, by each block as a matrix of its own."""
        table = self.table.to(multiplied_in(self.table.dtype))
        blocks = table.view(len(self.seats.offsets), -1, self.table.shape[1])
        vectors = x.to(blocks.dtype).expand(len(blocks), -1, -1)
        # What is left of a block below its n rows is the bias: one row, or nothing at all.
        y = torch.bmm(vectors, blocks[:, : self.n])
        y += blocks[:, self.n :].sum(dim=1, keepdim=True)
        return y.transpose(0, 1).reshape(len(x), -1)[:, : self.o].to(x.dtype)


class ByteBags(Product):
    """Multiply by weights of one byte, each a step between the least and the largest of its row.

    The vectors stay in float32 and nothing else is rounded. Each row of a block has its own least
    value and step, so one large weight coarsens 384 others at most.

    Args:
        weight: (n, o).
        bias: (o,), or None; it stays in float32.

    Cost: reads n·o bytes and 8 more for each row of a block. With several vectors a block is read
    once and then found in the cache, but multiplied for each of them.

    Ref: Guan et al. 2019 (post-training 4-bit quantization on embedding tables), section 2.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.n, self.o = weight.shape
        blocks = -(-self.o // COLUMNS_OF_BYTES)
        self.width = -(-self.o // (blocks * 16)) * 16
        whole = blocked(weight.to(torch.float32), self.width)
        self.table: Tensor = torch.ops.quantized.embedding_bag_byte_prepack(whole)
        self.bias = None if bias is None else bias.to(torch.float32)
        self.seats = seats(blocks, self.n, torch.float32, False)

    def __call__(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply the vectors of one step, one after another."""
        return torch.cat([self._one(row) for row in x[:, None]]) if len(x) > 1 else self._one(x)

    def _one(self, x: Tensor) -> Tensor:
        s = self.seats
        s.place.copy_(x)
        y: Tensor = torch.ops.quantized.embedding_bag_byte_rowwise_offsets(
            self.table, s.indices, s.offsets, False, SUM, False, s.factors
        )
        y = y.view(1, -1)[:, : self.o]
        return y if self.bias is None else y.add_(self.bias)

    def many(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply any number of vectors by the weights, widened again."""
        wide = torch.ops.quantized.embedding_bag_byte_unpack(self.table)
        blocks = wide.view(-1, self.n, self.width)
        y = torch.bmm(x.expand(len(blocks), -1, -1), blocks)
        y = y.transpose(0, 1).reshape(len(x), -1)[:, : self.o]
        return y if self.bias is None else y.add_(self.bias)
