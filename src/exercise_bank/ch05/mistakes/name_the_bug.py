"""How 05.name_the_bug goes wrong."""

from itertools import combinations, permutations

from exercise_bank.ch05.mistakes import name_the_bug_code as code
from exercise_bank.skills import said, saying
from plaincourse.exercise import Misconception

renamed = saying(code.renaming)

#: A name that a second gap in a test gives wrongly.
NO_LAYOUT = {"halves": "right"}

SEEN = {
    "right": "obeys every law, and gives the same numbers as RoPE in pairs",
    "no order": "gives the same output for all positions",
    "values": "changes values that are all equal",
    "queries only": "reacts to the positions of the queries, but not to those of the keys",
    "backwards": "reacts to both positions, and changes its output when all of them move by the "
    "same number",
    "halves": "obeys every law, but gives different numbers from pairs for a width above 2",
}

#: Boxes whose requirements are worth enough points that overlooking one is a wrong idea.
WEIGHTY = ("right", "no order", "halves")

#: Sets of boxes that a mistake above already describes, if all get one name.
TOLD = (("no order", {"right", "queries only", "backwards", "halves"}),)

#: For each name, three or four boxes of other kinds that can also get it.
SEVERAL = {
    name: tuple(
        dict.fromkeys(some, name)
        for size in (3, 4)
        for some in combinations((each for each in SEEN if each != name), size)
        if (name, set(some)) not in TOLD
    )
    for name in SEEN
}

#: Boxes and wrong names that a mistake above describes better.
TREATED = (
    ("values", "backwards"),
    ("queries only", "backwards"),
    ("halves", "right"),
    ("backwards", "right"),
    ("backwards", "halves"),
    ("halves", "backwards"),
    ("queries only", "no order"),
    ("no order", "right"),
    ("values", "right"),
)

MISCONCEPTIONS = (
    said(
        "always-right",
        code.always_right,
        "A box that runs is right.",
        'You answer "right" whatever box you are given.',
        "Does your function call the box, and use its output?",
        "Call the box with the same tokens at other positions. Which outputs should change, and "
        "which should not?",
    ),
    Misconception(
        name="no-test-of-values",
        answer=code.no_test_of_values,
        believed="If the output changes when all positions move, the keys are turned backwards.",
        says="You answer 'backwards' for a box that turns its values. The output of both boxes "
        "changes when all positions move, but only the box that turns values changes values that "
        "are all equal.",
        hints=(
            "What should attention return when all values are the same row?",
            "An average of equal rows is that row.",
            "Test with equal values before you test the law of offsets.",
        ),
        kind="form",
    ),
    Misconception(
        name="moved-only",
        answer=code.moved_only,
        believed="Only keys that turn backwards break the law of offsets.",
        says="You answer 'backwards' for a box that does not turn its keys. The output of both "
        "boxes changes when all positions move, but in this one the positions of the keys have no "
        "effect at all.",
        hints=(
            "What happens to each of the two when only the key positions change?",
            "Change one side at a time.",
            "Change the positions of the keys, and keep those of the queries.",
        ),
        kind="form",
    ),
    Misconception(
        name="laws-are-enough",
        answer=code.laws_are_enough,
        believed="A box that obeys all the laws is right.",
        says="You answer 'right' for a box that turns halves. For vectors of width 2 it is the "
        "right box. For wider vectors it obeys the same laws, and its numbers differ.",
        hints=(
            "Which law distinguishes the two layouts?",
            "No law does, but known numbers do.",
            "Compute the right output for one input of width 4 or more, and compare.",
        ),
        variants=(code.narrow_by_imitation,),
    ),
    Misconception(
        name="equal-positions",
        answer=code.equal_positions,
        believed="It is enough to test with all tokens at one position.",
        says="You answer 'right' for a box without any order. If queries and keys are all at one "
        "position, the angles between them are 0, so both boxes give the same numbers.",
        hints=(
            "Which offset do you test at?",
            "Positions have an effect only at offsets other than 0.",
            "Give different tokens different positions.",
        ),
    ),
    Misconception(
        name="order-by-reordering",
        answer=code.order_by_reordering,
        believed="Reordering keys together with their positions shows whether order matters.",
        says="You answer 'no order' for boxes whose output depends on the positions. If keys, "
        "values and their positions are reordered together, the output of no box changes, because "
        "each token keeps its position. If you test with a single key: its weight is 1, "
        "whatever the scores.",
        hints=(
            "What is the difference between moving a token and renumbering it?",
            "Keep the keys and values, and change only the positions.",
            "If changing the key positions leaves the output as it is, the box does not use them.",
        ),
    ),
    said(
        "exactly-equal",
        code.exactly_equal,
        "Equal numbers are equal in every bit.",
        "You answer 'values' for boxes that do not turn their values. If you test with equal "
        "values: their average may differ from them in the last bits, so an exact comparison finds "
        "a bug that is not there.",
        "What is 0.1 + 0.2 == 0.3?",
        "Use torch.allclose.",
    ),
    renamed(
        "one-shift-of-the-keys",
        {"backwards": "right"},
        "A box that reacts to the positions of keys turns both in the right direction.",
        "You answer 'right' for a box whose keys turn backwards. There the queries turn by their "
        "positions and the keys by minus theirs, so the output changes when all positions move by "
        "the same number.",
        "What happens to such a box when all positions move by 4?",
        "Move queries and keys together, and compare.",
        kind="form",
    ),
    renamed(
        "turned-values-for-right",
        {"values": "right"},
        "Values are turned with the frequencies of the keys.",
        "You answer 'right' for a box that turns its values. It changes values that are all equal. "
        "It turns them with the frequencies of their own width e, which may differ from d.",
        "What should attention return when all values are the same row?",
        "Give all values the same row, and compare.",
        kind="form",
    ),
    renamed(
        "backwards-for-halves",
        {"backwards": "halves"},
        "A box that is not right and has no other bug turns halves.",
        "You answer 'halves' for a box whose keys turn backwards. When all positions move by the "
        "same number, the output stays the same with halves, but changes with keys backwards.",
        "What happens to a box of halves when all positions move by 4?",
        "Test the law of offsets before you compare numbers.",
        kind="form",
    ),
    renamed(
        "halves-for-backwards",
        {"halves": "backwards"},
        "A box that is not right and has no other bug turns keys backwards.",
        "You answer 'backwards' for a box that turns halves. When all positions move by the same "
        "number, the output changes with keys backwards, but not with halves.",
        "What happens to a box of halves when all positions move by 4?",
        "Test the law of offsets first, and then compare numbers.",
    ),
    renamed(
        "unturned-keys-for-no-order",
        {"queries only": "no order"},
        "If the positions of the keys have no effect, those of the queries have none either.",
        "You answer 'no order' for a box that turns its queries. In this box, the positions of the "
        "keys have no effect, but those of the queries do.",
        "What happens to such a box when only the positions of the queries change?",
        "Change the positions of the queries as well before you answer 'no order'.",
        kind="form",
    ),
    renamed(
        "no-order-for-right",
        {"no order": "right"},
        "A box that obeys every law of the right one is right.",
        "You answer 'right' for a box without any order. It obeys every law of the right box, "
        "because its positions have no effect.",
        "How must the right box react when only the positions of the keys change?",
        "Also require a change of the output in a case in which the right box changes it.",
    ),
    *(
        renamed(
            f"{true} called {false}".replace(" ", "-"),
            {true: false},
            f"A box of the kind {true!r} is {false!r}.",
            f"You answer {false!r} for a {true!r} box. It {SEEN[true]}.",
            "List the six boxes, each with the laws that it obeys.",
            "Which change of the inputs has different effects on these two boxes?",
            kind="idea" if true in WEIGHTY else "form",
        )
        for true, false in permutations(SEEN, 2)
        if (true, false) not in TREATED
    ),
    *(
        renamed(
            f"{true} called {false}, and halves right".replace(" ", "-"),
            {true: false} | NO_LAYOUT,
            "Halves and pairs pass the same tests.",
            f"You answer {false!r} for a {true!r} box, and 'right' for a box of halves. The "
            f"{true!r} box {SEEN[true]}. Halves obey every law of the right box, so no law shows "
            "them: only a known number does.",
            "Which change of the inputs has another effect on the two boxes that you confuse?",
            "Compute the right output for one input of width 4 or more, and compare.",
        )
        for true, false in permutations(SEEN, 2)
        if true != "halves" and false != "right"
    ),
    *(
        renamed(
            f"{one} and {other} called {false}".replace(" ", "-"),
            {one: false, other: false},
            f"The boxes {one!r} and {other!r} are {false!r}.",
            f"You answer {false!r} for boxes of two other kinds. A {one!r} box {SEEN[one]}. A "
            f"{other!r} box {SEEN[other]}.",
            "List the six boxes, each with the laws that it obeys.",
            "Which of your tests gives another result for a box that you name wrongly?",
            "If you imitate the boxes: which side is turned, by which positions, with which width?",
        )
        for false in SEEN
        for one, other in combinations((each for each in SEEN if each != false), 2)
    ),
    *(
        renamed(
            f"several called {name}".replace(" ", "-"),
            first,
            f"A box in which my tests find nothing is {name!r}.",
            f"You answer {name!r} for boxes of three or more other kinds. The requirements that "
            "are not met name them. Either none of your tests distinguishes these boxes, or you "
            "compute the output of such a box differently from the description in the prompt.",
            "List the six boxes, each with the laws that it obeys.",
            "Which of your tests gives the wrong result for a box that you name wrongly?",
            "If you imitate the boxes: which side is turned, by which positions, with which width?",
            variants=tuple(others),
        )
        for name, (first, *others) in SEVERAL.items()
    ),
)
