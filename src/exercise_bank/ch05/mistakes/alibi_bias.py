"""How 05.alibi_bias goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def powers(n: int) -> list[float]:
    return [2 ** (-8 * i / n) for i in range(1, n + 1)]


def published(n_heads: int) -> list[float]:
    below = 2 ** (n_heads.bit_length() - 1)
    return powers(below) + powers(2 * below)[::2][: n_heads - below]


def taxed(slopes: list[float], q: int, k: int) -> Tensor:
    distance = (torch.arange(k - q, k)[:, None] - torch.arange(k)).abs()
    return -torch.tensor(slopes, dtype=torch.float64)[:, None, None] * distance


def plus(n_heads: int, q: int, k: int) -> Tensor:
    return -taxed(published(n_heads), q, k)


def top_left(n_heads: int, q: int, k: int) -> Tensor:
    distance = (torch.arange(q)[:, None] - torch.arange(k)).abs()
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def one_formula(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(powers(n_heads), q, k)


def same_ratio(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    return taxed([2 ** (-8 * i / below) for i in range(1, n_heads + 1)], q, k)


def cut_off(n_heads: int, q: int, k: int) -> Tensor:
    above = 1
    while above < n_heads:
        above *= 2
    return taxed(powers(above)[:n_heads], q, k)


def sorted_slopes(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(sorted(published(n_heads), reverse=True), q, k)


def first_above(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    return taxed(powers(below) + powers(2 * below)[: n_heads - below], q, k)


def no_absolute(n_heads: int, q: int, k: int) -> Tensor:
    back = torch.arange(k - q, k)[:, None] - torch.arange(k)
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * back


def from_zero(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    first = [2 ** (-8 * i / below) for i in range(below)]
    between = [2 ** (-4 * i / below) for i in range(0, 2 * below, 2)]
    return taxed(first + between[: n_heads - below], q, k)


def flat_first(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(published(n_heads)[::-1], q, k)


def second_of_each(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    return taxed(powers(below) + powers(2 * below)[1::2][: n_heads - below], q, k)


def in_float32(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(published(n_heads), q, k).float()


def halving(n_heads: int, q: int, k: int) -> Tensor:
    return taxed([2.0**-n for n in range(1, n_heads + 1)], q, k)


def causal(n_heads: int, q: int, k: int) -> Tensor:
    ahead = torch.arange(k) > torch.arange(k - q, k)[:, None]
    return taxed(published(n_heads), q, k).masked_fill(ahead, -torch.inf)


def a_billion_ahead(n_heads: int, q: int, k: int) -> Tensor:
    return causal(n_heads, q, k).clamp(min=-1e9)


def free_ahead(n_heads: int, q: int, k: int) -> Tensor:
    ahead = torch.arange(k) > torch.arange(k - q, k)[:, None]
    return taxed(published(n_heads), q, k).masked_fill(ahead, 0.0)


def one_more(n_heads: int, q: int, k: int) -> Tensor:
    slopes = torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None]
    return taxed(published(n_heads), q, k) - slopes


def heads_last(n_heads: int, q: int, k: int) -> Tensor:
    return taxed(published(n_heads), q, k).movedim(0, -1)


def same_for_all(n_heads: int, q: int, k: int) -> Tensor:
    return taxed([2.0**-8] * n_heads, q, k)


def between_first(n_heads: int, q: int, k: int) -> Tensor:
    below = 2 ** (n_heads.bit_length() - 1)
    return taxed(powers(2 * below)[::2][: n_heads - below] + powers(below), q, k)


def from_the_last_key(n_heads: int, q: int, k: int) -> Tensor:
    distance = (k - 1 - torch.arange(k)).expand(q, k)
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


def squared(n_heads: int, q: int, k: int) -> Tensor:
    distance = (torch.arange(k - q, k)[:, None] - torch.arange(k)).square()
    return -torch.tensor(published(n_heads), dtype=torch.float64)[:, None, None] * distance


MISCONCEPTIONS = (
    said(
        "from-the-last-key",
        from_the_last_key,
        "Distances are counted from the end of the text.",
        "All your queries have the same distances, counted from the last key. Each query counts "
        "from its own position.",
        "With q = k, what is the distance of query 0 to key 0?",
        "Query i is at position i + k − q.",
    ),
    said(
        "squared",
        squared,
        "The penalty is the square of the distance.",
        "Your bias grows with the square of the distance. ALiBi is linear: each further step costs "
        "the slope once more.",
        "What does a key two steps away cost, in slopes?",
        "Leave out the square.",
    ),
    Misconception(
        name="plus",
        answer=plus,
        believed="The bias is slope times distance.",
        says="Your bias grows with the distance: far keys win. It should be 0 on the own position "
        "and negative elsewhere.",
        hints=(
            "Which key should lose most?",
            "Softmax rewards large scores.",
            "A sign.",
        ),
    ),
    Misconception(
        name="top-left",
        answer=top_left,
        believed="Query 0 is at position 0.",
        says="You put the first query at position 0. That is right for q = k; with fewer queries "
        "than keys, the queries are the last q positions.",
        hints=(
            "One query, five keys, as in cached decoding. Which key is nearest to it?",
            "Query i is at position i + k − q.",
            "Let the positions of the queries end where those of the keys end.",
        ),
    ),
    Misconception(
        name="one-formula",
        answer=one_formula,
        believed="The formula holds for any number of heads.",
        says="Your slopes are 2 to the power −8(r + 1)/h for every h. That is right for powers of "
        "two; for 3, 6 or 12 heads the published code has other slopes.",
        hints=(
            "Which slopes has a model with 6 heads in the published code?",
            "Begin with the slopes of the power of two below.",
            "Fill up with every other slope of twice as many heads.",
        ),
    ),
    Misconception(
        name="same-ratio",
        answer=same_ratio,
        believed="Further heads go on where the power of two ends.",
        says="Your slopes are right up to the power of two below h. The heads beyond it go on with "
        "the same ratio, below 2⁻⁸, where they hardly tax any distance; in the published code they "
        "lie between the others.",
        hints=(
            "Which is the smallest slope of a model with 6 heads in the published code?",
            "No slope is below 2 to the power −8.",
            "Fill up with every other slope of twice as many heads.",
        ),
    ),
    Misconception(
        name="cut-off",
        answer=cut_off,
        believed="Take the slopes of the next power of two, and drop the last.",
        says="For 6 heads you take the first 6 slopes of 8, so that the flattest are missing.",
        hints=(
            "Which is your flattest slope for 6 heads? It should be 1/256.",
            "Begin with the power of two below, not above.",
            "From the one above, take every other slope, and only as many as are missing.",
        ),
    ),
    Misconception(
        name="sorted",
        answer=sorted_slopes,
        believed="Slopes fall from head to head.",
        says="You have the right slopes in another order. Yours are sorted from steep to flat. In "
        "the published code the slopes of the power of two come first, and the further heads come "
        "behind them.",
        hints=(
            "Which slope has head 2 of 3?",
            "The heads of the power of two come first.",
            "Append, and do not sort.",
        ),
    ),
    Misconception(
        name="no-absolute",
        answer=no_absolute,
        believed="Keys are never later than the query.",
        says="Keys after the query get a positive bias from you, larger with the distance. The "
        "task asks for the distance in both directions.",
        hints=(
            "What is the distance of position 0 to position 3?",
            "A distance has no sign.",
            "Something is missing around the difference.",
        ),
    ),
    Misconception(
        name="from-zero",
        answer=from_zero,
        believed="The first head has n = 0.",
        says="Your first head has the slope 1, and your flattest is too steep: n counts from 1.",
        hints=(
            "Which slope has the first of 8 heads?",
            "It should be 1/2, and the last 1/256.",
            "Where does n begin?",
        ),
    ),
    Misconception(
        name="flat-first",
        answer=flat_first,
        believed="The order of heads does not matter.",
        says="Your slopes come in the reverse order: your first head has the slope of the last.",
        hints=(
            "Which slope has the first of 8 heads?",
            "A checkpoint has learned with head 0 steep.",
            "The order.",
        ),
    ),
    Misconception(
        name="second-of-each",
        answer=second_of_each,
        believed="Every other slope begins with the second.",
        says="For 3 heads two of yours have the same slope: of the slopes of the power of two "
        "above you take the second, fourth and so on, which are those of the power below again.",
        hints=(
            "Print the slopes of 4 heads and of 8 heads. Which do they share?",
            "Those that they share would be there twice.",
            "Take the first, the third, the fifth.",
        ),
    ),
    said(
        "in-float32",
        in_float32,
        "Any float will do.",
        "Your numbers are right, and their dtype is float32. The task asks for float64.",
        "What dtype has your tensor of slopes?",
        "Give torch.tensor dtype=torch.float64.",
        kind="form",
    ),
    said(
        "first-slopes-above",
        first_above,
        "What is missing are the first slopes of the power of two above.",
        "For a number of heads between two powers of two you fill up with the slopes of the power "
        "above one after the other. Every second of those belongs to the power below, so with 6 "
        "heads two of yours have the slope 1/4.",
        "Print the slopes of 4 heads and of 8 heads. Which do they share?",
        "Those that they share would be there twice.",
        "Take the first, the third, the fifth.",
    ),
    said(
        "halved-from-head-to-head",
        halving,
        "The slopes are 1/2, 1/4, 1/8, …",
        "Your slopes halve from head to head. That holds for 8 heads only: the last slope is 1/256 "
        "for any power of two.",
        "What is the slope of a single head?",
        "The exponents run evenly up to 8.",
        "Head n of h has the exponent 8n/h.",
    ),
    said(
        "causal",
        causal,
        "ALiBi is for decoders.",
        "You forbid what stands ahead. Nobody asks for a mask here: distance costs in both "
        "directions.",
        "What does query 0 pay for key 2?",
        "Leave out the mask.",
        variants=(a_billion_ahead,),
    ),
    said(
        "free-ahead",
        free_ahead,
        "Only what lies behind costs.",
        "You give keys after the query a bias of 0. Distance counts in both directions.",
        "What does query 0 pay for key 2?",
        "Take the distance without its sign.",
    ),
    said(
        "one-step-too-many",
        one_more,
        "The nearest key is one step away.",
        "Your query pays one step for itself. Its distance from itself is 0.",
        "What is on your diagonal?",
        "Distances count from 0.",
    ),
    said(
        "heads-last",
        heads_last,
        "The order of axes does not matter.",
        "Your heads are the last axis; the shape asked for is (h, q, k).",
        "To what is the bias added, and what shape has that?",
        "Put the heads first.",
    ),
    said(
        "one-slope-for-all",
        same_for_all,
        "There is one slope.",
        "All your heads have the slope 1/256. Each head has its own, from steep to flat.",
        "What are the slopes of 8 heads?",
        "They begin with 1/2 there.",
    ),
    said(
        "between-first",
        between_first,
        "The heads that are left over come first.",
        "You have the right slopes in another order: the slopes of the power of two come first.",
        "What are the first 4 of 6 slopes?",
        "Swap the two lists.",
    ),
)
