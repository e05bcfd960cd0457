"""How 11.lazy goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception

Both = tuple[Tensor, Tensor]


def walk(
    scores: Tensor,
    value: Tensor,
    block: int,
    tau: float,
    *,
    at_least: bool = False,
    either_way: bool = False,
    together: bool = False,
    first_counts: bool = False,
    fade_sum: bool = True,
    fade_out: bool = True,
    only_by_tau: bool = False,
    once: bool = False,
) -> Both:
    """Walk lazily over the blocks, with one rule or another."""
    q = len(scores)
    used, total = torch.full((q,), -torch.inf), torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        moves = top >= used + tau if at_least else top > used + tau
        if either_way:
            moves = moves | ((used - top > tau) & (top > -torch.inf))
        if together:
            moves = moves.any().expand(q) & (top > used)
        if once:
            moves = moves & (count < 1)
        known = used > -torch.inf
        count = count + (moves & (known | first_counts)).to(torch.int64)
        new = torch.where(moves, top, used)
        if only_by_tau:
            new = torch.where(moves & known, used + tau, new)
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(used - safe), torch.exp(part - safe[:, None])
        total = (total * fade if fade_sum else total) + weights.sum(dim=1)
        held = out * fade[:, None] if fade_out else out
        out = held + weights @ value[start : start + block]
        used = new
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def never_lazy(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, 0.0)


def tau_included(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, at_least=True)


def falls_count(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, either_way=True)


def all_rows_together(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, together=True)


def first_block_counts(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, first_counts=True)


def values_kept(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, fade_out=False)


def sum_kept(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, fade_sum=False)


def only_once(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, once=True)


def by_tau(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, block, tau, only_by_tau=True)


def never_rescaled(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    first = scores[:, :block].amax(dim=1, keepdim=True)
    weights = torch.exp(scores - first)
    total = weights.sum(dim=1, keepdim=True)
    return weights @ value / total, torch.zeros(len(scores), dtype=torch.int64)


def moved_but_not_rescaled(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    q = len(scores)
    m, total = torch.full((q,), -torch.inf), torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        new = torch.maximum(m, part.amax(dim=1))
        moves = new > m + tau
        count = count + (moves & (m > -torch.inf)).to(torch.int64)
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade = torch.where(moves, torch.exp(m - safe), 1.0)
        weights = torch.exp(part - safe[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        m = new
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def from_the_largest(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    q = len(scores)
    used, seen = torch.full((q,), -torch.inf), torch.full((q,), -torch.inf)
    total, out = torch.zeros(q), torch.zeros(q, value.shape[1])
    count = torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        moves = top > seen + tau
        count = count + (moves & (used > -torch.inf)).to(torch.int64)
        new = torch.where(moves, top, used)
        safe = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(used - safe), torch.exp(part - safe[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        used, seen = new, torch.maximum(seen, top)
    return out / total.masked_fill(total == 0, 1.0)[:, None], count


def from_the_last_block(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, _ = walk(scores, value, block, tau)
    tops = torch.stack([part.amax(dim=1) for part in scores.split(block, dim=1)])
    jumps = (tops[1:] > tops[:-1] + tau) & (tops[:-1] > -torch.inf)
    return output, jumps.sum(dim=0)


def nan_for_nothing(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    q = len(scores)
    used, total = torch.full((q,), -torch.inf), torch.zeros(q)
    out, count = torch.zeros(q, value.shape[1]), torch.zeros(q, dtype=torch.int64)
    for start in range(0, scores.shape[1], block):
        part = scores[:, start : start + block]
        top = part.amax(dim=1)
        moves = top > used + tau
        count = count + (moves & (used > -torch.inf)).to(torch.int64)
        new = torch.where(moves, top, used)
        fade, weights = torch.exp(used - new), torch.exp(part - new[:, None])
        total = total * fade + weights.sum(dim=1)
        out = out * fade[:, None] + weights @ value[start : start + block]
        used = new
    return out / total[:, None], count


def key_by_key(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    return walk(scores, value, 1, tau)


def all_counted_together(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return output, count.sum()


def passed_counted(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    output, count = walk(scores, value, block, tau)
    return output, len(scores.split(block, dim=1)) - 1 - count


def rest_lost(scores: Tensor, value: Tensor, block: int, tau: float) -> Both:
    k = scores.shape[1] // block * block or scores.shape[1]
    return walk(scores[:, :k], value[:k], block, tau)


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "never-lazy",
        never_lazy,
        "Every larger maximum calls for a rescaling.",
        "Your output is right, and your count does not depend on tau: every larger maximum counts. "
        "Moves of at most tau were to be let pass.",
        "What is your count for the scores 0, 1, 2 in blocks of one, with tau = 5?",
        "Compare the new maximum with the one in use plus something.",
        "Rescale where the block's maximum is above used + tau.",
    ),
    said(
        "moved-but-not-rescaled",
        moved_but_not_rescaled,
        "A small move of the maximum can be ignored.",
        "Where the maximum moves by less than tau, you take the new one into the exponents and "
        "leave l and o in the old unit. The sum then holds two units, and the output is off by up "
        "to a factor exp(tau) between keys.",
        "What do you get for the scores 0 and 1 in blocks of one, with tau = 2? And softmax?",
        "Exact it is only if all exponentials are taken from one maximum.",
        "Let the exponents use the old maximum until you rescale.",
    ),
    said(
        "never-rescaled",
        never_rescaled,
        "The first maximum serves as well as any.",
        "You use the maximum of the first block for good and count no rescaling. The output is "
        "right while scores stay near it; 900 above it, the exponential is inf.",
        "What is the largest exponent that you compute? What should bound it?",
        "No exponent may be above tau.",
        "Rescale where a block's maximum is more than tau above the one in use.",
    ),
    said(
        "from-the-largest",
        from_the_largest,
        "A move is measured from the largest score so far.",
        "You measure a move from the largest score so far, also where that was let pass. Scores "
        "that creep up by steps below tau are then never rescaled, and their exponents grow "
        "without bound.",
        "Which exponent do you reach with the scores 0, 1, 2, … and tau = 2?",
        "What your exponents subtract is an older maximum.",
        "Compare with the maximum in use.",
    ),
    said(
        "from-the-last-block",
        from_the_last_block,
        "A move is measured from the block before.",
        "You count how often a block's maximum is more than tau above that of the block before. "
        "After a low block that counts a return to old heights, and a slow climb it misses.",
        "What is your count for 5, 0, 5 with tau = 2? Is anything above 5?",
        "What matters is how far a score lies above the maximum in use.",
        "Carry the maximum in use along, and change it only where you rescale.",
    ),
    said(
        "tau-included",
        tau_included,
        "A move of tau is enough.",
        "You rescale where a move is tau exactly. The rule says more than tau; with tau = 0 yours "
        "would rescale for an equal maximum, by a factor of 1.",
        "What is your count for the scores 0 and 2 with tau = 2?",
        "More than, not at least.",
        "One comparison has to change.",
    ),
    said(
        "falls-count",
        falls_count,
        "Any move of more than tau calls for a rescaling.",
        "You also rescale when a block lies more than tau *below* the maximum in use. Exponentials "
        "of such scores are small, which does no harm; a maximum that falls makes the old sums "
        "large.",
        "What is your count for 9, 0 with tau = 2?",
        "Which way can an exponent become too large?",
        "Leave out the absolute value.",
    ),
    said(
        "all-rows-together",
        all_rows_together,
        "If one row has to be rescaled, all are.",
        "As soon as one row moves by more than tau, you rescale every row with a larger maximum. "
        "With one row your answer is right; with several, rows count moves that are small.",
        "Does your count for row 0 change when row 1 is dropped?",
        "any() runs over the rows.",
        "Keep one decision for each row.",
    ),
    said(
        "first-block-counts",
        first_block_counts,
        "From -inf to the first maximum is a move as well.",
        "You count the first maximum of each row as a rescaling. Before it l and o are 0, and "
        "nothing is there to be rescaled.",
        "What is your count for a single block?",
        "The first maximum is set, not moved.",
        "Count only where the maximum in use is above -inf.",
    ),
    said(
        "values-kept",
        values_kept,
        "Only the denominator is rescaled.",
        "Your counts are right. When you rescale, l gets its factor and o does not.",
        "Give all keys the value 1. What is your output after a rescaling?",
        "l and o hold the same exponentials.",
        "Multiply o by the same factor.",
    ),
    said(
        "sum-kept",
        sum_kept,
        "Only the values are rescaled.",
        "Your counts are right. When you rescale, o gets its factor and l does not.",
        "Give all keys the value 1. What is your output after a rescaling?",
        "l and o hold the same exponentials.",
        "Multiply l by the same factor.",
    ),
    said(
        "only-once",
        only_once,
        "A row is rescaled at most once.",
        "Your count never exceeds 1: after one rescaling you keep that maximum for good.",
        "What happens to the scores 0, 10, 20 with tau = 2?",
        "The maximum in use changes with each rescaling, and the rule starts afresh from it.",
        "Look for the condition that stops after the first.",
    ),
    said(
        "by-tau",
        by_tau,
        "A rescaling moves the maximum by tau.",
        "When you rescale, you raise the maximum in use by tau only. After a larger jump it still "
        "lies below the block's maximum, so a later block counts again.",
        "Which maximum do you use after the scores 0 and 10 with tau = 2?",
        "A rescaling brings the maximum in use up to date.",
        "Take the block's maximum.",
    ),
    said(
        "key-by-key",
        key_by_key,
        "Each score is a block.",
        "Your output is right, and your count does not depend on block: you decide after every "
        "key. A block is looked at as a whole, and rescales once at most.",
        "What is your count for a single block of rising scores?",
        "Which of your arguments is never used?",
        "Take the largest score of the block, and compare that.",
    ),
    said(
        "all-counted-together",
        all_counted_together,
        "The count is one number.",
        "You return one number for all rows together. Each row has a count of its own.",
        "What is the shape of the second output?",
        "Rows decide by themselves, so they count by themselves.",
        "Do not sum over the rows.",
    ),
    said(
        "passed-counted",
        passed_counted,
        "What is counted are the rescalings that were saved.",
        "Your output is right. You count the blocks that were let pass, not the rescalings.",
        "How often is a row rescaled whose scores only fall?",
        "Your count and the right one sum to the number of blocks minus one.",
        "Count where the maximum in use changes.",
    ),
    said(
        "rest-lost",
        rest_lost,
        "The keys fill whole blocks.",
        "You leave out what remains after the last whole block.",
        "Which keys do you never look at when there are 5, in blocks of 2?",
        "The last block may be shorter.",
        "Slices that reach beyond the end are cut by themselves.",
    ),
    said(
        "nan-for-nothing",
        nan_for_nothing,
        "The maximum is a number.",
        "Your answer is right where each row begins with a score above -inf. As long as a row has "
        "seen nothing, you compute -inf - -inf, which is nan.",
        "What is exp(used - new) when both are -inf?",
        "A row that has seen nothing has l = 0 and o = 0, whatever is subtracted.",
        "Subtract 0 where the maximum in use is -inf; at the end, do not divide by 0.",
    ),
)
