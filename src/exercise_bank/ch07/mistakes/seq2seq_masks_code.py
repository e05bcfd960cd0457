"""Wrong ways to write 07.seq2seq_masks."""

import torch
from torch import Tensor

Masks = tuple[Tensor, Tensor, Tensor]


def parts(source: Tensor, target: Tensor, pad: int) -> tuple[int, int, Tensor, Tensor, Tensor]:
    k, q = source.shape[1], target.shape[1]
    real_source = (source != pad)[:, None, None, :]
    real_target = (target != pad)[:, None, None, :]
    return k, q, real_source, real_target, torch.ones(q, q, dtype=torch.bool).tril()


def above_pad(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, *_, causal = parts(source, target, pad)
    real, own = (source > pad)[:, None, None, :], (target > pad)[:, None, None, :]
    return real.expand(-1, 1, k, k), own & causal, real.expand(-1, 1, q, k)


def open_cross(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    encoder = real.expand(-1, 1, k, k)
    return encoder, own & causal, torch.ones(len(source), 1, q, k, dtype=torch.bool)


def target_padding_in_cross(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    cross = own.mT.expand(-1, 1, q, k)
    return real.expand(-1, 1, k, k), own & causal, cross


def causal_cross(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    cross = real & torch.ones(q, k, dtype=torch.bool).tril()
    return real.expand(-1, 1, k, k), own & causal, cross


def causal_encoder(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    encoder = real & torch.ones(k, k, dtype=torch.bool).tril()
    return encoder, own & causal, real.expand(-1, 1, q, k)


def no_causal(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, _ = parts(source, target, pad)
    return real.expand(-1, 1, k, k), own.expand(-1, 1, q, q), real.expand(-1, 1, q, k)


def upside_down(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    encoder, cross = real.expand(-1, 1, k, k), real.expand(-1, 1, q, k)
    return ~encoder, ~(own & causal), ~cross


def target_padding_open(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, _, causal = parts(source, target, pad)
    decoder = causal.expand(len(target), 1, q, q)
    return real.expand(-1, 1, k, k), decoder, real.expand(-1, 1, q, k)


def queries_hidden_too(source: Tensor, target: Tensor, pad: int) -> Masks:
    _, _, real, own, causal = parts(source, target, pad)
    return real & real.mT, own & own.mT & causal, real & own.mT


def zero_is_pad(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, 0)
    return real.expand(-1, 1, k, k), own & causal, real.expand(-1, 1, q, k)


def padding_behind(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q = source.shape[1], target.shape[1]
    real = torch.arange(k) < (source != pad).sum(dim=1)[:, None, None, None]
    own = torch.arange(q) < (target != pad).sum(dim=1)[:, None, None, None]
    causal = torch.ones(q, q, dtype=torch.bool).tril()
    return real.expand(-1, 1, k, k), own & causal, real.expand(-1, 1, q, k)


def own_place_hidden(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    return real.expand(-1, 1, k, k), own & causal.tril(-1), real.expand(-1, 1, q, k)


def only_later(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    return real.expand(-1, 1, k, k), own & causal.mT, real.expand(-1, 1, q, k)


def later_is_true(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    return real.expand(-1, 1, k, k), own & ~causal, real.expand(-1, 1, q, k)


def zeros_and_ones(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    masks = real.expand(-1, 1, k, k), own & causal, real.expand(-1, 1, q, k)
    return masks[0].float(), masks[1].float(), masks[2].float()


def not_spread(source: Tensor, target: Tensor, pad: int) -> Masks:
    _, _, real, own, causal = parts(source, target, pad)
    return real, own & causal, real


def cross_lies_down(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    return real.expand(-1, 1, k, k), own & causal, real.expand(-1, 1, q, k).mT


def rows_hidden(
    source: Tensor, target: Tensor, pad: int, *, decoder: bool = False, cross: bool = False
) -> Masks:
    """Hide the rows of padded tokens instead of their columns, in the encoder and other masks."""
    k, q, real, own, causal = parts(source, target, pad)
    across = own.mT if cross else real
    own = own.mT if decoder else own
    return real.mT.expand(-1, 1, k, k), own & causal, across.expand(-1, 1, q, k)


def queries_hidden_in_cross(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, _, real, own, causal = parts(source, target, pad)
    return real.expand(-1, 1, k, k), own & causal, real & own.mT


def queries_hidden_in_decoder(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    return real.expand(-1, 1, k, k), own & own.mT & causal, real.expand(-1, 1, q, k)


def queries_hidden_in_encoder(source: Tensor, target: Tensor, pad: int) -> Masks:
    _, q, real, own, causal = parts(source, target, pad)
    return real & real.mT, own & causal, real.expand(-1, 1, q, source.shape[1])


def own_place_open(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    decoder = own & causal | torch.eye(q, dtype=torch.bool)
    return real.expand(-1, 1, k, k), decoder, real.expand(-1, 1, q, k)


def own_place_open_in_both(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, _, real, _, _ = parts(source, target, pad)
    _, decoder, cross = own_place_open(source, target, pad)
    return real | torch.eye(k, dtype=torch.bool), decoder, cross


def empty_rows_opened(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    masks = real.expand(-1, 1, k, k), own & causal, real.expand(-1, 1, q, k)
    encoder, decoder, cross = (each | ~each.any(dim=-1, keepdim=True) for each in masks)
    return encoder, decoder, cross


def empty_decoder_rows_opened(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    decoder = own & causal
    opened = decoder | ~decoder.any(dim=-1, keepdim=True)
    return real.expand(-1, 1, k, k), opened, real.expand(-1, 1, q, k)


def with_own_place(mask: Tensor) -> Tensor:
    """Let a query whose keys are all hidden attend to its own position."""
    empty = ~mask.any(dim=-1, keepdim=True)
    return mask | empty & torch.eye(*mask.shape[-2:], dtype=torch.bool)


def own_place_in_empty_rows(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    return real.expand(-1, 1, k, k), with_own_place(own & causal), real.expand(-1, 1, q, k)


def own_place_in_all_empty_rows(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    masks = real.expand(-1, 1, k, k), own & causal, real.expand(-1, 1, q, k)
    return with_own_place(masks[0]), with_own_place(masks[1]), masks[2]


def no_head_axis(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    encoder, cross = real.expand(-1, 1, k, k), real.expand(-1, 1, q, k)
    return encoder[:, 0], (own & causal)[:, 0], cross[:, 0]


def decoder_first(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    return own & causal, real.expand(-1, 1, k, k), real.expand(-1, 1, q, k)


def open_encoder(source: Tensor, target: Tensor, pad: int) -> Masks:
    k, q, real, own, causal = parts(source, target, pad)
    encoder = torch.ones(len(source), 1, k, k, dtype=torch.bool)
    return encoder, own & causal, real.expand(-1, 1, q, k)
