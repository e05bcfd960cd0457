"""How 14.speculative goes wrong about which guesses are kept."""

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor

from exercise_bank.ch14.mistakes.speculative_code import (
    Keep,
    at_most_the_ratio,
    in_two_things,
    judged_by_the_next_row,
    keeps_all,
    keeps_at_zero,
    keeps_by_p,
    keeps_by_the_odds,
    keeps_by_the_smaller,
    keeps_if_larger,
    keeps_the_likeliest,
    keeps_the_refused,
    ratio_upside_down,
    what_is_missing,
)
from exercise_bank.skills import said


def replacing_too(keep: Keep) -> tuple[Callable[..., list[int]], ...]:
    """Keep by a wrong rule, and also replace a refused guess in a wrong way."""
    two = partial(in_two_things, keep=keep)
    return (
        partial(two, replace=lambda p, q: p),
        partial(two, replace=lambda p, q: q),
        partial(two, replace=lambda p, q: (p - q).abs()),
        partial(two, replace=what_is_missing, scaled=False),
    )


def cut(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float], **wrong: Any) -> list[int]:
    """Combine another mistake with omitting the last token of a round without a refusal."""
    return in_two_things(p, q, guesses, uniform, **wrong)[: len(guesses)]


#: Rounds that lack their last token if all guesses are kept, and are wrong in a second way.
NO_BONUS_EITHER = (
    partial(cut, keep=at_most_the_ratio, replace=what_is_missing, scaled=False),
    *(
        partial(cut, keep=at_most_the_ratio, replace=replace)
        for replace in (
            lambda p, q: p,
            lambda p, q: q,
            lambda p, q: (p - q).abs(),
            lambda p, q: (q - p).clamp_min(0),
        )
    ),
)

ABOUT_KEEPING = (
    said(
        "keeps-all",
        keeps_all,
        "The draft is good enough.",
        "You keep every guess. Your tokens are then distributed as the draft's.",
        "A guess has p = 0 and q = 0.5. How often may it come?",
        "A guess that the draft makes too often is kept with probability p/q.",
        "Compare its number with p/q.",
    ),
    said(
        "keeps-by-p",
        keeps_by_p,
        "A guess is kept as often as the model would draw it.",
        "You keep a guess with probability p. The draft has drawn it with q already: together "
        "that is p · q, too seldom.",
        "Where p and q are equal, how often should a guess be kept?",
        "Drawn with q and kept with p/q gives p.",
        "Divide by q.",
        variants=replacing_too(lambda p, q, u: u < p),
    ),
    said(
        "ratio-upside-down",
        ratio_upside_down,
        "The ratio is q/p.",
        "You keep a guess with probability q/p: always where the draft makes it too often, and "
        "sometimes where it makes it too seldom.",
        "A guess has p = 0. How often do you keep it?",
        "Drawn with q and kept with p/q gives p.",
        "Exchange p and q.",
        variants=replacing_too(lambda p, q, u: u * p < q),
    ),
    said(
        "keeps-the-refused",
        keeps_the_refused,
        "A number above the ratio keeps.",
        "You keep the guesses that are to be refused, and refuse those that are to be kept.",
        "A guess has p = q. Which numbers keep it?",
        "A number is below p/q with probability p/q.",
        "Turn your comparison round.",
        variants=replacing_too(lambda p, q, u: u * q > p),
    ),
    said(
        "no-chance",
        keeps_if_larger,
        "A guess is kept if p(x) is larger than q(x).",
        "You keep a guess where p is at least q, and refuse it otherwise: your decisions do not "
        "depend on its number.",
        "A guess has p = 0.4 and q = 0.5. How often is it kept?",
        "Where p is below q, chance decides.",
        "Compare the number with p/q.",
        variants=replacing_too(lambda p, q, u: p >= q),
    ),
    said(
        "greedy",
        keeps_the_likeliest,
        "The model's token is the likeliest.",
        "Your tokens are the model's likeliest ones, and chance has no part. That is right for "
        "temperature 0 only, where p has one token.",
        "Which tokens have p above 0 and never come?",
        "A guess that is not the likeliest may be kept as well.",
        "Compare the number with p/q; draw the last token by its number.",
    ),
    said(
        "keeps-the-impossible",
        keeps_at_zero,
        "At the border a guess is kept.",
        "You keep a guess where its number equals p/q. With p = 0 and a number of 0 that is a "
        "token which the model never draws.",
        "What does `<=` make of 0 and 0?",
        "The number is to be *below* p/q.",
        "Leave the border out.",
        kind="corner",
    ),
    said(
        "keeps-by-the-smaller",
        keeps_by_the_smaller,
        "The accepted part is the smaller of the two.",
        "You keep a guess with probability min(p, q). That is how often it is drawn *and* kept; "
        "the draft has drawn it already.",
        "Where p and q are equal, how often should a guess be kept?",
        "Drawn with q and kept with min(p, q)/q gives min(p, q).",
        "Divide by q.",
        variants=replacing_too(lambda p, q, u: u < min(p, q)),
    ),
    said(
        "keeps-by-the-odds",
        keeps_by_the_odds,
        "The two models share the decision.",
        "You keep a guess with probability p/(p + q). Where the two agree, that refuses half of "
        "the guesses, though none is to be refused.",
        "Where p and q are equal, how often should a guess be kept?",
        "Drawn with q and kept with p/q gives p.",
        "Divide p by q alone.",
        variants=replacing_too(lambda p, q, u: u * (p + q) < p),
    ),
    said(
        "judged-by-the-next-row",
        judged_by_the_next_row,
        "Row i + 1 of p belongs to guess i.",
        "You judge guess i by row i + 1 of p, and replace it from that row: it speaks of the "
        "place behind the guess.",
        "From which row is the replacement of the first guess drawn?",
        "p has one row more than q, and it is the last.",
        "Use p[i] for guess i.",
    ),
)
