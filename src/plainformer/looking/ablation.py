"""Take a head away and see what breaks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from torch import Tensor, nn

from plainformer.attention import Attend, Bias
from plainformer.looking.recording import attentions
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scaled_dot


@contextmanager
def ablated(
    model: nn.Module, heads: Sequence[tuple[int, int]], *, by: str = "zero"
) -> Iterator[None]:
    """Silence some heads while the block runs.

    Args:
        model: any model of this package.
        heads: pairs (layer, head), both from 0, layers in the order of the model's modules.
        by: ``"zero"`` silences the head; ``"mean"`` replaces its output by its mean over batch and
            positions, which takes its information away and leaves its level.

    Raises:
        ValueError: there is no such layer or head, or ``by`` is neither.

    Ref: Michel et al. 2019, section 2.3 (zero); Wang et al. 2023, section 2.1 (mean).
    """
    if by not in ("zero", "mean"):
        raise ValueError(f'by={by!r}: expected "zero" or "mean"')
    layers = [layer for _, layer in attentions(model)]
    for place, head in heads:
        if not (0 <= place < len(layers) and 0 <= head < layers[place].n_heads):
            sizes = [layer.n_heads for layer in layers]
            raise ValueError(
                f"no head {head} in layer {place}: there are {len(layers)} layers, with {sizes} "
                "heads, both counted from 0"
            )
    before = [layer.backend for layer in layers]
    for place, layer in enumerate(layers):
        silent = [head for where, head in heads if where == place]
        if silent:
            layer.backend = _silencing(layer.backend, silent, by)
    try:
        yield
    finally:
        for layer, backend in zip(layers, before, strict=True):
            layer.backend = backend


def _silencing(backend: Attend, heads: list[int], by: str) -> Attend:
    def attend(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | Rule | None = None,
        *,
        score: Score = scaled_dot,
        bias: Tensor | Bias | None = None,
    ) -> Tensor:
        out = backend(query, key, value, mask, score=score, bias=bias)
        share = out.new_ones(out.shape[-3], 1, 1)
        share[heads] = 0
        if by == "zero":
            return out * share
        return out * share + out.mean(dim=(0, 2), keepdim=True) * (1 - share)

    return attend
