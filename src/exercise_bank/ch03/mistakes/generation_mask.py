"""How 03.generation_mask goes wrong."""

import torch
from torch import Tensor

from exercise_bank.ch03.mistakes.generation_mask_pairs import PAIRS
from plaincourse.exercise import Misconception


def parts(lengths: Tensor, q: int, k: int) -> tuple[Tensor, Tensor]:
    causal = torch.arange(k) <= torch.arange(k - q, k)[:, None]
    real = torch.arange(k) >= k - lengths[:, None]
    return causal, real[:, None, None, :]


def padded_on_the_right(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, _ = parts(lengths, q, k)
    return causal & (torch.arange(k) < lengths[:, None])[:, None, None, :]


def padded_on_the_right_as_query_and_key(lengths: Tensor, q: int, k: int) -> Tensor:
    rows = torch.arange(k - q, k) < lengths[:, None]
    return padded_on_the_right(lengths, q, k) & rows[:, None, :, None]


def causal_only(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, _ = parts(lengths, q, k)
    return causal.expand(len(lengths), 1, q, k).clone()


def padding_only(lengths: Tensor, q: int, k: int) -> Tensor:
    _, real = parts(lengths, q, k)
    return real.expand(len(lengths), 1, q, k).clone()


def top_left(lengths: Tensor, q: int, k: int) -> Tensor:
    _, real = parts(lengths, q, k)
    return (torch.arange(k) <= torch.arange(q)[:, None]) & real


def no_head_axis(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, real = parts(lengths, q, k)
    return (causal & real)[:, 0]


def either(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, real = parts(lengths, q, k)
    return causal | real


def strictly_before(lengths: Tensor, q: int, k: int) -> Tensor:
    _, real = parts(lengths, q, k)
    return (torch.arange(k) < torch.arange(k - q, k)[:, None]) & real


def one_filler_too_many(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, _ = parts(lengths, q, k)
    return causal & (torch.arange(k) > k - lengths[:, None])[:, None, None, :]


def filler_sees_itself(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, real = parts(lengths, q, k)
    return (causal & real) | (torch.arange(k) == torch.arange(k - q, k)[:, None])


def upside_down(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, real = parts(lengths, q, k)
    return ~(causal & real)


def lengths_of_filler(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, _ = parts(lengths, q, k)
    return causal & (torch.arange(k) >= lengths[:, None])[:, None, None, :]


def positions_from_the_first(lengths: Tensor, q: int, k: int) -> Tensor:
    _, real = parts(lengths, q, k)
    position = torch.arange(-q, 0) + lengths[:, None]
    return (torch.arange(k) <= position[:, None, :, None]) & real


def filler_counted_from_q(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, _ = parts(lengths, q, k)
    return causal & (torch.arange(k) >= q - lengths[:, None])[:, None, None, :]


def filler_queries_counted_from_q(lengths: Tensor, q: int, k: int) -> Tensor:
    real_rows = torch.arange(k - q, k) >= q - lengths[:, None]
    return filler_counted_from_q(lengths, q, k) & real_rows[:, None, :, None]


def added_to_scores(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, real = parts(lengths, q, k)
    return torch.zeros(len(lengths), 1, q, k).masked_fill(~(causal & real), -torch.inf)


def one_ahead(lengths: Tensor, q: int, k: int) -> Tensor:
    _, real = parts(lengths, q, k)
    return (torch.arange(k) <= torch.arange(k - q, k)[:, None] + 1) & real


def longest_filler(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, real = parts(lengths, q, k)
    return causal & real.all(dim=0, keepdim=True).expand(len(lengths), 1, 1, k)


def one_filler_shown(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, _ = parts(lengths, q, k)
    return causal & (torch.arange(k) >= k - lengths[:, None] - 1)[:, None, None, :]


def top_left_and_one_too_many(lengths: Tensor, q: int, k: int) -> Tensor:
    real = (torch.arange(k) > k - lengths[:, None])[:, None, None, :]
    return (torch.arange(k) <= torch.arange(q)[:, None]) & real


def top_left_on_the_right(lengths: Tensor, q: int, k: int) -> Tensor:
    real = (torch.arange(k) < lengths[:, None])[:, None, None, :]
    return (torch.arange(k) <= torch.arange(q)[:, None]) & real


def longest_sets_the_end(lengths: Tensor, q: int, k: int) -> Tensor:
    causal, _ = parts(lengths, q, k)
    filler = lengths.max() - lengths[:, None]
    return causal & (torch.arange(k) >= filler)[:, None, None, :]


MISCONCEPTIONS = (
    Misconception(
        name="padded-on-the-right",
        answer=padded_on_the_right,
        variants=(padded_on_the_right_as_query_and_key,),
        believed="The tokens come first, the filler behind them.",
        says="You hide the last places of a short sequence. Here the filler comes first: a "
        "single token is at the last position.",
        hints=(
            "Of 3 places, which one does a sequence of 1 token use?",
            "All sequences end at the same place, so that each can be written on.",
            "At which position does a sequence of n tokens begin, among k places?",
        ),
    ),
    Misconception(
        name="causal-only",
        answer=causal_only,
        believed="All earlier positions are open.",
        says="In your mask the queries of a short sequence attend to the filler before it.",
        hints=(
            "A sequence of 1 token in 2 places: how many keys are open to its query?",
            "lengths has no effect on your mask.",
            "Which keys of a sequence are real?",
        ),
    ),
    Misconception(
        name="padding-only",
        answer=padding_only,
        believed="Hiding the filler is enough.",
        says="Your queries attend to real keys that come later: with q = k, query 0 of a full "
        "sequence attends to all of it.",
        hints=(
            "Four tokens, four queries: how many keys does query 0 see?",
            "Your mask is the same for each query.",
            "Compare the position of the key with that of the query, too.",
        ),
    ),
    Misconception(
        name="top-left",
        answer=top_left,
        believed="Query i always sits at position i.",
        says="You treat the queries as the first positions. A single query with three keys, for "
        "example, is at the last position.",
        hints=(
            "q=1, k=3, a full sequence: how many keys are open to the query?",
            "The last query belongs to the last key.",
            "At which position is query 0 of q, among k?",
        ),
    ),
    Misconception(
        name="top-left-and-wrong-filler",
        answer=top_left_on_the_right,
        variants=(top_left_and_one_too_many,),
        believed="The queries are the first positions, and the filler comes last.",
        says="You treat the queries as the first positions, though they are the last. And you "
        "hide real tokens of short sequences: sequence b has its tokens in the last lengths[b] "
        "places.",
        hints=(
            "q=1, k=3, a full sequence: how many keys are open to the query?",
            "Of 3 places, which one does a sequence of 1 token use?",
            "Query i is at place i + k - q, and the tokens begin at place k - lengths[b].",
        ),
    ),
    Misconception(
        name="filler-counted-from-the-longest",
        answer=longest_sets_the_end,
        believed="The longest sequence fills all places.",
        says="You count the filler from the longest sequence of the batch. All sequences end at "
        "place k, and even the longest may be shorter than that.",
        hints=(
            "Two sequences of 1 and 2 tokens in 5 places: how much filler has the longer one?",
            "What does the argument k mean?",
            "The first k - lengths[b] places are filler.",
        ),
    ),
    Misconception(
        name="no-head-axis",
        kind="form",
        answer=no_head_axis,
        believed="(b, q, k) broadcasts over the heads.",
        says="Your mask has the shape (b, q, k). Against scores of shape (b, h, q, k) its first "
        "axis meets the heads: with b = h each head would get the padding of a sequence.",
        hints=(
            "From which side does PyTorch align shapes?",
            "Which of the four axes share this mask?",
            "Keep an axis of length 1 where the heads are.",
        ),
    ),
    Misconception(
        name="either",
        answer=either,
        believed="One of the two permissions is enough.",
        says="Your mask opens a key that is real or not later. Both conditions must hold.",
        hints=(
            "A full sequence, query 0: how many keys does it see?",
            "Is it & or | that asks for both?",
            "A later key stays forbidden, however real it is.",
        ),
    ),
    Misconception(
        name="strictly-before",
        answer=strictly_before,
        believed="A query may not see its own position.",
        says="Your queries attend to earlier positions and not to their own: the first real token "
        "of a sequence attends to nothing.",
        hints=(
            "One sequence without padding: is your diagonal True?",
            "A position holds the token that has been read already.",
            "Is it < or <= ?",
        ),
    ),
    Misconception(
        name="one-filler-too-many",
        answer=one_filler_too_many,
        believed="Real keys begin after k - length.",
        says="You hide the first real token of each sequence.",
        hints=(
            "A sequence of 3 in 3 places: how many keys are open to its last query?",
            "Positions count from 0.",
            "Is it > or >= ?",
        ),
    ),
    Misconception(
        name="filler-sees-itself",
        answer=filler_sees_itself,
        believed="Every row needs a key.",
        says="In your mask a filler position attends to itself. Its row is to be all False; the "
        "softmax of 03.masked_softmax gives such a row zeros.",
        hints=(
            "Which rows of your mask belong to filler, and what is True in them?",
            "The prompt does not ask for rows with a key.",
            "A key is opened only if it is real.",
        ),
    ),
    Misconception(
        name="upside-down",
        answer=upside_down,
        believed="True marks the hidden keys.",
        says="Your mask is True on the keys that are to be hidden.",
        hints=(
            "Is your diagonal True for a full sequence?",
            "Here True means 'open'.",
            "What turns a mask over?",
        ),
    ),
    Misconception(
        name="lengths-of-filler",
        answer=lengths_of_filler,
        believed="lengths counts the filler.",
        says="You read lengths as the number of filler places: of a sequence of 1 token in 3 "
        "places your mask opens 2 keys.",
        hints=(
            "Of 3 places and a length of 1, how many hold tokens?",
            "lengths[b] tokens are at the end.",
            "The first k - lengths[b] places are filler.",
        ),
    ),
    Misconception(
        name="filler-counted-from-q",
        answer=filler_counted_from_q,
        variants=(filler_queries_counted_from_q,),
        believed="A sequence has q places.",
        says="You hide the first q - lengths[b] places. With fewer queries than keys that is too "
        "few: tokens and filler share the k places of the keys.",
        hints=(
            "Of 5 places and a length of 2, which hold tokens? Do they change with the queries?",
            "The keys of earlier steps are padded too.",
            "Count the filler from k.",
        ),
    ),
    Misconception(
        name="positions-from-the-first-token",
        answer=positions_from_the_first,
        believed="Positions count from the first token of each sequence.",
        says="You count the query's position from the first token of its sequence, and the keys' "
        "from the first place. So the newest keys of short sequences are hidden.",
        hints=(
            "At which place is the last query of a short sequence?",
            "Queries and keys are counted by the same places.",
            "Compare places with places.",
        ),
    ),
    Misconception(
        name="added-to-scores",
        kind="form",
        answer=added_to_scores,
        believed="A mask is added to the scores.",
        says="Your mask holds 0 and -inf or a large negative number, ready to be added to scores. "
        "A mask here is boolean, True for an open key.",
        hints=(
            "What is the dtype of your mask?",
            "Return the comparison itself.",
        ),
    ),
    Misconception(
        name="one-ahead",
        answer=one_ahead,
        believed="The diagonal starts one further.",
        says="Your queries attend to the next position, the one that they are to predict.",
        hints=(
            "Which keys are open to the first query of a full prompt?",
            "Not later: key <= query.",
            "Shift your diagonal by one.",
        ),
    ),
    Misconception(
        name="shortest-for-all",
        answer=longest_filler,
        believed="The batch shares its filler.",
        says="You hide from every sequence the filler of the shortest one.",
        hints=(
            "How many keys are open to the last query of the longest sequence?",
            "Each sequence has its own length.",
            "Compare with lengths as a column.",
        ),
    ),
    Misconception(
        name="one-filler-shown",
        answer=one_filler_shown,
        believed="The border belongs to the text.",
        says="Your mask opens the last place of filler before each sequence.",
        hints=(
            "Of 3 places and a length of 1, which are real?",
            "The first real place is k - lengths[b].",
            "key >= k - lengths.",
        ),
    ),
    *PAIRS,
)
