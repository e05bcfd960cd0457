"""How 10.critical_batch goes wrong."""

from exercise_bank.ch10.mistakes.critical_batch_code import (
    absolute,
    always_a_batch,
    at_least_one,
    attention_forgotten,
    attention_of_one_layer,
    attention_of_one_token,
    batch_without_length,
    cache_for_each_token,
    cache_forgotten,
    cache_helps,
    cache_like_the_weights,
    cache_like_weights,
    cache_like_weights_unguarded,
    cache_of_one_layer,
    cache_of_query_heads,
    cache_once,
    divided_by_zero,
    keys_only,
    length_without_attention,
    multiply_adds,
    negative_batch,
    negative_length,
    nothing_for_none,
    one_layer,
    one_product,
    one_token,
    positions_left,
    rounded_up,
    scores_of_key_heads,
    swapped,
    tokens_not_sequences,
    upside_down,
    weights_for_one_token,
    weights_of_two_bytes,
    zero_for_none,
)
from exercise_bank.ch10.mistakes.critical_batch_rounded import (
    MORE,
    batch_of_one_cache,
    batch_rounded_up,
    length_rounded_down,
    length_rounded_up,
    new_positions_too,
    no_limit_without_a_cache,
    reading_in_the_length,
    rounded_down,
)
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "cache-forgotten",
        cache_forgotten,
        "A step reads its weights.",
        "Your bytes are those of the weights alone, so you find a critical batch for any text. "
        "Each sequence also brings a cache to read.",
        "How do your numbers change with cache_bytes?",
        "Add the bytes of k positions to the traffic of each sequence.",
    ),
    said(
        "attention-forgotten",
        attention_forgotten,
        "A token takes 2 FLOPs for each weight.",
        "Your FLOPs are those of the weights alone. Each new token also meets the keys and "
        "values of k positions, which takes FLOPs and no weight.",
        "How do your numbers change with h?",
        "Add the scores and the averages of each query head.",
    ),
    said(
        "one-product",
        one_product,
        "Attention is a product of queries and keys.",
        "Your attention takes 2d FLOPs for each head and position. There are two products: "
        "scores, and averages of values.",
        "By what are the weights multiplied?",
        "A head takes 4d FLOPs for each pair.",
    ),
    said(
        "multiply-adds",
        multiply_adds,
        "A multiplication and its addition are one FLOP.",
        "You count half of the FLOPs: a weight takes a multiplication and an addition for each "
        "token, and peaks count both.",
        "How many FLOPs has a dot product of width d?",
        "Double both terms of your arithmetic.",
    ),
    said(
        "keys-only",
        keys_only,
        "A cache holds keys.",
        "Your cache is half of the right one: a step reads the values of all positions as well "
        "as their keys.",
        "What is averaged?",
        "A position keeps 2 · kv · d numbers in each layer.",
    ),
    said(
        "one-layer",
        one_layer,
        "There is one attention.",
        "Your attention and your cache do not depend on the number of layers. Each layer has "
        "keys, values and scores of its own.",
        "Which of your arguments is not used?",
        "Both terms with k are multiplied by layers.",
    ),
    said(
        "attention-of-one-layer",
        attention_of_one_layer,
        "The model has one attention.",
        "Your FLOPs of attention do not depend on the number of layers. Each layer has scores and "
        "averages of its own, as it has its own cache.",
        "Two layers: how many rows of scores does a new token have in one head of each?",
        "Multiply the FLOPs of attention by layers.",
    ),
    said(
        "cache-of-one-layer",
        cache_of_one_layer,
        "The model has one cache.",
        "Your bytes of the cache do not depend on the number of layers. Each layer has keys and "
        "values of its own, as it has its own scores.",
        "Two layers: how many keys does a position keep in one head of each?",
        "Multiply the bytes of the cache by layers.",
    ),
    said(
        "cache-of-query-heads",
        cache_of_query_heads,
        "Every query head has a cache.",
        "Your bytes do not depend on kv: you keep keys and values for each query head. The "
        "heads of a group share them, and read them once.",
        "Which of your arguments is not used?",
        "h belongs to the FLOPs, kv to the bytes.",
    ),
    said(
        "scores-of-key-heads",
        scores_of_key_heads,
        "With kv key heads there are kv attentions.",
        "Your FLOPs do not depend on h: you count the scores of kv heads only. Each of the h query "
        "heads computes its own scores and averages, though it shares its keys.",
        "Which of your arguments is not used?",
        "h belongs to the FLOPs, kv to the bytes.",
    ),
    said(
        "cache-for-each-token",
        cache_for_each_token,
        "Every new token reads the cache.",
        "You read the cache once for each new token. The new tokens of a sequence go through "
        "the step together and share one reading of its cache.",
        "Which bytes are read once for the whole batch, and which once for each sequence?",
        "The number of new tokens multiplies the FLOPs alone.",
    ),
    said(
        "one-token",
        one_token,
        "A step makes one token.",
        "Your numbers do not depend on new: you compute one token for each sequence.",
        "Which of your arguments is not used?",
        "Each new token takes the FLOPs of the weights and of its own pairs.",
    ),
    said(
        "tokens-not-sequences",
        tokens_not_sequences,
        "A batch is counted in tokens.",
        "Your positions are right, and your batch counts new tokens. A batch is a number of "
        "sequences, each with several new tokens.",
        "With new = 4, what does your number become when you divide it by 4?",
        "Leave the last factor out.",
    ),
    said(
        "weights-of-two-bytes",
        weights_of_two_bytes,
        "A weight takes two bytes.",
        "Your numbers do not depend on weight_bytes. Weights of one byte are read in half the "
        "time, and need half the batch.",
        "Which of your arguments is not used?",
        "The time of reading the weights is weights · weight_bytes over the bandwidth.",
    ),
    said(
        "cache-like-weights",
        cache_like_weights,
        "Weights and cache have one dtype.",
        "Your numbers do not depend on cache_bytes: you keep the cache in the bytes of the "
        "weights.",
        "Which of your arguments is not used?",
        "The cache has its own itemsize.",
        variants=(cache_like_weights_unguarded,),
    ),
    said(
        "cache-helps",
        cache_helps,
        "The cache belongs to the side of the arithmetic.",
        "You add the time of reading a cache where it has to be taken away, so that longer texts "
        "make your critical batch smaller. A cache is traffic, and only arithmetic can "
        "overtake traffic.",
        "On which side of the equation is the cache, and where is it after you have solved for b?",
        "Its sign changes when it goes over to the other side.",
    ),
    said(
        "negative-batch",
        negative_batch,
        "An equation has a solution.",
        "Where a sequence brings more reading than arithmetic, your batch is negative. Two "
        "lines that diverge meet on the wrong side of 0: no batch is large enough.",
        "What does a batch of -3 mean?",
        "Return math.inf unless the denominator is positive.",
    ),
    said(
        "negative-length",
        negative_length,
        "An equation has a solution.",
        "Where a position brings more arithmetic than reading, your number of positions is "
        "negative. There the critical batch exists at any length.",
        "What does a text of -3 positions mean?",
        "Return math.inf unless a position reads for longer than it computes.",
        kind="corner",
    ),
    said(
        "length-without-attention",
        length_without_attention,
        "Only the cache grows with the length.",
        "Your batch is right. Your number of positions leaves out that attention's own FLOPs "
        "grow with the length too, and make up for part of the reading.",
        "Does your second number change with h? Does your first?",
        "It is the k at which the denominator of your first formula is 0.",
    ),
    said(
        "positions-left",
        positions_left,
        "The positions are counted from here.",
        "Your batch is right. Your number of positions depends on k: it is the number still to "
        "come. The task asks for all of them.",
        "Which two texts of different length have the same answer?",
        "The second number does not depend on k.",
    ),
    said(
        "reading-in-the-length",
        reading_in_the_length,
        "The length is where both times of a step are equal.",
        "Your batch is right. Your number of positions contains the time of reading the "
        "weights. That time does not grow with the batch, so it does not decide whether a large "
        "enough batch exists.",
        "What does one more sequence add to the arithmetic, and what to the traffic?",
        "It is the k at which the denominator of your first formula is 0.",
    ),
    said(
        "new-positions-too",
        new_positions_too,
        "The new tokens are in the cache already.",
        "Your batch counts k + new positions. The cache and the scores of the task are those of k "
        "positions.",
        "With k = 0 and no cache, what does your attention cost?",
        "Use k in both terms.",
    ),
    said(
        "no-limit-without-a-cache",
        no_limit_without_a_cache,
        "With an empty cache there is always a batch.",
        "For k = 0 you give `math.inf` positions. At which number of positions no batch is left "
        "does not depend on k.",
        "Is k in your formula for the positions?",
        "Return the same number for every k.",
    ),
    said(
        "rounded-up",
        rounded_up,
        "Sequences are whole.",
        "You round at least one of your numbers. They were to be given as they come out of the "
        "formula.",
        "Does the prompt ask you to round?",
        "Leave the rounding out.",
        variants=(rounded_down, length_rounded_down, batch_rounded_up, length_rounded_up),
    ),
    said(
        "attention-of-one-token",
        attention_of_one_token,
        "All new tokens share one row of scores.",
        "Your attention takes the same FLOPs for several new tokens as for one. They share one "
        "reading of the cache, but each has its own scores and averages.",
        "How many rows of scores has a head with four new tokens?",
        "Every term of the FLOPs is multiplied by new.",
    ),
    said(
        "weights-for-one-token",
        weights_for_one_token,
        "The weights are used once in a step.",
        "Your FLOPs of the weights are those of one new token. The weights are *read* once; each "
        "new token is multiplied by all of them.",
        "How many FLOPs does one weight do for four new tokens?",
        "Every term of the FLOPs is multiplied by new.",
    ),
    said(
        "cache-once",
        cache_once,
        "A cache is read once for all, like the weights.",
        "Your caches do not grow with the batch: you read one for all sequences, so that a large "
        "enough batch always is compute-bound. Each sequence has its own cache.",
        "Ten sequences: how many caches are read?",
        "Multiply the bytes of the cache by b, and leave those of the weights.",
        variants=(batch_of_one_cache,),
    ),
    said(
        "batch-without-length",
        batch_without_length,
        "The critical batch is the machine's ridge.",
        "Your batch does not depend on k: it is that of a model without a cache. Each position "
        "adds reading and arithmetic to a sequence, and they do not cancel.",
        "Your answer is the same for two texts of different length. What does the longer add?",
        "Keep both terms with k when you solve for b.",
    ),
    said(
        "cache-like-the-weights",
        cache_like_the_weights,
        "There is no batch once a cache is as large as the weights.",
        "Your batch is right. Your number of positions is that at which the cache of a sequence is "
        "as large as the weights. The weights do not matter there: no batch is large enough when "
        "one more sequence takes longer to read than to compute.",
        "For which k is the denominator of your first answer 0?",
        "Set the time of a sequence's FLOPs equal to the time of its cache.",
    ),
    said(
        "always-a-batch",
        always_a_batch,
        "The batch is finite at any length.",
        "Your batch becomes infinite for long texts, although your second number claims that it "
        "never does.",
        "Try your first answer with larger and larger k. From where on is it infinite?",
        "It is the k at which the denominator of your first formula is 0.",
    ),
    said(
        "divides-by-zero",
        divided_by_zero,
        "Two times are never equal.",
        "Where a sequence, or a position, takes exactly as long to read as to compute, you divide "
        "by 0. Two parallel lines do not meet: the answer is `math.inf`.",
        "What is your denominator if both times are equal?",
        "Return math.inf unless the denominator is positive, and look before you divide.",
        kind="corner",
    ),
    said(
        "swapped",
        swapped,
        "The length comes first.",
        "Your two numbers are in each other's place: the batch comes first.",
        "In which order does the prompt list them?",
        "Return (batch, positions).",
    ),
    said(
        "zero-for-none",
        zero_for_none,
        "No batch is a batch of 0.",
        "If no batch is large enough you return 0, which means that every batch is. The same "
        "holds for the positions.",
        "From which batch on is a step compute-bound if your answer is 0?",
        "Return math.inf if none exists.",
    ),
    said(
        "nothing-for-none",
        nothing_for_none,
        "A missing number is written as None.",
        "If no batch or no length exists you return `None`. The prompt asks for `math.inf`, "
        "which a server can compare with its batch.",
        "What is `64 > None`?",
        "Return math.inf if none exists.",
    ),
    said(
        "absolute",
        absolute,
        "A negative batch has the wrong sign.",
        "You drop the sign of a negative result. A negative result means that a sequence adds "
        "more reading than arithmetic, so no batch is large enough.",
        "Which time grows faster with the batch when the denominator is negative?",
        "Return math.inf unless the denominator is positive.",
    ),
    said(
        "upside-down",
        upside_down,
        "The batch is arithmetic over reading.",
        "Your positions are right, and your batch is one over the right batch. More weights to "
        "read need a larger batch.",
        "How does your batch change when the weights take twice the bytes?",
        "The reading of the weights goes above the line.",
    ),
    said(
        "at-least-one",
        at_least_one,
        "A batch has a sequence.",
        "Your batch is never below 1. A crossing below 1 shows that one sequence is "
        "compute-bound already, and by how much.",
        "Does the prompt ask you to round?",
        "Return the crossing as it is.",
        kind="form",
    ),
    *MORE,
)
