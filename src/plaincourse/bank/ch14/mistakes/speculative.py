"""How 14.speculative goes wrong."""

from collections.abc import Callable

import torch
from torch import Tensor

from plaincourse.exercise import Misconception

Keep = Callable[[float, float, float], bool]
Replace = Callable[[Tensor, Tensor], Tensor]


def chosen(weights: Tensor, u: float) -> int:
    """Draw by a number between 0 and 1."""
    sums = weights.cumsum(dim=0)
    return min(int((sums <= u * sums[-1]).sum()), len(weights) - 1)


def at_most_the_ratio(p: float, q: float, u: float) -> bool:
    return u * q < p


def what_is_missing(p: Tensor, q: Tensor) -> Tensor:
    return (p - q).clamp_min(0)


def a_round(
    p: Tensor,
    q: Tensor,
    guesses: list[int],
    uniform: list[float],
    keep: Keep = at_most_the_ratio,
    replace: Replace = what_is_missing,
    last: int = 0,
) -> list[int]:
    """Play a round; ``last`` moves the row of the bonus token."""
    tokens: list[int] = []
    for i, guess in enumerate(guesses):
        if not keep(float(p[i, guess]), float(q[i, guess]), uniform[i]):
            return [*tokens, chosen(replace(p[i], q[i]), uniform[-1])]
        tokens.append(guess)
    return [*tokens, chosen(p[max(len(guesses) + last, 0)], uniform[-1])]


def keeps_all(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: True)


def keeps_by_p(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u < x)


def ratio_upside_down(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u * x < y)


def keeps_the_refused(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u * y > x)


def keeps_if_larger(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: x >= y)


def keeps_the_likeliest(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    tokens: list[int] = []
    for i, guess in enumerate(guesses):
        if int(p[i].argmax()) != guess:
            return [*tokens, int(p[i].argmax())]
        tokens.append(guess)
    return [*tokens, int(p[len(guesses)].argmax())]


def keeps_at_zero(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, keep=lambda x, y, u: u * y <= x)


def drawn_from_p(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: x)


def drawn_from_q(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: y)


def not_clipped(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: x - y)


def absolute(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: (x - y).abs())


def other_way(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: (y - x).clamp_min(0))


def residual_not_scaled(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            sums = (p[i] - q[i]).clamp_min(0).cumsum(dim=0)
            token = int((sums <= uniform[-1]).sum())
            return [*guesses[:i], min(token, p.shape[1] - 1)]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def without_the_guess(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            weights = p[i].clone()
            weights[guess] = 0
            return [*guesses[:i], chosen(weights, uniform[-1])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def softmax_of_the_rest(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    return a_round(p, q, guesses, uniform, replace=lambda x, y: torch.softmax(x - y, dim=0))


def likeliest_of_the_rest(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], int((p[i] - q[i]).argmax())]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def same_number_twice(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], chosen((p[i] - q[i]).clamp_min(0), uniform[i])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def bonus_of_the_row_before(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    return a_round(p, q, guesses, uniform, last=-1)


def no_bonus(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    return tokens[: max(len(guesses), 1)]


def likeliest_bonus(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    return [*tokens[:-1], int(p[-1].argmax())] if len(tokens) == len(p) else tokens


def nothing_for_a_refused(
    p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]
) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    return tokens if len(tokens) == len(p) else tokens[:-1]


def goes_on(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = []
    for i, guess in enumerate(guesses):
        kept = uniform[i] * q[i, guess] < p[i, guess]
        tokens.append(guess if kept else chosen((p[i] - q[i]).clamp_min(0), uniform[-1]))
    return [*tokens, chosen(p[len(guesses)], uniform[-1])]


def next_row(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    for i, guess in enumerate(guesses):
        if uniform[i] * q[i, guess] >= p[i, guess]:
            return [*guesses[:i], chosen(p[i + 1], uniform[-1])]
    return [*guesses, chosen(p[len(guesses)], uniform[-1])]


def guess_after_all(p: Tensor, q: Tensor, guesses: list[int], uniform: list[float]) -> list[int]:
    tokens = a_round(p, q, guesses, uniform)
    refused = len(tokens) < len(p)
    return [*tokens[:-1], guesses[len(tokens) - 1], tokens[-1]] if refused else tokens


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
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
    ),
    said(
        "keeps-the-refused",
        keeps_the_refused,
        "A number above the ratio keeps.",
        "You keep the guesses that are to be refused, and refuse those that are to be kept.",
        "A guess has p = q. Which numbers keep it?",
        "A number is below p/q with probability p/q.",
        "Turn your comparison round.",
    ),
    said(
        "no-chance",
        keeps_if_larger,
        "A guess is kept if the model likes it more than the draft does.",
        "You keep a guess where p is at least q, and refuse it otherwise: your decisions do not "
        "depend on its number.",
        "A guess has p = 0.4 and q = 0.5. How often is it kept?",
        "Where p is below q, chance decides.",
        "Compare the number with p/q.",
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
    ),
    said(
        "replaced-from-p",
        drawn_from_p,
        "In place of a refused guess the model draws.",
        "You replace a refused guess by a draw from p. The tokens that the draft guesses "
        "too often got their whole share from kept guesses; now they get more.",
        "A guess is refused because the draft makes it too often. May the same token replace it?",
        "What is still missing when guesses have been kept is p - q, where that is above 0.",
        "Draw from it in place of p.",
    ),
    said(
        "replaced-from-q",
        drawn_from_q,
        "The draft guesses once more.",
        "You replace a refused guess by a draw from q, so the tokens that the draft neglects stay "
        "neglected.",
        "Which tokens does the draft guess too seldom?",
        "What is still missing when guesses have been kept is p - q, where that is above 0.",
        "Draw from it in place of q.",
    ),
    said(
        "not-clipped",
        not_clipped,
        "The difference is what is missing.",
        "Your residual has negative numbers: the running sum of p - q falls, and ends at 0.",
        "What is the sum of all p - q?",
        "Where the draft guesses a token too often, nothing of it is missing.",
        "Put 0 in place of what is negative.",
    ),
    said(
        "absolute-difference",
        absolute,
        "The distance is what is missing.",
        "Your residual is the absolute difference, so tokens that the draft guesses too often "
        "replace guesses as well.",
        "A guess is refused because the draft makes it too often. May the same token replace it?",
        "Where p is below q, nothing is missing.",
        "Put 0 in place of what is negative.",
    ),
    said(
        "residual-the-other-way",
        other_way,
        "What the draft has too much is what is missing.",
        "Your residual is q - p where that is above 0: you replace a refused guess by the tokens "
        "that the draft makes too often.",
        "Which tokens are missing when guesses have been kept?",
        "Those with p above q.",
        "Exchange p and q.",
    ),
    said(
        "residual-not-scaled",
        residual_not_scaled,
        "The residual is a distribution.",
        "You compare the number with a running sum that ends below 1. All numbers above its end "
        "give your last token.",
        "What does the residual sum to?",
        "The running sum is to be that of shares.",
        "Divide the residual by its sum.",
    ),
    said(
        "all-but-the-guess",
        without_the_guess,
        "Anything else may replace a refused guess.",
        "You replace a refused guess by a draw from p without that guess. Other tokens "
        "that the draft makes too often may come, though nothing of them is missing.",
        "Two tokens have p below q. One is refused. May the other replace it?",
        "That is right only where the draft was certain.",
        "Draw from p - q, with 0 where that is negative.",
    ),
    said(
        "softmax-of-the-rest",
        softmax_of_the_rest,
        "A softmax makes shares of anything.",
        "You take a softmax of p - q. It gives every token a share, and those of negative "
        "difference too.",
        "What is the share of a token whose difference is negative?",
        "The residual is not made of logits.",
        "Put 0 in place of what is negative, and divide by the sum.",
    ),
    said(
        "likeliest-of-the-rest",
        likeliest_of_the_rest,
        "What is missing most comes.",
        "You replace a refused guess by the token that is missing most, whatever the last number.",
        "Which other tokens have p above q?",
        "The last number decides.",
        "Draw from the residual as you draw the last token.",
    ),
    said(
        "same-number-twice",
        same_number_twice,
        "Each guess has its number.",
        "You draw the replacement by the number that refused the guess. Such a number is never "
        "small, so the tokens with small numbers come too seldom.",
        "A guess has p/q = 0.9 and is refused. Which numbers can it have had?",
        "The last number of `uniform` is there for the last token.",
        "Draw by it.",
    ),
    said(
        "bonus-from-the-row-before",
        bonus_of_the_row_before,
        "The last row is the last guess's.",
        "Behind n kept guesses you draw from p[n - 1]. That row speaks of the last guess; the "
        "one of the token behind it is p[n].",
        "How many rows have p and q?",
        "p[i] is about guess i.",
        "Take the row that no guess belongs to.",
    ),
    said(
        "no-bonus",
        no_bonus,
        "A round gives as many tokens as were guessed.",
        "Where all guesses are kept, your round lacks its last token. The model has read them all, "
        "so it has said what follows.",
        "p has one row more than q. What is it for?",
        "Every round ends with a token of the model's own.",
        "Draw one more, from p[n].",
    ),
    said(
        "likeliest-bonus",
        likeliest_bonus,
        "The bonus is the likeliest token.",
        "Behind kept guesses your last token is the likeliest one, whatever the last number.",
        "How often should the second likeliest come?",
        "The last number decides.",
        "Draw it as you draw in place of a refused guess.",
    ),
    said(
        "no-replacement",
        nothing_for_a_refused,
        "A refused guess ends the round.",
        "Where a guess is refused your round ends before it. A round whose first guess is refused "
        "gives nothing, and the tokens that come are too often the draft's.",
        "What follows if the first guess is refused, round after round?",
        "Every round ends with a token of the model's own.",
        "Draw one from the residual.",
    ),
    said(
        "goes-on-behind-a-refusal",
        goes_on,
        "Each guess is judged for itself.",
        "You go on behind a refused guess. The next one was guessed for a text in which the "
        "refused one stands.",
        "Which token did the draft see before its second guess?",
        "What replaces a guess is the last token of the round.",
        "Return as soon as a guess is refused.",
    ),
    said(
        "replaced-from-the-next-row",
        next_row,
        "The model goes on with its next row.",
        "You replace refused guess i by a draw from p[i + 1]. That row is about the token behind "
        "the guess, in a text that holds it.",
        "Which place in the text does the new token take?",
        "It takes the place of the guess.",
        "Draw from what p[i] has and q[i] lacks.",
    ),
    said(
        "guess-and-replacement",
        guess_after_all,
        "The model's token comes behind the guess.",
        "Your round holds the refused guess, and what replaces it behind it.",
        "How many tokens has a round whose first guess is refused?",
        "A refused guess does not come.",
        "Leave it out.",
    ),
)
