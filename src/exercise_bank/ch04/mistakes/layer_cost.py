"""How 04.layer_cost goes wrong, with the messages."""

from collections.abc import Callable
from functools import partial

from exercise_bank.ch04.mistakes import layer_cost_code as code
from plaincourse.exercise import Misconception

Cost = Callable[..., tuple[int, int, int]]


def and_a_wrong_cache(mistake: Misconception) -> Misconception:
    """Return the same wrong count, also combined with each of the usual mistakes in the cache."""
    first, *more = (
        partial(code.also, counted=mistake.answer, cached=cached)
        for cached in (code.cache_of_all_heads, code.keys_only_cached, code.cache_of_queries)
    )
    return Misconception(
        name=f"{mistake.name}-and-a-wrong-cache",
        answer=first,
        variants=tuple(more),
        believed=mistake.believed,
        says=f"{mistake.says} Your third number is wrong for some sizes, too. Each of the k "
        "positions keeps a key and a value of width d for each of the g key/value heads.",
        hints=mistake.hints,
    )


def in_one_number(counted: Cost) -> tuple[Cost, ...]:
    """Return the same wrong count for the parameters alone, and for the multiplications alone."""
    return tuple(partial(code.in_one_number, counted=counted, place=place) for place in (0, 1))


ONE_BY_ONE = (
    Misconception(
        name="width-is-m-over-h",
        answer=code.width_is_m_over_h,
        believed="Heads always have width m / h.",
        says="You compute with d = m / h and ignore the d that you are given. The heads together "
        "need not be as wide as the model.",
        hints=(
            "Which of your arguments is not used?",
            "Here d is free. How wide are h heads together?",
            "Every m·h·d with d = m / h was m²; it no longer is.",
        ),
    ),
    Misconception(
        name="no-sharing",
        answer=code.no_sharing,
        believed="Each query head has a key head of its own.",
        says="Your numbers do not depend on g: you give every query head keys and values "
        "of its own.",
        hints=(
            "Which of your arguments is not used?",
            "How wide is the key projection with g key heads?",
            "g is in the sizes of the key and value matrices, and of the cache.",
        ),
    ),
    Misconception(
        name="memory-projected-for-all-heads",
        answer=code.memory_projected_for_all_heads,
        believed="Each query head has its memory projected.",
        says="Your multiplications count h heads of keys and values. The memory is projected once "
        "for each key/value head, of which there are g.",
        hints=(
            "How many columns have the matrices of keys and values in your parameters?",
            "Each position of the memory meets each of these parameters once.",
            "Keys and values together take 2 · k · n · g · d multiplications.",
        ),
    ),
    Misconception(
        name="attends-g-times",
        answer=code.attends_g_times,
        believed="With g key heads, attention is computed g times.",
        says="You count scores and averages for g heads. Each of the h query heads computes them, "
        "with keys and values that it shares.",
        hints=(
            "How many rows of weights does each query have?",
            "Scores and averages are counted for each query head.",
        ),
    ),
    Misconception(
        name="no-output-matrix",
        answer=code.no_output_matrix,
        variants=in_one_number(code.no_output_matrix),
        believed="A layer has three matrices.",
        says="You leave out the output projection, in the parameters, in the multiplications or in "
        "both.",
        hints=(
            "Which four matrices has the layer?",
            "How does the layer get from width h·d back to m?",
            "The output matrix is h·d × m, and is applied to q rows.",
        ),
    ),
    Misconception(
        name="memory-as-wide-as-x",
        answer=code.memory_as_wide_as_x,
        believed="The memory has the width of x.",
        says="Your parameters do not depend on n: you make keys and values from vectors of "
        "width m, but the memory has width n.",
        hints=(
            "Which of your arguments is not used?",
            "From which vectors are keys made?",
            "The key matrix leads from n to g·d.",
        ),
    ),
    Misconception(
        name="scores-only",
        answer=code.scores_only,
        believed="Attention is the product of queries and keys.",
        says="Your multiplications miss one of two products of the same size: queries times keys, "
        "or weights times values.",
        hints=(
            "Weights are q × k, values k × d.",
            "Each head takes q·k·d twice.",
        ),
    ),
    Misconception(
        name="keys-only-cached",
        answer=code.keys_only_cached,
        believed="Only keys are cached.",
        says="Your cache is half of the right one: both keys and values are kept.",
        hints=(
            "With the keys alone, what could a later query compute?",
            "What is averaged?",
            "Keys and values, each k × g·d.",
        ),
    ),
    Misconception(
        name="additions-too",
        answer=code.additions_too,
        believed="An addition counts like a multiplication.",
        says="Your number of multiplications is twice the right one: you count the additions too, "
        "as PyTorch's counter does.",
        hints=(
            "How many multiplications does a dot product of width 3 take?",
            "FLOPs count additions too. What was asked?",
            "Leave the factor 2 out.",
        ),
    ),
    Misconception(
        name="everything-at-q",
        answer=code.everything_at_q,
        believed="All projections are applied to q positions.",
        says="You count the projections of keys and values at q positions. They are made from the "
        "memory, which has k.",
        hints=(
            "How many rows has the memory?",
            "Which projections are applied to x, which to the memory?",
            "Keys and values are made at k positions.",
        ),
    ),
    Misconception(
        name="projections-only",
        answer=code.projections_only,
        believed="The cost of a layer is that of its matrices.",
        says="Your multiplications are those of the four projections alone. Scores and averages, "
        "which grow with q·k, are missing.",
        hints=(
            "Which products have no parameters?",
            "Scores, and averages.",
            "Add two products of q·k·d for each query head.",
        ),
    ),
    Misconception(
        name="cache-of-all-heads",
        answer=code.cache_of_all_heads,
        believed="Every query head keeps keys and values.",
        says="Your cache holds keys and values for each query head. The layer has only g key/value "
        "heads.",
        hints=(
            "How many key heads does the layer make?",
            "Heads that share keep one copy.",
            "k positions, g heads of width d, twice.",
        ),
    ),
    Misconception(
        name="cache-of-vectors",
        answer=code.cache_of_vectors,
        believed="The memory itself is kept.",
        says="You keep the memory's vectors, k·n numbers. Keys and values would have to be "
        "projected from these again.",
        hints=(
            "What must not be computed again?",
            "A query meets keys and values.",
            "Count the keys and the values.",
        ),
    ),
    Misconception(
        name="square-scores",
        answer=code.square_scores,
        believed="The weights are a q × q table.",
        says="You count scores and averages for q · q pairs. Each of q queries meets the k "
        "positions of the memory.",
        hints=(
            "What shape have the weights of a head?",
            "A query meets every position of the memory.",
            "Each of the two products takes q·k·d.",
        ),
    ),
    Misconception(
        name="cache-of-one-position",
        answer=code.cache_of_one_position,
        believed="The cache is that of a position.",
        says="Your cache is that of a single position. The memory has k of them.",
        hints=(
            "Does your cache grow with k?",
            "All of the memory is kept.",
            "Multiply by k.",
        ),
    ),
    Misconception(
        name="cache-of-queries",
        answer=code.cache_of_queries,
        believed="The queries are kept.",
        says="Your cache grows with q. Keys and values are kept for the memory, which has k "
        "positions.",
        hints=(
            "Which of x and memory are keys made from?",
            "The memory has k positions.",
            "Take k for q.",
        ),
    ),
    Misconception(
        name="one-head-attends",
        answer=code.one_head_attends,
        believed="Attention is computed once.",
        says="You count scores and averages once. Each of the h query heads has its own.",
        hints=(
            "How many tables of weights does the layer have?",
            "q·k·d is for one head.",
            "Multiply by h.",
        ),
    ),
    Misconception(
        name="output-from-the-memory",
        answer=code.output_from_the_memory,
        variants=in_one_number(code.output_from_the_memory),
        believed="The output is as wide as the memory.",
        says="You give the output matrix the width n. The layer's output is as wide as x, which "
        "has the width m.",
        hints=(
            "How wide is the output of the layer?",
            "Only keys and values know n.",
            "The output matrix is h·d × m.",
        ),
    ),
    Misconception(
        name="output-of-the-heads",
        answer=code.output_of_the_heads,
        variants=in_one_number(code.output_of_the_heads),
        believed="The output matrix is as wide as the heads.",
        says="You count h·d · h·d numbers for the output matrix. It leads back from the h·d "
        "numbers of all heads to the width m.",
        hints=(
            "Which width has the output of the layer?",
            "For which h and d are your numbers of parameters right?",
            "The output matrix has h·d rows and m columns.",
        ),
    ),
    Misconception(
        name="square-output",
        answer=code.square_output,
        variants=in_one_number(code.square_output),
        believed="The output matrix is m × m.",
        says="You count m · m numbers for the output matrix. It takes the heads side by side, h·d "
        "numbers, to the width m.",
        hints=(
            "How wide are h heads of width d side by side?",
            "For which h and d are your numbers of parameters right?",
            "The output matrix has h·d rows and m columns.",
        ),
    ),
    Misconception(
        name="with-biases",
        kind="form",
        answer=code.with_biases,
        believed="A projection has a bias.",
        says="Your parameters include biases, and the layer has none.",
        hints=(
            "Does the layer of the task have biases?",
            "Four matrices, and nothing else.",
            "Leave the biases out.",
        ),
    ),
    Misconception(
        name="in-another-order",
        kind="form",
        answer=code.in_another_order,
        believed="The order of the three is free.",
        says="You return the right three numbers in another order: first the parameters, then "
        "the multiplications, then the cache.",
        hints=(
            "Which of your numbers depends on q?",
            "The cache comes last.",
        ),
    ),
    Misconception(
        name="one-head-counted",
        answer=code.parameters_for_each_head,
        believed="The cost is that of a head.",
        says="Your numbers do not depend on h: you count a single head.",
        hints=(
            "How wide are h heads together?",
            "Queries and output have h·d columns or rows, keys and values g·d.",
            "Count all heads.",
        ),
    ),
    Misconception(
        name="output-at-k",
        answer=code.output_at_k,
        believed="The output matrix is applied to the memory's positions.",
        says="You count the output matrix, or the query matrix, at k positions. Both are needed "
        "at the q positions of x only.",
        hints=(
            "How many rows has the layer's output, and how many has x?",
            "The average for a query is one vector.",
            "Output and queries: q positions each.",
        ),
    ),
    Misconception(
        name="averages-of-one-head",
        answer=code.averages_of_one_head,
        believed="Only one of scores and averages is computed in every head.",
        says="You count one of the two products, scores or averages, for a single head. Each of "
        "the h query heads has scores and averages of its own.",
        hints=(
            "How many tables of weights does the layer have?",
            "Each table is multiplied by values.",
            "Each head takes q·k·d twice.",
        ),
    ),
)
#: These are also combined with a wrong cache, a second mistake.
BESIDES = (
    "memory-projected-for-all-heads",
    "attends-g-times",
    "memory-as-wide-as-x",
    "no-output-matrix",
    "scores-only",
    "additions-too",
    "everything-at-q",
    "projections-only",
    "square-scores",
    "one-head-attends",
    "square-output",
    "output-of-the-heads",
    "output-at-k",
    "averages-of-one-head",
)
MISCONCEPTIONS = (
    *ONE_BY_ONE,
    *(and_a_wrong_cache(mistake) for mistake in ONE_BY_ONE if mistake.name in BESIDES),
)
