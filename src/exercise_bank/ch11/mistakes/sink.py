"""How 11.sink goes wrong."""

from functools import partial

from exercise_bank.ch11.mistakes import sink_code as code
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "output-left-alone",
        code.left_alone,
        "A sink with the value 0 adds nothing.",
        "Your log-sum-exp is right, and your output is unchanged. The sink adds 0 to the sum of "
        "values, but it takes part in the denominator, so the real keys share the rest.",
        "A row has one key and a sink of the same logit. What is the weight of the key?",
        "The output was divided by exp(lse). By what should it be divided now?",
        "Multiply by exp(lse) over the new denominator.",
    ),
    said(
        "lse-left-alone",
        code.lse_left_alone,
        "The log-sum-exp is that of the real keys.",
        "Your output is right, and your log-sum-exp is the old one. Merging a further block "
        "into this result, or computing its gradient, needs the denominator that was used.",
        "What is the denominator that your output is divided by?",
        "It is exp(lse) + exp(logit). What is its logarithm?",
        "There is a function of torch that adds two numbers given by their logarithms.",
    ),
    said(
        "shares-swapped",
        code.shares_swapped,
        "The share of the sink multiplies the output.",
        "You multiply the output by the sink's share. It should shrink as the logit grows; yours "
        "grows.",
        "What should be left of the output when the logit is 100 and all scores are near 0?",
        "The two shares sum to 1.",
        "Change the sign of the difference in your exponential.",
    ),
    said(
        "plain-exponentials",
        code.plain_exponentials,
        "exp(lse) is a number that can be used.",
        "You compute exp(lse) and exp(logit) themselves. In float32 exp(100) is inf, so for a "
        "logit of 100 your output is nan or 0, and your log-sum-exp is inf.",
        "Up to which number does float32 hold an exponential?",
        "A share is a quotient of two exponentials, and can be written with one.",
        "Subtract before you take the exponential.",
        kind="corner",
    ),
    said(
        "exponentials-unguarded",
        code.exponentials_unguarded,
        "exp(lse) is a number that can be used.",
        "You compute exp(lse) and exp(logit) themselves. In float32 exp(100) is inf, so a logit of "
        "100 gives inf as the log-sum-exp, and a quotient that is 0 or nan. exp(-1000) is 0, and "
        "0 / 0 is nan.",
        "Up to which number does float32 hold an exponential?",
        "A share is a quotient of two exponentials, and can be written with one.",
        "Subtract before you take the exponential.",
        kind="corner",
    ),
    said(
        "log-of-exponentials",
        code.log_of_exponentials,
        "The logarithm of a sum of exponentials can be computed as it is written.",
        "You take the logarithm of exp(lse) + exp(logit) as it is written. In float32 exp(100) "
        "is inf, so a logit of 100 gives inf as the log-sum-exp, and 0 or nan as the output.",
        "Up to which number does float32 hold an exponential?",
        "The logarithm of a sum of exponentials has a stable form.",
        "There is a function of torch that adds two numbers given by their logarithms.",
        kind="corner",
        variants=(code.guarded_log_of_exponentials,),
    ),
    said(
        "share-of-exponentials",
        code.share_of_exponentials,
        "exp(lse) is a number that can be used.",
        "Your log-sum-exp is right. The share that your output keeps is a quotient of exp(lse) and "
        "a sum of exponentials: near 100 they are inf in float32, and inf / inf is nan.",
        "Up to which number does float32 hold an exponential?",
        "The share is one exponential of a difference that is never positive.",
        "Take exp(lse - new log-sum-exp).",
        variants=(
            partial(code.share_of_exponentials, guard="log-sum-exp"),
            partial(code.share_of_exponentials, guard=""),
        ),
        kind="corner",
    ),
    said(
        "logarithms-added-for-both",
        code.lse_and_logit,
        "Sums are added, so logarithms are added.",
        "Your log-sum-exp is lse + logit, and your output shrinks by exp(logit). That multiplies "
        "the denominator; a sink is added to it.",
        "Two keys of score 0 and a sink of logit 0: what is the log-sum-exp of three zeros?",
        "exp(lse) + exp(logit) is the new denominator.",
        "There is a function of torch that adds two numbers given by their logarithms.",
        variants=(partial(code.lse_and_logit, guard=False),),
    ),
    said(
        "turned-round",
        code.turned_round,
        "The factor is the new denominator over the old one.",
        "Your output grows: you multiply it by the new denominator over the old one. A larger "
        "denominator leaves less.",
        "A row has one key and a sink of the same logit. What is the weight of the key?",
        "The factor is never above 1.",
        "Change the sign of the difference in your exponential.",
    ),
    said(
        "denominator-of-one",
        code.denominator_of_one,
        "The old denominator is 1.",
        "You divide the output by 1 + exp(logit), as if exp(lse) were 1. That is right where lse "
        "is 0; elsewhere the sink weighs too much or too little.",
        "What was the old denominator?",
        "Two rows differ in lse alone. Should the sink take the same share of both?",
        "The sink's exponential is to be compared with exp(lse).",
    ),
    said(
        "along-the-features",
        code.along_the_features,
        "A share per query multiplies queries.",
        "You multiply the output, of shape (b, h, q, e), by shares of shape (b, h, q). Their last "
        "axis meets e: that fades features instead of queries, or raises an error.",
        "Which axis of the output do the queries of your shares meet?",
        "The shares need a last axis of length 1.",
        "Give the share an axis for the features, at its end.",
    ),
    said(
        "zero-for-nothing",
        code.zero_for_nothing,
        "The log-sum-exp of nothing is 0.",
        "If a row has no keys and its sink is -inf you return 0 as the log-sum-exp. That of "
        "nothing is -inf; 0 is the log-sum-exp of one key of score 0.",
        "What is the logarithm of a denominator of 0?",
        "A finite number is needed in the subtraction only.",
        "Keep the log-sum-exp and the number that you subtract in two variables.",
        kind="corner",
    ),
    said(
        "outside-the-maximum",
        code.outside_the_maximum,
        "The maximum is that of the keys; the sink only joins the sum.",
        "You take exp(logit - lse), with the sink left out of the maximum. It is right until the "
        "logit lies far above all scores: then this exponential is inf, and so is your "
        "log-sum-exp.",
        "Which is the largest exponent that you compute when the logit is 100 and the scores are "
        "near 3?",
        "The sink is one more element of the row, for the maximum too.",
        "Subtract the larger of lse and logit.",
        kind="corner",
    ),
    said(
        "along-the-queries",
        code.along_the_queries,
        "logit lines up with the last axis.",
        "Your logit, of shape (h,), meets the last axis of lse, the queries. With h = q that gives "
        "each query a logit that belongs to a head; with one query the result has h of them. Other "
        "sizes raise an error, unless there is one head.",
        "lse has shape (b, h, q). Which axis does a tensor of shape (h,) meet?",
        "It needs an axis of length 1 behind it.",
        "Give the logits an axis for the queries, after that of the heads.",
    ),
    said(
        "along-the-batch",
        code.along_the_batch,
        "The heads are the first axis of lse.",
        "Your logits meet the first axis of lse, the batch. With b = h that gives each sequence a "
        "logit that belongs to a head; with one sequence the result has h of them. Other sizes "
        "raise an error, unless there is one head.",
        "lse has shape (b, h, q). Which axis does a tensor of shape (h, 1, 1) meet?",
        "It needs one axis of length 1 behind it, not two.",
        "Give the logits an axis for the queries, after that of the heads.",
    ),
    said(
        "one-logit-of-all",
        code.mean_logit,
        "All heads share a sink.",
        "You make one number of the logits, their mean or their largest, and use it in each head. "
        "With one head that is right.",
        "What changes in your result when two heads exchange their logits?",
        "Each head learns its own logit.",
        "Let the logits meet the axis of the heads: give them an axis for the queries, after "
        "that of the heads.",
        variants=(code.largest_logit,),
    ),
    said(
        "sink-beside-one",
        code.beside_one,
        "The sink joins a denominator of 1.",
        "Your output is right, and your log-sum-exp grows by log(1 + exp(logit)). That is the "
        "growth of a denominator of 1; the old one is exp(lse).",
        "How much does a sink add to a denominator of 100, and to its logarithm?",
        "The new denominator is exp(lse) + exp(logit).",
    ),
    said(
        "sink-only-if-larger",
        code.larger_or_both,
        "A smaller logit does not count.",
        "Where lse is above the logit, your log-sum-exp is the old one. The sink takes part in the "
        "denominator there as well, and your output has that denominator.",
        "Two numbers are 1 and 0. What is the logarithm of the sum of their exponentials?",
        "Use logaddexp for all rows.",
    ),
    said(
        "one-logit",
        code.one_logit,
        "All heads share the first logit.",
        "You use logit[0] for all heads. With one head that is right.",
        "Which of the logits do you never look at?",
        "Each head learns its own logit.",
        "Let the logits meet the axis of the heads: give them an axis for the queries, after "
        "that of the heads.",
    ),
    said(
        "logits-summed",
        code.logits_summed,
        "All sinks are in each row.",
        "You add the sinks of all heads to each denominator. Each head has only its own sink, so "
        "this is right only for one head.",
        "How many elements does the row of one head get?",
        "logit has one number for each head.",
        "Let the logits meet the axis of the heads: give them an axis for the queries, after "
        "that of the heads.",
    ),
    said(
        "logit-of-zero",
        code.logit_is_one,
        "The sink adds 1 to the denominator.",
        "You add 1 to the denominator, which is a sink with logit 0. Your result does not depend "
        "on logit.",
        "Which of your arguments is never used?",
        "exp(0) = 1; here the logit is learned.",
        "Put exp(logit) in the place of 1.",
    ),
    said(
        "not-exponentiated",
        code.added_as_it_is,
        "The sink's weight is its logit.",
        "You add the logit itself to the denominator, where its exponential belongs. A logit of "
        "-2 would make the denominator smaller.",
        "Which term of the denominator belongs to a key with score s?",
        "A sink is one more score.",
        "The denominator is exp(lse) + exp(logit).",
    ),
    said(
        "logarithms-added",
        code.lse_added,
        "Sums are added, so logarithms are added.",
        "Your output is right, and your log-sum-exp is lse + logit. That is the logarithm of a "
        "product; what grows here is a sum.",
        "Two keys of score 0 and a sink of logit 0: what is the log-sum-exp of three zeros?",
        "The new denominator is exp(lse) + exp(logit).",
        "Take the logarithm of that sum, without computing either exponential by itself.",
    ),
    said(
        "only-the-larger",
        code.only_the_larger,
        "The larger one wins.",
        "You take the larger of lse and logit as the new log-sum-exp. That is right where one lies "
        "far above the other; where they are equal, log 2 is missing.",
        "Two numbers are 0. What is the logarithm of the sum of their exponentials?",
        "A maximum is subtracted; it is not the result.",
        "Add the logarithm of the sum of the two shifted exponentials.",
    ),
    said(
        "maximum-beside-a-share",
        code.only_the_larger_unguarded,
        "The log-sum-exp is the larger of the two.",
        "You take the larger of lse and logit as the new log-sum-exp, though your output is "
        "divided by the sum of both exponentials. Where the two are equal, log 2 is missing.",
        "Two numbers are 0. What is the logarithm of the sum of their exponentials?",
        "Return the maximum plus the logarithm of the sum of the shifted exponentials.",
        variants=(code.only_the_larger_or_nan,),
    ),
    said(
        "value-of-one",
        code.value_of_one,
        "The sink has the value 1.",
        "You add the sink's share to every feature, as if its value were 1. Its value is 0, so "
        "its share adds nothing to the output.",
        "What is the output of a row if nearly all of its weight goes to the sink?",
        "The output is weights times values, and the sink's value is 0.",
        "Leave out the last term.",
    ),
    said(
        "sign-turned",
        code.sign_turned,
        "A sink takes weight away, so its logit is subtracted.",
        "Your sink has the logit with the wrong sign. A larger logit should leave less weight "
        "for the keys; yours leaves more.",
        "What should be left of the output when the logit is 100 and all scores are near 0?",
        "The sink is one more score, with its own sign.",
        "Drop the minus.",
    ),
    said(
        "divided-by-all",
        code.divided_by_all,
        "The output is divided by the new denominator.",
        "You divide the output by the new denominator. But it has been divided by the old one "
        "already.",
        "With a logit of -inf nothing should change. What does your output become?",
        "First undo the old division: what is output · exp(lse)?",
        "Multiply by exp(lse) over the new denominator.",
    ),
    said(
        "share-subtracted",
        code.share_subtracted,
        "The weight of the sink is subtracted.",
        "You subtract the sink's share from every feature. A share is a fraction of the weight, so "
        "it fades the output by a factor.",
        "What should become of an output of 0?",
        "The sink's value is 0; it adds nothing and subtracts nothing.",
        "Multiply by one minus the sink's share.",
    ),
    said(
        "nan-for-nothing",
        code.nan_for_nothing,
        "The denominator is never 0.",
        "If a row has no keys and its sink is -inf as well, you compute -inf - -inf, which is "
        "nan. The output should stay 0.",
        "What is exp(lse - both) when both are -inf?",
        "A finite number has to replace the new log-sum-exp.",
        "Subtract 0 where it is -inf.",
        kind="corner",
    ),
    said(
        "empty-stays-empty",
        code.empty_stays_empty,
        "A row without keys stays as it is.",
        "For a row without keys your log-sum-exp stays -inf. It has one element now, the sink: "
        "the output is 0, and the log-sum-exp is the logit.",
        "What is the log-sum-exp of a row with one element?",
        "Nothing merged with the sink is the sink.",
        "Leave out the case for empty rows.",
        kind="corner",
    ),
    said(
        "logit-as-value",
        code.logit_as_value,
        "The sink adds its learned number to the output.",
        "You add the logit to the output, with the sink's share. The logit is the sink's score; "
        "its value is 0.",
        "What is the output of a row that has only its sink?",
        "Score and value are two things: one makes the weight, the other is averaged.",
        "Drop the term; only the denominator changes.",
    ),
    said(
        "joins-twice",
        code.joins_twice,
        "The sink is added to the maximum and to the sum.",
        "Your denominator holds the sink twice: exp(lse) + 2 exp(logit).",
        "What is the log-sum-exp of two elements of score 0, and of three?",
        "The sink is one element.",
        "Use logaddexp(lse, logit) once.",
    ),
    said(
        "softmax-of-logits",
        code.softmax_of_logits,
        "The sinks of the heads compete.",
        "With one head your output is 0. It is so if you take a softmax over the logits of all "
        "heads. A sink competes with the keys of its own row, and heads are independent of each "
        "other.",
        "What is your output with a single head?",
        "The denominator of a row is exp(lse) + exp(logit of its head).",
        "Compare the logit with lse, row by row.",
    ),
    said(
        "added-to-the-logit",
        code.added_to_the_logit,
        "The keys are added to the logit of the sink.",
        "Your log-sum-exp is the logit, and what lies above it. For a logit of -inf that is "
        "-inf + inf, which is nan; there lse does not change.",
        "What is left of your formula if the sink is switched off?",
        "Count from the larger of lse and logit.",
        "There is a function of torch that adds two numbers given by their logarithms.",
        kind="corner",
    ),
)
