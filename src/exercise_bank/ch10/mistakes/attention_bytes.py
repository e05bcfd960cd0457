"""How 10.attention_bytes goes wrong."""

from functools import partial

from exercise_bank.ch10.mistakes.attention_bytes_code import (
    always_float32,
    fewer_products,
    fewer_scores,
    full_sums,
    fused,
    in_bits,
    in_place,
    keys_for_each_head,
    maximum_for_nothing,
    mean_intensity,
    multiply_adds,
    no_maximum,
    no_subtraction,
    numbers_not_bytes,
    one_cache,
    one_full_sum,
    one_head,
    one_matrix,
    one_product,
    one_sequence,
    output_forgotten,
    per_number,
    products_only,
    queries_not_read,
    queries_once_a_group,
    read_only,
    rounded,
    scale_forgotten,
    shorter_dot_products,
    softmax_at_once,
    softmax_reads_again,
    three_parts,
    three_readings,
    two_off_once,
    upside_down,
    values_as_wide,
    values_not_read,
    widths_exchanged,
    written_only,
)
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "three-parts",
        three_parts,
        "A softmax is exponentials, a sum and a division.",
        "Your softmax takes 3k FLOPs a row, as if it had three parts. It has five.",
        "Which five things does the softmax of the task do?",
        "A row of k takes k - 1, k, k, k - 1 and k FLOPs.",
    ),
    said(
        "queries-once-a-group",
        queries_once_a_group,
        "A group reads its queries once.",
        "Your kernel reads the queries of one head for each group. Keys and values are shared; "
        "each of the h query heads has its own queries.",
        "How many heads of queries are there?",
        "Queries and outputs belong to h heads, keys and values to kv.",
    ),
    said(
        "softmax-reads-again",
        softmax_reads_again,
        "Each step of a softmax reads its row.",
        "You count seven passes over the scores. A softmax in one kernel reads them once.",
        "How many bytes does the softmax of the example move?",
        "The row is read once and written once.",
    ),
    said(
        "read-only",
        read_only,
        "Only reading counts as traffic.",
        "Your bytes are those that the kernels read. Each of the four also writes its result.",
        "How many numbers does the first kernel of the example read, and how many does it write?",
        "Add q · k numbers for three kernels, and the output for the fourth.",
    ),
    said(
        "multiply-adds",
        multiply_adds,
        "A multiplication and its addition are one operation.",
        "Your products take one FLOP for each pair of numbers that meet. A multiplication whose "
        "result is added to a sum is two, as the prompt counts.",
        "How many multiplications and how many additions has a dot product of width d?",
        "The softmax is right; look at both products.",
    ),
    said(
        "products-only",
        products_only,
        "Only products of matrices count.",
        "Your FLOPs are those of the two products. The scale and the softmax run as kernels of "
        "their own here, and their FLOPs were asked for as well.",
        "What do the second and the third kernel compute for one score?",
        "Add 1 for the scale, and count a row of the softmax as the prompt does.",
    ),
    said(
        "one-product",
        one_product,
        "Attention is a product of queries and keys.",
        "Your FLOPs lack the last kernel: weights times values is a product as well.",
        "What does each output number sum up?",
        "An output is a sum of k products, and there are q · e outputs in a head.",
    ),
    said(
        "no-maximum",
        no_maximum,
        "A softmax is exponentials, a sum and divisions.",
        "Your FLOPs are 2k - 1 too few in each row, as if the softmax were exponentials, sum and "
        "division. A stable one finds the maximum and subtracts it first.",
        "What happens to a row before its first exponential?",
        "Finding the largest of k numbers takes k - 1 comparisons; then k subtractions.",
    ),
    said(
        "full-sums",
        full_sums,
        "A sum of k numbers takes k additions.",
        "You count 2 FLOPs too many in each row of the softmax. A sum of k numbers takes k - 1 "
        "additions, and the largest of k takes k - 1 comparisons.",
        "How many additions does a sum of one number take?",
        "Two of the five steps of a row take one FLOP less than k.",
    ),
    said(
        "one-full-sum",
        one_full_sum,
        "A sum of k numbers takes k additions, or a maximum k comparisons.",
        "You count 1 FLOP too many in each row of the softmax. A sum of k numbers takes k - 1 "
        "additions, and the largest of k takes k - 1 comparisons. You count k for one of the two.",
        "How many comparisons find the larger of two numbers?",
        "Two of the five steps of a row take one FLOP less than k.",
    ),
    said(
        "two-off-once",
        two_off_once,
        "The softmax of all scores takes two FLOPs less than five for each score.",
        "Your softmax takes 5 FLOPs for each score, less 2 for a whole matrix, or once in all. "
        "Each row has its own maximum and sum, so 2 FLOPs are spared in each row.",
        "How many rows of scores has one head with q queries?",
        "A row takes 5k - 2, and there are b · h · q rows.",
        variants=(partial(two_off_once, each="head"), partial(two_off_once, each="sequence")),
    ),
    said(
        "scale-forgotten",
        scale_forgotten,
        "The scale costs nothing.",
        "Your counts are those of three kernels. The division by the root of d is a kernel of its "
        "own here: it reads all scores, divides each, and writes them.",
        "Which four kernels does the prompt name?",
        "It has one FLOP for each score, and moves each score twice.",
    ),
    said(
        "fused",
        fused,
        "Scores never reach memory.",
        "Your bytes are those of queries, keys, values and outputs alone, as in one kernel that "
        "keeps its scores to itself. Here each of four kernels writes its result to memory.",
        "Where does the softmax find the scores?",
        "Count the inputs and the result of each kernel separately.",
    ),
    said(
        "written-only",
        written_only,
        "A result that was written need not be read.",
        "You count three passes over the scores, as if each matrix were only written, or only "
        "read. Each is written by one kernel, and the next reads it from memory again.",
        "What are the inputs of the softmax?",
        "Three kernels write a matrix of q × k, and three read one.",
    ),
    said(
        "in-place",
        in_place,
        "One of the four kernels moves no scores of its own.",
        "You count four passes over the scores. There are six: each of three matrices of q × k is "
        "written by one kernel and read by the next.",
        "Which matrices of q × k exist, from the first product to the last?",
        "They are the scores, the scaled scores and the weights.",
    ),
    said(
        "output-forgotten",
        output_forgotten,
        "Only inputs have to be moved.",
        "Your bytes lack the output, q × e numbers for each head: the last kernel writes it to "
        "memory.",
        "What does the last kernel write?",
        "Add the outputs, once for each query head.",
    ),
    said(
        "keys-for-each-head",
        keys_for_each_head,
        "Every query head reads its own keys.",
        "Your bytes do not depend on kv: you let each of the h heads read keys and values of its "
        "own. The heads of a group share them, and the kernel reads them once for all of these.",
        "Which of your arguments is not used?",
        "How many different matrices of keys are there?",
    ),
    said(
        "fewer-scores",
        fewer_scores,
        "With kv key heads there are kv attentions.",
        "You compute scores for kv heads only. Heads that share keys still have their own "
        "queries, scores and outputs, so each of the h heads computes them.",
        "How many rows of scores does your count have, and how many queries are there?",
        "Sharing changes the bytes of keys and values, and nothing else.",
    ),
    said(
        "one-cache",
        one_cache,
        "All sequences attend to the same keys.",
        "Your bytes hold one set of keys and values for the whole batch. Each of the b sequences "
        "has its own keys and values.",
        "Do two texts have the same keys?",
        "Everything here exists once for each sequence.",
        kind="form",
    ),
    said(
        "values-as-wide",
        values_as_wide,
        "Values are as wide as keys.",
        "Your FLOPs do not depend on e: they are those of values with the width d.",
        "Which of your arguments is not used?",
        "The last product and the output have width e.",
        kind="form",
    ),
    said(
        "widths-exchanged",
        widths_exchanged,
        "All vectors are equally wide.",
        "Your FLOPs are right. In your bytes something has the wrong width: queries and keys have "
        "d numbers each, values and outputs have e.",
        "Which width has each of the four matrices that are read or written besides the scores?",
        "The last kernel reads b · kv · k · e numbers of values, and writes b · h · q · e.",
        variants=tuple(partial(widths_exchanged, of=of) for of in ("outputs", "keys", "queries")),
        kind="form",
    ),
    said(
        "always-float32",
        always_float32,
        "A number takes 4 bytes.",
        "Your bytes do not depend on itemsize: you multiply by 4 whatever the numbers are.",
        "Which of your arguments is not used?",
        "Multiply the count of numbers by itemsize.",
        kind="form",
    ),
    said(
        "in-bits",
        in_bits,
        "The itemsize is in bits.",
        "Your bytes are an eighth of the right number. The itemsize is in bytes already: 2 for "
        "bfloat16, 4 for float32.",
        "How many bits has a number in float32?",
        "Leave the division by 8 out.",
    ),
    said(
        "numbers-not-bytes",
        numbers_not_bytes,
        "The traffic is a count of numbers.",
        "You return how many numbers are moved, not how many bytes.",
        "How many bytes does one of these numbers take?",
        "Multiply by itemsize.",
    ),
    said(
        "upside-down",
        upside_down,
        "Intensity is bytes over FLOPs.",
        "Both counts are right, and your intensity is bytes for each FLOP. It is the other way "
        "round.",
        "The intensity of a kernel that computes much and moves little is high. Is yours?",
        "FLOPs go above the line.",
    ),
    said(
        "per-number",
        per_number,
        "Intensity is FLOPs for each number moved.",
        "Both counts are right, and your intensity is FLOPs for each number, not for each byte.",
        "By which of your two results do you divide?",
        "Divide by the bytes.",
    ),
    said(
        "shorter-dot-products",
        shorter_dot_products,
        "A sum of d products takes d - 1 additions.",
        "Your products have 2d - 1 FLOPs for each number of the result. That is exact by hand, and "
        "not how they are counted here: every multiplication whose result is added to a sum is 2.",
        "Two queries meet three keys of width 2. How many FLOPs does the prompt count for that?",
        "A product of a × b and b × c takes 2abc. Only the sums of the softmax take k - 1.",
    ),
    said(
        "fewer-products",
        fewer_products,
        "Heads that share keys share the products with them.",
        "Your products are counted for kv heads instead of h. Sharing keys saves reading, but "
        "no arithmetic: each of the h query heads has its own products.",
        "Two heads share their keys. Do they have the same scores?",
        "kv appears in the bytes of keys and values, and nowhere else.",
    ),
    said(
        "one-matrix",
        one_matrix,
        "There is one matrix of scores, written once and read once.",
        "You count two passes over the scores, as if scale and softmax took place elsewhere. There "
        "are six: each of three matrices of q × k is written by one kernel and read by the next.",
        "What does the scale read, and what does it write?",
        "Scores, scaled scores and weights: each goes to memory and comes back.",
    ),
    said(
        "three-readings",
        three_readings,
        "A softmax reads its row for the maximum, for the sum and for the division.",
        "You count eight passes over the scores, as if the softmax read them three times. By the "
        "prompt, every kernel reads each of its inputs once.",
        "How often does a kernel read its input, by the rule above the first task?",
        "The softmax reads q · k numbers and writes q · k.",
    ),
    said(
        "mean-intensity",
        mean_intensity,
        "The intensity of four kernels is the mean of theirs.",
        "Both counts are right, and your intensity is the mean of those of the four kernels. A "
        "kernel that moves more bytes counts for more.",
        "One kernel does 100 FLOPs for 100 bytes, another none for 900. What do both together?",
        "Divide your first result by your second.",
    ),
    said(
        "one-sequence",
        one_sequence,
        "A count is for one sequence.",
        "Your counts do not depend on b. Each of the b sequences has its own FLOPs and bytes.",
        "Which of your arguments is not used?",
        "Multiply both counts by b.",
        kind="form",
    ),
    said(
        "one-head",
        one_head,
        "A count is for one head.",
        "Your counts do not depend on h: you let one query head compute. Each of the h heads "
        "has its own queries, scores and outputs.",
        "Which of your arguments is not used?",
        "Everything that has a row for each query exists h times.",
    ),
    said(
        "maximum-for-nothing",
        maximum_for_nothing,
        "Finding a maximum is not arithmetic.",
        "Your FLOPs are k - 1 too few in each row. The maximum takes k - 1 (a comparison is a "
        "FLOP here), and so does the sum. A scale that is counted once per row also leaves k - "
        "1 out.",
        "Does a comparison count as a FLOP in the prompt?",
        "A row takes 5k - 2.",
    ),
    said(
        "no-subtraction",
        no_subtraction,
        "The maximum is found and not used.",
        "Your FLOPs are k too few in each row. The scale takes k, and the softmax has five parts: "
        "maximum, subtraction, exponentials, sum, division.",
        "What becomes of the maximum once it is found?",
        "A row takes 5k - 2.",
    ),
    said(
        "softmax-at-once",
        softmax_at_once,
        "A softmax is one operation for each number.",
        "Your softmax takes one FLOP for each score. It finds the maximum, subtracts it, takes "
        "exponentials, adds them up and divides: five parts, each with nearly one FLOP for a "
        "score.",
        "How many comparisons, subtractions, exponentials, additions and divisions does a row "
        "of four take?",
        "A row takes 5k - 2.",
    ),
    said(
        "queries-not-read",
        queries_not_read,
        "Queries are there already.",
        "Your bytes lack the queries. The first kernel reads them, b · h · q · d numbers.",
        "Which two matrices does the first kernel multiply?",
        "Each kernel reads all of its inputs.",
    ),
    said(
        "values-not-read",
        values_not_read,
        "Values come with the keys.",
        "Your bytes lack the values. The last kernel reads them, b · kv · k · e numbers.",
        "Which two matrices does the last kernel multiply?",
        "Each kernel reads all of its inputs.",
    ),
    said(
        "rounded",
        rounded,
        "The intensity has three decimals.",
        "Both counts are right, and you round your intensity. The example rounds the returned "
        "value only to print it.",
        "Where is `round` in the example?",
        "Return the quotient as it is.",
        kind="form",
    ),
)
