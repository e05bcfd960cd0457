"""How 04.layer_cost goes wrong."""

from plaincourse.exercise import Misconception


def width_is_m_over_h(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    d = m // h
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def no_sharing(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * h * d
    projected = 2 * q * m * h * d + 2 * k * n * h * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * h * d


def attends_g_times(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * kv * q * k * d, 2 * k * kv * d


def no_output_matrix(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = m * h * d + 2 * n * kv * d
    projected = q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def memory_as_wide_as_x(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * m * kv * d
    projected = 2 * q * m * h * d + 2 * k * m * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def scores_only(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + h * q * k * d, 2 * k * kv * d


def keys_only_cached(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected + 2 * h * q * k * d, k * kv * d


def additions_too(m: int, n: int, h: int, kv: int, d: int, q: int, k: int) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, 2 * (projected + 2 * h * q * k * d), 2 * k * kv * d


def everything_at_q(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * q * n * kv * d
    return parameters, projected + 2 * h * q * k * d, 2 * k * kv * d


def projections_only(
    m: int, n: int, h: int, kv: int, d: int, q: int, k: int
) -> tuple[int, int, int]:
    parameters = 2 * m * h * d + 2 * n * kv * d
    projected = 2 * q * m * h * d + 2 * k * n * kv * d
    return parameters, projected, 2 * k * kv * d


MISCONCEPTIONS = (
    Misconception(
        name="width-is-m-over-h",
        answer=width_is_m_over_h,
        believed="Heads always have width m / h.",
        says="You compute with d = m / h and ignore the d that you are given: your numbers "
        "are right only where heads together are as wide as the model.",
        hints=(
            "Which of your arguments is not used?",
            "Here d is free. How wide are h heads together?",
            "Every m·h·d with d = m / h was m²; it no longer is.",
        ),
    ),
    Misconception(
        name="no-sharing",
        answer=no_sharing,
        believed="There are as many key heads as query heads.",
        says="Your numbers do not depend on g: you give every query head keys and values "
        "of its own.",
        hints=(
            "Which of your arguments is not used?",
            "How wide is the key projection with g key heads?",
            "g stands in the key and value matrices, and in the cache.",
        ),
    ),
    Misconception(
        name="attends-g-times",
        answer=attends_g_times,
        believed="With g key heads, attention is computed g times.",
        says="Your parameters and cache are right, your multiplications too few with g < "
        "h: each of the h query heads still scores and averages, with keys that it "
        "shares.",
        hints=(
            "How many rows of weights does each query have?",
            "Scores and averages are counted for each query head.",
        ),
    ),
    Misconception(
        name="no-output-matrix",
        answer=no_output_matrix,
        believed="A layer has three matrices.",
        says="You leave out the output projection, in the parameters and in the multiplications.",
        hints=(
            "Which four matrices has the layer?",
            "How does the layer get from width h·d back to m?",
            "The output matrix is h·d × m, and is applied to q rows.",
        ),
    ),
    Misconception(
        name="memory-as-wide-as-x",
        answer=memory_as_wide_as_x,
        believed="The memory has the width of x.",
        says="Your numbers do not depend on n: you make keys and values from vectors of "
        "width m, but the memory has width n.",
        hints=(
            "Which of your arguments is not used?",
            "From which vectors are keys made?",
            "The key matrix leads from n to g·d.",
        ),
    ),
    Misconception(
        name="scores-only",
        answer=scores_only,
        believed="Attention is the product of queries and keys.",
        says="Your multiplications miss the weighted averages: weights times values is a "
        "product as large as queries times keys.",
        hints=(
            "Weights are q × k, values k × d.",
            "Each head takes q·k·d twice.",
        ),
    ),
    Misconception(
        name="keys-only-cached",
        answer=keys_only_cached,
        believed="Only keys are cached.",
        says="Your cache is half of what is needed: the values are kept as well.",
        hints=(
            "With the keys alone, what could a later query compute?",
            "What is averaged?",
            "Keys and values, each k × g·d.",
        ),
    ),
    Misconception(
        name="additions-too",
        answer=additions_too,
        believed="An addition counts like a multiplication.",
        says="Your multiplications are twice as many as asked: you count the additions "
        "too, as PyTorch's counter does.",
        hints=(
            "How many multiplications does a dot product of width 3 take?",
            "FLOPs count additions too. What was asked?",
            "Leave the factor 2 out.",
        ),
    ),
    Misconception(
        name="everything-at-q",
        answer=everything_at_q,
        believed="All projections are applied to q positions.",
        says="Your multiplications are right where q = k: you project keys and values at q "
        "positions, but the memory has k.",
        hints=(
            "How many rows has the memory?",
            "Which projections are applied to x, which to the memory?",
            "Keys and values are made at k positions.",
        ),
    ),
    Misconception(
        name="projections-only",
        answer=projections_only,
        believed="The cost of a layer is that of its matrices.",
        says="Your multiplications are those of the four projections. They do not contain "
        "q·k, so attending itself is missing.",
        hints=(
            "Which products have no parameters?",
            "Scores, and averages.",
            "Add two products of q·k·d for each query head.",
        ),
    ),
)
