"""How 11.merge goes wrong."""

from functools import partial

from exercise_bank.ch11.mistakes import merge_code as code
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "maxima-added",
        code.maxima_added,
        "All three parts of a summary are sums.",
        "Your m is the sum of the two maxima. Only l and o are sums; the maximum of both blocks is "
        "the larger one.",
        "The largest score of a is 3, that of b is 5. Which is the largest of both?",
        "Take torch.maximum of the two.",
    ),
    said(
        "halved",
        code.halved,
        "Two blocks are averaged.",
        "You halve o, or l and o. A summary holds sums over both blocks, and a division by the "
        "number of blocks changes them.",
        "What is o for one key of weight 1 and value 10, and another of weight 1 and value 40?",
        "Add the two faded parts, and divide by nothing.",
        variants=(code.both_halved,),
    ),
    said(
        "no-fading",
        code.no_fading,
        "Sums can be added as they are.",
        "Your l is l_a + l_b and your o is o_a + o_b, whatever the maxima are. The two blocks "
        "count in different units: a 1 in l_a means exp(m_a), a 1 in l_b means exp(m_b).",
        "Two blocks have one key each, with scores 0 and 5. What are their l, and what should the "
        "merged l be?",
        "Bring both to the unit exp(m) before you add.",
        "Multiply each by the exponential of its own maximum minus the new one.",
    ),
    said(
        "b-is-newer",
        code.b_is_newer,
        "The second block has the larger maximum.",
        "You rescale block a. Of block b you do not rescale l, or o, or both. Where b has the "
        "smaller maximum, both have to be rescaled to the larger one, or they are too large.",
        "What do you get if you exchange a and b?",
        "At most one of the two factors is below 1; which one depends on the row.",
        "Give b its own factor, from m_b and the new maximum.",
    ),
    said(
        "a-is-older",
        code.a_is_older,
        "The first block has the larger maximum.",
        "You rescale block b. Of block a you do not rescale l, or o, or both. Where a has the "
        "smaller maximum, both have to be rescaled to the larger one, or they are too large.",
        "What do you get if you exchange a and b?",
        "At most one of the two factors is below 1; which one depends on the row.",
        "Give a its own factor, from m_a and the new maximum.",
        variants=(code.sum_of_a_is_older, code.values_of_a_are_older),
    ),
    said(
        "factors-swapped",
        code.factors_swapped,
        "Each block is multiplied by the other's factor.",
        "Your two factors have changed places: the block with the larger maximum is rescaled, and "
        "the other is taken as it is.",
        "Which block's exponentials were taken from a maximum that is too small?",
        "The block that holds the new maximum keeps its sums.",
        "Put m_a into the factor of l_a and o_a.",
    ),
    said(
        "smaller-maximum",
        code.smaller_maximum,
        "Any common maximum will do.",
        "You bring both blocks to the smaller of the two maxima. Your factors are above 1, and inf "
        "where the maxima lie 1000 apart or one block is empty.",
        "Which of the two maxima is the largest score of both blocks together?",
        "From which of them are all exponents at most 0?",
        "Take the larger.",
    ),
    said(
        "newest-maximum",
        code.newest_maximum,
        "The new maximum is that of the second block.",
        "You return m_b as the new maximum. Where m_a is larger, the factor exp(m_a - m_b) is "
        "above 1, and it overflows once the two lie far apart.",
        "Can the largest score of both blocks be smaller than that of one of them?",
        "Each row has to find out for itself which of m_a and m_b is larger.",
        "Take the larger of the two maxima, and give each block the factor that leads to it.",
    ),
    said(
        "finite-for-nothing",
        code.finite_for_nothing,
        "A large negative number is as good as -inf.",
        "Your l and o are right. Where neither block saw anything you return m = -1e9 or the like, "
        "which is a score that some key could have; the prompt asks for -inf.",
        "What is the maximum of no scores?",
        "A finite number is needed in the exponents only.",
        "Return the plain maximum of m_a and m_b.",
        kind="corner",
    ),
    said(
        "turned-round",
        code.turned_round,
        "The factor is exp(new - old).",
        "Your factors are above 1: you magnify the block with the smaller maximum. Seen from a "
        "larger maximum, an exponential exp(score - m) is smaller.",
        "A key of score 0 counts 1 while m is 0. What does it count once m is 3?",
        "The exponent is never positive.",
        "Subtract the new maximum from the old one.",
    ),
    said(
        "values-not-faded",
        code.values_not_faded,
        "Only the denominator needs a correction.",
        "Your l is right, and your o is o_a + o_b. Numerator and denominator hold the same "
        "exponentials, so both take the same factors.",
        "Merge two blocks whose values are all 1. What should o / l be, and what is yours?",
        "o is a sum of exp(score - m) · value, with the same m as in l.",
        "Multiply o_a and o_b by the factors that you use for l.",
    ),
    said(
        "sum-not-faded",
        code.sum_not_faded,
        "Only the values need a correction.",
        "Your o is right, and your l is l_a + l_b. Numerator and denominator hold the same "
        "exponentials, so both take the same factors.",
        "Merge two blocks whose values are all 1. What should o / l be, and what is yours?",
        "l is a sum of exp(score - m), with the same m as in o.",
        "Multiply l_a and l_b by the factors that you use for o.",
    ),
    said(
        "already-divided",
        code.finished,
        "o is the output.",
        "You return o divided by l. The next merge would multiply it by a factor and add: o must "
        "stay the plain sum, and the division comes once, at the very end.",
        "What would a third block need from this result?",
        "The prompt defines o as a sum of exp(score - m) · value.",
        "Leave the division out.",
    ),
    said(
        "weighted-twice",
        code.weighted_twice,
        "o is an average that has to be weighted by l.",
        "You multiply o_a by l_a, and o_b by l_b. That would be right for finished averages; here "
        "o is a sum already, in which each value carries its exponential.",
        "A block has two equal scores and the values 1 and 1. What are its l and o?",
        "How is o defined in the prompt: a sum or an average?",
        "Use for o the same factors as for l, without l in them.",
    ),
    said(
        "nan-for-nothing",
        code.nan_for_nothing,
        "exp(m_a - m) is a number for any m.",
        "Where neither block has seen anything, you compute -inf - -inf, which is nan, and so is "
        "your row.",
        "What is exp(m_a - m) when both are -inf?",
        "Nothing merged with nothing is nothing: m = -inf, l = 0, o = 0.",
        "Subtract a finite number where m is -inf. The factors become exp(-inf) = 0.",
        kind="corner",
    ),
    said(
        "zero-for-nothing",
        code.zero_for_nothing,
        "A row without keys has maximum 0.",
        "If both blocks are empty you return m = 0. If the largest score of a later block is "
        "-3, the merged maximum would then be 0, which no key has. m must stay -inf.",
        "Which number is smaller than every score?",
        "You need a finite number for the subtraction, but you may return another one.",
        "Keep m and the number that you subtract in two variables.",
        kind="corner",
    ),
    said(
        "either-empties",
        code.either_empties,
        "A row with -inf on one side is empty.",
        "If one block is empty you return l = 0 and o = 0, and drop the sums of the other.",
        "What is the merge of a block with an empty one?",
        "The result is empty only if *both* maxima are -inf.",
        "Let the factor of the empty side become exp(-inf) = 0 by itself.",
        kind="corner",
    ),
    said(
        "one-row-decides",
        code.any_empty,
        "A block is empty, or it is not.",
        "You ask with any() whether a block is empty, and then return the other for all queries. A "
        "block may be empty for one query and full for the next.",
        "Block a is empty for query 0 only. What is the merge for query 1?",
        "Each query decides for itself.",
        "Let the factor of an empty side become exp(-inf) = 0 by itself.",
        variants=(partial(code.any_empty, sides="a"), partial(code.any_empty, sides="b")),
        kind="form",
    ),
    said(
        "one-maximum",
        code.one_maximum,
        "There is one largest score.",
        "Your m is the same for all rows, the largest of all. Each query has its own scores, "
        "and a row far below the others would vanish.",
        "What is the largest score of row 0?",
        "maximum() compares two tensors element by element; max() runs over all.",
        "Use torch.maximum(m_a, m_b) alone.",
    ),
    said(
        "from-zero",
        code.from_zero,
        "exp(m) is a number that can be used on the way.",
        "You compute exp(m_a) itself. It is right for small maxima; at 1000 it is inf, and at "
        "-2000 it is 0, which gives nan in the division.",
        "What is math.exp(1000)?",
        "exp(m_a) / exp(m) can be written with one exponential.",
        "Subtract first, then take the exponential.",
        kind="corner",
    ),
    said(
        "along-the-width",
        code.along_the_width,
        "A factor per row multiplies rows.",
        "You multiply o, of shape (q, e), by factors of shape (q,). Their axis meets e: with q = e "
        "that fades features instead of rows. Other sizes raise an error, unless q or e is 1.",
        "Which axis of o does a tensor of shape (q,) meet in a product?",
        "The factors need a last axis of length 1.",
        "Write fade[:, None] where o is multiplied.",
    ),
    said(
        "means-averaged",
        code.means_averaged,
        "o is a block's output.",
        "Your m and l are right. You weigh o_a and o_b by their l and divide, as if they were "
        "finished averages. They are sums that have not been divided by anything.",
        "What is o for a block with two keys of score 0 and the value 10?",
        "A sum of both blocks needs one unit, and no weights besides.",
        "Multiply o_a and o_b by the factors that l_a and l_b get, and add.",
    ),
    said(
        "lse-for-maximum",
        code.lse_for_maximum,
        "Merging two numbers on a log scale is logaddexp.",
        "Your m is logaddexp(m_a, m_b), which is larger than both. m is a maximum, the largest "
        "score itself; l has the sums of exponentials.",
        "What is the largest score of two blocks whose largest scores are both 1?",
        "logaddexp adds exponentials. Does a maximum add anything?",
        "Use torch.maximum.",
    ),
    said(
        "seen-from-zero",
        code.seen_from_zero,
        "The merged sums are sums of exp(score).",
        "Your l and o count from 0, l being the sum of exp(score) itself. The summary's m says "
        "from which score they are to count, and at m = 1000 yours are inf.",
        "What does the key with the largest score add to l?",
        "l is the sum of exp(score - m), with the m that you return.",
        "Use exp(m_a - m) and exp(m_b - m) for the factors.",
    ),
    said(
        "asked-of-all",
        code.asked_of_all,
        "A block is empty for all queries, or for none.",
        "You ask for all queries at once, as with all(), whether a block is empty. If both are "
        "empty for one query, but one of them is not for another, you compute -inf - -inf for the "
        "first, which is nan.",
        "Both blocks are masked for query 0 and visible to query 1. Which of your branches runs?",
        "Each query needs its own answer.",
        "Put 0 in the place of m where m is -inf, and drop the branches.",
        kind="corner",
    ),
    said(
        "larger-only",
        code.larger_only,
        "The block with the larger maximum decides.",
        "You keep the block with the larger maximum and drop the other. A key of score 4 still "
        "counts e^-1 times as much as one of score 5.",
        "Two blocks have one key each, with scores 5 and 4. What is their l?",
        "The smaller block fades; it does not vanish.",
        "Add it, multiplied by the exponential of its maximum minus the larger one.",
    ),
    said(
        "shares-for-factors",
        code.shares_for_factors,
        "The two factors are weights, so they sum to 1.",
        "Your factors are softmax(m_a, m_b). They make an average of the two blocks; a sum of both "
        "is wanted, and where the maxima are equal both factors are 1.",
        "Two blocks have one key each, with equal scores. What should l be, and what is yours?",
        "The block that holds the larger maximum keeps its sums as they are.",
        "Leave out the division: exp(m_a - m) and exp(m_b - m).",
    ),
)
