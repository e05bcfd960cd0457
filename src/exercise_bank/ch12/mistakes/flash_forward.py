"""How 12.flash_forward goes wrong."""

from functools import partial

from exercise_bank.ch12.mistakes import flash_forward_code as code
from exercise_bank.ch12.mistakes.flash_forward_more import MORE
from exercise_bank.skills import said, saying

slip = saying(lambda kind: partial(code.slip, kind))

MISCONCEPTIONS = (
    slip(
        "nothing-rescaled",
        "nothing fades",
        "What was added stays as it is.",
        "You never rescale what was summed. Weights of an earlier tile were measured from a "
        "smaller maximum, so they count too much as soon as the maximum grows.",
        "The first key has the score 0, the second 2. What is the first weight relative to 2?",
        "Before you add a tile, multiply the old sums by exp(old maximum - new maximum).",
    ),
    slip(
        "one-sum-rescaled",
        "total fades",
        "Only the denominator is rescaled.",
        "You rescale one of the two sums only. The total and the weighted values must keep the "
        "same reference, or the weights of a row no longer sum to 1.",
        "If all values are 1, what is your output?",
        "Multiply both sums by exp(old maximum - new maximum).",
        variants=("output fades",),
    ),
    slip(
        "rescaled-inversely",
        "fades the wrong way",
        "The old sums are multiplied by exp(new maximum - old maximum).",
        "When the maximum grows, you enlarge the old sums. Their weights must shrink: relative to "
        "a larger maximum the same exponential is smaller.",
        "The maximum grows from 0 to 2. By which factor does a weight of 1 change?",
        "Exchange the two maxima in the exponent.",
    ),
    slip(
        "first-tile-decides",
        "first maximum",
        "The maximum of the first visible tile serves as the reference.",
        "You are right for moderate scores, because any reference cancels. You keep the first "
        "maximum; if a later score is larger by hundreds, its exponential overflows.",
        "The first score is 0, the second 1000. What is exp(1000 - 0) in float32?",
        "Take the maximum again in every tile.",
        kind="form",
    ),
    slip(
        "tile-overwrites",
        "last tile",
        "A sum holds the tile at hand.",
        "Each tile overwrites the sums of the one before, so your output is the attention of the "
        "last visited tile alone.",
        "Which keys does the output depend on?",
        "Add the tile to the rescaled old sums.",
    ),
    slip(
        "finished-tiles-added",
        "finished tiles added",
        "Each tile has a softmax of its own.",
        "You divide every tile by its own sum and add the results. With one tile that is right; "
        "with several, the weights of a row sum to more than 1.",
        "If all values are 1, what is your output?",
        "Divide once, after the last tile, by the total of all.",
    ),
    slip(
        "not-divided",
        "not divided",
        "The weights are the exponentials.",
        "You return the weighted values without the division by the total: your weights do not "
        "sum to 1.",
        "If all values are 1, what is your output?",
        "Divide by the total after the last tile.",
    ),
    slip(
        "no-scale",
        "no scale",
        "Scores are products of queries and keys.",
        "Your scores are not divided by the root of d. With d = 1 you are right.",
        "Which two inputs of your function have the axis d?",
        "Divide the scores, or the queries, by the root of d.",
    ),
    slip(
        "another-scale",
        "scale of e",
        "Scores are divided by another number than the root of d.",
        "You divide the scores by a number other than the root of d, the width of queries and "
        "keys. With all widths 1 you are right.",
        "What do you divide by if d = 4 and e = 9?",
        "Divide by the root of the last size of `query`.",
        variants=("divided by d",),
    ),
    slip(
        "top-left",
        "top-left",
        "Query i is at position i.",
        "You place query i at position i. With q = k that is right; here the queries are the last "
        "q of the k positions, so with fewer queries yours attend to too few keys.",
        "In the example, which keys are visible to the first query?",
        "The query of row i is at position i + k - q.",
    ),
    slip(
        "no-mask-in-tiles",
        "no mask",
        "A causal mask skips tiles.",
        "You skip the tiles that are hidden as a whole, and mask nothing inside the others. On the "
        "diagonal a query then attends to later keys.",
        "A tile holds queries and keys at positions 4 and 5. Which score must be hidden?",
        "Compare the position of each key with that of each query of the tile.",
    ),
    slip(
        "never-causal",
        "never causal",
        "Each query attends to all keys.",
        "You do not use `causal`: your queries attend to the keys that come after them.",
        "In the example, which keys are visible to the first query?",
        "If causal is True, hide each key that comes after the query.",
    ),
    slip(
        "always-causal",
        "always causal",
        "A forward pass is causal.",
        "You mask whether or not `causal` is set. Without it every query attends to every key.",
        "What does your output depend on if causal is False?",
        "Mask and skip only if causal is True.",
    ),
    slip(
        "off-by-one",
        "own key hidden",
        "A query attends to the keys before it.",
        "Your mask is one key off: the last key that a query attends to is its own, at its own "
        "position.",
        "Which keys does a query at position 0 attend to?",
        "Hide a key if its position is larger than that of the query.",
        variants=("one more key",),
    ),
    slip(
        "mask-inverted",
        "inverted",
        "masked_fill fills where the mask is False.",
        "You hide the keys up to the query and keep those after it.",
        "Which of its two keys does the second query of two attend to?",
        "Hide a key if its position is larger than that of the query.",
    ),
    slip(
        "mask-without-positions",
        "in the tile's own numbers",
        "Every tile has a triangle of its own.",
        "You mask by the numbers of rows and columns inside the tile, so tiles that lie far "
        "before the diagonal lose scores as well.",
        "In which tiles is the first key of the tile at the position of the first query?",
        "Add the tile's first row and first column, and k - q, before you compare.",
    ),
    slip(
        "hidden-scores-zero",
        "zero scores",
        "A hidden key has the score 0.",
        "You set hidden scores to 0. That is an ordinary score, with a weight of its own; a hidden "
        "key's weight must be 0.",
        "Which score has an exponential of 0?",
        "Fill with -inf.",
    ),
    slip(
        "skipped-too-early",
        "skipped by the first",
        "A tile is skipped if it is hidden from the first query.",
        "You skip a tile as soon as it is hidden from the first query of its block. Later queries "
        "of the block lose keys without any sign: their weights still sum to 1.",
        "A block holds the queries at positions 4 and 5. Which of them attends to key 5?",
        "Compare the first key of the tile with the position of the *last* query.",
    ),
    said(
        "matrix",
        code.whole_matrix,
        "The tiles are one way to order the same arithmetic.",
        "You hold a number for each query and each key at once: all scores, or a mask of all. The "
        "sides of a tile make no difference to your memory, and keys behind the mask are read.",
        "How many numbers has your largest tensor, and how many a tile?",
        "A tile of scores is computed, used and dropped before the next one.",
        "Let the sums m, l and o pass from tile to tile in place of the scores.",
        variants=(code.scores_in_tiles,),
    ),
    said(
        "mask-of-all",
        code.mask_of_all,
        "A mask is not a matrix of scores.",
        "Your numbers are right, and you make a tensor with an entry for each query and each key. "
        "It may be the matrix of scores, or a mask of all pairs, which is equally large.",
        "How many entries has that tensor at 100,000 tokens?",
        "Two ranges of positions are enough for the mask of one tile.",
        variants=(code.mask_of_all_if_causal,),
    ),
    slip(
        "all-queries-at-once",
        "all queries",
        "Blocks of keys are enough.",
        "You cut the keys into blocks and not the queries, as version 1 of the chapter does. Your "
        "tensors of scores are as high as there are queries, and no tile can be skipped.",
        "Which side of your tiles grows with the sequence?",
        "Put a loop over blocks of queries around the loop over blocks of keys.",
    ),
    slip(
        "all-keys-at-once",
        "all keys",
        "Blocks of queries are enough.",
        "You cut the queries into blocks and not the keys. Your tensors of scores are as wide as "
        "there are keys, and keys behind the mask are read.",
        "Which side of your tiles grows with the sequence?",
        "Loop over blocks of keys inside, and let m, l and o pass from one to the next.",
    ),
    slip(
        "tiles-kept",
        "tiles kept",
        "Small tensors take no room.",
        "Each of your tensors is small, but tiles of weights, scores or masks stay alive: those of "
        "a block of queries or of all. Together they hold as much as a matrix.",
        "Which tiles are still needed after the sums are updated?",
        "Keep no tile in a list; update the sums and go on.",
        variants=("a block's tiles kept",),
    ),
    slip(
        "hidden-tiles-visited",
        "never skips",
        "A mask is enough.",
        "Your mask is right, and you compute the tiles behind it as well. A weight of 0 times nan "
        "is nan, and half of the work is in vain.",
        "What is 0.0 * math.nan?",
        "Leave the inner loop at the first tile that is hidden from the whole block.",
        kind="form",
    ),
    slip(
        "padded",
        "padded",
        "A tile is always full.",
        "You fill up the last block of keys with zeros and do not hide them. Each of them has the "
        "score 0 and a weight of its own.",
        "How many keys has the last of the blocks if k = 7 and width = 3?",
        "Cut the last block short, or hide its empty columns.",
        kind="form",
    ),
    slip(
        "last-block-left-out",
        "rest of keys",
        "The sides divide the sequence.",
        "You leave out a last block that is short, of queries or of keys.",
        "How many blocks of 2 do 5 queries need?",
        "Let the loop run to the end; a slice may be short.",
        variants=("rest of queries",),
        kind="form",
    ),
    slip(
        "no-maximum",
        "no maximum",
        "exp works for any score.",
        "You take exp of the scores themselves. In float32 it overflows from 89 on, and the "
        "output is nan.",
        "What is exp(1500) in float32?",
        "Subtract the running maximum from the scores.",
        kind="form",
    ),
    slip(
        "starts-at-zero",
        "starts at 0",
        "A maximum is at least 0.",
        "Your running maximum begins at 0, so it is 0 for a row whose scores are all negative. If "
        "they are near -400, all its exponentials are 0 in float32.",
        "What is the maximum of no scores at all?",
        "Begin with -inf, and subtract 0 in place of a maximum of -inf.",
        kind="form",
    ),
    slip(
        "maximum-of-the-tile",
        "the tile's maximum",
        "Each tile is measured from its own maximum.",
        "You take the maximum of the tile in place of the running one. For moderate scores the "
        "factors cancel; if the maximum falls by hundreds, the factor of the old sums overflows.",
        "The first tile has the maximum 1000, the second 0. What is your factor?",
        "The new maximum is the larger one of the old maximum and the tile's.",
        kind="form",
    ),
    slip(
        "one-maximum",
        "one maximum",
        "One maximum serves all rows.",
        "You subtract one maximum from all rows of a block. A row whose scores lie hundreds below "
        "has only zeros left.",
        "What is left of a row if you subtract the maximum of another one?",
        "Take the maximum along the keys, for each row.",
        kind="form",
    ),
    slip(
        "half-of-the-lse",
        "log of the total",
        "The log-sum-exp is one of the parts of m + log l.",
        "Your output is right. Your log-sum-exp is only a part of m + log l, where m is the "
        "maximum and l the total.",
        "A row has one score, 5. What is its log-sum-exp?",
        "Add the maximum and the logarithm of the total.",
        variants=("the maximum", "total"),
        kind="form",
    ),
    slip(
        "an-axis-too-many",
        "an axis too many",
        "The log-sum-exp is a column.",
        "Your output is right. Your log-sum-exp has the shape (..., q, 1). It has one number for "
        "each query: (..., q).",
        "Which shape has your log-sum-exp?",
        "Take away the last axis.",
        kind="form",
    ),
    slip(
        "exchanged",
        "exchanged",
        "The order of the results does not matter.",
        "You return the log-sum-exp first. The output comes first.",
        "Which shape has the first thing that you return?",
        "Exchange the two.",
    ),
    slip(
        "two-axes-only",
        "heads left out",
        "There is one head.",
        "You compute one head. Axes before the last two are other sequences and heads, with "
        "queries, keys and values of their own.",
        "Which shape has query if there are 8 heads?",
        "Count axes from the end: query[..., i : i + height, :].",
        kind="form",
    ),
    slip(
        "nan-for-nothing",
        "nan",
        "Each query attends to a key.",
        "A query that attends to no key gets nan: from -inf - -inf in an exponent, where the "
        "maximum is still -inf, or from 0 / 0 in the last division.",
        "What is the maximum of a row in which all scores are hidden?",
        "Subtract 0 in place of a maximum of -inf, and divide by 1 in place of a total of 0.",
        kind="form",
    ),
    slip(
        "lse-of-nothing",
        "lse of nothing",
        "The logarithm of nothing is 0.",
        "Your outputs are right. The log-sum-exp of a query that attends to no key is -inf, the "
        "logarithm of a sum of 0.",
        "What is log(0)?",
        "Do not replace the total in the log-sum-exp.",
        kind="corner",
    ),
    *MORE,
)
