"""How 02.name_the_mistake goes wrong."""

from functools import partial

from exercise_bank.ch02.mistakes import name_the_mistake_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="always-right",
        answer=code.always_right,
        believed="An attention that runs is right.",
        says='You answer "right" whatever attention you are given.',
        hints=(
            "Does your function call the attention, and look at what it gives?",
            "With ones as values, what does a right attention return, and what do the others?",
            "Work out one output yourself, at sizes of your choice, and compare with it.",
        ),
    ),
    Misconception(
        name="sums-only",
        answer=code.sums_only,
        variants=(code.sums_and_no_more,),
        believed="An attention whose rows sum to 1 is right.",
        says="You call attentions with a wrong scale right. With ones as values they return "
        "ones, as a right one does, so such a test does not show a scale.",
        hints=(
            "Take an attention without a scale. What does it return for ones as values?",
            "A law that holds for all averages does not distinguish two of them. What can?",
            "Work out one output yourself, at sizes of your choice, and compare with it.",
        ),
    ),
    Misconception(
        name="all-the-same",
        answer=code.all_the_same,
        variants=(code.right_or_scale,),
        believed="One tensor as query, key and value is enough to try an attention on.",
        says="You call an attention that averages the keys right. With the same tensor as key "
        "and value its output equals that of a right one.",
        hints=(
            "With key equal to value, which of the mistakes cannot be seen?",
            "How many different sizes do your inputs have? There are four: q, k, d, e.",
            "Give key and value different numbers and different widths.",
        ),
    ),
    Misconception(
        name="no-batch",
        kind="form",
        answer=code.no_batch,
        believed="What holds for a matrix holds for a batch.",
        says="You call an attention right whose softmax runs over axis 1. Axis 1 of a matrix "
        "is the keys; with a batch in front it is the queries.",
        hints=(
            "What is axis 1 of scores of shape (b, q, k)?",
            "Which of your inputs has three axes?",
            "Put a batch axis of 2 in front of all three inputs.",
        ),
    ),
    Misconception(
        name="no-loud-query",
        answer=code.no_loud_query,
        believed="What works for small scores works for large ones.",
        says="You overlook attentions that overflow. One that takes exp of its scores as they "
        "are returns nan for a score of 1000.",
        hints=(
            "Which of the six answers do you never return?",
            "Above which score does exp overflow?",
            "Make a query a thousand times as long and look for nan.",
        ),
    ),
    Misconception(
        name="all-loud",
        kind="form",
        answer=code.all_loud,
        believed="If every score is large, all that can overflow does.",
        says="You call an attention right that subtracts the largest score of the whole matrix. "
        "It fails when one query is long and another is short: the row of the short one becomes "
        "0/0.",
        hints=(
            "What happens to scores near 0 when 5000 is subtracted from them?",
            "Two rows, one with scores near 5000 and one near 0: which of them is in danger?",
            "Make one query loud and leave the others as they are.",
        ),
    ),
    Misconception(
        name="one-width",
        kind="form",
        answer=code.one_width,
        believed="A scale that is right at one width is √d.",
        says="You call an attention right that always divides by 8. At d = 64 that is the root "
        "of d, and nowhere else.",
        hints=(
            "√64 is 8. What does an attention that always divides by 8 do at d = 64?",
            "How would you distinguish a constant from a root?",
            "Try a width whose root is not a common number, such as 5.",
        ),
    ),
    Misconception(
        name="width-4",
        kind="form",
        answer=partial(code.one_width, d=4),
        believed="A scale that is right at one width is √d.",
        says="You call an attention right that always divides by d / 2. At d = 4 that is the root "
        "of d, and nowhere else.",
        hints=(
            "√4 is 2. Which other ways lead from 4 to 2?",
            "How would you distinguish a half from a root?",
            "Try a width whose root is not a common number, such as 5.",
        ),
    ),
    Misconception(
        name="values-as-wide-as-keys",
        kind="form",
        answer=code.values_as_wide_as_keys,
        believed="Values are as wide as keys.",
        says="You call an attention right that divides by the root of the width of the values. "
        "Where e = d the two roots are equal.",
        hints=(
            "With e = d, which two roots are equal?",
            "The sizes q, k, d and e count different things. Are they different in your inputs?",
            "Choose four sizes that all differ.",
        ),
    ),
    Misconception(
        name="as-many-keys-as-features",
        kind="form",
        answer=code.as_many_keys_as_features,
        believed="It does not matter if two sizes agree.",
        says="You call an attention right that divides by the root of the number of keys. "
        "Where k = d the two roots are equal.",
        hints=(
            "With k = d, which two roots are equal?",
            "The sizes q, k, d and e count different things. Are they different in your inputs?",
            "Choose four sizes that all differ.",
        ),
    ),
    Misconception(
        name="short-sums-are-the-axis",
        kind="form",
        answer=code.short_sums_are_the_axis,
        believed="Rows that do not sum to 1 come from the wrong axis.",
        says='You answer "axis" for an attention that divides its weights by √d, in place of the '
        "scores or besides. Its rows do not sum to 1 either, but all of them have the same sum.",
        hints=(
            "Two mistakes change the row sums. What are the sums under each?",
            "One of the two makes all rows equally short.",
            "Look whether the sums differ from row to row.",
        ),
    ),
    Misconception(
        name="any-sum-is-late",
        answer=code.any_sum_is_late,
        believed="Rows that do not sum to 1 have been divided.",
        says='You answer "late" for an attention whose softmax runs over the queries. Its rows do '
        "not sum to 1 either, but each of them has a sum of its own.",
        hints=(
            "Two mistakes change the row sums. What are the sums under each?",
            "Weights that are divided by √d have the same sum in all rows.",
            "Look whether the sums differ from row to row.",
        ),
    ),
    Misconception(
        name="one-size-for-all",
        answer=code.one_size,
        variants=(partial(code.one_size, n=4),),
        believed="It does not matter if all sizes agree.",
        says="You call attentions right that divide by the root of the number of keys, or of the "
        "width of the values, and one whose softmax runs over axis 1. All three are right if "
        "query, key and value are matrices of one size.",
        hints=(
            "The sizes q, k, d and e count different things. Are they different in your inputs?",
            "What is axis 1 of scores of shape (b, q, k)?",
            "Choose four sizes that all differ, and put a batch axis in front.",
        ),
    ),
    Misconception(
        name="all-sizes-equal",
        kind="form",
        answer=partial(code.at_sizes, k=5, e=5),
        variants=(partial(code.at_sizes, k=7, d=7, e=7),),
        believed="It does not matter if all sizes agree.",
        says="You call attentions right that divide by the root of the number of keys, or of the "
        "width of the values. Where these sizes equal d, all three roots are equal.",
        hints=(
            "Which roots are equal if k, d and e are?",
            "The sizes q, k, d and e count different things. Are they different in your inputs?",
            "Choose four sizes that all differ.",
        ),
    ),
    Misconception(
        name="equal-sizes-a-batch-and-no-long-query",
        answer=partial(code.at_sizes, k=5, e=5, loud="none"),
        variants=(partial(code.at_sizes, k=5, e=5, loud="all"),),
        believed="Sizes may agree, and all queries may be equally long.",
        says="You call an attention right that overflows where one query is much longer than "
        "another. And you call attentions right that divide by the root of the number of keys, or "
        "of the width of the values: where these sizes equal d, all three roots are equal.",
        hints=(
            "Which roots are equal if k, d and e are?",
            "What happens to scores near 0 when 5000 is subtracted from them?",
            "Choose four sizes that all differ, and make one query a thousand times as long.",
        ),
    ),
    Misconception(
        name="generous",
        kind="form",
        answer=code.generous,
        variants=(code.less_generous,),
        believed="Two outputs that are close are the same.",
        says="You call an attention right whose divisor is not √d. Its outputs lie close to the "
        "right ones on your inputs, and are not the same.",
        hints=(
            "How far apart are a right output and one without a scale, on your inputs?",
            "Rounding in float64 is near 1e-16. How much do you allow?",
            "Compare with torch.allclose and its own tolerances.",
        ),
    ),
    Misconception(
        name="right-called-overflow",
        answer=partial(code.renamed, right="overflow"),
        variants=(
            partial(code.renamed, right="overflow", scale="overflow"),
            code.infinite_scores,
            partial(
                code.renamed,
                right="overflow",
                scale="overflow",
                axis="overflow",
                late="overflow",
                keys="overflow",
            ),
        ),
        believed="Any score that is too large may be tried.",
        says='You answer "overflow" for attentions that are right. Finite scores of any size give '
        "finite weights there. A score of inf gives nan in every softmax, since inf - inf is nan.",
        hints=(
            "What does torch.softmax give for the scores [inf, 0]?",
            "Which numbers do your queries and keys hold?",
            "Make a query a thousand times as long, and keep it finite.",
        ),
    ),
    Misconception(
        name="right-called-scale",
        answer=partial(code.renamed, right="scale"),
        variants=(code.expected_unscaled,),
        believed="An output that is not the expected one to the last digit has a wrong scale.",
        says='You answer "scale" for attentions that are right. Compare with the formula of the '
        "chapter, which divides by √d, and allow for rounding: two ways to compute a number differ "
        "in its last digits.",
        hints=(
            "By what does the output that you expect divide the scores?",
            "Do you compare with == or torch.equal?",
            "Use torch.allclose with an output that is divided by √d.",
        ),
    ),
    Misconception(
        name="scale-too-soon",
        answer=partial(code.renamed, axis="scale", late="scale"),
        variants=(
            partial(code.renamed, late="scale"),
            partial(code.renamed, axis="scale"),
            partial(code.renamed, keys="scale"),
            partial(code.renamed, overflow="scale"),
            partial(code.renamed, keys="scale", late="scale"),
            partial(code.renamed, axis="scale", late="scale", keys="scale"),
            partial(code.renamed, axis="scale", late="scale", keys="scale", overflow="scale"),
        ),
        believed="An output that differs from the right one has a wrong scale.",
        says='You answer "scale" for an attention with another mistake. Every mistake changes '
        "the output, so look for the others first: the shape, nan, and the sums that ones as "
        "values show.",
        hints=(
            "Which of the mistakes leave the row sums at 1?",
            "With ones as values, what do the others return?",
            'Answer "scale" last, for an attention that none of the other tests finds.',
        ),
    ),
    Misconception(
        name="no-batch-and-no-loud-query",
        answer=partial(code.at_sizes, batch=0, loud="none"),
        variants=(partial(code.at_sizes, batch=0, loud="all"),),
        believed="Two axes and moderate scores show everything.",
        says="You call an attention right whose softmax runs over axis 1, and one that overflows. "
        "The first shows only with an axis in front, the second with one query much longer than "
        "another.",
        hints=(
            "What is axis 1 of scores of shape (b, q, k)?",
            "What happens to scores near 0 when 5000 is subtracted from them?",
            "Put a batch axis in front, and make one query a thousand times as long.",
        ),
    ),
    Misconception(
        name="no-batch-and-equal-widths",
        answer=partial(code.at_sizes, batch=0, e=5),
        variants=(partial(code.at_sizes, batch=0, k=5),),
        believed="Two axes show everything, and sizes may agree.",
        says="You call an attention right whose softmax runs over axis 1, and one whose divisor is "
        "√d only where two sizes agree: it is the root of the number of keys, or of the width of "
        "the values. The softmax over axis 1 shows only with an axis in front.",
        hints=(
            "What is axis 1 of scores of shape (b, q, k)?",
            "The sizes q, k, d and e count different things. Are they different in your inputs?",
            "Choose four sizes that all differ, and put a batch axis in front.",
        ),
    ),
    Misconception(
        name="equal-widths-and-no-loud-query",
        answer=partial(code.at_sizes, e=5, loud="none"),
        variants=(
            partial(code.at_sizes, k=5, loud="none"),
            partial(code.at_sizes, e=5, batch=0, loud="none"),
            partial(code.at_sizes, k=5, e=5, batch=0, loud="none"),
        ),
        believed="Sizes may agree, and moderate scores show everything.",
        says="You call attentions right that overflow, at a score of 1000 or where one query is "
        "much longer than another. And you call one right whose divisor is √d only where two sizes "
        "agree: it is the root of the number of keys, or of the width of the values.",
        hints=(
            "The sizes q, k, d and e count different things. Are they different in your inputs?",
            "Above which score does exp overflow?",
            "Choose four sizes that all differ, and make one query a thousand times as long.",
        ),
    ),
    Misconception(
        name="one-of-two-late",
        kind="form",
        answer=code.late_besides_alone,
        variants=(
            partial(code.late_besides_alone, otherwise="scale"),
            partial(code.late_besides_alone, otherwise="right"),
            partial(code.late_besides_alone, otherwise="overflow"),
            code.late_in_place_alone,
            partial(code.late_in_place_alone, otherwise="scale"),
            partial(code.late_in_place_alone, otherwise="right"),
        ),
        believed="There is one way to divide too late.",
        says='You answer "late" for one of two attentions that divide their weights by √d. One '
        "divides the scores as well, and the other does not. In both, every row has the sum 1/√d.",
        hints=(
            'What does the table say of "late" behind the comma?',
            "With ones as values, what does each of the two return?",
            "Look at the sums that ones as values show, and not at the scores.",
        ),
    ),
    Misconception(
        name="one-width-and-no-batch",
        answer=partial(code.at_sizes, batch=0, k=7, d=64),
        variants=(partial(code.at_sizes, batch=0, k=7, d=4),),
        believed="One width and two axes show everything.",
        says="You call an attention right whose softmax runs over axis 1, and one whose divisor is "
        "√d at the width of your inputs and at no other. The first shows only with an axis in "
        "front.",
        hints=(
            "What is axis 1 of scores of shape (b, q, k)?",
            "Which divisors are 8 at d = 64, or 2 at d = 4?",
            "Put a batch axis in front, and try a width whose root is not a whole number.",
        ),
    ),
    Misconception(
        name="one-width-and-no-loud-query",
        answer=partial(code.at_sizes, k=7, d=64, loud="all"),
        variants=(
            partial(code.at_sizes, k=7, d=4, loud="all"),
            partial(code.at_sizes, k=7, d=64, loud="none"),
            partial(code.at_sizes, k=7, d=4, loud="none"),
        ),
        believed="One width shows everything, and all queries may be equally long.",
        says="You call an attention right that overflows where one query is much longer than "
        "another, and one whose divisor is √d at the width of your inputs and at no other.",
        hints=(
            "What happens to scores near 0 when 5000 is subtracted from them?",
            "Which divisors are 8 at d = 64, or 2 at d = 4?",
            "Make one query a thousand times as long, and try a width whose root is not a whole "
            "number.",
        ),
    ),
    Misconception(
        name="one-width-no-batch-and-no-loud-query",
        answer=partial(code.at_sizes, batch=0, k=7, d=64, loud="all"),
        variants=(
            partial(code.at_sizes, batch=0, k=7, d=4, loud="all"),
            partial(code.at_sizes, batch=0, k=7, d=64, loud="none"),
            partial(code.at_sizes, batch=0, k=7, d=4, loud="none"),
        ),
        believed="One width and two axes show everything, and all queries may be equally long.",
        says="You call three attentions right. One runs its softmax over axis 1, which shows only "
        "with an axis in front. One overflows where one query is much longer than another. One "
        "has a divisor that is √d at the width of your inputs and at no other.",
        hints=(
            "What is axis 1 of scores of shape (b, q, k)?",
            "What happens to scores near 0 when 5000 is subtracted from them?",
            "Put a batch axis in front, make one query a thousand times as long, and try a width "
            "whose root is not a whole number.",
        ),
    ),
)
