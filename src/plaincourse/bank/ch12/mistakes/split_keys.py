"""How 12.split_keys goes wrong."""

from plaincourse.bank.ch12.mistakes import split_keys_code as code
from plaincourse.exercise import Misconception


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "mean-of-outputs",
        code.mean_of_outputs,
        "Parts count alike.",
        "Your output is the plain mean of the parts' outputs. A part whose scores are all low "
        "should hardly count.",
        "Which share of all exponentials lies in each part?",
        "exp(lse) is a part's sum of exponentials.",
        "Weigh each output by exp(its lse - the lse of all).",
    ),
    said(
        "weighted-by-length",
        code.weighted_by_length,
        "A part counts by the number of its keys.",
        "You weigh each part by how many keys it has. What counts is the sum of their "
        "exponentials.",
        "Two parts have one key each, with scores 0 and 5. What is each one's weight?",
        "exp(lse) is a part's sum of exponentials.",
        "Weigh each output by exp(its lse - the lse of all).",
    ),
    said(
        "shares-of-logarithms",
        code.softmax_not_shared,
        "The log-sum-exps are the weights.",
        "You weigh by the log-sum-exps as they are, divided by their sum. They are logarithms, and "
        "may be negative.",
        "Which weight does a part with lse = 0 get?",
        "The sums themselves are exp(lse).",
        "Take a softmax over the parts' log-sum-exps.",
    ),
    said(
        "outputs-added",
        code.outputs_added,
        "The parts' outputs add up.",
        "You add the outputs. Each of them is an average already, divided by its own sum.",
        "If all values are 1, what is your output?",
        "An average of averages needs weights that sum to 1.",
        "Weigh each output by exp(its lse - the lse of all).",
    ),
    said(
        "no-maximum",
        code.no_maximum,
        "exp works for any log-sum-exp.",
        "You compute exp(lse) itself. At 1500 that is inf, and your output is nan.",
        "What is math.exp(1500)?",
        "Only differences of log-sum-exps are needed.",
        "Subtract the lse of all, or the largest, before you take the exponential.",
    ),
    said(
        "nan-for-nothing",
        code.nan_for_nothing,
        "Some part sees something.",
        "Your answer is right where any part sees a key. Where none does, all log-sum-exps are "
        "-inf, and your output is nan; it should be zeros.",
        "What is softmax of nothing but -inf?",
        "-inf - -inf is nan.",
        "Subtract 0 where the log-sum-exp of all is -inf.",
    ),
    said(
        "largest-lse",
        code.largest_lse,
        "The log-sum-exp of all is the largest one.",
        "Your output is right. Your log-sum-exp is the largest of the parts', as if the others "
        "held nothing.",
        "Two parts have an lse of 0 each. What do all exponentials sum to?",
        "The sums add up, not their logarithms.",
        "Take the log-sum-exp of the log-sum-exps.",
    ),
    said(
        "lses-added",
        code.lses_added,
        "Log-sum-exps add up.",
        "Your output is right. You add the log-sum-exps; that is the logarithm of the product of "
        "the sums.",
        "Two parts have an lse of ln 2 each. What do all exponentials sum to?",
        "The sums add up, not their logarithms.",
        "Take the log-sum-exp of the log-sum-exps.",
    ),
    said(
        "short-part-lost",
        code.short_part_lost,
        "The keys fall into whole parts.",
        "You leave out the keys behind the last whole part.",
        "How many parts of 4 are 17 keys?",
        "The last part may be short.",
        "Let it end at k.",
    ),
    said(
        "even-parts",
        code.even_parts,
        "Each worker gets the same number of keys.",
        "You cut the keys evenly for the workers that are there. With another number of workers "
        "the cuts lie elsewhere, and the output has other bits.",
        "Where do your cuts lie for 12 keys with two workers, and with five?",
        "A key's part should depend on its position alone.",
        "Cut at multiples of size.",
    ),
    said(
        "merged-by-worker",
        code.by_worker,
        "Merging is associative.",
        "Your cuts are right. You merge what each worker has first, and the workers then. With "
        "another number of workers the same sums are added in other brackets, and the bits differ.",
        "Which brackets do you put with two workers, and which with three?",
        "Adding floating-point numbers is not associative.",
        "Merge all parts in the order of their positions, whoever computed them.",
    ),
    said(
        "one-works",
        code.one_works,
        "Who computes a part does not matter.",
        "Your result is right, and one worker does everything while the others are idle.",
        "How long does a step take with eight workers?",
        "workers says how many there are.",
        "Deal the parts out in turn.",
    ),
    said(
        "from-the-end",
        code.from_the_end,
        "It does not matter where the short part lies.",
        "You cut from the end, so the short part comes first. One more key moves every cut.",
        "Where do your cuts lie for 7 keys in parts of 3, and where for 8?",
        "A key's part should depend on its position alone, and not on how many follow.",
        "Begin at 0.",
    ),
    said(
        "heads-together",
        code.one_lse,
        "The heads have one weight for each part.",
        "You average the log-sum-exps over the heads before you weigh. With one head you are "
        "right; each head has a softmax of its own.",
        "Which axis of lse counts the heads?",
        "A part can be all of one head's weight and nothing of another's.",
        "Let each head have its own weights.",
    ),
)
