"""More ways in which 10.attention_bytes goes wrong, in one term each."""

from functools import partial

from exercise_bank.ch10.mistakes.attention_bytes_code import Counts, answered
from exercise_bank.skills import saying


def slip(
    kind: str, q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    """Count right except for one term."""
    rows, scores = b * h * q, b * h * q * k
    first, second, scale, softmax = 2 * scores * d, 2 * scores * e, scores, rows * (5 * k - 2)
    if kind == "first product as wide as values":
        first = 2 * scores * e
    if kind == "scale twice":
        scale = 2 * scores
    if kind == "scores of key heads":
        first = 2 * b * kv * q * k * d
    if kind == "averages of key heads":
        second = 2 * b * kv * q * k * e
    if kind == "divided at the end":
        softmax = rows * (4 * k - 2) + rows * e
    if kind == "one less":
        softmax = rows * (5 * k - 3)
    if kind == "columns":
        softmax = b * h * k * (5 * q - 2)
    if kind == "two parts":
        softmax = rows * (2 * k - 1)
    flops: float = first + scale + softmax + second
    if kind == "half":
        flops /= 2
    if kind == "one sequence's FLOPs":
        flops //= b
    queries, outputs, keys, values = rows * d, rows * e, b * kv * k * d, b * kv * k * e
    passes = (5 if kind == "five passes" else 6) * scores
    if kind == "keys not read":
        keys = 0
    if kind == "one head of keys":
        keys, values = b * k * d, b * k * e
    if kind == "values for each head":
        values = b * h * k * e
    if kind == "keys for each head":
        keys = b * h * k * d
    if kind == "a head's queries":
        queries, outputs = b * q * d, b * q * e
    if kind == "outputs of groups":
        outputs = b * kv * q * e
    if kind == "heads over groups":
        keys, values = b * (h // kv) * k * d, b * (h // kv) * k * e
    if kind == "scores of groups":
        passes = 6 * b * kv * q * k
    numbers = queries + outputs + keys + values + passes
    if kind == "one sequence's bytes":
        numbers //= b
    if kind == "whole":
        return flops, numbers * itemsize, flops // (numbers * itemsize)
    return answered(flops, numbers * itemsize)


said = saying(lambda kind: partial(slip, kind))

MORE = (
    said(
        "one-product-of-key-heads",
        "scores of key heads",
        "Heads that share keys share their scores, or their averages.",
        "You count the FLOPs of one product for kv heads. Sharing keys saves reading, but no "
        "arithmetic: each of the h query heads has its own scores and its own average.",
        "Two heads share their keys. Do they have the same scores?",
        "kv appears in the bytes of keys and values, and nowhere else.",
        variants=("averages of key heads",),
    ),
    said(
        "one-head-of-keys",
        "one head of keys",
        "All heads share one set of keys.",
        "Your bytes hold keys and values of one head. There are kv of them.",
        "How many different matrices of keys has a layer with kv = 3?",
        "Multiply keys and values by kv.",
    ),
    said(
        "whole-intensity",
        "whole",
        "All counts are whole numbers.",
        "Both counts are right, and you round their quotient down, as `//` does. It need not be "
        "a whole number.",
        "What is `80 // 224`?",
        "Divide with `/`.",
    ),
    said(
        "keys-not-read",
        "keys not read",
        "Keys are there already.",
        "Your bytes lack the keys. The first kernel reads them, b · kv · k · d numbers.",
        "Which two matrices does the first kernel multiply?",
        "Each kernel reads all of its inputs.",
    ),
    said(
        "five-passes",
        "five passes",
        "The last kernel has its weights at hand.",
        "You count five passes over the scores. There are six: each of three matrices of q × k "
        "is written by one kernel and read by the next.",
        "Which kernel reads the weights?",
        "Count a writer and a reader for scores, scaled scores and weights.",
    ),
    said(
        "only-one-of-two-shared",
        "values for each head",
        "Heads share keys, or values.",
        "Your bytes count either keys or values for each of the h heads. The heads of a group "
        "share both, so there are kv of either.",
        "With h = 4 and kv = 2, how many keys and how many values has one position?",
        "Multiply keys and values by kv.",
        variants=("keys for each head",),
    ),
    said(
        "one-heads-queries",
        "a head's queries",
        "Queries and outputs have one head.",
        "Your bytes have the queries and outputs of one head. Each of the h heads reads queries "
        "and writes its own outputs.",
        "How many rows has the output of four heads?",
        "Queries and outputs are b · h · q rows.",
    ),
    said(
        "outputs-of-groups",
        "outputs of groups",
        "A group has one output.",
        "Your bytes have the outputs of kv heads. Each of the h query heads writes an output.",
        "With h = 4 and kv = 2, how many outputs does a query have?",
        "Multiply the outputs by h.",
    ),
    said(
        "heads-over-groups",
        "heads over groups",
        "h / kv heads hold keys.",
        "Your bytes count keys and values h / kv times. That is how many heads share them. There "
        "are kv heads with keys and values.",
        "With h = 4 and kv = 1, how many heads have keys?",
        "Multiply keys and values by kv.",
    ),
    said(
        "scores-of-groups",
        "scores of groups",
        "Heads that share keys share scores.",
        "Your bytes have the scores of kv heads. Each of the h query heads has its own scores, "
        "and they are written and read.",
        "With h = 4 and kv = 2, how many scores has a query and a key?",
        "Multiply the scores by h.",
    ),
    said(
        "one-sequences-bytes",
        "one sequence's bytes",
        "Bytes are those of one sequence.",
        "Your bytes are those of one sequence. Each of the b sequences moves that number of bytes.",
        "What do two sequences share?",
        "Multiply the bytes by b, as you do with the FLOPs.",
        kind="form",
    ),
    said(
        "one-sequences-flops",
        "one sequence's FLOPs",
        "FLOPs are those of one sequence.",
        "Your FLOPs are those of one sequence. Each of the b sequences needs that number of FLOPs.",
        "What do two sequences share?",
        "Multiply the FLOPs by b, as you do with the bytes.",
        kind="form",
    ),
    said(
        "first-product-as-wide-as-values",
        "first product as wide as values",
        "Both products have the width e.",
        "Your first product has the width e. A query and a key have d numbers each.",
        "Over how many numbers is one score summed?",
        "The first product takes 2 · q · k · d for each head.",
        kind="form",
    ),
    said(
        "scale-twice",
        "scale twice",
        "The scale is a root and a division.",
        "Your FLOPs have one too many for each score. The scale divides each score once, and a "
        "softmax row takes 5k - 2.",
        "By how many numbers is one score divided in the scale?",
        "Count one FLOP for each score.",
    ),
    said(
        "divided-at-the-end",
        "divided at the end",
        "The sum divides the output.",
        "You divide the outputs by the sum, e divisions in each row. The softmax of this task "
        "divides the weights, k in each row.",
        "Which kernel divides, and how wide is a row there?",
        "A row of the softmax takes 5k - 2.",
    ),
    said(
        "one-less",
        "one less",
        "Three of the five parts spare one.",
        "You count 1 FLOP too few in each row of the softmax. Only the maximum and the sum take "
        "k - 1; subtractions, exponentials and divisions take k each.",
        "How many exponentials has a row of four?",
        "A row takes 5k - 2.",
    ),
    said(
        "softmax-of-columns",
        "columns",
        "A softmax runs over the queries.",
        "Your softmax runs over columns: k of them with q scores each. It runs over the q rows of "
        "k scores.",
        "The weights of which axis sum to 1?",
        "There are b · h · q rows, each with 5k - 2 FLOPs.",
    ),
    said(
        "two-parts",
        "two parts",
        "A softmax is exponentials and a sum.",
        "Your FLOPs are 3k - 1 too few in each row, as if two of the five parts of the softmax "
        "were all: maximum, subtraction, exponentials, sum, division.",
        "Which five things does the softmax of the task do?",
        "A row takes 5k - 2.",
    ),
    said(
        "half-of-the-flops",
        "half",
        "Half of the pairs are masked, or two FLOPs are one.",
        "All your FLOPs are half of the right number. The task has no mask, and a "
        "multiplication with its addition is two.",
        "How many FLOPs does the scale take for four scores?",
        "Do not halve.",
    ),
)
