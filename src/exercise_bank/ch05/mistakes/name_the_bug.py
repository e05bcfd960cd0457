"""How 05.name_the_bug goes wrong."""

from exercise_bank.ch05.mistakes import name_the_bug_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "always-right",
        code.always_right,
        "A box that runs is right.",
        'You answer "right" whatever box you are given.',
        "Does your function call the box, and look at what it gives?",
        "Give the same tokens other positions. What should change, and what should not?",
    ),
    Misconception(
        name="no-test-of-values",
        answer=code.no_test_of_values,
        believed="What moves when all positions move has its keys backwards.",
        says="You take a box that turns its values for one with keys backwards. Both move when all "
        "positions move; only one of them changes values that are all equal.",
        hints=(
            "What should attention return when all values are the same row?",
            "An average of equal rows is that row.",
            "Test with equal values before you test the law of offsets.",
        ),
        kind="form",
    ),
    Misconception(
        name="from-zero-only",
        answer=code.from_zero_only,
        believed="Positions that count from 0 are test enough.",
        says="You always ask with all queries, at the positions 0, 1, 2, … A box that numbers the "
        "rows of the call looks right there.",
        hints=(
            "How does cached decoding call attention?",
            "One query, at a position that is not 0.",
            "Ask with the last queries only, at their own positions, and compare.",
        ),
        kind="form",
    ),
    Misconception(
        name="moved-only",
        answer=code.moved_only,
        believed="Keys backwards is the only way to break the law of offsets.",
        says="You take a box that turns only its queries for one with keys backwards. In one of "
        "them the positions of the keys have no effect at all.",
        hints=(
            "What happens to each of the two when only the key positions change?",
            "Change one side at a time.",
            "Give the keys other positions and leave the queries where they are.",
        ),
        kind="form",
    ),
    Misconception(
        name="laws-are-enough",
        answer=code.laws_are_enough,
        believed="Who keeps all the laws is right.",
        says="You call a box right that turns halves. It keeps every law that the right box "
        "keeps; with vectors of width 2 it even gives the same numbers.",
        hints=(
            "Which law tells two layouts apart?",
            "None. A known number does.",
            "Compute what the right box must return for one input of width 4 or more, and compare.",
        ),
        kind="form",
    ),
    Misconception(
        name="equal-positions",
        answer=code.equal_positions,
        believed="One position for all is a test.",
        says="You test at one and the same position for queries and keys. There the angle between "
        "them is 0, and a box without any order agrees with the right one.",
        hints=(
            "Which offset do you test at?",
            "Offsets other than 0 are what positions are for.",
            "Give different tokens different positions.",
        ),
    ),
    Misconception(
        name="order-by-reordering",
        answer=code.order_by_reordering,
        believed="Reordering keys together with their positions shows whether order counts.",
        says="You reorder keys, values and their positions together. That changes nothing for any "
        "box: a token carries its position along. So you call every box one without order.",
        hints=(
            "What is the difference between moving a token and renumbering it?",
            "Leave keys and values, and change only the positions.",
            "If other key positions change nothing, the box does not use them.",
        ),
    ),
    said(
        "exactly-equal",
        code.exactly_equal,
        "Equal numbers are equal in every bit.",
        "You compare exactly. An average of equal rows may differ from them in its last bits, and "
        "then you see a bug that is not there.",
        "What is 0.1 + 0.2 == 0.3?",
        "Use torch.allclose.",
    ),
    said(
        "narrow-and-from-zero",
        code.narrow_and_from_zero,
        "One small call is test enough.",
        "You call a box right that numbers the rows of the call, and one that turns halves. With "
        "all queries at the positions 0, 1, 2, … and vectors of width 2 both give what a right box "
        "gives.",
        "Which widths and which positions do you try?",
        "Give the box vectors of width 4 or more, and queries at positions of your own.",
        variants=(code.narrow_by_imitation,),
    ),
    said(
        "one-shift-of-the-keys",
        code.one_shift,
        "A box that reacts to the positions of keys turns both rightly.",
        "You take a box whose keys turn backwards for a right one. There the queries turn by their "
        "positions and the keys by minus theirs, so the output changes when all positions move by "
        "the same number.",
        "What happens to your box when all positions move by 4?",
        "Move queries and keys together, and compare.",
        kind="form",
    ),
)
