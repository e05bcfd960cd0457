"""How 07.seq2seq_masks goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said

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


MISCONCEPTIONS = (
    said(
        "own-place-open",
        own_place_open,
        "Every row needs at least one key.",
        "Your decoder mask, or your encoder mask as well, lets each padded query attend to itself, "
        "so it opens padded keys. The task hides padding as keys in every row, even if a row is "
        "then empty.",
        "Which keys are open in the row of a padded query in front of all real tokens?",
        "Let only the padding and the triangle decide about the diagonal.",
        variants=(own_place_open_in_both,),
    ),
    said(
        "empty-rows-opened",
        empty_rows_opened,
        "A row without keys would give nan.",
        "You open keys in rows that have no key left. The task leaves such a row empty.",
        "Which rows of your masks have an open key although every key should be hidden?",
        "Leave out the special treatment of empty rows.",
        variants=(empty_decoder_rows_opened, own_place_in_empty_rows, own_place_in_all_empty_rows),
    ),
    said(
        "open-cross",
        open_cross,
        "The encoder has already removed the padding from the memory.",
        "Your cross mask is True everywhere. The memory also has a vector for every padded token, "
        "and your target attends to it.",
        "How many vectors does the memory have for a source of 2 tokens, padded to 4?",
        "The keys of cross-attention are the source's positions. Which of them are real?",
    ),
    said(
        "target-padding-in-cross",
        target_padding_in_cross,
        "The cross-attention belongs to the decoder, so it gets the decoder's padding.",
        "Your cross mask closes the rows of padded *target* tokens and leaves the padding of the "
        "source open. Its columns are source keys, and it must hide the padded ones.",
        "Which axis of the cross mask is the source?",
        "Start from (source != pad), and let it run along the last axis.",
    ),
    said(
        "causal-cross",
        causal_cross,
        "Everything in a decoder is causal.",
        "In your cross mask query 0 attends to source key 0 alone. The source is complete before "
        "the first token is written, so no key of it is in the future.",
        "Which word of a German sentence may the first word of its translation depend on?",
        "Only the decoder's self-attention is causal.",
    ),
    said(
        "causal-encoder",
        causal_encoder,
        "A transformer attends to earlier tokens only.",
        "Your encoder mask is causal: source query 0 attends to key 0 alone. In an encoder each "
        "token attends to both sides.",
        "What would the first source token learn from the last in your encoder?",
        "The encoder's mask hides only padding.",
    ),
    said(
        "no-causal",
        no_causal,
        "The target is given in training, so no token of it is hidden.",
        "Your decoder mask opens key 1 to query 0, and key 1 holds the token that query 0 must "
        "predict.",
        "What must query 0 of the target predict, and at which position is that token?",
        "Combine the padding with a lower triangle.",
    ),
    said(
        "upside-down",
        upside_down,
        "True means hidden.",
        "Your masks are negated: they have True in place of False. True should mean that a query "
        "attends to a key.",
        "In your encoder mask, does query 0 attend to a real key?",
        "Leave out the ~.",
    ),
    said(
        "target-padding-open",
        target_padding_open,
        "The causal mask hides the target's padding, because padding is at the end.",
        "Your decoder mask is causal but does not hide padding. If padding is at the end, the "
        "padded queries attend to it; if it is in front, the real queries do.",
        "In a target padded on the left, which keys are open to the first real token in your mask?",
        "Combine the lower triangle with (target != pad), along the keys.",
    ),
    said(
        "queries-hidden-too",
        queries_hidden_too,
        "A padded token is hidden as a query, too.",
        "You hide all keys from padded queries. A padding mask hides the same keys in every row. "
        "The output of a padded query is not used, so its row needs no hiding.",
        "Are all rows of a padding mask the same?",
        "Leave out the factor with the transposed mask.",
        variants=(queries_hidden_in_cross, queries_hidden_in_decoder, queries_hidden_in_encoder),
    ),
    said(
        "pad-is-zero",
        zero_is_pad,
        "Padding is 0.",
        "You treat 0 as padding, whatever `pad` is. If pad is 7, then 0 is a word and 7 is "
        "padding.",
        "Which argument do you not use?",
        "Compare with `pad`.",
        kind="form",
    ),
    said(
        "padding-behind",
        padding_behind,
        "Padding is at the end.",
        "You count the real tokens and open the first keys. With padding on the left the first "
        "keys are padding.",
        "What do you open for the source 0 5 6?",
        "Test for each token whether it is padding.",
    ),
    said(
        "own-place-hidden",
        own_place_hidden,
        "A token must not attend to itself.",
        "Your decoder hides a token from itself, so its first row is empty. A token attends to "
        "itself as well; it predicts the next one.",
        "Which keys are open to query 0?",
        "Keep the diagonal.",
    ),
    said(
        "only-later-keys",
        only_later,
        "Either triangle is a causal mask.",
        "Your decoder attends to its own position and to later ones. Rows are queries: row i opens "
        "the keys up to i.",
        "Which keys are open to query 0 in your mask?",
        "Use the lower triangle.",
    ),
    said(
        "true-hides-the-future",
        later_is_true,
        "True marks the hidden keys.",
        "Your decoder's mask is True for later keys and False for all others: it marks the future, "
        "as triu(1) does. True means that a query attends to a key.",
        "What does True mean in every mask of this notebook?",
        "Use the opposite triangle.",
    ),
    said(
        "zeros-and-ones",
        zeros_and_ones,
        "A mask is a tensor of 0 and 1.",
        "Your masks hold numbers. All three should be boolean.",
        "Which dtype do your masks have?",
        "Keep the masks as they come out of the comparisons.",
        kind="form",
    ),
    said(
        "not-spread-out",
        not_spread,
        "An axis of size 1 is broadcast anyway.",
        "Your masks of encoder and cross-attention have one row for all queries. That works in "
        "attention, but the task asks for the full shapes.",
        "How many rows does your cross mask have, and how many queries are there?",
        "Expand the third axis.",
        kind="form",
    ),
    said(
        "cross-lies-on-its-side",
        cross_lies_down,
        "Source first, target second.",
        "Your cross mask has a row for each token of the source. Rows are queries, and the queries "
        "are those of the target.",
        "Which shape does your cross mask have?",
        "Its shape is (b, 1, q, k).",
    ),
    said(
        "no-axis-for-heads",
        no_head_axis,
        "A mask has the axes of a sequence.",
        "Your masks have three axes. The task asks for one more, of size 1 after the batch, for "
        "the heads.",
        "Which axes do the scores of a layer with heads have?",
        "Add an axis with [:, None].",
    ),
    said(
        "above-pad",
        above_pad,
        "Padding has the smallest number.",
        "You hide tokens whose number is below `pad`. They are real: only a token equal to `pad` "
        "is padding.",
        "Which tokens of your first sequence are real if `pad` is 7?",
        "Compare with != pad.",
        kind="form",
    ),
    said(
        "decoder-first",
        decoder_first,
        "The order of the three masks does not matter.",
        "You return the mask of the decoder first. The order is encoder, decoder, cross-attention.",
        "Which of your masks has the size of the source in both of its last axes?",
        "Exchange your first two masks.",
    ),
)
