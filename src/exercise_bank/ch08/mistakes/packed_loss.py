"""How 08.packed_loss goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return"

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def prices_of(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def counted(segments: Tensor) -> Tensor:
    return (segments[:, 1:] == segments[:, :-1]) & (segments[:, 1:] >= 0)


def not_shifted(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, :-1], tokens[:, :-1])[counted(segments)].mean()


def every_token_for_itself(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits, tokens)[segments >= 0].mean()


def own_logits(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, 1:], tokens[:, 1:])[counted(segments)].mean()


def zero_ignored(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    targets = tokens[:, 1:] * counted(segments)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten(), ignore_index=0)


def zero_means_filler(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    some = counted(segments) & (tokens[:, 1:] != 0)
    return prices_of(logits[:, :-1], tokens[:, 1:])[some].mean()


def shifted_back(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, 1:], tokens[:, :-1])[counted(segments)].mean()


def filler_counts(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    same = segments[:, 1:] == segments[:, :-1]
    return prices_of(logits[:, :-1], tokens[:, 1:])[same].mean()


def seams_count(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, :-1], tokens[:, 1:])[segments[:, 1:] >= 0].mean()


def everything_counts(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, :-1], tokens[:, 1:]).mean()


def row_means(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    weights = counted(segments).to(logits.dtype)
    prices = prices_of(logits[:, :-1], tokens[:, 1:]) * weights
    return (prices.sum(dim=1) / weights.sum(dim=1)).mean()


def row_means_of_some(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    some = counted(segments).any(dim=1)
    return row_means(logits[some], tokens[some], segments[some])


def row_means_with_zeros(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    weights = counted(segments).to(logits.dtype)
    prices = prices_of(logits[:, :-1], tokens[:, 1:]) * weights
    return (prices.sum(dim=1) / weights.sum(dim=1).clamp(min=1)).mean()


def over_all_positions(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return (prices_of(logits[:, :-1], tokens[:, 1:]) * counted(segments)).mean()


def seams_over_all_positions(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return (prices_of(logits[:, :-1], tokens[:, 1:]) * (segments[:, 1:] >= 0)).mean()


def a_sum(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, :-1], tokens[:, 1:])[counted(segments)].sum()


def in_bits(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, :-1], tokens[:, 1:])[counted(segments)].mean() / math.log(2)


def log_of_softmax(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    chances = torch.softmax(logits[:, :-1], dim=-1).gather(-1, tokens[:, 1:, None])[..., 0]
    return -chances.log()[counted(segments)].mean()


def zero_is_filler(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    kept = counted(segments) & (segments[:, 1:] > 0)
    return prices_of(logits[:, :-1], tokens[:, 1:])[kept].mean()


def rows_joined(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    """Shift the rows of the batch as one long row."""
    one = (logits.flatten(0, 1)[None], tokens.reshape(1, -1), segments.reshape(1, -1))
    return prices_of(one[0][:, :-1], one[1][:, 1:])[counted(one[2])].mean()


def gaps_closed(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    """Collect the tokens of each number, and let each of them predict the next one collected."""
    prices = []
    for row, words, marks in zip(logits, tokens, segments, strict=True):
        for mark in marks[marks >= 0].unique():
            at = (marks == mark).nonzero()[:, 0]
            prices.append(prices_of(row[None, at[:-1]], words[None, at[1:]]).flatten())
    return torch.cat(prices).mean()


def document_means(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    prices, kept = prices_of(logits[:, :-1], tokens[:, 1:]), counted(segments)
    means = []
    for row, marks, inside in zip(prices, segments[:, 1:], kept, strict=True):
        means += [row[inside & (marks == mark)].mean() for mark in marks[inside].unique()]
    return torch.stack(means).mean()


def a_perplexity(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, :-1], tokens[:, 1:])[counted(segments)].mean().exp()


def other_side_of_the_seam(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    seam = torch.zeros_like(segments, dtype=torch.bool)
    seam[:, 1:] = segments[:, 1:] != segments[:, :-1]
    kept = ~seam[:, :-1] & (segments[:, 1:] >= 0)
    return prices_of(logits[:, :-1], tokens[:, 1:])[kept].mean()


def minus_lost(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return -prices_of(logits[:, :-1], tokens[:, 1:])[counted(segments)].mean()


def by_the_positions(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    prices = prices_of(logits[:, :-1], tokens[:, 1:]) * counted(segments)
    return prices.sum() / (segments >= 0).sum()


def real_pairs_count(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    kept = (segments[:, 1:] >= 0) & (segments[:, :-1] >= 0)
    return prices_of(logits[:, :-1], tokens[:, 1:])[kept].mean()


def real_inputs_count(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    return prices_of(logits[:, :-1], tokens[:, 1:])[segments[:, :-1] >= 0].mean()


def over_all_tokens(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    prices = prices_of(logits[:, :-1], tokens[:, 1:]) * counted(segments)
    return prices.sum() / tokens.numel()


def over_rows(logits: Tensor, tokens: Tensor, segments: Tensor) -> Tensor:
    prices = prices_of(logits[:, :-1], tokens[:, 1:]) * counted(segments)
    return prices.sum() / len(tokens)


MISCONCEPTIONS = (
    said(
        "real-inputs-count",
        real_inputs_count,
        "Every guess that a real token makes counts.",
        "You count every guess that a real token makes. The last token of a document guesses the "
        "next document or filler, and that guess should not count.",
        "What does the last token of a document guess?",
        "Compare the segment of the guessed token with that of the one before.",
    ),
    said(
        "divided-by-the-rows",
        over_rows,
        "A batch is averaged over its rows.",
        "You divide the sum by the number of rows, but the mean is over guesses.",
        "What does your function give for one row of two guesses with logits of zeros?",
        "Divide by the number of guesses that count.",
    ),
    Misconception(
        name="not-shifted",
        answer=not_shifted,
        variants=(every_token_for_itself, own_logits),
        believed="The logits at a position are about the token at that position.",
        says="You score each position on the token that it has just read. A model can copy this "
        "token, so its loss can go to 0.",
        hints=(
            "At position 3 the model has read token 3. Which token should it predict there?",
            "Logits and tokens lose a position at opposite ends.",
            "Logits lose their last position. Which one do the tokens lose?",
        ),
    ),
    Misconception(
        name="shifted-back",
        answer=shifted_back,
        believed="The logits are moved by one, not the tokens.",
        says="You score each position on the token *before* it: you cut both tensors at the wrong "
        "ends.",
        hints=(
            "Which token should the logits at position 0 guess?",
            "With logits[:, 1:] the first guess is lost.",
            "Swap the two cuts.",
        ),
    ),
    Misconception(
        name="filler-counts",
        answer=filler_counts,
        believed="Filler is an ordinary document.",
        says="If filler follows filler, the two marks are equal, −1 and −1, and you count the "
        "guess.",
        hints=(
            "What is the mark of filler?",
            "Equal marks are necessary, but they are not enough.",
            "Add a second condition on the mark of the target.",
        ),
    ),
    Misconception(
        name="seams-count",
        answer=seams_count,
        variants=(real_pairs_count,),
        believed="Every real token is a target.",
        says="You count guesses of a document's first token. They are made from the tokens before "
        "it, which are not of its document and hold no information about it.",
        hints=(
            "From which tokens would the first token of a document be guessed?",
            "Compare the marks of neighbours.",
            "A guess counts where input and target have the same mark.",
        ),
    ),
    Misconception(
        name="everything-counts",
        answer=everything_counts,
        believed="A mean over all positions is the loss.",
        says="Your result does not depend on segments, so you count filler and the guesses across "
        "a seam.",
        hints=(
            "Where does segments enter your function?",
            "Two kinds of guesses should not count. Which?",
            "Make a mask of the guesses that count, and average those.",
        ),
    ),
    Misconception(
        name="row-means",
        answer=row_means,
        variants=(row_means_of_some, row_means_with_zeros),
        believed="The loss is the mean of the rows' losses.",
        says="You average each row first. So a guess in a row with few guesses weighs more than a "
        "guess in a full row.",
        hints=(
            "Row 0 has three guesses, row 1 has one. How much should each of the four weigh?",
            "Divide once, at the end.",
            "Divide the sum of all prices that count by their number.",
        ),
    ),
    Misconception(
        name="over-all-positions",
        answer=over_all_positions,
        variants=(seams_over_all_positions, over_all_tokens),
        believed="Setting a price to 0 takes it out of the mean.",
        says="You divide by the number of all positions, including those that do not count, so "
        "more filler makes your loss smaller.",
        hints=(
            "What is the mean of 2, 2 and two zeros?",
            "The zeros do not change your sum. Where do they still count?",
            "Divide by the number of guesses that count.",
        ),
    ),
    Misconception(
        name="a-sum",
        answer=a_sum,
        believed="The loss is the sum of the prices.",
        says="You return the sum of the prices, which doubles if the batch is repeated.",
        hints=(
            "What unit should the result have: nats, or nats per guess?",
            "Your prices are right.",
            "One division is missing.",
        ),
    ),
    Misconception(
        name="in-bits",
        answer=in_bits,
        believed="Losses are in bits.",
        says="Your loss is 1.4427 times the right number, because it is in bits; the task asks for "
        "nats.",
        hints=(
            "What does a fair coin cost in nats?",
            "1.4427 is one over ln 2.",
            "Leave the unit of log as it is.",
        ),
    ),
    Misconception(
        name="log-of-softmax",
        answer=log_of_softmax,
        believed="The logarithm of softmax is log_softmax.",
        says="For large logits a probability is rounded to 0, and your loss is inf.",
        hints=(
            "Take [0, 2000]: what is its softmax, and the logarithm of that?",
            "On paper the two logarithms cancel an exponential. On a computer they cancel only if "
            "no exponential is computed.",
            "Price = logsumexp of the logits minus one logit.",
        ),
        kind="corner",
    ),
    said(
        "document-0-left-out",
        zero_is_filler,
        "0 marks filler.",
        "You leave out the guesses in document 0. Filler is -1; 0 is an ordinary document.",
        "What is `segments` for filler?",
        "Compare with >= 0.",
        kind="form",
    ),
    said(
        "rows-joined",
        rows_joined,
        "A batch is one long row.",
        "You join the rows before you shift, so the last token of a row guesses the first of the "
        "next one if both documents have the same number. Numbers belong to their row alone.",
        "How many guesses do two rows of two tokens have, all of document 1?",
        "Shift along the second axis, before you flatten anything.",
        kind="form",
    ),
    said(
        "means-of-documents",
        document_means,
        "Every document weighs the same.",
        "You average each document, and then the documents. So a guess in a short document weighs "
        "more.",
        "One document has one guess, and another has nine. How much does each guess weigh?",
        "Put all guesses into one mean.",
    ),
    said(
        "a-perplexity",
        a_perplexity,
        "A price is a perplexity.",
        "You return a perplexity. The task asks for the mean price in nats.",
        "What is the price of a guess among four that are equal, in nats?",
        "Leave out the exponential.",
    ),
    said(
        "other-side-of-the-seam",
        other_side_of_the_seam,
        "At a seam the first token's guess is left out.",
        "You leave out the guess that the first token of a document *makes*. You should leave out "
        "the guess *of* this token, one position earlier.",
        "Which logits guess the first token of a document?",
        "Compare the segment of the guessed token with that of the one before.",
    ),
    said(
        "below-zero",
        minus_lost,
        "A log-probability is a price.",
        "Your loss is below 0. A price is minus a log-probability, and F.cross_entropy already "
        "includes the minus.",
        "Can a price in nats be below 0?",
        "Leave out the minus.",
    ),
    said(
        "token-0-ignored",
        zero_ignored,
        "Token 0 is filler.",
        "You leave out every guess whose right token is 0. But 0 is an ordinary token, and only "
        "`segments` marks filler.",
        "Which tokens of a document may have the number 0?",
        "Ignore -100 instead, or choose guesses by `segments`.",
        variants=(zero_means_filler,),
    ),
    said(
        "divided-by-the-tokens",
        by_the_positions,
        "There is one guess per token.",
        "You divide by the number of tokens. The first token of a document is not guessed, so "
        "there are fewer guesses.",
        "How many guesses does a document of one token have?",
        "Divide by the number of guesses that you add up.",
    ),
    said(
        "gaps-closed",
        gaps_closed,
        "All tokens with one number follow each other.",
        "You collect all tokens with the same number. If a number returns later in the row, a "
        "token then guesses one that is not right after it, and that guess should not count.",
        "Which guesses count in a row with the numbers 1, 1, 2, 2, 1, 1?",
        "Compare the number of each token with that of the token right after it.",
        kind="form",
    ),
)
