"""How 09.copying goes wrong with heads, and with the share of each."""

from collections.abc import Callable
from functools import partial
from typing import Any

from exercise_bank.ch09.mistakes import copying_code as code
from exercise_bank.ch09.mistakes import copying_counts as counts
from exercise_bank.skills import said

EACH = (
    "Which axis of the logits belongs to the heads?",
    "Heads are kept apart; tokens are averaged.",
    "Average over the tokens, the last axis of (h, v).",
)


def by(**how: Any) -> Callable[..., Any]:
    """Return a wrong answer with these mistakes."""
    return partial(code.wrong, **how)


SHARES = (
    said(
        "heads-together",
        by(prepare=code.heads_summed),
        "The heads of a layer write one vector.",
        "You add up the outputs of all heads and count the tokens that they copy together. Each "
        "head has a share of its own.",
        *EACH,
        variants=(
            by(prepare=code.heads_summed, gives=counts.one_number),
            by(prepare=code.heads_summed, gives=counts.the_first_alone),
            by(prepare=code.matrices_summed),
        ),
    ),
    said(
        "heads-reshaped",
        by(prepare=code.reshaped),
        "A reshape puts heads side by side.",
        "You reshape the matrices of several heads into one, which mixes the rows and columns of "
        "different heads. Each head has a share of its own.",
        "Which numbers are neighbours in a tensor of shape (h, m, e)?",
        *EACH[1:],
    ),
    said(
        "one-mean-for-all-heads",
        by(gives=counts.mean_of_all),
        "The task asks for one number.",
        "You average over the heads as well, or add them up. Each head has a share of its own.",
        *EACH,
        variants=(
            by(gives=counts.mean_for_each),
            by(gives=counts.sum_of_heads),
        ),
    ),
    said(
        "mean-over-heads",
        by(gives=counts.mean_of_heads),
        "The first axis is averaged.",
        "Your mean runs over the heads, so you return for each token the share of the heads that "
        "copy it.",
        *EACH,
    ),
    said(
        "first-head-only",
        by(gives=counts.of_the_first),
        "All heads are alike.",
        "You return the share of one head, such as the first, for all heads.",
        *EACH,
        variants=(
            by(gives=counts.the_first_alone),
            by(gives=counts.of_the_last),
        ),
    ),
    said(
        "first-head-for-all",
        by(prepare=code.first_value),
        "The heads share their output matrix.",
        "Your heads share one of their matrices. Each has a W_V and a W_O of its own.",
        *EACH,
        variants=(by(prepare=code.first_output),),
    ),
    said(
        "count-instead-of-share",
        by(gives=counts.sum_of_tokens),
        "Copied tokens are counted.",
        "You return how many tokens each head copies. A share is this number divided by the size "
        "of the vocabulary.",
        "Which numbers can a share lie between?",
        "Divide by v, the number of rows of W_E.",
        "Take the mean over the tokens in place of the sum.",
        variants=(by(gives=counts.whole_sum),),
    ),
    said(
        "divided-by-something-else",
        by(gives=counts.over_the_others),
        "Only the other tokens count.",
        "You divide the count of copied tokens by a number that is not the size of the vocabulary.",
        "How large is the share of a head that copies every token?",
        "Divide by v, the number of rows of W_E.",
        "Take the mean over the tokens.",
        variants=(
            by(gives=counts.over_all_numbers),
            by(gives=counts.percent),
            by(gives=counts.over_heads),
            by(gives=counts.over_pairs),
        ),
    ),
    said(
        "chance-subtracted",
        by(gives=counts.without_chance),
        "Chance does not count.",
        "You subtract the share that chance would give. The task asks for the share itself.",
        "How large is the share of a head that copies every token?",
        "It is 1, whatever chance would give.",
        "Return the mean as it is.",
    ),
    said(
        "share-that-is-not-copied",
        by(gives=counts.rest),
        "Errors are counted.",
        "You return the share of the tokens that a head does not copy.",
        "What should a head that copies every token get?",
        "Reverse the comparison.",
        "Count the tokens whose own logit is larger than each of the others.",
    ),
    said(
        "which-tokens",
        by(gives=counts.by_token),
        "Each token has a share.",
        "You return one number per token. The task asks for one number per head.",
        *EACH,
    ),
)
