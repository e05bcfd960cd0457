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
    """Fire above this share of a key, and write this share of its value for all of it."""
    count = keys.sum(dim=-1)
    return keys / count[:, None], -least * torch.ones_like(count), values.mT * kept / (1 - least)


MISCONCEPTIONS = (
    Misconception(
        name="bias-always-minus-one",
        answer=always_minus_one,
        believed="The bias of the chapter's memory is a constant.",
        says="Your bias is -1 for every neuron, which is right for keys of two features only. "
        "With three features yours fires at two of them; with one it never fires.",
        hints=(
            "What is the match of a key of three features when all are there, and when one is not?",
            "The -1 of the chapter came from keys with two features.",
            "Let the bias depend on how many features the key has.",
        ),
    ),
    Misconception(
        name="at-least-one-off",
        answer=at_least_one_off,
        believed="A bias always takes something off.",
        says="A key of a single feature never fires in yours: its match is 1, and your bias takes "
        "at least 1 off.",
        hints=(
            "What is the match of a key of one feature, and what is left of it in yours?",
            "After the bias a full match leaves 1.",
            "For one feature the bias is 0.",
        ),
    ),
    Misconception(
        name="no-bias",
        answer=no_bias,
        believed="The match itself says how much to write.",
        says="Your neurons fire for any part of their key: a stream with a single feature reads a "
        "value, and a whole key of two features reads it twice as large.",
        hints=(
            "What does your network write for a stream that holds one feature of a key?",
            "ReLU keeps a neuron silent below 0. What brings a partial match there?",
            "Take something off each match.",
        ),
    ),
    Misconception(
        name="minus-the-count",
        answer=minus_the_count,
        believed="The neuron is silent below the number of its features.",
        says="Your neurons never fire: your bias exactly cancels a full match, and ReLU of 0 is 0.",
        hints=(
            "What is left of a full match after your bias?",
            "You are off by a constant.",
            "A full match should leave 1.",
        ),
    ),
    Misconception(
        name="half-the-value",
        answer=half_way,
        believed="The threshold lies half-way.",
        says="Your network writes a share of the value: half of it for a key of two features. "
        "What the bias leaves of a full match, times the last matrix, should give the value "
        "itself, for keys of any number of features.",
        hints=(
            "What is left of a full match after your bias, for one feature, two and three?",
            "It should be 1 for each key, or the last matrix must make up for it key by key.",
            "A bias of 1 minus the number of features leaves 1.",
        ),
        variants=(shares_of_the_value, half_the_values),
    ),
    Misconception(
        name="unit-keys",
        answer=unit_keys,
        believed="Keys must have length 1.",
        says="You shorten the keys to length 1 and keep a bias that counts features. A full match "
        "of two features is then 1.41, less 1.",
        hints=(
            "What is the dot product of your key with a full stream?",
            "Bias and keys must be in the same unit.",
            "Leave the keys as they are, or shorten the bias too.",
        ),
    ),
    Misconception(
        name="shares",
        answer=shares,
        believed="A half match should be worth a half.",
        says="Your network reads a full key back rightly, but it is linear where it counts: half a "
        "key reads half the value, and ReLU never silences anything.",
        hints=(
            "What does your network write for half a key?",
            "For inputs that are never negative, when does your ReLU do anything?",
            "Only a bias below 0 can make a neuron wait for all its features.",
        ),
    ),
    Misconception(
        name="one-bias-for-all",
        answer=one_count_for_all,
        believed="All keys have the same number of features.",
        says="You take the bias of the longest key for all. Shorter keys never fire.",
        variants=(half_way_for_all,),
        hints=(
            "Which of your neurons fire when keys have different numbers of features?",
            "max() makes one number for all neurons.",
            "Each neuron needs a bias of its own.",
        ),
    ),
    Misconception(
        name="keys-and-values-swapped",
        answer=values_and_keys_swapped,
        believed="W_1 holds what is written.",
        says="Your first matrix holds the values and the second the keys: your network matches "
        "what it should write.",
        hints=(
            "Which of the two matrices meets the stream first?",
            "What is matched is a key.",
            "Two arguments have changed places.",
        ),
    ),
    Misconception(
        name="values-as-rows",
        answer=values_upright,
        believed="Row i of W_2 is the value of neuron i.",
        says="Your last matrix has a row for each neuron. In the layout (out, in) its columns "
        "belong to neurons. With as many facts as features it runs, and mixes the values.",
        hints=(
            "What shape has the weight of nn.Linear(n, m)?",
            "Row i of W_2 makes feature i of the output.",
            "The values are the columns.",
        ),
    ),
    said(
        "count-less-one-added",
        plus,
        "The bias counts the features of the key.",
        "Your bias is above 0, so your neurons fire for every stream, an empty one too. A bias is "
        "to hold a neuron back.",
        "What does your network write for a stream of zeros?",
        "What has to be taken off a match of n features, so that 1 is left?",
        "Turn the sign.",
    ),
    said(
        "width-for-features",
        by_the_width,
        "A key has as many features as the stream is wide.",
        "Your bias counts the stream's width, not the features of the key. Only a key of all "
        "features fires.",
        "How large is the match of a key of two features in a stream of five?",
        "Count the ones of a key.",
        "Sum each row of the keys.",
    ),
    said(
        "all-keys-counted",
        by_all_keys,
        "keys.sum() counts the features.",
        "Your bias counts the features of all keys together. With one fact it is right; with "
        "several no neuron fires.",
        "What is keys.sum() for two keys of two features?",
        "One number for each row is needed.",
        "Sum over the last axis.",
    ),
    said(
        "facts-for-features",
        by_the_facts,
        "n is the number that counts.",
        "Your bias counts the facts. The bias of a neuron depends on the number of its own "
        "features.",
        "What is your bias for a single fact? When does it fire?",
        "n in the shapes is the number of facts, not of features.",
    ),
    said(
        "others-forbidden",
        others_forbidden,
        "A stream has to be the key.",
        "Your weights are negative where a key has no feature, so every further feature of the "
        "stream holds the neuron back. The stream may have features that are not in the key.",
        "What does your network write for a stream of ones?",
        "What weight should a feature have that a key does not ask for?",
        "Leave the zeros of the keys as they are.",
    ),
    said(
        "mean-count",
        mean_count,
        "One bias will do.",
        "You take the mean number of features for all neurons. Longer keys fire too early, "
        "shorter ones too late or never.",
        "Which bias does a key of one feature need? And one of four?",
        "Each neuron has a bias of its own.",
        variants=(half_the_mean_count,),
    ),
    said(
        "one-missing-allowed",
        two_off,
        "A match that lacks one feature should leave 0.",
        "Your neurons fire as soon as all but one of their features are there; a full match then "
        "writes twice the value.",
        "What does a match of n - 1 leave after your bias?",
        "It has to leave 0 or less. What does a full match leave then?",
        "You are off by 1.",
    ),
    said(
        "values-averaged",
        averaged,
        "Neurons share what is written.",
        "You divide the values by the number of facts. Each complete key writes its whole value.",
        "What do you read back for the first of four facts?",
        "Nothing is averaged in a feed-forward network.",
    ),
    said(
        "both-matrices-turned",
        from_the_other_side,
        "A stream is multiplied from the left.",
        "Your matrices are transposed: W_1 is to be (n, m), with a row for each neuron, and W_2 "
        "(m, n).",
        "What shape has the weight of nn.Linear(m, n)?",
        "Keys are rows of W_1, values columns of W_2.",
    ),
    said(
        "most-of-a-key-is-enough",
        partial(most_of_a_key, least=0.5),
        "A threshold half-way separates all from nothing.",
        "Your neurons fire as soon as more than a certain share of their features is there, such "
        "as a half. Two features of three are more than a half, and the key is not complete.",
        "What is left of a match of two features out of three, after your bias?",
        "A match that lacks one feature must leave 0 or less, however long the key is.",
        "With a bias of 1 minus the number of features, n - 1 of n leave 0.",
        variants=(
            partial(most_of_a_key, least=0.5, kept=0.5),
            partial(most_of_a_key, least=0.6),
        ),
    ),
    said(
        "least-count",
        least_count,
        "One bias will do.",
        "You take the bias of one key for all, that of the shortest or of the first. A key that is "
        "longer fires before it is complete.",
        "Which bias does a key of one feature need? And one of three?",
        "Each neuron has a bias of its own.",
        variants=(first_count, half_the_least_count),
    ),
)
