"""How 02.name_the_mistake goes wrong when only some rows of the output are compared."""

from functools import partial

from exercise_bank.ch02.mistakes import name_the_mistake_code as code
from exercise_bank.skills import said

MORE = (
    said(
        "not-all-rows",
        code.some_rows,
        "One query is enough to compare.",
        "You call an attention right that gives all keys the same weight for the last query, as "
        "if its scores were divided by infinity. The other rows are right, so the mistake shows "
        "only if the last row is compared as well.",
        "Which rows of the output do you compare with rows that you worked out yourself?",
        "Softmax is taken for each query separately, so one row can be right and another wrong.",
        "Compare all rows of the output.",
        kind="form",
        variants=(
            partial(code.some_rows, rows=slice(1, 2)),
            partial(code.some_rows, rows=slice(2)),
        ),
    ),
    said(
        "some-scales-only",
        code.some_scales,
        "A scale can be missing, or d.",
        "You do not call every wrong divisor “scale”. A box may divide by any number: by 8, by "
        "the root of another size, or by infinity, and that in one row alone. Its rows sum to 1, "
        "and its output differs from the right one.",
        "Which divisors does your function look for?",
        "With ones as values, what does a box give that divides by 8?",
        'Answer "scale" last, for an attention that none of the other tests finds.',
        variants=(
            partial(code.some_scales, otherwise="right"),
            partial(code.some_scales, otherwise="late"),
            partial(code.some_scales, otherwise="overflow"),
        ),
    ),
    said(
        "keys-called-something-else",
        partial(code.renamed, keys="axis"),
        "An output that differs from the right one comes from the wrong axis.",
        "You do not find the attention that averages the keys in place of the values. Its output "
        "has width d, so it shows at once if the values are wider than the keys, or narrower.",
        "Which widths have your keys and your values?",
        "If the two widths are the same, what is the output to be compared with?",
        "Give the values another width, and look at the shape of the output first.",
        kind="form",
        variants=(
            partial(code.renamed, keys="late"),
            partial(code.renamed, keys="right"),
            partial(code.renamed, keys="overflow"),
        ),
    ),
)
