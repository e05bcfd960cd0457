"""How 11.lazy goes wrong."""

from exercise_bank.ch11.mistakes import lazy_code as code
from exercise_bank.ch11.mistakes.lazy_more import MORE, counted_once, nan_and_counted
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "never-lazy",
        code.never_lazy,
        "Every larger maximum calls for a rescaling.",
        "Your output is right, and your count does not depend on tau: every larger maximum counts. "
        "Moves of at most tau were to be let pass.",
        "What is your count for the scores 0, 1, 2 in blocks of one, with tau = 5?",
        "Compare the new maximum with the one in use plus something.",
        "Rescale where the block's maximum is above used + tau.",
    ),
    said(
        "moved-but-not-rescaled",
        code.moved_but_not_rescaled,
        "A small move of the maximum can be ignored.",
        "Where the maximum moves by less than tau, you take the new one into the exponents and "
        "leave l and o in the old unit. The sum then holds two units, and the output is off by up "
        "to a factor exp(tau) between keys.",
        "What do you get for the scores 0 and 1 in blocks of one, with tau = 2? And softmax?",
        "Exact it is only if all exponentials are taken from one maximum.",
        "Let the exponents use the old maximum until you rescale.",
    ),
    said(
        "never-rescaled",
        code.never_rescaled,
        "The first maximum serves as well as any.",
        "You use the maximum of the first block for good and count no rescaling. The output is "
        "right while scores stay near it; 900 above it, the exponential is inf.",
        "What is the largest exponent that you compute? What should bound it?",
        "No exponent may be above tau.",
        "Rescale where a block's maximum is more than tau above the one in use.",
    ),
    said(
        "from-the-largest",
        code.from_the_largest,
        "A move is measured from the largest score so far.",
        "You measure a move from the largest score so far, even if you did not rescale for that "
        "score. If scores rise by steps below tau, l and o are then never rescaled, and the "
        "exponents grow without bound.",
        "Which exponent do you reach with the scores 0, 1, 2, … and tau = 2?",
        "What your exponents subtract is an older maximum.",
        "Compare with the maximum in use.",
    ),
    said(
        "from-the-last-block",
        code.from_the_last_block,
        "A move is measured from the block before.",
        "You count how often a block's maximum is more than tau above that of the block before. "
        "After a low block that counts a return to old heights, and a slow climb it misses.",
        "What is your count for 5, 0, 5 with tau = 2? Is anything above 5?",
        "What matters is how far a score lies above the maximum in use.",
        "Carry the maximum in use along, and change it only where you rescale.",
    ),
    said(
        "tau-included",
        code.tau_included,
        "A move of tau is enough.",
        "You rescale if the maximum moves by exactly tau. The rule requires more than tau; with "
        "tau = 0 your code would rescale for an equal maximum, by a factor of 1.",
        "What is your count for the scores 0 and 2 with tau = 2?",
        "More than, not at least.",
        "One comparison has to change.",
        variants=(code.tau_included_by_hand,),
        kind="form",
    ),
    said(
        "tau-and-first-sight-included",
        code.tau_and_first_sight_included,
        "A move of tau is enough, and each change of the maximum is a rescaling.",
        "There are two mistakes. You rescale if the maximum moves by exactly tau, where the rule "
        "requires more; with tau = 0 even a row's first block counts. And you count the block that "
        "sets the maximum of a row whose first block is all -inf.",
        "What is your count for the scores 0 and 2 with tau = 2? For -inf and 0?",
        "More than, not at least; and before the first score there is nothing to rescale.",
        "Begin with the second block or with -inf, and count a move only where the maximum in use "
        "was above -inf.",
        kind="form",
    ),
    said(
        "falls-count",
        code.falls_count,
        "Any move of more than tau calls for a rescaling.",
        "You also rescale when a block lies more than tau *below* the maximum in use. Exponentials "
        "of such scores are small, which does no harm; a maximum that falls makes the old sums "
        "large.",
        "What is your count for 9, 0 with tau = 2?",
        "Which way can an exponent become too large?",
        "Leave out the absolute value.",
    ),
    said(
        "all-rows-together",
        code.all_rows_together,
        "If one row has to be rescaled, all are.",
        "As soon as one row moves by more than tau, you rescale every row whose own maximum has "
        "grown. Rows then count moves that are small.",
        "Does your count for row 0 change when row 1 is dropped?",
        "any() runs over the rows.",
        "Keep one decision for each row.",
    ),
    said(
        "all-move-own-counts",
        code.all_move_own_counts,
        "When one row is rescaled, the others may move along.",
        "As soon as one row moves by more than tau, every row takes its newest maximum. A row that "
        "moved along by little then starts from there, and its next small moves no longer add up "
        "to more than tau: its count is too low.",
        "Does your count for row 0 change when row 1 is dropped?",
        "From which maximum is a row's next move measured?",
        "Move the rows that move by more than tau, and no other.",
    ),
    said(
        "first-block-counts",
        code.first_block_counts,
        "From -inf to the first maximum is a move as well.",
        "You count the first maximum of each row as a rescaling. Before it l and o are 0, and "
        "nothing is there to be rescaled.",
        "What is your count for a single block?",
        "The first maximum is set, not moved.",
        "Count only where the maximum in use is above -inf.",
    ),
    said(
        "values-kept",
        code.values_kept,
        "Only the denominator is rescaled.",
        "Your counts are right. When you rescale, l gets its factor and o does not.",
        "Give all keys the value 1. What is your output after a rescaling?",
        "l and o hold the same exponentials.",
        "Multiply o by the same factor.",
    ),
    said(
        "sum-kept",
        code.sum_kept,
        "Only the values are rescaled.",
        "Your counts are right. When you rescale, o gets its factor and l does not.",
        "Give all keys the value 1. What is your output after a rescaling?",
        "l and o hold the same exponentials.",
        "Multiply l by the same factor.",
    ),
    said(
        "neither-rescaled",
        code.neither_rescaled,
        "A new maximum concerns the blocks that follow.",
        "Your counts are right. When you rescale, neither l nor o gets its factor: both still hold "
        "exponentials that were taken from the old maximum.",
        "In which unit is l counted before a rescaling, and in which after it?",
        "A 1 in l means exp(used), and used has changed.",
        "Multiply l and o by exp(used_old - used_new).",
    ),
    said(
        "starts-at-zero",
        code.starts_at_zero,
        "The maximum in use begins at 0.",
        "Your maximum in use begins at 0. A first block above tau then counts as a rescaling, and "
        "one near -900 is added from 0, where its exponentials vanish.",
        "What is the maximum of no scores at all?",
        "The first block with a score above -inf sets the maximum in use, whatever it is.",
        "Begin with -inf, and take care of -inf - -inf.",
    ),
    said(
        "own-maximum",
        code.own_maximum,
        "A block's exponentials are taken from its own maximum.",
        "You take a block's exponentials from its own maximum, also where the maximum in use "
        "stays. They are then added to sums that count in another unit.",
        "The maximum in use is 0 and the block has one score, 1. What should it add to l?",
        "All terms of l are exp(score - used), with the same used.",
        "Subtract the maximum in use, after you have decided whether it moves.",
    ),
    said(
        "passed-dropped",
        code.passed_dropped,
        "A block that causes no rescaling adds nothing.",
        "A block that does not move the maximum in use is left out of your sums. Lazy is the "
        "rescaling only: every block is added.",
        "Give all keys the same score. Which keys does your output average?",
        "The multiplication of l and o is skipped.",
        "Add the block in either case.",
    ),
    said(
        "divided-by-nothing",
        code.divided_by_nothing,
        "l is above 0 in the end.",
        "Your sums are right. In a row of -inf only o and l are both 0, and 0 / 0 is nan; the "
        "output should be 0.",
        "What is l for a row that saw only -inf?",
        "Where l is 0, o is 0 as well, so any other divisor gives 0.",
        "Divide by 1 where l is 0.",
        kind="corner",
    ),
    said(
        "first-sight-counts",
        code.first_sight_counts,
        "Only the block with number 0 sets the maximum without a rescaling.",
        "A row whose first block is all -inf has one rescaling too many: you count the block "
        "that sets its maximum. Before that block l and o are 0, so there is nothing to rescale.",
        "Which is the first block of a row with a score above -inf, if block 0 has none?",
        "The rule is about the first block with a score above -inf.",
        "Count a move only where the maximum in use was above -inf.",
        kind="corner",
    ),
    said(
        "all-rows-count",
        code.all_rows_count,
        "A block rescales all rows or none.",
        "You ask with any() whether a row moves, and then count a rescaling for all of them. Each "
        "row decides, and counts, for itself.",
        "One row rises and another falls. What should their counts be?",
        "moves is one truth value for each row.",
        "Replace the if by torch.where, and add moves itself to the count.",
    ),
    said(
        "only-once",
        code.only_once,
        "A row is rescaled at most once.",
        "Your count never exceeds 1, as if after one rescaling that maximum were kept for good.",
        "What happens to the scores 0, 10, 20 with tau = 2?",
        "The maximum in use changes with each rescaling, and the rule starts afresh from it.",
        "Look for the condition that stops after the first.",
        variants=(counted_once,),
    ),
    said(
        "by-tau",
        code.by_tau,
        "A rescaling moves the maximum by tau.",
        "When you rescale, you raise the maximum in use by tau only. After a larger jump it still "
        "lies below the block's maximum, so a later block counts again.",
        "Which maximum do you use after the scores 0 and 10 with tau = 2?",
        "A rescaling brings the maximum in use up to date.",
        "Take the block's maximum.",
    ),
    said(
        "key-by-key",
        code.key_by_key,
        "Each score is a block.",
        "Your output is right, and your count does not depend on block: you decide after every "
        "key. A block is looked at as a whole, and rescales once at most.",
        "What is your count for a single block of rising scores?",
        "Which of your arguments is never used?",
        "Take the largest score of the block, and compare that.",
    ),
    said(
        "all-counted-together",
        code.all_counted_together,
        "The count is one number.",
        "You return one number for all rows together. Each row has its own count.",
        "What is the shape of the second output?",
        "Rows decide by themselves, so they count by themselves.",
        "Do not sum over the rows.",
    ),
    said(
        "passed-counted",
        code.passed_counted,
        "The count is of the rescalings that were saved.",
        "Your output is right. You count the blocks that were let pass, not the rescalings.",
        "How often is a row rescaled whose scores only fall?",
        "Your count and the right one sum to the number of blocks minus one.",
        "Count where the maximum in use changes.",
    ),
    said(
        "rest-lost",
        code.rest_lost,
        "The keys fill whole blocks.",
        "You leave out what remains after the last whole block.",
        "Which keys do you never look at when there are 5, in blocks of 2?",
        "The last block may be shorter.",
        "Slices that reach beyond the end are cut by themselves.",
    ),
    said(
        "nan-for-nothing",
        code.nan_for_nothing,
        "The maximum is a number.",
        "As long as a row has seen only -inf, you compute -inf - -inf, which is nan.",
        "What is exp(used - new) when both are -inf?",
        "A row without finite scores has l = 0 and o = 0, whatever is subtracted.",
        "Subtract 0 where the maximum in use is -inf; at the end, do not divide by 0.",
        variants=(nan_and_counted,),
        kind="corner",
    ),
    said(
        "never-moved",
        code.never_moved,
        "Any reference gives the same output, so the first will do.",
        "You keep the first maximum for good. On paper any reference gives the same output; in "
        "floating point the exponentials overflow when scores lie far above it.",
        "What is the largest exponent that you compute? What should bound it?",
        "No exponent may be above tau.",
        "Rescale where a block's maximum is more than tau above the one in use.",
    ),
    said(
        "clipped",
        code.clipped,
        "No exponent may be above 0.",
        "You cut exponents off at 0. A score above the maximum in use then counts as if it were "
        "equal to it, so the output is not that of softmax.",
        "What do the scores 0 and 1 count with the maximum in use 0?",
        "Exponents up to tau are what lazy rescaling allows.",
        "Drop the clamp.",
    ),
    said(
        "in-twos",
        code.in_twos,
        "tau is given in powers of two.",
        "You compare with tau · ln 2. Some kernels give their slack in powers of two; here tau is "
        "in units of the scores.",
        "By how much may the score 1.9 lie above the maximum 0 if tau is 2?",
        "Scores and tau have one unit, so nothing is to be converted.",
        "Compare with tau itself.",
    ),
    said(
        "all-must-agree",
        code.all_must_agree,
        "A block rescales all rows or none.",
        "You ask with all() whether every row moves by more than tau. A row that does keeps its "
        "old maximum until the others move as well, and its exponents grow beyond tau.",
        "One row rises and another falls. Which of them is rescaled?",
        "moves is one truth value for each row.",
        "Replace the if by torch.where.",
    ),
    said(
        "not-divided",
        code.not_divided,
        "The accumulator is the output.",
        "Your counts are right, and your output is o, not yet divided by l.",
        "What is your output if all values are 1? What should it be?",
        "The weights of a softmax sum to 1.",
        "Divide o by l at the end.",
    ),
    said(
        "counted-for-each",
        code.counted_for_each,
        "There is one count, and each row gets it.",
        "You give each row the number of rescalings of all rows together. With one row your answer "
        "is right.",
        "How often is a row rescaled whose scores only fall?",
        "Rows decide by themselves, so they count by themselves.",
        "Add the vector of decisions to the count, not its sum.",
    ),
    said(
        "not-counted",
        code.not_counted,
        "An exact output shows that the rule was followed.",
        "Your output is right, and your count is 0 for every row. The output is the same for "
        "every reference, so it does not show whether anything was rescaled.",
        "How often is the first row of the example rescaled?",
        "The count grows by 1 where the maximum in use changes, the first time excepted.",
        "Decide for each block and row whether it moves, and count that.",
    ),
    said(
        "from-the-first",
        code.from_the_first,
        "The maximum in use is that of the first block.",
        "You measure every block from the first one. After a rescaling the maximum in use is "
        "a different one, and a block that lies as high as the last does not count again.",
        "How often are the scores 0, 9, 9 rescaled in blocks of one, with tau = 2?",
        "The maximum in use changes with each rescaling.",
        "Set it to the block's maximum where you count.",
    ),
    said(
        "by-the-mean",
        code.by_the_mean,
        "A block's height is the mean of its scores.",
        "Your output is right, and you compare the mean of a block with the maximum in use. The "
        "exponents are bounded by the largest score.",
        "What is the largest exponent in a block of the scores 0 and 10?",
        "One high score is enough.",
        "Use amax in place of mean.",
    ),
    said(
        "count-first",
        code.count_first,
        "The count comes before the output.",
        "You return the counts first. Output and count have changed places.",
        "In which order are they asked for?",
        "The first of the two has shape (q, e).",
        "Return output, count.",
    ),
    *MORE,
)
