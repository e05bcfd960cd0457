"""The attentions given to 03.find_leak: in each rung, some with a leak and some without."""

from torch import Generator

from exercise_bank.ch03 import attentions
from exercise_bank.ch03.attentions import Attention
from exercise_bank.draws import normal, some
from plaincourse.exercise import Inputs


def shown(g: Generator, *candidates: Attention, n: int = 5, e: int = 2) -> list[Inputs]:
    return [
        {
            "attention": attentions.unnamed(attention, some(g, 0, 2**62)),
            "query": normal(g, n, 3),
            "key": normal(g, n, 3),
            "value": normal(g, n, e),
        }
        for attention in candidates
    ]


def few_tokens(g: Generator) -> list[Inputs]:
    candidates = attentions.honest_sum, attentions.turned_round
    return shown(g, attentions.honest, attentions.no_mask, n=2) + shown(g, *candidates, n=4)


def one_position_ahead(g: Generator) -> list[Inputs]:
    candidates = attentions.one_ahead, attentions.honest_window
    return shown(g, *candidates, n=3) + shown(g, *candidates, n=6)


def in_one_place(g: Generator) -> list[Inputs]:
    places = (
        attentions.first_query_looks_ahead,
        attentions.last_but_one_looks_ahead,
        attentions.honest_without_itself,
    )
    middle = shown(g, attentions.middle_looks_ahead, attentions.first_sees_last, n=7)
    return shown(g, *places, n=4) + shown(g, *places, n=7) + middle


def through_keys_or_values_alone(g: Generator) -> list[Inputs]:
    far = attentions.masked_after_softmax, attentions.mean_of_values
    near = attentions.next_key_hidden_late, attentions.next_value
    return shown(g, *far, *near, attentions.honest_alone, attentions.one_value_feature)


def small(g: Generator) -> list[Inputs]:
    return shown(g, attentions.softly_hidden, attentions.honest, attentions.two_percent)


def normed_first(g: Generator) -> list[Inputs]:
    """Draw attentions that norm first, with leaks of every kind, and tokens of zeros."""
    leaks = (
        attentions.one_ahead,
        attentions.first_query_looks_ahead,
        attentions.middle_looks_ahead,
        attentions.last_but_one_looks_ahead,
        attentions.first_sees_last,
        attentions.masked_after_softmax,
        attentions.next_value,
    )
    normed = tuple(attentions.norming_first(leak) for leak in leaks)
    candidates = (*normed, attentions.honest_normed, attentions.normed_over_positions)
    zeros = shown(g, attentions.next_value, attentions.honest, n=3)
    for inputs in zeros:
        inputs["key"][1:], inputs["value"][1:] = 0, 0
    return shown(g, *candidates, e=4) + zeros  # a norm of two features leaves only a sign


def innocent(g: Generator) -> list[Inputs]:
    kept = (
        attentions.honest_normed,
        attentions.honest,
        attentions.honest_window,
        attentions.honest_alone,
        attentions.honest_without_itself,
        attentions.honest_looks_nowhere,
        attentions.honest_rest_taken_off,
    )
    return shown(g, *kept) + shown(g, *kept, attentions.no_mask, n=8)
