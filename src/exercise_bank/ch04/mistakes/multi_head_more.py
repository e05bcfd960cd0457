"""More ways that 04.multi_head goes wrong."""

from functools import partial

from exercise_bank.ch04.mistakes.multi_head_code import layer
from exercise_bank.skills import said

MORE = (
    said(
        "keys-from-x",
        partial(layer, slip="keys of x"),
        "Queries and keys come from x, values from the memory.",
        "You make the keys from x, and the values from the memory. Both belong to the memory.",
        "Which tensor does each of the four matrices multiply?",
        "If the memory is longer than x, how many keys have you, and how many values?",
        "Use memory @ w_key.",
    ),
    said(
        "values-from-x",
        partial(layer, slip="values of x"),
        "Values belong to the positions of x.",
        "You make the values from x, and the keys from the memory. Both belong to the memory.",
        "Which tensor does each of the four matrices multiply?",
        "If the memory is longer than x, how many keys have you, and how many values?",
        "Use memory @ w_value.",
    ),
    said(
        "mean-of-the-weights",
        partial(layer, slip="mean weights"),
        "The layer has one table of weights, the mean of those of its heads.",
        "You average the weights over the heads, and all heads use the mean. Each head averages "
        "its values with weights of its own.",
        "Which shape have your weights?",
        "What could two heads look at that one head could not?",
        "Leave out the mean over the heads.",
    ),
)
