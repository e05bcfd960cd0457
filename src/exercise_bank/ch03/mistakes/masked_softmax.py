"""How 03.masked_softmax goes wrong."""

from functools import partial

import torch

from exercise_bank.ch03.mistakes import masked_softmax_code as code
from exercise_bank.skills import said
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
            "Keep its result: scores = scores.masked_fill(…).",
        ),
    ),
    Misconception(
        name="after-softmax",
        answer=code.after_softmax,
        believed="Setting the hidden weights to 0 afterwards is the same.",
        says="Your hidden weights are 0, but your rows no longer sum to 1: the share that the "
        "hidden keys had in the softmax is lost. For the scores [0, 3, 4] with the last key hidden "
        "your row sums to about 0.28.",
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
        says="You hide after the softmax or its exponentials, and divide by the rest. When a "
        "hidden score is 2000 above the others, their weights have underflowed to 0 before, and "
        "your row is 0 / 0, which is nan.",
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
        believed="True marks the hidden keys.",
        says="You hide the keys that the mask allows, and give the weight to those it forbids. "
        "Where the mask allows all keys, you hide all of them.",
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
        name="scores-times-mask-then-zeroed",
        answer=code.multiplied_then_zeroed,
        believed="A score of 0 means no attention.",
        says="In your softmax a hidden key has the score 0, as if you multiplied the scores by the "
        "mask, and takes a share: exp(0) is 1. You set that share to 0 afterwards, and your rows "
        "no longer sum to 1.",
        hints=(
            "Sum a row in which a key is hidden.",
            "Which score gives exp(score) = 0?",
            "Replace hidden scores by -inf instead of multiplying by the mask.",
        ),
    ),
    Misconception(
        name="scores-times-mask-and-renormalised",
        answer=code.multiplied_then_shared,
        variants=(code.filled_then_shared,),
        believed="Hiding after softmax is harmless once the rows are normalised again.",
        says="In your softmax a hidden key has the score 0, and you divide by the rest. Where "
        "visible scores are near -300, the hidden key takes the whole row, and their weights are "
        "0 before you divide.",
        hints=(
            "What does your function give for the scores [-300, -300] with the second key hidden?",
            "Which score gives exp(score) = 0?",
            "Fill with -inf first, so that nothing has to be divided again.",
        ),
    ),
    Misconception(
        name="plus-infinity",
        answer=code.plus_infinity,
        variants=(code.plus_a_billion,),
        believed="Infinity hides.",
        says="You fill hidden scores with plus infinity or with a large positive number. A row "
        "with a hidden key is then nan, or the hidden keys take all of its weight.",
        hints=(
            "What is exp(inf), and what is exp(-inf)?",
            "Which score gives exp(score) = 0?",
            "Fill with -torch.inf.",
        ),
    ),
    Misconception(
        name="axis-1",
        answer=code.over_axis_1,
        believed="The keys are axis 1.",
        says="Your softmax runs over axis 1. In a single matrix that is the keys; with axes in "
        "front it is the queries, or the heads.",
        hints=(
            "In scores of shape (b, h, q, k), what is axis 1?",
            "Negative numbers count from the end.",
            "Softmax over the last axis, dim=-1.",
        ),
    ),
    Misconception(
        name="nothing-hidden-in-empty-rows",
        answer=code.shared_in_empty_rows,
        believed="A row must have weights.",
        says="In a row whose keys are all hidden you hide none, so they share the weight. Such a "
        "row should hold zeros.",
        hints=(
            "What does your function give for a row whose keys are all hidden?",
            "A hidden key gets exactly 0, in every row.",
            "Put zeros there: torch.where with mask.any(-1, keepdim=True).",
        ),
    ),
    Misconception(
        name="large-negative-number",
        answer=code.large_negative_number,
        believed="-1e9 is as good as -inf.",
        says="The number that you hide with is not below every score: beside visible scores near "
        "-3e9 your hidden key takes the whole row. In a row whose keys are all hidden, all "
        "scores are this number and share the weight. float16 holds none below -65 504.",
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
        believed="-1e9 is low enough, and zeros afterwards repair the empty rows.",
        says="Where visible scores are near -3e9, they lie below the number that you hide with. A "
        "hidden key then takes the whole row, and you set it to zero: the row sums to 0.",
        hints=(
            "Try the scores [-3e9, -3e9, 0] with the last key hidden.",
            "Is there a finite number below all scores that could ever occur?",
            "Hide with a score that no other can lie below.",
        ),
    ),
    Misconception(
        name="too-low-for-float16",
        kind="form",
        answer=partial(code.filled_as_it_is, low=-1e9),
        variants=(
            partial(code.filled_as_it_is, low=-1e9, zeroed=True),
            partial(code.filled_as_it_is, low=-1e20),
            partial(code.filled_as_it_is, low=-1e20, zeroed=True),
        ),
        believed="Every type holds -1e9, and no score lies below it.",
        says="You hide with a finite number that float16 cannot hold: it ends at -65 504, and your "
        "function raises an error for scores of that type. In float32 a visible score may lie "
        "below your number, and then a hidden key takes the whole softmax.",
        hints=(
            "Which error does your function raise for scores.half()?",
            "Which number is in every floating-point type, and below every score?",
            "Hide with -inf, and give zeros to the rows that see nothing, as you do.",
        ),
    ),
    Misconception(
        name="ten-thousand-then-zeroed",
        kind="corner",
        answer=code.ten_thousand_then_zeroed,
        believed="-10 000 is low enough.",
        says="Where visible scores lie below the number that you hide with, a hidden key takes the "
        "whole row. You set it to zero afterwards, and the row sums to 0.",
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
        variants=(
            code.filled_in_a_wider_type,
            partial(code.filled_in_a_wider_type, wide=torch.float32),
            partial(code.filled_in_a_wider_type, low=-1e4),
        ),
        believed="-10 000 is low enough.",
        says="You hide with a number that is not below every score. Where the visible scores of a "
        "row lie far below it, a hidden key takes the whole row.",
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
        says="In a row whose keys are all hidden, they share the weight evenly in your output. "
        "Such a row should hold zeros.",
        hints=(
            "What does your function give for a row whose keys are all hidden?",
            "Softmax ignores what all scores have in common.",
            "Treat the rows that see nothing on their own.",
        ),
    ),
    Misconception(
        name="lowest-number-and-empty-rows",
        kind="corner",
        answer=code.lowest_and_empty_rows,
        variants=(
            code.lowest_then_zeroed,
            code.lowest_of_float32,
            code.lowest_of_float32_and_empty_rows,
        ),
        believed="No score lies as low as the lowest finite number.",
        says="You hide with the lowest finite number of a type. A visible score can be that "
        "number as well. It then shares the row evenly with the hidden key.",
        hints=(
            "Which weights do you give a visible score of torch.finfo(scores.dtype).min "
            "beside a hidden key?",
            "Which number lies below every finite one?",
            "Hide with -inf, and give zeros to the rows that see nothing, as you do.",
        ),
    ),
    Misconception(
        name="minus-infinity-multiplied",
        answer=code.minus_infinity_multiplied,
        believed="Zero times minus infinity is zero.",
        says="All your weights are nan: you multiply zeros by -inf. 0 · (-inf) is nan, and one nan "
        "makes its whole row nan.",
        hints=(
            "Print (1 - mask) * -inf for a mask that hides one key.",
            "Which cells of it are nan, the hidden or the visible ones?",
            "Put -inf in with masked_fill or torch.where, which do not multiply.",
        ),
    ),
    Misconception(
        name="nan-rows",
        answer=code.nan_rows,
        variants=(code.nan_rows_in_float32,),
        believed="-inf takes care of every row.",
        says="A row whose keys are all hidden is nan in your output, and one nan reaches every "
        "number computed from it.",
        hints=(
            "What is -inf - (-inf)? Softmax subtracts the row's maximum.",
            "Which rows of the mask have no True at all?",
            "Put zeros there: use torch.nan_to_num, or torch.where with `any` of the mask "
            "along the keys.",
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
        answer=code.always_float32,
        variants=(code.half_types_widened, partial(code.always_float32, wide=torch.float64)),
        believed="float32 is always right.",
        says="Your weights are float32 or float64 where the scores have another type. Weights have "
        "the dtype of the scores.",
        hints=(
            "Print the dtype of the scores and of your result.",
            "You widen the scores and never narrow the weights.",
            "At the end, convert the weights to the dtype of the scores.",
        ),
    ),
    Misconception(
        name="one-empty-row-empties-all",
        answer=code.all_or_nothing,
        believed="A mask is empty or it is not.",
        says="As soon as all keys of one row are hidden, all your rows are zeros.",
        hints=(
            "What does your first row give in the example?",
            "Each row needs its own test.",
            "Take `any` along the keys alone, keep that axis, and use torch.where.",
        ),
    ),
    Misconception(
        name="no-maximum",
        kind="corner",
        answer=code.no_maximum,
        variants=(code.no_maximum_with_care,),
        believed="exp of any score is finite.",
        says="For large scores exp overflows, and inf · 0 is nan for a hidden key; for scores near "
        "-300 exp gives 0.",
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
        variants=(
            code.shared_again_with_care,
            partial(code.shared_again_with_care, wide=torch.float32),
        ),
        believed="A small floor saves the division.",
        says="You hide after the softmax or its exponentials, and divide by the rest. When a "
        "hidden score is 2000 above the others, their weights have underflowed to 0 before you "
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
        says="You do not divide the weights of a row by their sum, so your rows do not sum to 1.",
        hints=(
            "What do your rows sum to?",
            "Subtracting the maximum changes no ratio; it does not make the sum 1.",
            "Divide by the sum, or use torch.softmax.",
        ),
    ),
    said(
        "weight-in-empty-rows",
        code.even_in_empty_rows,
        "A row must sum to 1.",
        "You give weight to a row whose keys are all hidden. Such a row should hold zeros.",
        "What does your function give for a row whose keys are all hidden?",
        "Put zeros there, and not weights.",
        variants=(code.first_key_in_empty_rows, code.last_key_in_empty_rows),
    ),
    said(
        "scores-of-0-hidden",
        code.zeros_hidden,
        "A score of 0 is a hidden one.",
        "You hide every key with the score 0, also where the mask shows it. 0 is a score like any "
        "other.",
        "What do you give a visible key with the score 0?",
        "Fill where the mask is False, and not where a score is 0.",
    ),
    said(
        "just-below-the-smallest",
        code.just_below_the_smallest,
        "A score below all others gets no weight.",
        "You hide with a score that lies a little below the smallest. Its exponential is above 0, "
        "so hidden keys keep a weight.",
        "What is the ratio of two weights whose scores differ by 1?",
        "Fill with -inf.",
        variants=(partial(code.just_below_the_smallest, by=10.0),),
    ),
)
