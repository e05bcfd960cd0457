"""How 04.who_shares goes wrong."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from exercise_bank.ch04.mistakes.who_shares_lists import LISTS
from plaincourse.exercise import Misconception

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def neighbours_assumed(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor
) -> list[int]:
    return [r * len(key) // len(query) for r in range(len(query))]


def stripes_assumed(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    return [r % len(key) for r in range(len(query))]


def added_to_all_keys(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = key.clone()
        other[j] += 1
        after = attention(query, other, value)
        for r in range(len(query)):
            if not torch.allclose(after[r], before[r]):
                found[r] = j
    return found


def shifted_and_compared(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor
) -> list[int]:
    """Choose the key head that changes an output most, even if only by rounding."""
    before, moves = attention(query, key, value), []
    for j in range(len(key)):
        other = key.clone()
        other[j] += 1
        moves.append((attention(query, other, value) - before).abs().amax(dim=(1, 2)))
    return torch.stack(moves).argmax(dim=0).tolist()


def keys_alone(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    moves = []
    for j in range(len(key)):
        other = key.clone()
        other[j] += 3 * torch.sin(torch.arange(float(key[j].numel()))).reshape(key[j].shape)
        moves.append((attention(query, other, value) - before).abs().amax(dim=(1, 2)))
    return torch.stack(moves).argmax(dim=0).tolist()


def by_likeness(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    out = attention(query, key, value)
    middles = value.mean(dim=1)
    return [int((middles - o.mean(dim=0)).norm(dim=-1).argmin()) for o in out]


def first_user_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = []
    for j in range(len(key)):
        other = value.clone()
        other[j] += 1
        after = attention(query, key, other)
        moved = [r for r in range(len(query)) if not torch.allclose(after[r], before[r])]
        found.append(moved[0] if moved else 0)
    return found


def counted_from_one(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = value.clone()
        other[j] += 1
        after = attention(query, key, other)
        for r in range(len(query)):
            if not torch.allclose(after[r], before[r]):
                found[r] = j + 1
    return found


def unmoved(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = value.clone()
        other[j] += 1
        after = attention(query, key, other)
        for r in range(len(query)):
            if torch.allclose(after[r], before[r]):
                found[r] = j
    return found


def quiet_when_zeroed(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = []
    for r in range(len(query)):
        for j in range(len(key)):
            other = value.clone()
            other[j] = 0
            if torch.allclose(attention(query, key, other)[r], before[r]):
                found.append(j)
                break
        else:
            found.append(0)
    return found


def largest_move(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = value.clone()
        other[j] += 1 + torch.arange(3.0, dtype=value.dtype)
        moves = (attention(query, key, other) - before).abs().amax(dim=(1, 2))
        if moves.max() > 0:
            found[int(moves.argmax())] = j
    return found


def coarse(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = value.clone()
        other[j] = value[(j + 1) % len(key)]
        after = attention(query, key, other)
        for r in range(len(query)):
            if not torch.allclose(after[r], before[r], atol=0.02):
                found[r] = j
    return found


def as_fractions(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> list[float]:
    labels = torch.arange(len(key), dtype=value.dtype)[:, None, None].expand_as(value)
    return [round(x, 3) for x in attention(query, key, labels)[:, 0, 0].tolist()]


def numbered_among_used(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor
) -> list[int]:
    labels = torch.arange(len(key), dtype=value.dtype)[:, None, None].expand_as(value)
    used = attention(query, key, labels)[:, 0, 0].round()
    return [sorted(set(used.tolist())).index(number) for number in used.tolist()]


def numbered_by_appearance(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor
) -> list[int]:
    labels = torch.arange(len(key), dtype=value.dtype)[:, None, None].expand_as(value)
    used = attention(query, key, labels)[:, 0, 0].round().tolist()
    return [list(dict.fromkeys(used)).index(number) for number in used]


def all_keys_scaled(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, factor: float = 2
) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = key.clone()
        other[j] *= factor
        after = attention(query, other, value)
        for r in range(len(query)):
            if not torch.allclose(after[r], before[r]):
                found[r] = j
    return found


MISCONCEPTIONS = (
    Misconception(
        name="neighbours-assumed",
        answer=neighbours_assumed,
        believed="Neighbours always share.",
        says="You return groups of neighbours, whatever the box does. It may share in another way, "
        "and your function is to find out which.",
        hints=(
            "Does your code ever call attention?",
            "What would show you that two heads use the same keys?",
            "Change the values of one key head, and see which outputs move.",
        ),
    ),
    Misconception(
        name="stripes-assumed",
        answer=stripes_assumed,
        believed="Key heads are dealt out in turn.",
        says="You deal key heads out in turn, whatever the box does. It may share in another way, "
        "which your function has to find out.",
        hints=(
            "Does your code ever call attention?",
            "What would show you that two heads use the same keys?",
            "Change the values of one key head, and see which outputs move.",
        ),
    ),
    Misconception(
        name="added-to-all-keys",
        answer=added_to_all_keys,
        variants=(shifted_and_compared,),
        believed="Any change to a key moves the output.",
        says="Your answer looks as if no output moved in your test by more than rounding. If you "
        "add the same vector to all keys of a head: that adds the same number to all scores of a "
        "query, and a softmax ignores such a number.",
        hints=(
            "Print how far the outputs move when you change the keys.",
            "What happens to a row of scores when all its keys move by the same vector?",
            "Change the values instead, or only one key.",
        ),
    ),
    Misconception(
        name="keys-alone",
        answer=keys_alone,
        variants=(all_keys_scaled, partial(all_keys_scaled, factor=0)),
        believed="Who uses a key head reacts to its keys.",
        says="Where k is 1, your answer does not depend on the box: a change of the keys alone "
        "moves no output there. The only key has the weight 1, whatever it is.",
        hints=(
            "Which weight does a query give to the only key there is?",
            "What else does a key head bring along?",
            "Change the values of one key head, and see which outputs move.",
        ),
    ),
    Misconception(
        name="by-likeness",
        answer=by_likeness,
        believed="The output lies nearest to the values that it was made from.",
        says="You compare outputs with mean values. An output is an average of its values, but it "
        "may lie nearer to the mean of another head.",
        hints=(
            "Is nearness a proof?",
            "You may choose the values that you hand to the box.",
            "Intervene: change one head's values and leave the rest.",
        ),
    ),
    Misconception(
        name="first-user-only",
        answer=first_user_only,
        believed="The answer lists, for each key head, who uses it.",
        says="You return a number for each key head. The task asks for the other direction: for "
        "each query head, the key head that it uses.",
        hints=(
            "How long should the list be?",
            "A key head may have several users, a query head has one source.",
            "Write j into the place of each output that moves.",
        ),
    ),
    Misconception(
        name="counted-from-one",
        kind="form",
        answer=counted_from_one,
        believed="Heads count from 1.",
        says="Each of your numbers is one too large: heads count from 0.",
        hints=(
            "What is your smallest number?",
            "Key head 0 is key[0].",
            "Write j, not j + 1.",
        ),
    ),
    Misconception(
        name="unmoved",
        answer=unmoved,
        believed="The output that stays belongs to the head that was changed.",
        says="You note the outputs that did not move when a head's values changed. Those query "
        "heads do not use it.",
        hints=(
            "Who should move when the values of key head 0 change?",
            "Your condition is the wrong way round.",
            "Note the outputs that move.",
        ),
    ),
    Misconception(
        name="zeroed-and-looked-for-zeros",
        answer=quiet_when_zeroed,
        believed="Without its values a head brings back its old output.",
        says="You note the first key head that leaves an output as it was when its values change, "
        "for example to 0. Such a key head is not in use: the output of a user changes, to 0 in "
        "this case.",
        hints=(
            "What is an average of zeros?",
            "The output of a query head whose key head is silenced becomes 0.",
            "Note the outputs that become 0.",
        ),
    ),
    Misconception(
        name="only-the-largest-move",
        answer=largest_move,
        believed="The output that moves most is the user.",
        says="For each key head you note one user only, the query head whose output moves "
        "most. A key head may have several.",
        hints=(
            "With six query heads and three key heads, how many users has each?",
            "Every output that moves at all belongs to a user.",
            "Ask each query head by which key head it is moved.",
        ),
    ),
    Misconception(
        name="coarse-comparison",
        kind="corner",
        answer=coarse,
        believed="Outputs that are nearly equal are equal.",
        says="You overlook small changes: your comparison treats key heads that differ by a "
        "thousandth as equal.",
        hints=(
            "How large is the change that you make? It may be as large as you like.",
            "Choose the change yourself instead of exchanging one head for another.",
            "Add 1 to all values of one key head: its users' outputs rise by 1.",
        ),
    ),
    Misconception(
        name="fractions",
        kind="form",
        answer=as_fractions,
        believed="A label is a number.",
        says="You return numbers of type float. The task asks for whole numbers: int.",
        hints=(
            "What is the type of the numbers in your list?",
            "An average of equal labels may be off by rounding.",
            "Round, to an int.",
        ),
    ),
    Misconception(
        name="numbered-among-the-used",
        kind="form",
        answer=numbered_among_used,
        believed="Every key head has a user.",
        says="You number only the key heads that some query head uses. If a key head has no user, "
        "your numbers of the heads after it are too small.",
        hints=(
            "Which number does key head 2 get in yours if no query head uses key head 1?",
            "Does your list of changes have an entry for a key head that moves no output?",
            "Key head j is key[j], whether it is used or not.",
        ),
    ),
    Misconception(
        name="numbered-by-appearance",
        answer=numbered_by_appearance,
        believed="The numbers only say who shares.",
        says="You number the key heads in the order in which your query heads use them, so query "
        "head 0 always gets 0. Key head j is key[j].",
        hints=(
            "Which number does query head 0 get if it uses key head 1?",
            "Who shares with whom is not all: the key head's own number is to be returned.",
            "Note j where the values of key head j move an output.",
        ),
    ),
    *LISTS,
)
