"""How 14.log_probability goes wrong."""

import math

import torch
from torch import Tensor

from plaincourse.exercise import Misconception

Two = tuple[Tensor, Tensor]


def both(said: Tensor, counts: Tensor) -> Two:
    """Sum what counts, and divide by how much it is."""
    total = torch.where(counts, said, 0.0).sum(dim=1)
    return total, total / counts.sum(dim=1).clamp_min(1)


def given(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the log-probability of each token but the first (b, n - 1)."""
    logs = torch.log_softmax(logits[:, :-1], dim=-1)
    return logs.gather(-1, tokens[:, 1:, None])[..., 0]


def between(real: Tensor) -> Tensor:
    """Say which predictions are made at a token and about a token."""
    return real[:, 1:] & real[:, :-1]


def not_shifted(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits, dim=-1)
    return both(logs.gather(-1, tokens[..., None])[..., 0], real)


def not_shifted_without_the_first(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits[:, 1:], dim=-1)
    return both(logs.gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def shifted_the_other_way(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits[:, 1:], dim=-1)
    return both(logs.gather(-1, tokens[:, :-1, None])[..., 0], between(real))


def raw_logits(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(logits[:, :-1].gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def probabilities_added(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens).exp(), between(real))


def not_a_logarithm(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    total, mean = both(given(logits, tokens), between(real))
    return total.exp(), mean.exp()


def in_bits(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens) / math.log(2), between(real))


def a_loss(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(-given(logits, tokens), between(real))


def over_positions(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    logs = torch.log_softmax(logits[:, :-1], dim=1)
    return both(logs.gather(-1, tokens[:, 1:, None])[..., 0], between(real))


def padding_counted(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    said = given(logits, tokens)
    return both(said, torch.ones_like(said, dtype=torch.bool))


def at_padding(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens), real[:, 1:])


def about_padding(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    return both(given(logits, tokens), real[:, :-1])


def times_zero(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    total = (given(logits, tokens) * counts).sum(dim=1)
    return total, total / counts.sum(dim=1).clamp_min(1)


def over_all_columns(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    total, _ = both(given(logits, tokens), between(real))
    return total, total / (real.shape[1] - 1)


def over_all_tokens(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    total, _ = both(given(logits, tokens), between(real))
    return total, total / real.sum(dim=1)


def over_the_batch(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    total, _ = both(given(logits, tokens), counts)
    return total, total.sum() / counts.sum().clamp_min(1) * torch.ones_like(total)


def divided_by_nothing(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    counts = between(real)
    total, _ = both(given(logits, tokens), counts)
    return total, total / counts.sum(dim=1)


def the_mean_twice(logits: Tensor, tokens: Tensor, real: Tensor) -> Two:
    _, mean = both(given(logits, tokens), between(real))
    return mean, mean


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "not-shifted",
        not_shifted,
        "Row t of the logits is about token t.",
        "You look each token up in the logits of its own column, the first one too. The model "
        "had read that token when it computed them: they are about the token after it.",
        "Which tokens had the model read when it computed row t?",
        "Row 0 speaks of token 1.",
        "Pair the rows 0 to n - 2 with the tokens 1 to n - 1.",
    ),
    said(
        "own-column-without-the-first",
        not_shifted_without_the_first,
        "The first token has no prediction, the others have their own row.",
        "You leave the first token out, which is right, and look the others up in the logits of "
        "their own columns. Those were computed after the token had been read.",
        "Which tokens had the model read when it computed row t?",
        "The row that is about token 1 is row 0, not row 1.",
        "Leave out the last row of the logits instead of the first.",
    ),
    said(
        "shifted-the-other-way",
        shifted_the_other_way,
        "A row looks back.",
        "You look each token up in the logits of the next column. That is what the model says "
        "after it has read the token and one more.",
        "Which of the two comes first: the row that predicts, or the token that is predicted?",
        "Row t speaks of token t + 1.",
        "Shift the other way round.",
    ),
    said(
        "raw-logits",
        raw_logits,
        "A logit is a log-probability.",
        "You add logits up. Your numbers change when the same constant is added to all logits of "
        "a row, and its probabilities do not.",
        "What do the exponentials of one row of logits sum to?",
        "A log-probability is a logit less the log-sum-exp of its row.",
        "Take `log_softmax` over the vocabulary first.",
    ),
    said(
        "probabilities-added",
        probabilities_added,
        "Probabilities of tokens add up.",
        "You add probabilities up. The probability of a text is a product, so it is the logarithms "
        "that are added.",
        "Two tokens have probability 1/2 each. What has the text of both?",
        "Your total grows with each token; a text gets less likely with each.",
        "Take the logarithm of each probability before the sum.",
    ),
    said(
        "not-a-logarithm",
        not_a_logarithm,
        "The result is a probability.",
        "Your numbers are probabilities: the exponentials of what is asked for. Of a text of "
        "thousands of tokens nothing but 0 would be left.",
        "Which sign has the logarithm of a probability?",
        "The sum of the logarithms is the result.",
        "Leave out the exponential.",
    ),
    said(
        "in-bits",
        in_bits,
        "Logarithms are to base 2.",
        "Your numbers are in bits, 1.4427 times those in nats.",
        "What is the logarithm of 1/2 to base e?",
        "`torch.log` is the natural logarithm.",
        "Leave out the division by log 2.",
    ),
    said(
        "a-loss",
        a_loss,
        "What is computed is the loss.",
        "Your numbers have the opposite sign: they are losses. A log-probability is never above 0.",
        "Which sign has the logarithm of 1/2?",
        "Cross-entropy is minus the log-probability.",
        "Turn the sign.",
    ),
    said(
        "over-positions",
        over_positions,
        "The axis of the softmax does not matter.",
        "Your softmax runs over the positions. The probabilities of all tokens of the vocabulary "
        "sum to 1 at each position; in yours, those of one token over all positions do.",
        "Of what are the numbers of one row of logits the scores?",
        "The last axis is the vocabulary.",
        "Take the softmax over the last axis.",
    ),
    said(
        "padding-counted",
        padding_counted,
        "What stands in the batch is text.",
        "You add up all columns. A text that is padded gets the log-probability of its padding "
        "too, so it depends on its neighbours' lengths.",
        "Does your answer use `real`?",
        "A prediction counts if it is made at a token and about a token.",
        "Set all others to 0 before you sum.",
    ),
    said(
        "predicted-by-padding",
        at_padding,
        "What is about a token counts.",
        "You count each prediction that is about a real token. Behind padding on the left, the "
        "first of them is made by padding: the first token of a text is predicted by nothing.",
        "A row is padded on the left. Which column predicts its first token?",
        "Without padding you leave out the first token. With padding you count it.",
        "Ask also whether the column that predicts is real.",
    ),
    said(
        "predicts-padding",
        about_padding,
        "What is predicted at a token counts.",
        "You count each prediction that is made at a real token. On the right, the last of them is "
        "about padding.",
        "A row is padded on the right. What follows its last token?",
        "On the left your answer is right; on the right one too many is counted.",
        "Ask also whether the column that is predicted is real.",
    ),
    said(
        "nan-times-zero",
        times_zero,
        "What is multiplied by 0 is gone.",
        "You multiply by the mask. Where the model returned nan for padding, your total is nan, "
        "because nan times 0 is nan.",
        "What is `float('nan') * 0`?",
        "A mask that multiplies keeps nan and makes one of infinity.",
        "Choose with `torch.where` or `masked_fill`.",
    ),
    said(
        "mean-over-all-columns",
        over_all_columns,
        "All rows have as many predictions.",
        "Your totals are right. You divide all of them by n - 1, so a short text gets a mean "
        "too near to 0.",
        "How many tokens of a text of two are predicted?",
        "Each row has a divisor of its own.",
        "Divide by the number of predictions that count.",
    ),
    said(
        "mean-over-all-tokens",
        over_all_tokens,
        "A mean over a text divides by its tokens.",
        "Your totals are right. You divide by all tokens of a text, and the first one is not "
        "predicted: a text of two tokens has one prediction.",
        "How many numbers were added up for a text of two tokens?",
        "Divide by as many as you have added.",
        "That is one fewer than the text has tokens.",
    ),
    said(
        "mean-over-the-batch",
        over_the_batch,
        "One mean for the batch.",
        "Your means are all the same: that of all tokens of the batch. Each text has its own.",
        "Which shape has the mean?",
        "Sum over the columns only.",
        "Divide each total by its own count.",
    ),
    said(
        "zero-over-zero",
        divided_by_nothing,
        "Every text predicts something.",
        "The mean of your text of one token is nan. It is asked for as 0.",
        "How many predictions does a text of one token have?",
        "0 divided by 0 is nan.",
        "Divide by at least 1.",
    ),
    said(
        "mean-twice",
        the_mean_twice,
        "The log-probability of a text is its mean.",
        "Both of your outputs are the mean. The first is the log-probability of the whole text.",
        "Which of the two grows with the length of a text?",
        "The first output is a sum.",
        "Return the sum first.",
    ),
)
