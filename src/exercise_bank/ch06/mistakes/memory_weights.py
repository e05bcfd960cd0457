"""How 06.memory_weights goes wrong."""

from functools import partial

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception

Three = tuple[Tensor, Tensor, Tensor]


def always_minus_one(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys, -torch.ones_like(keys[:, 0]), values.mT


def at_least_one_off(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys, -(keys.sum(dim=-1) - 1).clamp(min=1), values.mT


def no_bias(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys, torch.zeros_like(keys[:, 0]), values.mT


def minus_the_count(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys, -keys.sum(dim=-1), values.mT


def half_way(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys, 0.5 - keys.sum(dim=-1), values.mT


def unit_keys(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys / keys.norm(dim=-1, keepdim=True), 1 - keys.sum(dim=-1), values.mT


def shares(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys / keys.sum(dim=-1, keepdim=True), 0 * keys.sum(dim=-1), values.mT


def one_count_for_all(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys, 1 - keys.sum(dim=-1).max().expand(len(keys)), values.mT


def values_and_keys_swapped(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return values, 1 - values.sum(dim=-1), keys.mT


def values_upright(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return keys, 1 - keys.sum(dim=-1), values


def plus(keys: Tensor, values: Tensor) -> Three:
    return keys, keys.sum(dim=-1) - 1, values.mT


def by_the_width(keys: Tensor, values: Tensor) -> Three:
    return keys, torch.full_like(keys[:, 0], 1 - keys.shape[-1]), values.mT


def by_all_keys(keys: Tensor, values: Tensor) -> Three:
    return keys, (1 - keys.sum()).expand(len(keys)), values.mT


def by_the_facts(keys: Tensor, values: Tensor) -> Three:
    return keys, torch.full_like(keys[:, 0], 1 - len(keys)), values.mT


def others_forbidden(keys: Tensor, values: Tensor) -> Three:
    return 2 * keys - 1, 1 - keys.sum(dim=-1), values.mT


def mean_count(keys: Tensor, values: Tensor) -> Three:
    return keys, 1 - keys.sum(dim=-1).mean().expand(len(keys)), values.mT


def half_the_mean_count(keys: Tensor, values: Tensor) -> Three:
    return keys, 0.5 - keys.sum(dim=-1).mean().expand(len(keys)), values.mT


def least_count(keys: Tensor, values: Tensor) -> Three:
    return keys, 1 - keys.sum(dim=-1).min().expand(len(keys)), values.mT


def first_count(keys: Tensor, values: Tensor) -> Three:
    return keys, 1 - keys[0].sum().expand(len(keys)), values.mT


def half_the_least_count(keys: Tensor, values: Tensor) -> Three:
    return keys, 0.5 - keys.sum(dim=-1).min().expand(len(keys)), values.mT


def two_off(keys: Tensor, values: Tensor) -> Three:
    return keys, 2 - keys.sum(dim=-1), values.mT


def averaged(keys: Tensor, values: Tensor) -> Three:
    return keys, 1 - keys.sum(dim=-1), values.mT / len(keys)


def from_the_other_side(keys: Tensor, values: Tensor) -> Three:
    return keys.mT, 1 - keys.sum(dim=-1), values


def shares_of_the_value(keys: Tensor, values: Tensor) -> Three:
    count = keys.sum(dim=-1)
    return keys / count[:, None], 1 / count - 1, values.mT


def half_the_values(keys: Tensor, values: Tensor) -> Three:
    return keys, 1 - keys.sum(dim=-1), values.mT / 2


def half_way_for_all(keys: Tensor, values: Tensor) -> Three:
    return keys, 0.5 - keys.sum(dim=-1).max().expand(len(keys)), values.mT


def most_of_a_key(keys: Tensor, values: Tensor, *, least: float, kept: float = 1.0) -> Three:
    """Fire above this share of a key, and write this share of its value for a full match."""
    count = keys.sum(dim=-1)
    return keys / count[:, None], -least * torch.ones_like(count), values.mT * kept / (1 - least)


MISCONCEPTIONS = (
    Misconception(
        name="bias-always-minus-one",
        answer=always_minus_one,
        believed="The bias of the chapter's memory is a constant.",
        says="Your bias is -1 for every neuron, which is right only for keys of two features. With "
        "three features, your neuron already fires for two of them; with one feature, it never "
        "fires.",
        hints=(
            "What is the match of a key of three features if all are in the stream, and if one is "
            "missing?",
            "The -1 in the chapter is for keys of two features.",
            "The bias should depend on the number of features of the key.",
        ),
    ),
    Misconception(
        name="at-least-one-off",
        answer=at_least_one_off,
        believed="A bias is always negative.",
        says="In your network, a key of a single feature never fires, because its match is 1, and "
        "your bias subtracts at least 1.",
        hints=(
            "What is the match of a key of one feature, and how much of it remains after your "
            "bias?",
            "A full match plus the bias should be 1.",
            "For one feature, the bias should be 0.",
        ),
    ),
    Misconception(
        name="no-bias",
        answer=no_bias,
        believed="A neuron should write in proportion to its match.",
        says="Your neurons fire for any part of their key: a stream with a single feature of it "
        "already gets the value, and a complete key of two features gets twice the value.",
        hints=(
            "What does your network write for a stream that has one feature of a key?",
            "ReLU returns 0 for numbers below 0. How can a partial match become negative?",
            "Subtract a number from each match.",
        ),
    ),
    Misconception(
        name="minus-the-count",
        answer=minus_the_count,
        believed="The bias is minus the number of features.",
        says="Your network never writes anything. It is so if your bias exactly cancels a full "
        "match: ReLU of 0 is 0, so no neuron fires.",
        hints=(
            "What is a full match plus your bias?",
            "Your bias is wrong by a constant.",
            "A full match plus the bias should be 1.",
        ),
    ),
    Misconception(
        name="half-the-value",
        answer=half_way,
        believed="The threshold is half-way between n - 1 and n.",
        says="Your network writes only a fraction of the value, half of it for a key of two "
        "features. A full match plus the bias, times the last matrix, should give the value "
        "itself, for keys of any number of features.",
        hints=(
            "What is a full match plus your bias, for one feature, two and three?",
            "It should be 1 for each key, unless the last matrix corrects it key by key.",
            "If the bias is 1 minus the number of features, the result is 1.",
        ),
        variants=(shares_of_the_value, half_the_values),
    ),
    Misconception(
        name="unit-keys",
        answer=unit_keys,
        believed="Keys must have length 1.",
        says="You shorten the keys to length 1, but keep a bias that counts features. A full match "
        "of two features minus 1 is then 0.41.",
        hints=(
            "What is the dot product of your key with a stream that has all its features?",
            "If you scale a key, its bias must be scaled by the same factor.",
            "Leave the keys as they are, or scale the bias, too.",
        ),
    ),
    Misconception(
        name="shares",
        answer=shares,
        believed="Half a match should write half the value.",
        says="Your network writes the right value for a complete key. But for half a key it writes "
        "half the value, because your matches are never negative, so ReLU has no effect.",
        hints=(
            "What does your network write for half a key?",
            "If matches are never negative, when does ReLU have an effect?",
            "Only a negative bias can keep a neuron at 0 until all its features are in the stream.",
        ),
    ),
    Misconception(
        name="one-bias-for-all",
        answer=one_count_for_all,
        believed="All keys have the same number of features.",
        says="You use the bias of the longest key for all neurons, so shorter keys never fire.",
        variants=(half_way_for_all,),
        hints=(
            "If the keys have different numbers of features, which of your neurons fire?",
            "max() returns one number for all neurons.",
            "Each neuron needs a bias of its own.",
        ),
    ),
    Misconception(
        name="keys-and-values-swapped",
        answer=values_and_keys_swapped,
        believed="W_1 contains the values.",
        says="Your first matrix contains the values and your second the keys, so your network "
        "compares the stream with the values and writes the keys.",
        hints=(
            "Which of the two matrices is multiplied by the stream?",
            "The stream is compared with the keys.",
            "Exchange the two arguments.",
        ),
    ),
    Misconception(
        name="values-as-rows",
        answer=values_upright,
        believed="Row i of W_2 is the value of neuron i.",
        says="Your last matrix has a row for each neuron, but in the layout (out, in) each neuron "
        "has a column. If the numbers of facts and features are equal, your code runs, but it "
        "mixes the values.",
        hints=(
            "What is the shape of the weight of nn.Linear(n, m)?",
            "Row i of W_2 computes feature i of the output.",
            "The values should be the columns.",
        ),
    ),
    said(
        "count-less-one-added",
        plus,
        "The bias counts the features of the key.",
        "Your bias is n - 1 for a key of n features. From two features on it is above 0, so the "
        "neuron fires for every stream, even an empty one. The bias should keep a neuron at 0 "
        "until its key is complete.",
        "What does your network write for a stream of zeros?",
        "Which number do you have to subtract from a match of n features to get 1?",
        "Change the sign of the bias.",
    ),
    said(
        "width-for-features",
        by_the_width,
        "The number of features of a key is the width of the stream.",
        "Your bias depends on the width of the stream, not on the number of features of the key. "
        "Only a key that contains all features fires.",
        "How large is the full match of a key of two features in a stream of width five?",
        "Count the ones of a key.",
        "Sum each row of the keys.",
    ),
    said(
        "all-keys-counted",
        by_all_keys,
        "keys.sum() counts the features.",
        "Your bias counts the features of all keys together. With one fact that is right, but with "
        "several no neuron fires.",
        "For two keys of two features, what is keys.sum()?",
        "You need one number for each row.",
        "Sum over the last axis.",
    ),
    said(
        "facts-for-features",
        by_the_facts,
        "The bias depends on n.",
        "Your bias depends on the number of facts. It should depend on the number of features of "
        "the neuron's own key.",
        "What is your bias for a single fact, and when does its neuron fire?",
        "n in the shapes is the number of facts, not of features.",
    ),
    said(
        "others-forbidden",
        others_forbidden,
        "The stream has to equal the key.",
        "Your weights are negative for features that are not in the key, so every further feature "
        "of the stream lowers the match. But the stream may have features that are not in the key.",
        "What does your network write for a stream of ones?",
        "Which weight should a feature have if it is not in the key?",
        "Leave the zeros of the keys as they are.",
    ),
    said(
        "mean-count",
        mean_count,
        "One bias is enough for all neurons.",
        "You use the mean number of features for all neurons. Longer keys then fire too early, and "
        "shorter ones too late or never.",
        "Which bias does a key of one feature need, and which one a key of four?",
        "Each neuron has a bias of its own.",
        variants=(half_the_mean_count,),
    ),
    said(
        "one-missing-allowed",
        two_off,
        "The bias is 2 minus the number of features.",
        "Your neurons already fire if all but one of their features are in the stream, and a full "
        "match writes twice the value.",
        "What is a match of n - 1 plus your bias?",
        "The result has to be 0 or less. What do you then get for a full match?",
        "Your bias is wrong by 1.",
    ),
    said(
        "values-averaged",
        averaged,
        "The neurons share the output.",
        "You divide the values by the number of facts. Each complete key should write its whole "
        "value.",
        "What does your network write for the first of four facts?",
        "A feed-forward network adds up its neurons and does not average them.",
    ),
    said(
        "both-matrices-turned",
        from_the_other_side,
        "A stream is multiplied from the left.",
        "Your matrices are transposed. W_1 should be (n, m), with a row for each neuron, and W_2 "
        "should be (m, n).",
        "What is the shape of the weight of nn.Linear(m, n)?",
        "The keys are the rows of W_1, and the values are the columns of W_2.",
    ),
    said(
        "most-of-a-key-is-enough",
        partial(most_of_a_key, least=0.5),
        "A threshold at half of the features is enough.",
        "Your neurons fire as soon as more than a certain share of their features is in the "
        "stream, such as a half. Two features of three are more than a half, but the key is not "
        "complete.",
        "What is a match of two features out of three plus your bias?",
        "A match that lacks one feature, plus the bias, must be 0 or less, for keys of any length.",
        "If the bias is 1 minus the number of features n, a match of n - 1 gives 0.",
        variants=(partial(most_of_a_key, least=0.6),),
    ),
    said(
        "most-of-a-key-and-a-part-of-its-value",
        partial(most_of_a_key, least=0.5, kept=0.5),
        "A threshold at half of the features is enough, and it changes nothing else.",
        "For a complete key, your network writes only a part of the value, such as a half. "
        "Besides, your neurons fire as soon as more than a certain share of their features is in "
        "the stream, so two features of three are enough.",
        "What is a full match plus your bias, and what is a match of two features out of three?",
        "A full match plus the bias should be 1, and a match that lacks one feature 0 or less.",
        "If the bias is 1 minus the number of features n, a match of n gives 1, and n - 1 gives 0.",
        variants=(
            partial(most_of_a_key, least=0.6, kept=0.4),
            partial(most_of_a_key, least=0.5, kept=0.25),
        ),
    ),
    said(
        "least-count",
        least_count,
        "One bias is enough for all neurons.",
        "You use the bias of one key, the shortest or the first, for all neurons. A longer key "
        "then fires before it is complete.",
        "Which bias does a key of one feature need, and which one a key of three?",
        "Each neuron has a bias of its own.",
        variants=(first_count, half_the_least_count),
    ),
)
