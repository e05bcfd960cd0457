"""How 11.find_fault goes wrong."""

from functools import partial

from exercise_bank.ch11.mistakes import find_fault_code as code
from exercise_bank.ch11.mistakes.find_fault_missed import FAULTS
from exercise_bank.naming import unrecognised
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "always-none",
        code.always_none,
        "A box that returns numbers is sound.",
        'You say "none" of every box that was tried.',
        "For which input do you know the right output without a computer?",
        "Compare the box with softmax on inputs that are hard for it.",
        "Give a box the scores 0, 2 in blocks of one, with the values 1 and 1.",
    ),
    said(
        "rising-missed",
        code.falling_only,
        "The order of the scores does not matter for a test.",
        'You say "none" of boxes that forget to rescale, and of one that fails if a row begins '
        "with -inf. All three agree with softmax as long as the largest score of a row is in its "
        "first block, which may be the only one.",
        "When does an online softmax rescale at all?",
        "What happens while the maximum never grows?",
        "Let the scores rise from block to block, and let one row begin with -inf.",
    ),
    said(
        "empty-missed",
        code.masked_last,
        "A hidden block is a hidden block.",
        'You say "none" of a box that gives nan if a row begins with -inf. Where the hidden '
        "block comes after another, that box is right: its maximum is a number by then.",
        "When is the running maximum -inf?",
        "A mask can hide the first block as well as the last.",
        "Put -inf at the beginning of the row.",
        kind="form",
    ),
    said(
        "short-block-missed",
        code.blocks_that_fit,
        "A row is made of whole blocks.",
        'You say "none" of a box that drops an incomplete block at the end. It is right on every '
        "row that whole blocks fill.",
        "How many keys has your longest row, and which block sizes do you try?",
        "Three keys, blocks of two.",
        "Test a number of keys that the block does not divide.",
        kind="form",
    ),
    said(
        "large-missed",
        code.small_scores,
        "Faults show at any size.",
        'You say "none" of a box without a maximum, and of one with a single maximum for all rows. '
        "Both are right while no score is hundreds above or below the number that is subtracted.",
        "At which score does exp overflow in float32? In float64?",
        "Which of your scores are far from 0, and which rows are far from each other?",
        "Try scores of 1000, and two rows 1000 apart.",
    ),
    said(
        "large-but-held",
        code.large_but_held,
        "A score of 50 is large.",
        "You do not find the box without a maximum. It is right up to the score at which exp "
        "overflows, which is 88 in float32 and 709 in float64.",
        "How large is exp(50), and how large a number does float32 hold?",
        "A fault of overflow shows only where something overflows.",
        "Try a single row of scores of 1000.",
        kind="form",
    ),
    said(
        "rising-and-large",
        code.rising_and_large,
        "One hard input distinguishes all faults.",
        'You say "sum kept" of a box without a maximum. If your first input is both rising and '
        "large, both boxes fail on it and you cannot distinguish them.",
        "Which of the boxes are wrong on the first input that you try?",
        "One input for each fault, on which the others are right.",
        "Let the scores rise by 2 where you look for a rescaling.",
        kind="form",
    ),
    said(
        "large-and-rising",
        code.large_and_rising,
        "Large scores test the maximum alone.",
        'You say "no maximum" of both boxes that forget a rescaling. If your large scores also '
        "rise, they fail in these boxes too.",
        "Which boxes are wrong on the first input that you try?",
        "One input for each fault, on which the others are right.",
        "Test the maximum with large scores that are equal.",
    ),
    said(
        "one-row",
        code.one_row,
        "Rows are alike, so one is enough.",
        'You say "none" of a box that keeps one maximum for all rows. In a single row it is right, '
        "and in rows whose scores lie near each other.",
        "Which fault needs a second row to show?",
        "What happens to a row far below another when both subtract the same number?",
        "Try two rows whose scores lie 1000 apart.",
        kind="form",
    ),
    said(
        "sum-for-values",
        code.output_only,
        "A wrong output shows which fault it is.",
        'You say "sum kept" of both boxes that forget a rescaling. Both outputs are wrong; the '
        "log-sum-exp is wrong in one of them only.",
        "Which of l and o does the log-sum-exp contain?",
        "If l is rescaled and o is not, which of the two results is right?",
        "Look at the log-sum-exp of a row whose scores rise.",
        kind="form",
    ),
    said(
        "values-for-sum",
        code.values_for_both,
        "If the output is wrong, the values are at fault.",
        'You say "values kept" of both boxes that forget a rescaling. Both outputs are wrong; the '
        "log-sum-exp is wrong in one of them only.",
        "Which of l and o does the log-sum-exp contain?",
        "If l is not rescaled, which of the two results can be right?",
        "Look at the log-sum-exp of a row whose scores rise.",
        kind="form",
    ),
    said(
        "names-swapped",
        code.names_swapped,
        "A wrong log-sum-exp means that the values are at fault.",
        'You exchange "sum kept" and "values kept". The log-sum-exp is made of l, so it is wrong '
        "where l was not rescaled.",
        "Which of l and o does the log-sum-exp contain?",
        "A box whose log-sum-exp is right has rescaled l.",
        "Exchange the two names.",
    ),
    said(
        "one-block",
        code.one_block,
        "Blocks are a matter of speed.",
        'You say "none" of all boxes whose fault lies between two blocks. With a single block no '
        "sum is ever rescaled, and none is left over.",
        "How many blocks has your longest row?",
        "A rescaling needs a block before it.",
        "Use blocks of one or two keys.",
    ),
    said(
        "any-nan",
        code.any_nan,
        "nan and inf mean that the maximum is missing.",
        'You say "no maximum" of three boxes. All of them give nan, inf or zeros somewhere, but '
        "two do so with scores near 0, or only when rows lie far apart.",
        "Does the box give nan for a single row of large scores?",
        "One input for each fault, on which the others are right.",
        "Ask first about one row of 1000s; then about -inf at the start; then about two rows.",
    ),
    said(
        "one-name-for-all",
        code.good_or_bad,
        "Every fault is the same fault.",
        'You find which boxes are sound, and say "no maximum" of all others.',
        "Which of your inputs fails in which box?",
        "Make a table: six faults, and the inputs on which each is wrong.",
        "Return another name for each input that fails.",
    ),
    said(
        "rescaling-missed",
        code.falling_sums,
        "The order of the scores does not matter for a test.",
        'You say "none" of both boxes that forget a rescaling. They agree with softmax as long '
        "as the largest score of a row is in its first block, which may be the only one.",
        "When does an online softmax rescale at all?",
        "What happens while the maximum never grows?",
        "Let the scores rise from block to block.",
    ),
    said(
        "nan-is-empty",
        code.nan_is_empty,
        "nan means that a row has only -inf.",
        'You say "empty block" of the box without a maximum. It gives nan or inf as well, where '
        "scores are large, so an input that is large and begins with -inf does not distinguish the "
        "two.",
        "What does the box give for a single row of large scores, none of them -inf?",
        "One input for each fault, on which the others are right.",
        "Let the row that begins with -inf go on with scores near 0.",
        kind="form",
    ),
    said(
        "reference-empty",
        code.reference_empty,
        "torch.softmax is right for every row.",
        'You say "empty block" of boxes that are sound. For a row of -inf alone torch.softmax '
        "gives nan, so do not measure by it: a box that gives zeros is right.",
        "What does torch.softmax give for (-inf, -inf)?",
        "The fault shows in a row that begins with -inf and goes on with numbers.",
        "Leave rows of -inf alone out of your probes, or compare with nan_to_num(0.0).",
        variants=tuple(
            partial(code.reference_empty, after=after)
            for after in (
                ("no maximum",),
                ("no maximum", "last block lost"),
                ("last block lost",),
                ("sum kept", "values kept", "last block lost"),
                ("sum kept", "values kept", "no maximum"),
                ("sum kept", "values kept", "no maximum", "last block lost"),
                ("sum kept", "values kept", "no maximum", "last block lost", "one maximum"),
            )
        ),
    ),
    said(
        "two-rows-first",
        code.two_rows_first,
        "What fails with two rows is a fault between rows.",
        'You say "one maximum" of the box that gives nan for a row that begins with -inf. If your '
        "two rows also differ in -inf, they do not distinguish the two faults.",
        "What does the box give for the row that begins with -inf, alone?",
        "One input for each fault, on which the others are right.",
        "Let two rows of finite scores lie 1000 apart.",
        kind="form",
    ),
    said(
        "values-missed",
        code.lse_only,
        "A right log-sum-exp means a right softmax.",
        'You say "none" of the box that does not rescale o. Its log-sum-exp is right, because l '
        "is; its output is not.",
        "Which of l and o does the output contain?",
        "A box returns two things. Which of them do you compare?",
        "Compare the output with softmax times the values as well.",
        kind="form",
    ),
    said(
        "rising-and-short",
        code.rising_and_short,
        "A row that the blocks do not fill tests the last block alone.",
        'You say "last block lost" of both boxes that forget a rescaling. If you test for the last '
        "block with scores that rise, the other two boxes are wrong on them as well.",
        "Which boxes are wrong on the scores 0, 1, 2 in blocks of two?",
        "One input for each fault, on which the others are right.",
        "Test the last block with equal scores.",
    ),
    said(
        "always-sum",
        code.always_sum,
        "Every fault is the same fault.",
        'You find which boxes are sound, and say "sum kept" of all others.',
        "Which of your inputs fails in which box?",
        "Make a table: six faults, and the inputs on which each is wrong.",
        "Return another name for each input that fails.",
    ),
    said(
        "sound-is-faulty",
        partial(code.renamed, instead=(("none", "one maximum"),)),
        "Equal numbers are equal to the last bit.",
        "You recognise each fault, and call every sound box faulty, too. Sound boxes differ from "
        "softmax in their last digits, because they add up in another order.",
        "By how much do the results of a sound box differ from softmax?",
        "Compare with torch.allclose.",
        variants=tuple(
            partial(code.renamed, instead=(("none", name),))
            for name in ("no maximum", "sum kept", "values kept", "last block lost")
        ),
    ),
    *unrecognised(
        lambda instead: partial(code.renamed, instead=instead),
        FAULTS,
        known=(
            (("sum kept", "values kept"),),
            (("sum kept", "none"), ("values kept", "none")),
            (("sum kept", "none"), ("values kept", "none"), ("empty block", "none")),
            (("sum kept", "values kept"), ("values kept", "sum kept")),
            (("values kept", "none"),),
            (("values kept", "sum kept"),),
            (("last block lost", "none"),),
            (("no maximum", "one maximum"),),
            (("no maximum", "empty block"),),
            (("no maximum", "none"), ("one maximum", "none")),
            (("empty block", "none"),),
            (("empty block", "one maximum"),),
            (("empty block", "no maximum"), ("one maximum", "no maximum")),
            (("one maximum", "none"),),
        ),
    ),
)
