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


MISCONCEPTIONS = (
    said(
        "open-cross",
        open_cross,
        "The encoder has dealt with the padding, so the memory is clean.",
        "Your cross mask is True everywhere. The memory has a vector at every padded place, and "
        "the target looks at it.",
        "How many vectors does the memory have for a source of 2 tokens, padded to 4?",
        "The keys of cross-attention are the source's positions. Which of them are real?",
    ),
    said(
        "target-padding-in-cross",
        target_padding_in_cross,
        "The cross-attention belongs to the decoder, so it gets the decoder's padding.",
        "Your cross mask closes the rows of padded *target* tokens and leaves the padding of the "
        "source open. Its columns are source keys, and those are what it must hide.",
        "Which axis of the cross mask is the source?",
        "Start from (source != pad), and let it run along the last axis.",
    ),
    said(
        "causal-cross",
        causal_cross,
        "Everything in a decoder is causal.",
        "In your cross mask query 0 sees source key 0 alone. The source is complete before the "
        "first token is written, so no key of it is in the future.",
        "Which word of a German sentence may the first word of its translation depend on?",
        "Only the decoder's self-attention is causal.",
    ),
    said(
        "causal-encoder",
        causal_encoder,
        "A transformer looks back.",
        "Your encoder mask is causal: source query 0 sees key 0 alone. An encoder reads from both "
        "sides.",
        "What would the first source token learn from the last in your encoder?",
        "The encoder hides padding and nothing else.",
    ),
    said(
        "no-causal",
        no_causal,
        "The target is given in training, so all of it may be seen.",
        "Your decoder mask lets query 0 look at key 1, which holds the token that it must predict.",
        "What must query 0 of the target predict, and where does that token stand?",
        "Join the padding with a lower triangle.",
    ),
    said(
        "upside-down",
        upside_down,
        "True means hidden.",
        "All three of your masks are the negation of what is asked: True means may look.",
        "In your decoder mask, may query 0 look at key 0?",
        "Leave the ~ away.",
    ),
    said(
        "target-padding-open",
        target_padding_open,
        "The causal mask hides the target's padding, since it stands behind.",
        "Your decoder mask is causal and nothing else. With padding behind, the padded queries see "
        "padding; with padding in front, the real ones do.",
        "In a target padded on the left, which keys does the first real token see in your mask?",
        "Join the lower triangle with (target != pad), along the keys.",
    ),
    said(
        "queries-hidden-too",
        queries_hidden_too,
        "A padded token takes no part at all, also not as a query.",
        "You close the rows of padded queries, so that they may look nowhere. A padding mask "
        "hides keys; what a padded query finds is dropped by the loss.",
        "Are all rows of a padding mask alike?",
        "Leave out the factor with the transposed mask.",
    ),
    said(
        "pad-is-zero",
        zero_is_pad,
        "Padding is 0.",
        "You take 0 for padding, whatever `pad` is. With pad = 7 a 0 is a word, and a 7 is none.",
        "Which argument do you not use?",
        "Compare with `pad`.",
        kind="form",
    ),
    said(
        "padding-behind",
        padding_behind,
        "Padding stands at the end.",
        "You count the real tokens and open the first keys. With padding on the left the first "
        "keys are padding.",
        "What do you open for the source 0 5 6?",
        "Ask of each token whether it is padding.",
    ),
    said(
        "own-place-hidden",
        own_place_hidden,
        "A token must not see itself.",
        "Your decoder hides a token from itself, so its first row is empty. A token may look at "
        "itself; what it guesses is the next one.",
        "Which keys has query 0?",
        "Keep the diagonal.",
    ),
    said(
        "only-later-keys",
        only_later,
        "A triangle is a triangle.",
        "Your decoder looks at its own place and at what comes later. Rows are queries: row i "
        "opens the keys up to i.",
        "What may query 0 see in your mask?",
        "Use the lower triangle.",
    ),
    said(
        "true-hides-the-future",
        later_is_true,
        "True marks what is hidden.",
        "Your decoder's mask is True where it must be False: triu(1) marks the future. True means "
        "that a query may look.",
        "What does True mean in every mask of this notebook?",
        "Turn the triangle around.",
    ),
    said(
        "zeros-and-ones",
        zeros_and_ones,
        "A mask is a tensor of 0 and 1.",
        "Your cells are right, and your masks hold numbers. All three are boolean.",
        "What dtype have your masks?",
        "Leave out the float().",
        kind="form",
    ),
    said(
        "not-spread-out",
        not_spread,
        "An axis of 1 is spread by itself.",
        "Your masks of encoder and cross-attention have one row for all queries. That works in "
        "attention; here the full shapes are asked for.",
        "How many rows has your cross mask, and how many queries are there?",
        "Expand the third axis.",
        kind="form",
    ),
    said(
        "cross-lies-on-its-side",
        cross_lies_down,
        "Source first, target second.",
        "Your cross mask has a row for each token of the source. Rows are queries, and the target "
        "asks.",
        "What shape has your cross mask?",
        "Its shape is (b, 1, q, k).",
    ),
)
