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
)
