"""How 11.streaming_softmax goes wrong."""

from functools import partial

from exercise_bank.ch11.mistakes import streaming_softmax_code as code
from exercise_bank.ch11.mistakes.streaming_softmax_more import (
    MORE,
    exp_of_lse,
    mean_of_seen_blocks,
    smallest_sum,
    two_passes_unguarded,
)
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "maximum-for-lse",
        code.maximum_for_lse,
        "The log-sum-exp is the running maximum.",
        "Your output is right, and your second result is the largest score. The log-sum-exp is "
        "that plus the logarithm of l.",
        "Two scores are 0. What is the logarithm of the sum of their exponentials?",
        "Return m + log l.",
    ),
    said(
        "no-rescaling",
        code.no_rescaling,
        "Sums can simply grow.",
        "When a later block brings a larger maximum, your l and o still hold exponentials that "
        "were taken from the old one.",
        "What do you get for the scores 0, then 2, in blocks of one? And for 2, then 0?",
        "exp(s - m) with the old m is too large by a factor that depends on both maxima.",
        "Before you add the new block, multiply l and o by exp(m_old - m_new).",
    ),
    said(
        "sum-only",
        code.sum_only,
        "Only the denominator needs a correction.",
        "Your log-sum-exp is right, and your output is not: l is rescaled when the maximum grows, "
        "o is not. Both are sums of the same exponentials.",
        "Give all keys the value 1. What should every output be, and what is yours?",
        "o is a sum of exp(s - m) · value, with the same m as in l.",
        "Multiply o by the factor that l gets.",
    ),
    said(
        "values-only",
        code.values_only,
        "Only the values need a correction.",
        "You rescale o when the maximum grows, and not l. Both are sums of the same exponentials.",
        "Give all keys the value 1. What should every output be, and what is yours?",
        "l is a sum of exp(s - m), with the same m as in o.",
        "Multiply l by the factor that o gets.",
    ),
    said(
        "block-maximum",
        code.block_maximum,
        "The maximum is that of the current block.",
        "You take the maximum of each block by itself, and let it fall again. The factor "
        "exp(m_old - m_new) is then above 1; after a block at 1500 and one at -1500 it is inf, and "
        "a block that a row may not look at wipes out the row.",
        "Can the largest score seen so far become smaller?",
        "m is a running maximum.",
        "Take the maximum of the old m and of the block's.",
    ),
    said(
        "own-maxima",
        code.own_maxima,
        "Every block has a maximum, and sums add up.",
        "For the output you add up exponentials of several blocks, each relative to the maximum "
        "of its own block, without a factor. A block with a larger maximum then counts too little.",
        "What is exp(score - maximum) for the largest score of each block?",
        "Only exponentials relative to the same maximum can be added.",
        "Rescale both sums to the larger maximum before you add.",
        variants=(
            partial(code.own_maxima, lse="largest"),
            partial(code.own_maxima, lse="last"),
        ),
    ),
    said(
        "mean-of-blocks",
        code.mean_of_blocks,
        "Each block has its own softmax, and blocks count alike.",
        "You normalise each block by itself and average the results. A block whose scores are all "
        "far below another's should count almost nothing.",
        "Which share of all exponentials does each block hold?",
        "A softmax over the row has one denominator.",
        "Carry sums from block to block; divide once, at the end.",
        variants=(mean_of_seen_blocks,),
    ),
    said(
        "no-maximum",
        code.no_maximum,
        "exp works for any score.",
        "You take exp of scores, or of log-sum-exps, as they are. At 1000 it is inf and "
        "inf / inf is nan, at -1000 all your sums are 0.",
        "What is math.exp(1000)?",
        "A softmax does not change if the same number is subtracted from all scores of its row.",
        "Keep the largest score so far, and subtract it.",
        variants=(exp_of_lse, partial(exp_of_lse, nan=0.0)),
    ),
    said(
        "first-maximum",
        code.first_maximum,
        "The maximum of the first block will do for all.",
        "You subtract the maximum of the first block for good. Later scores that lie 900 above it "
        "overflow, and a row that may not look at the first block has no maximum at all.",
        "What is the largest exponent that you compute when scores rise?",
        "m follows the stream.",
        "Update m with each block, and rescale l and o when it grows.",
    ),
    said(
        "one-maximum",
        code.one_maximum,
        "There is one largest score.",
        "You keep one maximum for all queries. A row far below the others loses all its "
        "exponentials: they round to 0.",
        "Which scores does a row's softmax compare?",
        "m has one entry for each query.",
        "Take the maximum over the keys only.",
    ),
    said(
        "starts-at-zero",
        code.starts_at_zero,
        "The maximum begins at 0.",
        "Your running maximum begins at 0, so it is 0 for a row whose scores are all negative. "
        "Near -120 every exponential is then 0 in float32, and near -1000 in float64 too.",
        "What is the maximum of no scores at all?",
        "Which number does any score beat, also -1000?",
        "Begin with -inf, and take care of -inf - -inf.",
        variants=(code.starts_at_zero_unguarded,),
    ),
    said(
        "divided-each-time",
        code.divided_each_time,
        "The output is divided by l after each block.",
        "You divide o by l after each block and go on with the quotient. The next factor and the "
        "next sum then meet a number in another unit.",
        "What is o after one block, before the division? What does the next block add to?",
        "o stays a sum until the stream ends.",
        "Move the division behind the loop.",
    ),
    said(
        "not-divided",
        code.not_divided,
        "The sum of weighted values is the output.",
        "Your log-sum-exp is right, and your output is o, not yet divided by l.",
        "What is your output if all values are 1? What should it be?",
        "The weights of a softmax sum to 1.",
        "Divide o by l when the stream has ended.",
    ),
    said(
        "turned-round",
        code.turned_round,
        "The factor is exp(new - old).",
        "Your factor is above 1 when the maximum grows, so the old sums grow. Relative to a "
        "larger maximum an exponential is smaller.",
        "A key of score 0 counted 1 while m was 0. What does it count once m is 2?",
        "The exponent of the factor is never positive.",
        "Subtract the new maximum from the old one.",
    ),
    said(
        "weighed-by-size",
        code.weighed_by_size,
        "A block counts once for each of its keys.",
        "You normalise each block by itself and weigh the results by the number of keys. A block "
        "of many keys with low scores should count less than one key with a high score.",
        "Which share of all exponentials does each block hold?",
        "A softmax over the row has one denominator.",
        "Carry sums from block to block; divide once, at the end.",
        variants=(partial(code.weighed_by_size, hidden_is_0=True),),
    ),
    said(
        "finite-for-hidden",
        code.finite_for_hidden,
        "A large negative number is as good as -inf.",
        "You put a large negative number in the place of -inf. A row whose keys are all masked "
        "then gets the plain mean of all values instead of zeros.",
        "What is the softmax of (-1e9, -1e9)?",
        "exp(-inf) is 0 relative to any finite maximum.",
        "Leave the scores at -inf, and change only the number that is subtracted.",
        kind="corner",
    ),
    said(
        "finite-for-nothing",
        code.finite_for_nothing,
        "The running maximum may begin at any large negative number.",
        "Your output is right. For a row whose keys are all masked your log-sum-exp is a finite "
        "number. It should be -inf, the logarithm of a sum without terms.",
        "What is the sum of no exponentials, and what is its logarithm?",
        "Where l is 0, which number do you take the logarithm of?",
        "Take the logarithm of l itself; only the division needs another number.",
        variants=(
            code.clamped_for_nothing,
            *(partial(smallest_sum, least=least) for least in (1e-30, 1e-12, 1e-10, 1e-9, 1e-8)),
        ),
        kind="corner",
    ),
    said(
        "maximum-forgotten",
        code.log_of_total,
        "The log-sum-exp is log l.",
        "Your output is right. Your log-sum-exp is log l, and l is a sum of exp(s - m): it has "
        "forgotten m.",
        "Add 5 to all scores. By how much should the log-sum-exp grow, and by how much does yours?",
        "exp(s) = exp(m) · exp(s - m).",
        "Add m.",
    ),
    said(
        "two-passes",
        code.two_passes,
        "A block can be read again.",
        "You ask for a block a second time: first for the maximum and then for the sums, or once "
        "for its scores and once for its values. Here each block can be read once.",
        "How often does your code call read(0)?",
        "One call of read(i) gives the scores and the values. If you read again because the "
        "maximum was missing, take the maximum so far, and correct the sums when it grows.",
        "Write scores, value = read(i) once in one loop; keep m, l and o, and rescale l and o by "
        "exp(m_old - m_new).",
        variants=(code.scores_then_values, two_passes_unguarded),
    ),
    said(
        "zero-for-nothing",
        code.zero_for_nothing,
        "A row without keys so far has maximum 0.",
        "If a row has only -inf so far, your running maximum becomes 0 and stays at least 0. If "
        "the scores that follow are near -1000, all their exponentials are 0.",
        "What is the maximum of no scores at all?",
        "You need a finite number in the exponents, but the running maximum may stay -inf.",
        "Keep the running maximum and the number that you subtract in two variables.",
        kind="form",
    ),
    said(
        "nan-at-first",
        code.nan_at_first,
        "Only the division at the end can meet an empty row.",
        "As long as a row has only -inf, your m is -inf, and -inf - -inf is nan. To look for empty "
        "rows at the end is too late: nan does not go away.",
        "What is exp(m_old - m_new) when both are -inf?",
        "Once l is nan, it stays nan in all later blocks.",
        "Subtract 0 instead of m where m is -inf.",
        kind="form",
    ),
    said(
        "divided-by-nothing",
        code.divided_by_nothing,
        "l is above 0 when the stream has ended.",
        "Your sums are right. For a row whose keys are all masked o and l are both 0, and 0 / 0 "
        "is nan. The output should be 0.",
        "What is l for a row of nothing but -inf?",
        "Where l is 0, o is 0 as well, so any other divisor gives 0.",
        "Divide by 1 where l is 0.",
        kind="corner",
    ),
    said(
        "new-block-faded",
        code.new_block_faded,
        "The factor multiplies the sums once the block is in them.",
        "The first block leaves no trace in your sums. It is so if you add a block and multiply "
        "afterwards: its exponentials were taken from the new maximum already, and the first block "
        "is even multiplied by exp(-inf) = 0.",
        "Which terms were taken from the old maximum?",
        "Rescale the old sums, then add the new block.",
        "Move the multiplication before the sum.",
    ),
    said(
        "nan-for-nothing",
        code.nan_for_nothing,
        "The maximum is a number.",
        "As long as a row has only -inf, your m is -inf, and -inf - -inf is nan.",
        "What is exp(m_old - m_new) when both are -inf?",
        "A row without finite scores has l = 0 and o = 0, whatever is subtracted.",
        "Subtract 0 instead of m where m is -inf; at the end, do not divide by 0.",
        kind="form",
    ),
    said(
        "sum-of-blocks",
        code.sum_of_blocks,
        "A softmax is a sum over keys, so blocks add up.",
        "You normalise each block by itself and add the results. The weights of the row then sum "
        "to the number of blocks.",
        "Give all keys the value 1. What should every output be, and what is yours?",
        "Which share of all exponentials does each block hold?",
        "Carry sums from block to block; divide once, at the end.",
    ),
    said(
        "hidden-as-zero",
        code.hidden_as_zero,
        "-inf is to be replaced by a number that does no harm, such as 0.",
        "You put 0 in the place of scores of -inf. A score of 0 is an ordinary score, so masked "
        "keys get weight.",
        "What is exp(0), and what should a masked key add to l?",
        "exp(-inf) is 0 relative to any finite number.",
        "Leave the scores at -inf, and repair only the number that is subtracted.",
        kind="form",
    ),
    said(
        "logarithm-forgotten",
        code.logarithm_forgotten,
        "The log-sum-exp is the sum of the exponentials.",
        "Your output is right. Your second result is the sum of all exponentials; the log-sum-exp "
        "is its logarithm.",
        "What is yours when a score is 1000?",
        "The logarithm of exp(m) · l can be written without exp(m).",
        "Return m + log l.",
    ),
    said(
        "axis-kept",
        code.axis_kept,
        "A column is as good as a vector.",
        "Your numbers are right. Your log-sum-exp is a column of shape (q, 1); the task asks "
        "for (q,).",
        "Which axis have you kept for the products?",
        "keepdim=True leaves an axis of length 1.",
        "Return it squeezed: lse.squeeze(1).",
        kind="form",
    ),
    said(
        "maximum-of-none",
        code.maximum_of_none,
        "Every block has a key.",
        "Your function raises an error for a block without keys: it has no largest score, and no "
        "first or last key.",
        "What should such a block change?",
        "n may be 0. Then m, l and o stay as they are.",
        "Go on with the next block where scores.shape[1] is 0.",
        kind="corner",
    ),
    said(
        "none-ends",
        code.none_ends,
        "A block without keys is the end of the stream.",
        "You stop at a block without keys. The argument count is the number of blocks, and more "
        "may follow.",
        "Which blocks are left out of your sums?",
        "An empty block changes nothing.",
        "Use continue instead of break.",
        kind="corner",
    ),
    said(
        "first-block-expected",
        code.first_block_expected,
        "There is a first block.",
        "Where count is 0, your function raises an error, because it uses block 0 or the last "
        "block of a list without looking at count. The answer is then zeros and -inf.",
        "What are m, l and o before anything was read?",
        "Start from -inf, 0 and 0, and let block 0 be a block like others.",
        "Move read(0) into the loop.",
        kind="corner",
    ),
    said(
        "not-brought-along",
        code.not_brought_along,
        "Only the old sums have to be rescaled.",
        "You rescale the old sums to the larger maximum, and take the new block's exponentials "
        "from the block's own. Where that is the smaller of the two, its keys count too much.",
        "What does a block with the single score 0 add to l when m is 5?",
        "All terms of a sum are taken from one maximum.",
        "Subtract the new running maximum from the block's scores.",
    ),
    said(
        "logarithms-added",
        code.logarithms_added,
        "The log-sum-exps of the blocks add up.",
        "Your output is right. You add the log-sum-exps of the blocks, and the logarithm of a sum "
        "is not the sum of logarithms.",
        "What is the log-sum-exp of two keys of score 0, each in its own block?",
        "The exponentials are added.",
        "Return m + log l.",
    ),
    said(
        "any-masked-row-skips",
        code.any_masked_skips,
        "A block with a row of nothing but -inf is empty.",
        "You skip a block if any row of it has nothing but -inf. Other rows may have keys there: "
        "on a causal diagonal some queries do and some do not.",
        "Two rows, one of them masked in the whole block. What does the other one see?",
        "Keep the block, and subtract 0 instead of m where m is -inf.",
        kind="form",
    ),
    *MORE,
)
