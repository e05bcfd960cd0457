"""Rotary positions: rotate each query and key by an angle that grows with its position.

Sinusoidal positions have the same frequencies and angles, computed by the functions at the end,
precise enough for position one million.
"""

from typing import Literal

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from plainformer.positions.rotary_scaling import Scaling
from plainformer.unknown_fields import check_overridden

Layout = Literal["halves", "pairs"]


class Rotary(nn.Module):
    """Rotate queries and keys, so that their dot product depends only on their distance.

    The width is split into d/2 planes; plane i rotates by ``position · base^(-2i/d)``.

    Args:
        width: width d of queries and keys.
        base: the larger, the slower the rotation of the last plane.
        layout: which components form a plane: ``"halves"`` pairs i with i + d/2 (GPT-NeoX, Llama
            checkpoints of Hugging Face), ``"pairs"`` pairs 2i with 2i + 1 (the paper).
        rotated: number of components to rotate, the first ones; the others do not change. An even
            number; all of them when left out. Only these are split into planes.
        scaling: reduces the frequencies for contexts longer than those of training; see
            :mod:`plainformer.positions.rotary_scaling`.

    Raises:
        ValueError: the number of rotated components is odd, below 2 or above the width, the layout
            is unknown, or the base is not above 1.

    Cost: a few operations for each component of queries and keys.

    Ref: Su et al. 2021, equations 14 and 15.

    >>> Rotary(2)(torch.tensor([[[[1.0, 0.0]]]]), torch.tensor([1])).round(decimals=2).flatten()
    tensor([0.5400, 0.8400])
    """

    def __init__(
        self,
        width: int,
        *,
        base: float | int = 10_000.0,
        layout: Layout = "halves",
        rotated: int | None = None,
        scaling: Scaling | None = None,
    ) -> None:
        super().__init__()
        rotated = width if rotated is None else rotated
        if rotated < 2 or rotated % 2 or rotated > width:
            raise ValueError(
                f"width={width}, rotated={rotated}: components turn in pairs, so expected an even "
                "number of at least 2 that is not more than the width"
            )
        if layout not in ("halves", "pairs"):
            raise ValueError(f'layout={layout!r}: expected "halves" or "pairs"')
        if scaling is not None and not isinstance(scaling, Scaling):
            raise ValueError(
                f"scaling={scaling!r}: expected None or an object of "
                "plainformer.positions.rotary_scaling, such as Interpolation(factor=4)"
            )
        self.width, self.rotated, self.layout, self.scaling = width, rotated, layout, scaling
        # Not a buffer: module.bfloat16() would round it.
        self.frequencies = frequencies_of(rotated, base)
        if scaling is not None:
            check_overridden(scaling, ("scale", "magnitude"))
            scaling.scale(self.frequencies, 1)  # refuse invalid settings now, not at the first use

    def forward(self, x: Float[Tensor, "b h q d"], positions: Tensor) -> Float[Tensor, "b h q d"]:
        """Rotate ``x`` by the angles of ``positions``, (q,) or (b, q); half precision in float32.

        Raises:
            ValueError: ``x`` has another width, or the positions another shape.
        """
        if x.shape[-1] != self.width:
            raise ValueError(f"x has width {x.shape[-1]}; these rotary positions turn {self.width}")
        check_positions(positions, x.shape[-2], x.shape[0])
        wide = x[..., : self.rotated].to(torch.promote_types(x.dtype, torch.float32))
        cos, sin = (part.to(wide) for part in self.turns(positions))
        if self.layout == "halves":
            a, b = wide.chunk(2, dim=-1)
            turned = torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        else:
            a, b = wide[..., 0::2], wide[..., 1::2]
            turned = torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
        turned = turned.to(x.dtype)
        if self.rotated == self.width:
            return turned
        return torch.cat([turned, x[..., self.rotated :]], dim=-1)

    def turns(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosine and sine of each plane's angle at ``positions``, in float64.

        If the scaling depends on the length of the sequence, each row has its own length.

        Returns:
            Two tensors (q, d/2), or (b, 1, q, d/2) if each sequence has its own positions;
            multiplied by the scaling's magnitude.
        """
        frequencies, scaling = self.frequencies, self.scaling
        if scaling is None:
            angles = angles_of(positions, frequencies)
        elif scaling.follows_length and positions.ndim == 2 and positions.numel() > 0:
            rows = [scaling.scale(frequencies, int(n) + 1) for n in positions.amax(dim=1).tolist()]
            angles = torch.stack([angles_of(*row) for row in zip(positions, rows, strict=True)])
        else:
            longest = scaling.follows_length and positions.numel() > 0
            frequencies = scaling.scale(frequencies, int(positions.max()) + 1 if longest else 1)
            angles = angles_of(positions, frequencies)
        if positions.ndim == 2:
            angles = angles[:, None]
        if scaling is None:
            return angles.cos(), angles.sin()
        return angles.cos() * scaling.magnitude, angles.sin() * scaling.magnitude


def fixed_length(model: nn.Module) -> int | None:
    """Return the length up to which a model's angles do not depend on the sequence's length.

    Beyond it the keys of a token depend on how many tokens are read with it.

    Args:
        model: any model.

    Returns:
        The smallest context of training of such scalings; None if the model has none.
    """
    scalings = [module.scaling for module in model.modules() if isinstance(module, Rotary)]
    contexts = [s.follows_up_to for s in scalings if s is not None and s.follows_up_to is not None]
    return min(contexts, default=None)


def frequencies_of(width: int, base: float | int) -> Float64[Tensor, " planes"]:
    """Return the rotation of each plane from one position to the next, in radians.

    Args:
        width: number of components; two form a plane, and the last may be single.
        base: the larger, the slower the rotation of the last plane.

    Returns:
        ``base^(-2i/width)`` for plane i, on the CPU, in float64.

    Raises:
        ValueError: the base is not above 1.

    Cost: width / 2 powers.

    Ref: Vaswani et al. 2017, section 3.5.

    >>> frequencies_of(4, 10_000.0).tolist()
    [1.0, 0.01]
    """
    if not base > 1:
        raise ValueError(f"base={base}: expected a number above 1, such as 10000")
    exponent = torch.arange(0, width, 2, dtype=torch.float64, device="cpu") / width
    return base**-exponent


def angles_of(
    positions: Tensor, frequencies: Float64[Tensor, " planes"]
) -> Float64[Tensor, "*shape planes"]:
    """Multiply positions by frequencies, in float64.

    In float32 an angle of a million radians is off by up to 0.03; in float64 by 10⁻¹⁰.

    Args:
        positions: numbers of any shape.
        frequencies: radians from one position to the next.

    Returns:
        Angles in radians, on the device of ``positions``; on the CPU if that device has no float64.

    Raises:
        ValueError: the positions are not numbers.

    Cost: one multiplication for each position and plane.
    """
    check_positions(positions)
    if positions.device.type == "mps":
        positions = positions.cpu()
    return positions[..., None].to(torch.float64) * frequencies.to(positions.device)


def check_positions(
    positions: Tensor, queries: int | None = None, batch: int | None = None, *, whole: bool = False
) -> None:
    """Refuse positions of a wrong dtype or shape.

    Args:
        positions: positions of the tokens.
        queries: number of positions in a row; any number when left out.
        batch: number of rows; any number when left out.
        whole: whether fractional positions are refused.

    Raises:
        ValueError: names the given and the expected shape or dtype.
    """
    dtype = positions.dtype
    if dtype == torch.bool or dtype.is_complex or (whole and dtype.is_floating_point):
        raise ValueError(
            f"positions has dtype {dtype}; expected whole numbers counted from 0, "
            "such as torch.arange(q)"
        )
    shape = tuple(positions.shape)
    fits = len(shape) in (1, 2)
    if queries is not None:
        fits = fits and shape[-1] == queries
    if batch is not None:
        fits = fits and (len(shape) < 2 or shape[0] in (1, batch))
    if not fits:
        q, b = "q" if queries is None else queries, "b" if batch is None else batch
        raise ValueError(
            f"positions has shape {shape}; expected ({q},), the same for all sequences, or "
            f"({b}, {q}), a row for each"
        )
