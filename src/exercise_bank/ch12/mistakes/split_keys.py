"""How 12.split_keys goes wrong."""

from exercise_bank.ch12.mistakes import split_keys_code as code
from exercise_bank.skills import said

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
        "You compute exp(lse) itself. Above 709 that is inf, and your output is nan.",
        "What is math.exp(1500)?",
        "Only differences of log-sum-exps are needed.",
        "Subtract the lse of all, or the largest, before you take the exponential.",
        kind="form",
    ),
    said(
        "nan-made-zero",
        code.nan_made_zero,
        "exp works for any log-sum-exp, and nan is an empty part.",
        "You compute exp(lse) itself. Above 709 that is inf; inf / inf is nan, and you turn nan "
        "into 0, as if nothing had been seen.",
        "What is math.exp(1500)?",
        "Only differences of log-sum-exps are needed.",
        "Subtract the lse of all, or the largest, before you take the exponential.",
        kind="form",
    ),
    said(
        "one-maximum",
        code.one_maximum,
        "One maximum serves all heads.",
        "You subtract the largest log-sum-exp of all heads. A head whose scores are 2000 below "
        "another's has only zeros left.",
        "What is left of a head if you subtract another head's maximum?",
        "Each head has a softmax of its own.",
        "Take the maximum over the parts only.",
        kind="form",
    ),
    said(
        "not-divided",
        code.not_divided,
        "The weights of the parts are exp(lse - the largest).",
        "Your weights sum to more than 1: you subtract the largest log-sum-exp and do not divide "
        "by the sum.",
        "If all values are 1, what is your output?",
        "An average of averages needs weights that sum to 1.",
        "Divide by the sum of the weights, or subtract the lse of all.",
    ),
    said(
        "heads-share-weights",
        code.heads_axis,
        "Weights sum to 1 over the heads.",
        "Your softmax runs over the heads. It should run over the parts, for each head alone.",
        "Stacked, the log-sum-exps have two axes. Which one counts the parts?",
        "With one head, what are your weights?",
        "Take the softmax along the axis of parts.",
    ),
    said(
        "nan-for-nothing",
        code.nan_for_nothing,
        "Some part sees something.",
        "Your answer is right where any part sees a key. If all parts are hidden, all "
        "log-sum-exps are -inf, and your output is nan; it should be zeros.",
        "What is softmax of nothing but -inf?",
        "-inf - -inf is nan.",
        "Subtract 0 where the log-sum-exp of all is -inf.",
        kind="corner",
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
        "past-the-end",
        code.past_the_end,
        "A slice may end behind the last key.",
        "You ask for keys behind the last one. Where k is not a multiple of size, the last part "
        "ends "
        "at k.",
        "Where does the second part of 3 keys end, in parts of 2?",
        "ask has no key beyond k - 1.",
        "Let a part end at k if its size leads beyond.",
    ),
    said(
        "part-for-each-worker",
        code.part_for_each,
        "Each worker has one part.",
        "You ask each worker once. If there are more parts than workers, the keys of the other "
        "parts are never read.",
        "How many parts have 12 keys of size 4, and how many does one worker get?",
        "A worker may be asked several times.",
        "Loop over the parts, not over the workers.",
    ),
    said(
        "workers-beyond-the-last",
        code.part_i_to_worker_i,
        "Part i goes to worker i.",
        "You ask a worker that does not exist. They count from 0 to workers - 1, and if there are "
        "more parts than workers, a worker gets several.",
        "Which worker gets the third of three parts if there are two workers?",
        "Start again with worker 0 when each has a part.",
        "Give part i to worker i % workers.",
        variants=(code.workers_from_1,),
    ),
    said(
        "as-many-parts-as-workers",
        code.as_many_as_workers,
        "There are as many parts as workers.",
        "You ask for more than size keys at a time, as if there were one part for each worker. The "
        "cuts lie at multiples of size, whatever the number of workers.",
        "Where do your cuts lie for 12 keys with one worker, and with two?",
        "A key's part should depend on its position alone.",
        "Cut at multiples of size.",
    ),
    said(
        "evened-out",
        code.evened_out,
        "Parts should be equally long.",
        "You make the parts equally long. For 9 keys of size 4 that is 3, 3 and 3, and one more "
        "key moves the cuts; they belong at 4 and 8.",
        "Where do your cuts lie for 9 keys in parts of 4, and where for 12?",
        "A key's part should depend on its position alone, and not on how many follow.",
        "Cut at multiples of size; the last part is as short as it comes out.",
        kind="form",
    ),
    said(
        "even-parts",
        code.even_parts,
        "Each worker gets the same number of keys.",
        "You cut the keys evenly for the workers that are there. With another number of workers "
        "the cuts can lie elsewhere, and the output can have other bits.",
        "Where do your cuts lie for 12 keys of size 4 with two workers, and with five?",
        "A key's part should depend on its position alone.",
        "Cut at multiples of size.",
        variants=(code.shorter_for_many,),
    ),
    said(
        "merged-by-worker",
        code.by_worker,
        "Merging is associative.",
        "Your cuts are right. The number of workers decides in which order or in which groups you "
        "add the same numbers, as if you merge worker by worker. The last bits of the results then "
        "differ, even if all the digits shown here are the same.",
        "In which order do you merge four parts with one worker, and in which with two?",
        "Adding floating-point numbers is not associative.",
        "Merge all parts in the order of their positions, no matter which worker computed them.",
    ),
    said(
        "worker-after-worker",
        code.worker_after_worker,
        "The order of the parts does not matter.",
        "Your cuts are right. You merge in an order that depends on the workers, such as one "
        "worker's parts after another's. With another number of workers the same numbers are added "
        "in another order, and the bits differ.",
        "In which order do you merge four parts with one worker, and in which with two?",
        "Adding floating-point numbers is not associative.",
        "Merge all parts in the order of their positions, no matter which worker computed them.",
    ),
    said(
        "rest-to-the-last",
        code.rest_to_the_last,
        "The last worker takes the rest.",
        "Your result is right. One worker gets all the parts that are left over, as if you round "
        "the number of parts per worker down.",
        "How many parts does each of 5 workers get if there are 7?",
        "A fair share is rounded up.",
        "Deal the parts out in turn, or round the share up.",
    ),
    said(
        "one-each-and-the-rest",
        code.one_each_and_the_rest,
        "Part i goes to worker i.",
        "Your result is right. Each worker gets one part, and one of them, such as the last, gets "
        "all further parts, too.",
        "How many parts does each of 3 workers get if there are 7?",
        "Start again with worker 0 when each has a part.",
        "Give part i to worker i % workers.",
    ),
    said(
        "one-works",
        code.one_works,
        "Who computes a part does not matter.",
        "Your result is right, and one worker does everything while the others are idle.",
        "How long does a step take with eight workers?",
        "workers is their number.",
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
        kind="form",
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
