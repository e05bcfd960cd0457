"""How 03.masked_softmax goes wrong."""

from exercise_bank.ch03.mistakes import masked_softmax_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="no-mask",
        answer=code.no_mask,
        believed="masked_fill changes the tensor it is called on.",
        says="Your weights are those of the scores without any mask: hidden keys get their full "
        "share. Either the mask is not used, or the result of masked_fill is dropped.",
        hints=(
            "What are your weights for the scores [0, 3, 4] when the last key is hidden?",
            "Does masked_fill change scores, or return something new? Look for the _ at the end "
            "of a method's name.",
            "Keep what it returns: scores = scores.masked_fill(…).",
        ),
    ),
    Misconception(
        name="after-softmax",
        answer=code.after_softmax,
        believed="Setting the hidden weights to 0 afterwards is the same.",
        says="Your hidden weights are 0, but your rows no longer sum to 1: what the hidden keys "
        "took in the softmax is lost. For the scores [0, 3, 4] with the last key hidden your row "
        "sums to about 0.28.",
        hints=(
            "Sum the row in which a key is hidden.",
            "The hidden key was part of the sum that softmax divided by.",
            "Hide it before softmax, by a score of -inf.",
        ),
    ),
    Misconception(
        name="after-and-renormalised",
        answer=code.after_and_renormalised,
        believed="Hiding after softmax is harmless once the rows are normalised again.",
        says="In exact arithmetic yours is right. But when a hidden score is 2000 above the "
        "others, their weights have already underflowed to 0, and your row is 0 / 0, which is nan.",
        hints=(
            "What does your function give for the scores [0, 1, 2000] with the last key hidden?",
            "Softmax subtracts the row's maximum. Which key does it come from?",
            "A hidden key must be out before the maximum is taken: fill with -inf first.",
        ),
    ),
    Misconception(
        name="upside-down",
        answer=code.upside_down,
        variants=(code.filled_where_allowed, code.a_billion_where_allowed),
        believed="True marks what is hidden.",
        says="You hide the keys that the mask allows, and give the weight to those it forbids.",
        hints=(
            "With the mask [True, True, False], which key gets weight from you?",
            "masked_fill writes where its first argument is True.",
            "Give masked_fill ~mask.",
        ),
    ),
    Misconception(
        name="scores-times-mask",
        answer=code.scores_times_mask,
        believed="A score of 0 means no attention.",
        says="Your hidden keys have score 0, and exp(0) is 1: they get more weight than any "
        "visible key with a negative score.",
        hints=(
            "Which weights does softmax give to the scores [0, 0]?",
            "Which score gives exp(score) = 0?",
            "Replace hidden scores by -inf instead of multiplying by the mask.",
        ),
    ),
    Misconception(
        name="large-negative-number",
        answer=code.large_negative_number,
        believed="-1e9 is as good as -inf.",
        says="The number that you hide with is not below every score: beside visible scores near "
        "-3e9 your hidden key takes the whole row. Where everything is hidden all scores are this "
        "number, equal, and share it. float16 holds none below -65 504.",
        hints=(
            "What does your function give where the visible scores are near -3e9, and what where "
            "all keys are hidden?",
            "Softmax ignores a constant added to a row: [-1e9, -1e9] is the same as [0, 0].",
            "Fill with -inf and give zeros to the rows that see nothing.",
        ),
    ),
    Misconception(
        name="small-negative-number",
        answer=code.small_negative_number,
        believed="-100 is far enough down.",
        says="Where visible scores are near -300, your hidden keys get nearly all the weight: the "
        "number that you hide with lies above them.",
        hints=(
            "Is there a number below all scores that could ever occur?",
            "Try the scores [-300, -300] with the second key hidden.",
            "The number is -inf.",
        ),
    ),
    Misconception(
        name="large-negative-then-zeroed",
        kind="corner",
        answer=code.large_negative_then_zeroed,
        believed="-1e9 is low enough, and zeros afterwards mend the empty rows.",
        says="Your hidden weights are exact zeros, and empty rows too. But where visible scores "
        "are near -3e9, below what you add to hide a key, a hidden key takes the whole row first, "
        "and is zeroed then: the row sums to 0.",
        hints=(
            "Try the scores [-3e9, -3e9, 0] with the last key hidden.",
            "Is there a finite number below all scores that could ever occur?",
            "Hide with a score that no other can lie below.",
        ),
    ),
    Misconception(
        name="ten-thousand-then-zeroed",
        kind="corner",
        answer=code.ten_thousand_then_zeroed,
        believed="-10 000 is low enough.",
        says="Your hidden weights are exact zeros. But visible scores below the number that you "
        "hide with lose the row to a hidden key before it is zeroed, and the row sums to 0.",
        hints=(
            "Try the scores [-3e9, -3e9, 0] with the last key hidden.",
            "Is there a finite number below all scores that could ever occur?",
            "Hide with a score that no other can lie below.",
        ),
    ),
    Misconception(
        name="ten-thousand-and-empty-rows",
        kind="corner",
        answer=code.ten_thousand_and_empty_rows,
        believed="-10 000 is low enough.",
        says="Where the visible scores of a row lie far below the number that you hide with, a "
        "hidden key takes the whole row. Rows that see nothing are zeros in yours, as they should.",
        hints=(
            "Try the scores [-3e9, -3e9, 0] with the last key hidden.",
            "Which number lies below every score?",
            "Hide with -inf, and give zeros to the rows that see nothing, as you do.",
        ),
    ),
    Misconception(
        name="lowest-number",
        answer=code.lowest_number,
        believed="The lowest finite number is as good as -inf.",
        says="Yours is right wherever a row may look somewhere, in every number type. In a row "
        "that sees nothing the hidden keys share the weight evenly in yours; it gets zeros.",
        hints=(
            "What does your function give for a row whose keys are all hidden?",
            "Softmax ignores what all scores have in common.",
            "Treat the rows that see nothing on their own.",
        ),
    ),
    Misconception(
        name="minus-infinity-multiplied",
        answer=code.minus_infinity_multiplied,
        believed="Zero times minus infinity is zero.",
        says="All your weights are nan: where the mask allows, you add 0 · (-inf), and that is no "
        "number.",
        hints=(
            "Print (1 - mask) * -inf for a mask that hides one key.",
            "Which cells of it are nan, the hidden or the visible ones?",
            "Put -inf in with masked_fill or torch.where, which do not multiply.",
        ),
    ),
    Misconception(
        name="nan-rows",
        answer=code.nan_rows,
        believed="-inf takes care of every row.",
        says="A row that sees nothing is nan in your result, and one nan reaches every number "
        "computed from it.",
        hints=(
            "What is -inf - (-inf)? Softmax subtracts the row's maximum.",
            "Which rows of the mask have no True at all?",
            "Put zeros there: torch.nan_to_num, or torch.where with mask.any(-1, keepdim=True).",
        ),
    ),
    Misconception(
        name="over-the-queries",
        answer=code.over_the_queries,
        believed="The queries share each key.",
        says="Your columns sum to 1: your softmax runs over the queries. Hidden entries are 0, "
        "and rows do not sum to 1.",
        hints=(
            "What do your rows sum to?",
            "The keys of a row share its weight.",
            "Softmax over the last axis.",
        ),
    ),
    Misconception(
        name="always-float32",
        kind="form",
        answer=code.lowest_of_float32,
        variants=(code.half_types_widened,),
        believed="float32 is always right.",
        says="Your weights are right in float32, and float32 where the scores are not. Weights "
        "have the dtype of the scores.",
        hints=(
            "Print the dtype of the scores and of your result.",
            "You widen the scores and never narrow the weights.",
            "Bring the weights back with .to(scores.dtype).",
        ),
    ),
    Misconception(
        name="one-empty-row-empties-all",
        answer=code.all_or_nothing,
        believed="A mask is empty or it is not.",
        says="As soon as one row may look nowhere, all your rows are zeros.",
        hints=(
            "What does your first row give in the example?",
            "The question is asked of each row by itself.",
            "Use any with dim=-1, keepdim=True, and torch.where.",
        ),
    ),
    Misconception(
        name="no-maximum",
        kind="corner",
        answer=code.no_maximum,
        believed="exp of any score is finite.",
        says="Yours is right for moderate scores. For large ones exp overflows, and inf · 0 is "
        "nan for a hidden key; for scores near -300 it is 0.",
        hints=(
            "What is exp(2000)?",
            "torch.softmax subtracts the largest score first.",
            "Fill the hidden scores with minus infinity, then use torch.softmax.",
        ),
    ),
    Misconception(
        name="renormalised-with-a-floor",
        kind="corner",
        answer=code.renormalised_with_a_floor,
        believed="A small floor saves the division.",
        says="Yours is right for moderate scores, and empty rows are zeros. When a hidden "
        "score is 2000 above the others, their weights have underflowed to 0 before you "
        "divide: the row is 0 where it should sum to 1.",
        hints=(
            "What does softmax leave for a score 2000 below the largest?",
            "The hidden score must not enter the softmax.",
            "Hide before, not after.",
        ),
    ),
    Misconception(
        name="unnormalised",
        answer=code.maximum_taken_off,
        believed="The best key has weight 1.",
        says="Your seen keys stand in the right ratios and are not divided by their sum: your "
        "rows do not sum to 1.",
        hints=(
            "What do your rows sum to?",
            "Subtracting the maximum changes no ratio; it does not make the sum 1.",
            "Divide by the sum, or use torch.softmax.",
        ),
    ),
)
