"""How 11.merge goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception

Summary = tuple[Tensor, Tensor, Tensor]


def fades(m_a: Tensor, m_b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    m = torch.maximum(m_a, m_b)
    anchor = m.masked_fill(m == -torch.inf, 0.0)
    return m, torch.exp(m_a - anchor), torch.exp(m_b - anchor)


def no_fading(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    return torch.maximum(m_a, m_b), l_a + l_b, o_a + o_b


def b_is_newer(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade, _ = fades(m_a, m_b)
    return m, l_a * fade + l_b, o_a * fade[:, None] + o_b


def turned_round(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.maximum(m_a, m_b)
    anchor = m.masked_fill(m == -torch.inf, 0.0)
    up_a, up_b = torch.exp(anchor - m_a), torch.exp(anchor - m_b)
    return m, l_a * up_a + l_b * up_b, o_a * up_a[:, None] + o_b * up_b[:, None]


def values_not_faded(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a * fade_a + l_b * fade_b, o_a + o_b


def sum_not_faded(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a + l_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def finished(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    total = l_a * fade_a + l_b * fade_b
    out = o_a * fade_a[:, None] + o_b * fade_b[:, None]
    return m, total, out / total.masked_fill(total == 0, 1.0)[:, None]


def weighted_twice(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    part_a, part_b = l_a * fade_a, l_b * fade_b
    return m, part_a + part_b, o_a * part_a[:, None] + o_b * part_b[:, None]


def nan_for_nothing(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.maximum(m_a, m_b)
    fade_a, fade_b = torch.exp(m_a - m), torch.exp(m_b - m)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def zero_for_nothing(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    out = o_a * fade_a[:, None] + o_b * fade_b[:, None]
    return m.masked_fill(m == -torch.inf, 0.0), l_a * fade_a + l_b * fade_b, out


def either_empties(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    total = l_a * fade_a + l_b * fade_b
    out = o_a * fade_a[:, None] + o_b * fade_b[:, None]
    empty = (m_a == -torch.inf) | (m_b == -torch.inf)
    return m, total.masked_fill(empty, 0.0), out.masked_fill(empty[:, None], 0.0)


def one_maximum(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    largest = torch.maximum(m_a, m_b).max()
    m = largest.expand(len(m_a)).clone()
    anchor = 0.0 if largest == -torch.inf else largest
    fade_a, fade_b = torch.exp(m_a - anchor), torch.exp(m_b - anchor)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def from_zero(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.maximum(m_a, m_b)
    anchor = m.masked_fill(m == -torch.inf, 0.0)
    part_a, part_b = torch.exp(m_a), torch.exp(m_b)
    total = (l_a * part_a + l_b * part_b) / torch.exp(anchor)
    out = (o_a * part_a[:, None] + o_b * part_b[:, None]) / torch.exp(anchor)[:, None]
    return m, total, out


def along_the_width(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a * fade_a + l_b * fade_b, o_a * fade_a + o_b * fade_b


def a_is_older(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, _, fade = fades(m_a, m_b)
    return m, l_a + l_b * fade, o_a + o_b * fade[:, None]


def factors_swapped(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m, fade_a, fade_b = fades(m_a, m_b)
    return m, l_a * fade_b + l_b * fade_a, o_a * fade_b[:, None] + o_b * fade_a[:, None]


def smaller_maximum(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m = torch.minimum(m_a, m_b)
    safe = m.masked_fill(m == -torch.inf, 0.0)
    up_a, up_b = torch.exp(m_a - safe), torch.exp(m_b - safe)
    return m, l_a * up_a + l_b * up_b, o_a * up_a[:, None] + o_b * up_b[:, None]


def newest_maximum(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    fade = torch.nan_to_num(torch.exp(m_a - m_b))
    return m_b.clone(), l_a * fade + l_b, o_a * fade[:, None] + o_b


def finite_for_nothing(
    m_a: Tensor, l_a: Tensor, o_a: Tensor, m_b: Tensor, l_b: Tensor, o_b: Tensor
) -> Summary:
    m_a, m_b = m_a.clamp(min=-1e9), m_b.clamp(min=-1e9)
    m, fade_a, fade_b = fades(m_a, m_b)
    total = l_a * fade_a + l_b * fade_b
    return m, total, o_a * fade_a[:, None] + o_b * fade_b[:, None]


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "no-fading",
        no_fading,
        "Sums can be added as they are.",
        "Your l is l_a + l_b and your o is o_a + o_b, whatever the maxima are. The two blocks "
        "count in different units: one of l_a stands for exp(m_a), one of l_b for exp(m_b).",
        "Two blocks have one key each, with scores 0 and 5. What are their l, and what should the "
        "merged l be?",
        "Bring both to the unit exp(m) before you add.",
        "Multiply each by the exponential of its own maximum minus the new one.",
    ),
    said(
        "b-is-newer",
        b_is_newer,
        "The second block has the larger maximum.",
        "You fade block a and take block b as it is. Where b has the smaller maximum, its l and o "
        "are in a smaller unit than the result, and you count them too high.",
        "What do you get if you exchange a and b?",
        "At most one of the two factors is below 1; which one depends on the row.",
        "Give b a factor of its own, from m_b and the new maximum.",
    ),
    said(
        "a-is-older",
        a_is_older,
        "The first block has the larger maximum.",
        "You fade block b and take block a as it is. Where a has the smaller maximum, its l and o "
        "are in a smaller unit than the result, and you count them too high.",
        "What do you get if you exchange a and b?",
        "At most one of the two factors is below 1; which one depends on the row.",
        "Give a a factor of its own, from m_a and the new maximum.",
    ),
    said(
        "factors-swapped",
        factors_swapped,
        "Each block is multiplied by the other's factor.",
        "Your two factors have changed places: the block with the larger maximum is faded, and the "
        "other is taken as it is.",
        "Which block's exponentials were taken from a maximum that is too small?",
        "The block that holds the new maximum keeps its sums.",
        "Put m_a into the factor of l_a and o_a.",
    ),
    said(
        "smaller-maximum",
        smaller_maximum,
        "Any common maximum will do.",
        "You bring both blocks to the smaller of the two maxima. Your factors are above 1, and inf "
        "where the maxima lie 1000 apart or one block saw nothing.",
        "Which of the two maxima is the largest score of both blocks together?",
        "From which of them are all exponents at most 0?",
        "Take the larger.",
    ),
    said(
        "newest-maximum",
        newest_maximum,
        "The new maximum is that of the second block.",
        "You return m_b as the new maximum. Where m_a is larger, your factor is above 1, and it "
        "overflows once the two lie far apart.",
        "Can the largest score of both blocks be smaller than that of one of them?",
        "Each row has to find out for itself which of m_a and m_b is larger.",
        "Take torch.maximum(m_a, m_b), and give each block the factor that leads to it.",
    ),
    said(
        "finite-for-nothing",
        finite_for_nothing,
        "A large negative number is as good as -inf.",
        "Your l and o are right. Where neither block saw anything you return m = -1e9 or the like, "
        "which is a score that some key could have; the prompt asks for -inf.",
        "What is the maximum of no scores?",
        "A finite number is needed in the exponents only.",
        "Return the plain maximum of m_a and m_b.",
    ),
    said(
        "turned-round",
        turned_round,
        "The factor is exp(new - old).",
        "Your factors are above 1: you magnify the block with the smaller maximum. Seen from a "
        "larger maximum, an exponential exp(score - m) is smaller.",
        "A key of score 0 counts 1 while m is 0. What does it count once m is 3?",
        "The exponent is never positive.",
        "Subtract the new maximum from the old one.",
    ),
    said(
        "values-not-faded",
        values_not_faded,
        "Only the denominator needs a correction.",
        "Your l is right, and your o is o_a + o_b. Numerator and denominator hold the same "
        "exponentials, so what fades one fades the other.",
        "Merge two blocks whose values are all 1. What should o / l be, and what is yours?",
        "o is a sum of exp(score - m) · value, with the same m as in l.",
        "Multiply o_a and o_b by the factors that you use for l.",
    ),
    said(
        "sum-not-faded",
        sum_not_faded,
        "Only the values need a correction.",
        "Your o is right, and your l is l_a + l_b. Numerator and denominator hold the same "
        "exponentials, so what fades one fades the other.",
        "Merge two blocks whose values are all 1. What should o / l be, and what is yours?",
        "l is a sum of exp(score - m), with the same m as in o.",
        "Multiply l_a and l_b by the factors that you use for o.",
    ),
    said(
        "already-divided",
        finished,
        "o is the output.",
        "You return o divided by l. The next merge would multiply it by a factor and add: o must "
        "stay the plain sum, and the division comes once, at the very end.",
        "What would a third block need from this result?",
        "The prompt defines o as a sum of exp(score - m) · value.",
        "Leave the division out.",
    ),
    said(
        "weighted-twice",
        weighted_twice,
        "o is an average that has to be weighted by l.",
        "You multiply o_a by l_a, and o_b by l_b. That would be right for finished averages; here "
        "o is a sum already, in which each value carries its exponential.",
        "A block has two equal scores and the values 1 and 1. What are its l and o?",
        "How is o defined in the prompt: a sum or an average?",
        "Use for o the same factors as for l, without l in them.",
    ),
    said(
        "nan-for-nothing",
        nan_for_nothing,
        "exp(m_a - m) is a number for any m.",
        "Your result is right until neither block has seen anything. There -inf - -inf is nan, and "
        "so is your row.",
        "What is exp(m_a - m) when both are -inf?",
        "Nothing merged with nothing is nothing: m = -inf, l = 0, o = 0.",
        "Subtract a finite number where m is -inf. The factors become exp(-inf) = 0.",
    ),
    said(
        "zero-for-nothing",
        zero_for_nothing,
        "A row that saw nothing has maximum 0.",
        "Where neither block has seen anything you return m = 0. A later block whose largest score "
        "is -3 would then be merged below a maximum that no key has; m must stay -inf.",
        "Which number is smaller than every score?",
        "You need a finite number for the subtraction, and it need not be what you return.",
        "Keep m and the number that you subtract in two variables.",
    ),
    said(
        "either-empties",
        either_empties,
        "A row with -inf on one side is empty.",
        "Where one block saw nothing you return l = 0 and o = 0, and drop what the other has seen.",
        "What is the merge of something with nothing?",
        "Only where *both* maxima are -inf is there nothing.",
        "Let the factor of the empty side become exp(-inf) = 0 by itself.",
    ),
    said(
        "one-maximum",
        one_maximum,
        "There is one largest score.",
        "Your m is the same for all rows, the largest of all. Each query has scores of its own, "
        "and a row far below the others would vanish.",
        "What is the largest score of row 0?",
        "maximum() compares two tensors element by element; max() runs over all.",
        "Use torch.maximum(m_a, m_b) alone.",
    ),
    said(
        "from-zero",
        from_zero,
        "exp(m) is a number that can be used on the way.",
        "You compute exp(m_a) itself. It is right for small maxima; at 1000 it is inf, and at "
        "-2000 it is 0, which gives nan in the division.",
        "What is math.exp(1000)?",
        "exp(m_a) / exp(m) can be written with one exponential.",
        "Subtract first, then take the exponential.",
    ),
    said(
        "along-the-width",
        along_the_width,
        "A factor per row multiplies rows.",
        "You multiply o, of shape (q, e), by factors of shape (q,). Their axis meets e: with q = e "
        "that fades features instead of rows, and with other sizes it raises an error.",
        "Which axis of o does a tensor of shape (q,) meet in a product?",
        "The factors need a last axis of length 1.",
        "Write fade[:, None] where o is multiplied.",
    ),
)
