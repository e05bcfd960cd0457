"""How 08.perplexity goes wrong."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return"

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def paid(losses: Tensor, counts: Tensor) -> Tensor:
    return torch.where(counts > 0, losses * counts, 0.0)


def root_of_the_product(losses: Tensor, counts: Tensor) -> Tensor:
    some = counts > 0
    return (losses[some].exp() ** counts[some]).prod() ** (1 / counts.sum())


def root_of_one_product(losses: Tensor, counts: Tensor) -> Tensor:
    return paid(losses, counts).sum().exp() ** (1 / counts.sum())


def mean_of_means(losses: Tensor, counts: Tensor) -> Tensor:
    return losses[counts > 0].mean().exp()


def mean_of_perplexities(losses: Tensor, counts: Tensor) -> Tensor:
    return paid(losses.exp(), counts).sum() / counts.sum()


def plain_mean_of_perplexities(losses: Tensor, counts: Tensor) -> Tensor:
    return losses[counts > 0].exp().mean()


def power_of_two(losses: Tensor, counts: Tensor) -> Tensor:
    return 2 ** (paid(losses, counts).sum() / counts.sum())


def no_exponential(losses: Tensor, counts: Tensor) -> Tensor:
    return paid(losses, counts).sum() / counts.sum()


def not_times_counts(losses: Tensor, counts: Tensor) -> Tensor:
    return (losses.nansum() / counts.sum()).exp()


def over_batches(losses: Tensor, counts: Tensor) -> Tensor:
    return paid(losses, counts).mean().exp()


def downwards(losses: Tensor, counts: Tensor) -> Tensor:
    return (-paid(losses, counts).sum() / counts.sum()).exp()


def nan_of_nothing(losses: Tensor, counts: Tensor) -> Tensor:
    return ((losses * counts).sum() / counts.sum()).exp()


def of_the_sum(losses: Tensor, counts: Tensor) -> Tensor:
    return paid(losses, counts).sum().exp()


def longest_batch(losses: Tensor, counts: Tensor) -> Tensor:
    return losses[counts.argmax()].exp()


def power_of_ten(losses: Tensor, counts: Tensor) -> Tensor:
    return 10 ** (paid(losses, counts).sum() / counts.sum())


def empty_as_one(losses: Tensor, counts: Tensor) -> Tensor:
    counts = counts.clamp_min(1)
    return ((losses.nan_to_num() * counts).sum() / counts.sum()).exp()


def mean_of_probabilities(losses: Tensor, counts: Tensor) -> Tensor:
    return counts.sum() / paid((-losses).exp(), counts).sum()


MISCONCEPTIONS = (
    Misconception(
        name="mean-of-means",
        answer=mean_of_means,
        believed="Every batch counts equally.",
        says="Your result does not depend on the counts, so a batch of one word weighs as much as "
        "a batch of a hundred.",
        hints=(
            "How many nats does each batch cost in total?",
            "Where do the counts enter your function?",
            "Weight each loss by its count before you average.",
        ),
    ),
    Misconception(
        name="mean-of-perplexities",
        answer=mean_of_perplexities,
        believed="The perplexity of all is the mean of the perplexities.",
        says="You return the mean of the batches' perplexities, weighted by words. It lies above "
        "the perplexity of the text, because the exponential is convex.",
        hints=(
            "Two batches of one word have the losses 0 and ln 9. What is the mean loss, and its "
            "exponential?",
            "Which comes first, the mean or the exponential?",
            "Average the losses, and take one exponential at the end.",
        ),
    ),
    Misconception(
        name="plain-mean-of-perplexities",
        answer=plain_mean_of_perplexities,
        believed="Perplexities are averaged, batch by batch.",
        says="You take the exponential of each batch's loss first, and you do not use the counts.",
        hints=(
            "Where do the counts enter your function?",
            "Which comes first, the mean or the exponential?",
            "Average the losses, weighted by counts. Then take one exponential.",
        ),
    ),
    Misconception(
        name="power-of-two",
        answer=power_of_two,
        believed="Perplexity is a power of two.",
        says="You return 2 to the power of the mean, which is right for a loss in bits. These "
        "losses are in nats: a loss of ln 2 should give 2, and 2 to the power of ln 2 is 1.62.",
        hints=(
            "Which base goes with nats?",
            "2 to the power of a loss is right for a loss in bits.",
            "Either divide by ln 2 first, or change the base.",
        ),
    ),
    Misconception(
        name="no-exponential",
        answer=no_exponential,
        believed="The mean loss is the perplexity.",
        says="You return the mean loss in nats. A model that is always right has loss 0 and "
        "perplexity 1, but your result is 0.",
        hints=(
            "Among how many equally likely words does a model with the loss ln 5 choose?",
            "Your mean is right. One step is missing.",
            "The exponential undoes the logarithm in the loss.",
        ),
    ),
    Misconception(
        name="not-times-counts",
        answer=not_times_counts,
        believed="The losses are sums already.",
        says="You divide the sum of the losses by the number of words. But each loss is already a "
        "mean, so for a single batch of 7 words you use a seventh of its loss.",
        hints=(
            "What should one batch of 7 words with the loss ln 2 give?",
            "Each loss is in nats per word. By which number must you multiply it to get nats?",
            "Multiply each by its count before you add up.",
        ),
    ),
    Misconception(
        name="over-batches",
        answer=over_batches,
        believed="A weighted mean is the mean of the weighted losses.",
        says="You weight the losses by words but divide by the number of batches, so for a single "
        "batch of 7 words you use seven times its loss.",
        hints=(
            "What should one batch of 7 words with the loss ln 2 give?",
            "A weighted mean is divided by the sum of its weights.",
            "How many words are there in total?",
        ),
    ),
    Misconception(
        name="downwards",
        answer=downwards,
        believed="A loss is a log-probability.",
        says="Your result is at most 1 and falls when the loss grows. It is the geometric mean of "
        "the probabilities, which is one over the perplexity.",
        hints=(
            "Can a model choose among half a word?",
            "The losses are positive, so they already include the minus sign.",
            "Leave out one minus sign.",
        ),
    ),
    said(
        "nan-of-nothing",
        nan_of_nothing,
        "0 times anything is 0.",
        "If a batch has no words you return nan, because its mean loss is nan and nan times 0 is "
        "nan.",
        "Which number is the mean of an empty tensor?",
        "Leave such batches out, or put 0 in their place, before you add.",
        kind="form",
    ),
    said(
        "of-the-sum",
        of_the_sum,
        "A perplexity belongs to the whole text.",
        "You take the exponential of all nats together. A text of twice the length has twice the "
        "nats, but a perplexity is per word.",
        "By which number do you divide before the exponential?",
        "Divide by the number of words.",
    ),
    said(
        "largest-batch",
        longest_batch,
        "The largest batch represents the text.",
        "You use only the batch with the most words. The words of the other batches count, too.",
        "How does your result change when the loss of a smaller batch changes?",
        "Add up the nats of all batches.",
    ),
    said(
        "power-of-ten",
        power_of_ten,
        "The losses are logarithms to base 10.",
        "You raise 10 to the mean. The losses are in nats, so the base is e.",
        "What is the perplexity of a loss of ln 2?",
        "Use exp.",
    ),
    said(
        "empty-counts-one",
        empty_as_one,
        "A batch has at least one word.",
        "You count a batch without words as one word with the loss 0, so your perplexity is too "
        "small.",
        "What do you return when one of two batches is empty?",
        "Divide by counts.sum() as it is.",
        kind="form",
    ),
    said(
        "root-of-the-product",
        root_of_the_product,
        "A geometric mean is the root of a product.",
        "Your result is infinite for a text of many words: the product over all its words is too "
        "large for the dtype before you take the root.",
        "What is e to the power of 300 in float32?",
        "Divide the sum of all losses by the number of words first, and then take exp.",
        variants=(root_of_one_product,),
    ),
    said(
        "mean-of-probabilities",
        mean_of_probabilities,
        "A perplexity is one over the mean probability.",
        "You average the probabilities of the batches, and divide 1 by that mean. A perplexity is "
        "e to the power of the mean loss, and each loss is the logarithm of a probability, with a "
        "minus.",
        "Two words have the probabilities 1 and 1/16. What is their mean loss, and its "
        "exponential?",
        "Average the losses, then take the exponential once.",
    ),
)
