"""How 10.attention_bytes goes wrong."""

from plaincourse.exercise import Misconception

Counts = tuple[float, float, float]


def answered(flops: float, nbytes: float) -> Counts:
    return flops, nbytes, flops / nbytes


def arithmetic(q: int, k: int, d: int, e: int, h: int, b: int) -> int:
    return b * h * q * (2 * k * d + k + 5 * k - 2 + 2 * k * e)


def traffic(q: int, k: int, d: int, e: int, h: int, kv: int, b: int) -> int:
    return b * (h * q * (d + e) + kv * k * (d + e) + 6 * h * q * k)


def multiply_adds(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (k * d + k + 5 * k - 2 + k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def products_only(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + 2 * k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def one_product(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + k + 5 * k - 2)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def no_maximum(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + k + 3 * k - 1 + 2 * k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def full_sums(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = b * h * q * (2 * k * d + k + 5 * k + 2 * k * e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def scale_forgotten(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    scores = b * h * q * k
    flops = arithmetic(q, k, d, e, h, b) - scores
    return answered(flops, itemsize * (traffic(q, k, d, e, h, kv, b) - 2 * scores))


def fused(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = b * (h * q * (d + e) + kv * k * (d + e))
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def written_only(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - 3 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def in_place(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - 2 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def output_forgotten(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - b * h * q * e
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def keys_for_each_head(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    numbers = traffic(q, k, d, e, h, h, b)
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def fewer_scores(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops = arithmetic(q, k, d, e, kv, b)
    return answered(flops, itemsize * traffic(q, k, d, e, kv, kv, b))


def one_cache(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = b * (h * q * (d + e) + 6 * h * q * k) + kv * k * (d + e)
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def values_as_wide(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, d, h, b)
    return answered(flops, itemsize * traffic(q, k, d, d, h, kv, b))


def always_float32(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    return answered(arithmetic(q, k, d, e, h, b), 4 * traffic(q, k, d, e, h, kv, b))


def in_bits(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    nbytes = itemsize * traffic(q, k, d, e, h, kv, b) / 8
    return answered(arithmetic(q, k, d, e, h, b), nbytes)


def numbers_not_bytes(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    return answered(arithmetic(q, k, d, e, h, b), traffic(q, k, d, e, h, kv, b))


def upside_down(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops, nbytes = arithmetic(q, k, d, e, h, b), itemsize * traffic(q, k, d, e, h, kv, b)
    return flops, nbytes, nbytes / flops


def per_number(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    flops, numbers = arithmetic(q, k, d, e, h, b), traffic(q, k, d, e, h, kv, b)
    return flops, itemsize * numbers, flops / numbers


def shorter_dot_products(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = arithmetic(q, k, d, e, h, b) - b * h * q * (k + e)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def fewer_products(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops = 2 * b * kv * q * k * (d + e) + b * h * q * (6 * k - 2)
    return answered(flops, itemsize * traffic(q, k, d, e, h, kv, b))


def one_matrix(q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) - 4 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def three_readings(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    numbers = traffic(q, k, d, e, h, kv, b) + 2 * b * h * q * k
    return answered(arithmetic(q, k, d, e, h, b), itemsize * numbers)


def mean_intensity(
    q: int, k: int, d: int, e: int, h: int, kv: int, b: int, itemsize: int
) -> Counts:
    flops, nbytes, _ = answered(
        arithmetic(q, k, d, e, h, b), itemsize * traffic(q, k, d, e, h, kv, b)
    )
    n = h * q * k
    steps = (
        (2 * n * d, h * q * d + kv * k * d + n),
        (n, 2 * n),
        (h * q * (5 * k - 2), 2 * n),
        (2 * n * e, n + kv * k * e + h * q * e),
    )
    return flops, nbytes, sum(f / (itemsize * numbers) for f, numbers in steps) / len(steps)


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
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
        "Your softmax takes 3k - 1 FLOPs a row: k exponentials, k - 1 additions, k divisions. A "
        "stable one finds the maximum and subtracts it first.",
        "What happens to a row before its first exponential?",
        "Finding the largest of k numbers takes k - 1 comparisons; then k subtractions.",
    ),
    said(
        "full-sums",
        full_sums,
        "A sum of k numbers takes k additions.",
        "You are 2 FLOPs too high in each row of the softmax, at every k. A sum of k numbers takes "
        "k - 1 additions, and the largest of k takes k - 1 comparisons.",
        "How many additions does a sum of one number take?",
        "Two of the five steps of a row take one FLOP less than k.",
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
        "Count for each kernel by itself what it reads and what it writes.",
    ),
    said(
        "written-only",
        written_only,
        "What was written need not be read.",
        "You count the scores once for each kernel that writes them. The next kernel reads them "
        "from memory again.",
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
        "Only what is read has to be moved.",
        "Your bytes lack the output, q × e numbers for each head: the last kernel writes it to "
        "memory.",
        "What does the last kernel write?",
        "Add the outputs, once for each query head.",
    ),
    said(
        "keys-for-each-head",
        keys_for_each_head,
        "Every query head reads keys of its own.",
        "Your bytes do not depend on kv: you let each of the h heads read keys and values of its "
        "own. The heads of a group share them, and the kernel reads them once for all of these.",
        "Which of your arguments is not used?",
        "How many different matrices of keys are there?",
    ),
    said(
        "fewer-scores",
        fewer_scores,
        "With kv key heads there are kv attentions.",
        "Your counts do not depend on h: you compute scores for kv heads only. Heads that share "
        "keys still have queries, scores and outputs of their own.",
        "Which of your arguments is not used?",
        "Sharing changes what is read of keys and values, and nothing else.",
    ),
    said(
        "one-cache",
        one_cache,
        "All sequences attend to the same keys.",
        "Your bytes hold one set of keys and values for the whole batch. Each of the b sequences "
        "has keys and values of its own.",
        "Do two texts have the same keys?",
        "Everything here exists once for each sequence.",
    ),
    said(
        "values-as-wide",
        values_as_wide,
        "Values are as wide as keys.",
        "Your counts do not depend on e: you give the values the width d.",
        "Which of your arguments is not used?",
        "The last product and the output have width e.",
    ),
    said(
        "always-float32",
        always_float32,
        "A number takes 4 bytes.",
        "Your bytes do not depend on itemsize: you multiply by 4 whatever the numbers are.",
        "Which of your arguments is not used?",
        "Multiply the count of numbers by itemsize.",
    ),
    said(
        "in-bits",
        in_bits,
        "The itemsize is in bits.",
        "Your bytes are an eighth of what they should be. The itemsize is in bytes already: 2 for "
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
        "Your products are those of kv heads. Sharing keys saves reading, and no arithmetic: each "
        "of the h query heads has products of its own.",
        "Two heads share their keys. Do they have the same scores?",
        "kv stands in the bytes of keys and values, and nowhere else.",
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
        "Your softmax reads its scores three times. The prompt lets every kernel read each of its "
        "inputs once: the row stays on the chip until it is done.",
        "How often does a kernel read its input, by the rule above the first task?",
        "The softmax reads q · k numbers and writes as many.",
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
)
