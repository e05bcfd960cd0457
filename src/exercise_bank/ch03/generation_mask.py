"""Exercise 03.generation_mask: causal, padded on the left, fewer queries than keys."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch03.laws import form, sees
from exercise_bank.ch03.mistakes.generation_mask import MISCONCEPTIONS
from exercise_bank.ch03.mistakes.generation_mask_more import MORE
from exercise_bank.draws import more
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def batch(lengths: list[int], q: int, k: int) -> Inputs:
    return {"lengths": torch.tensor(lengths), "q": q, "k": k}


def longer(g: Generator, lengths: list[int], q: int, k: int) -> Inputs:
    """Make a batch; in hidden inputs each sequence has equally many further queries and keys."""
    by = more(g)
    return batch([n + by for n in lengths], q + by, k + by)


def some(g: Generator, n: int, low: int, high: int) -> list[int]:
    drawn: list[int] = torch.randint(low, high + 1, (n,), generator=g).tolist()
    return drawn


def unlike_sizes(g: Generator) -> list[Inputs]:
    return [batch([3, 1], 2, 3), batch([1, 4, 2], 4, 5), batch(some(g, 2, 2, 6), 3, 7)]


def without_padding(g: Generator) -> list[Inputs]:
    found: list[Inputs] = []
    for b, n in ((1, 2), (3, 4), (2, 3)):
        k = n + more(g, 5)
        found.append(batch([k] * b, k, k))
    return found


def one_query(g: Generator) -> list[Inputs]:
    drawn = batch(some(g, 3, 1, 5), 1, 6)
    return [batch([1], 1, 2), batch([3, 2], 1, 3), batch([0, 2], 1, 3), drawn]


def padded(g: Generator) -> list[Inputs]:
    """Draw whole prompts, and the last queries of them, with filler among the queries."""
    return [
        longer(g, [1], 3, 3),
        longer(g, [2, 3], 3, 3),
        longer(g, [4, 1], 2, 4),
        longer(g, [1, 5, 2], 4, 5),
        batch([*some(g, 3, 1, 7), 2], 8, 8),
        batch([*some(g, 2, 1, 4), 3], 4, 6),
    ]


def everything(g: Generator) -> list[Inputs]:
    return [
        *without_padding(g),
        *padded(g),
        batch([3, 1], 2, 3),
        batch([4, 2], 2, 4),
        batch([0, 2], 1, 3),
        batch([0, 3], 3, 3),
    ]


def right(inputs: Inputs) -> Tensor:
    return generation_mask(**inputs)


def filler_keys(inputs: Inputs) -> Tensor:
    k = inputs["k"]
    filler = (torch.arange(k) < k - inputs["lengths"][:, None])[:, None, None, :]
    return filler & ~own_places(inputs)


def filler_queries(inputs: Inputs) -> Tensor:
    q, k = inputs["q"], inputs["k"]
    filler = torch.arange(k - q, k) < k - inputs["lengths"][:, None]
    return filler[:, None, :, None].expand(-1, 1, q, k)


def real_pairs(inputs: Inputs) -> Tensor:
    k = inputs["k"]
    real = (torch.arange(k) >= k - inputs["lengths"][:, None])[:, None, None, :]
    return real & ~filler_queries(inputs)


def own_places(inputs: Inputs) -> Tensor:
    q, k = inputs["q"], inputs["k"]
    return torch.arange(k) == torch.arange(k - q, k)[:, None]


def generation_mask(lengths: Tensor, q: int, k: int) -> Tensor:
    """Open real keys that are not later than the query."""
    key = torch.arange(k)
    query = torch.arange(k - q, k)[:, None]
    real = key >= k - lengths[:, None]
    return (key <= query) & real[:, None, None, :]


def two_masks(lengths: Tensor, q: int, k: int) -> Tensor:
    causal = torch.ones(q, k, dtype=torch.bool).tril(k - q)
    padding = torch.stack([torch.arange(k) >= k - n for n in lengths])
    return causal[None, None] & padding.view(len(lengths), 1, 1, k)


def sequence_by_sequence(lengths: Tensor, q: int, k: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, q, k, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        for i in range(q):
            mask[row, 0, i, k - length : k - q + i + 1] = True
    return mask


def by_comprehension(lengths: Tensor, q: int, k: int) -> Tensor:
    rows = [
        [[[k - n <= j <= k - q + i for j in range(k)] for i in range(q)]] for n in lengths.tolist()
    ]
    return torch.tensor(rows)


TASK = Exercise(
    id="03.generation_mask",
    title="A mask for writing on",
    level="hard",
    minutes=18,
    concepts=("combined-mask", "padding-mask", "mask-broadcasting", "causal-mask"),
    reference=generation_mask,
    rungs=(
        Rung(
            name="a boolean mask of shape (b, 1, q, k), neither all True nor all False",
            points=0.25,
            draw=unlike_sizes,
            law=form(right),
            compare=False,
        ),
        Rung(
            name="each entry is right, whether True marks the open keys or the hidden ones",
            points=0.5,
            draw=padded,
            law=sees(right, either=True),
            compare=False,
        ),
        Rung(
            name="filler before the query's own place is hidden",
            points=0.75,
            idea="filler is hidden, as key and as query",
            draw=padded,
            law=sees(right, only=filler_keys),
            compare=False,
        ),
        Rung(
            name="a query that is filler has no open key",
            points=0.5,
            idea="filler is hidden, as key and as query",
            draw=padded,
            law=sees(right, only=filler_queries),
            compare=False,
        ),
        Rung(
            name="real queries and real keys: those are open that are not later",
            points=0.75,
            idea="no later key is open",
            draw=padded,
            law=sees(right, only=real_pairs),
            compare=False,
        ),
        Rung(
            name="as many queries as keys, and no padding: the causal mask",
            points=0.5,
            idea="no later key is open",
            draw=without_padding,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="one query: open is all that is real, and nothing in an empty sequence",
            points=1.0,
            idea="queries are the last positions",
            draw=one_query,
            law=sees(right),
            compare=False,
        ),
        Rung(
            name="the whole: open are keys that are real and not later, in any type",
            points=0.75,
            draw=everything,
            law=sees(right),
            compare=False,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="a table of comparisons", answer=by_comprehension),
        Alternative(name="two masks", answer=two_masks),
        Alternative(name="sequence by sequence", answer=sequence_by_sequence),
    ),
    hints=(
        "Three places, a sequence of 2 tokens: at which positions are the tokens?",
        "Two conditions, each a comparison of positions. Which of them knows the sequence, and "
        "which knows the query?",
        "The condition on keys has the axes (b, k), the causal one (q, k). Where must the missing "
        "axes go, so that both give (b, 1, q, k)?",
    ),
)
