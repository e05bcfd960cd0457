"""More ways in which 13.quantise_keys goes wrong."""

from exercise_bank.ch13.mistakes.quantise_keys_code import slipped
from exercise_bank.skills import said

MORE = (
    said(
        "scales-of-one-row",
        slipped(size="scales of one row"),
        "The scales of one token are stored.",
        "Your errors are right, and your sizes count the groups of a single token, or of a single "
        "channel. Every token and every channel has groups of its own.",
        "How many tokens does the example have, and how many scales under its first plan?",
        "The number of scales is the number of groups.",
        "Count n · d / group scales.",
    ),
    said(
        "one-scale-per-plan",
        slipped(size="one scale per plan"),
        "A plan has a scale.",
        "Your errors are right, and your sizes count one scale for all keys. Each group has a "
        "scale of its own.",
        "How many groups does the example have under its first plan?",
        "The number of scales is the number of groups.",
        "Count n · d / group scales.",
    ),
    said(
        "from-least-to-largest",
        slipped(error="from least to largest"),
        "A group spans from its smallest number to its largest.",
        "Your steps run from the smallest number of a group to its largest. That needs a second "
        "number per group beside the scale. Here the steps are multiples of the scale, which is "
        "the largest magnitude divided by 7 for four bits.",
        "What does 0 come back as?",
        "Each number comes back as a whole multiple of its scale.",
        "Divide by the scale, round, and multiply again.",
    ),
    said(
        "place-by-size",
        slipped(rule="place by size"),
        "After sorting, the first that fits is the choice.",
        "You sort the plans by size and return a place in the sorted list. The prompt asks for "
        "the plan's number in the list that it gets.",
        "Which number has the smallest plan of your sorted list in `plans`?",
        "Sorting changes the numbers.",
        "Sort the numbers of the plans instead of the plans, with a key that looks up the plan"
        " of a number.",
    ),
    said(
        "place-among-the-fitting",
        slipped(rule="place among the fitting"),
        "The number is counted among the plans that fit.",
        "Your choice is a place among the plans within the bound. The prompt asks for the plan's "
        "number in the whole list.",
        "Which number has the first plan of your shorter list in `plans`?",
        "Leaving out plans changes the numbers of those behind them.",
        "Keep the number of each plan together with its size.",
    ),
    said(
        "first-of-its-size",
        slipped(rule="first of its size"),
        "A size belongs to one plan.",
        "You find the smallest size within the bound, and return the first plan of this size. "
        "Another plan of the same size, which is not within the bound, may come before it.",
        "Is the error of the plan that you return within the bound?",
        "`sizes.index(...)` looks at all plans.",
        "Compare only the plans within the bound, by their numbers.",
        kind="corner",
    ),
)
