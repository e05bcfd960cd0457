"""Exercise 13.find_fault: find the fault of a cached decoder in a closed box by its outputs."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch13.boxes import FAULTS, Decoder, box
from exercise_bank.ch13.mistakes.find_fault import MISCONCEPTIONS
from exercise_bank.skills import Draw, rung
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs

#: Chunks and a window for which a fault has an effect. Queries are 0; the values are 1, 2, 4, ...
SHOWN: dict[str, tuple[list[int], int | None]] = {
    "first key": ([2], None),
    "top left": ([1, 1], None),
    "stale pointer": ([2, 1], None),
    "sees ahead": ([1, 2], None),
    "window + 1": ([1, 1, 1], 2),
    "drops early": ([3], 2),
}


def shuffled(*kinds: str) -> Draw:
    """Draw these decoders in any order."""

    def draw(g: Generator) -> list[Inputs]:
        order = torch.randperm(len(kinds), generator=g).tolist()
        return [{"box": box(kinds[i])} for i in order]

    return draw


def a_name(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not one of the names, or this decoder's behaviour."""
    if type(answer) is not str or answer not in FAULTS:
        return f"return one of {', '.join(map(repr, FAULTS))}; yours is {answer!r}"
    true = find_fault(**inputs)
    if answer == true:
        return None
    if true == "none":
        return (
            "this decoder agrees with attention in whatever chunks, up to rounding: sound ones "
            f"differ in the last digits, so compare with a tolerance; yours says {answer!r}"
        )
    sizes, window = SHOWN[true]
    n = sum(sizes)
    value = 2.0 ** torch.arange(n)[:, None]
    asked = torch.zeros(n, 1), torch.zeros(n, 1), value, sizes, window
    gave, should = (each(*asked)[:, 0].tolist() for each in (inputs["box"], box("at once")))
    return (
        f"for {n} queries and keys of 0, the values {show([int(x) for x in value[:, 0].tolist()])},"
        f" chunks of {show(sizes)} and window={window} this decoder gives {show(gave)}; attention "
        f"gives {show(should)}; yours says {answer!r}"
    )


def find_fault(box: Decoder) -> str:
    """Return the name of the decoder's fault, or "none"."""

    def wrong(sizes: list[int], window: int | None = None) -> bool:
        n = sum(sizes)
        value = 2.0 ** torch.arange(n)
        output = box(torch.zeros(n, 1), torch.zeros(n, 1), value[:, None], sizes, window)
        start = [max(0, t + 1 - (window or n)) for t in range(n)]
        means = torch.stack([value[start[t] : t + 1].mean() for t in range(n)])
        return not torch.allclose(output[:, 0], means)

    if wrong([2]):
        return "first key"
    if wrong([1, 1]):
        return "top left"
    if wrong([2, 1]):
        return "stale pointer"
    if wrong([1, 2]):
        return "sees ahead"
    if wrong([1, 1, 1], window=2):
        return "window + 1"
    return "drops early" if wrong([3], window=2) else "none"


def attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n = len(query)
    back = torch.arange(n)[:, None] - torch.arange(n)
    mask = (back >= 0) & (back < window)
    scores = (query @ key.mT) / query.shape[1] ** 0.5
    return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1) @ value


def by_a_table(box: Decoder) -> str:
    query, key, value = (torch.arange(18.0).reshape(6, 3).add(s).sin() for s in (0, 1, 2))
    probes = {
        "prefill": ([6], None),
        "steps": ([1] * 6, None),
        "prompt": ([3, 1, 1, 1], None),
        "chunks": ([1, 5], None),
        "window": ([1] * 6, 3),
        "long": ([6], 3),
    }
    failed = {
        name
        for name, (sizes, window) in probes.items()
        if not torch.allclose(
            box(query, key, value, sizes, window),
            attention(query, key, value, window or 6),
            atol=1e-5,
        )
    }
    if "prefill" in failed:
        return "first key"
    if "steps" in failed:
        return "top left"
    if "prompt" in failed:
        return "stale pointer"
    if "chunks" in failed:
        return "sees ahead"
    if "window" in failed:
        return "window + 1"
    return "drops early" if "long" in failed else "none"


def by_what_is_seen(box: Decoder) -> str:
    def sees(sizes: list[int], window: int | None = None) -> list[list[int]]:
        n = sum(sizes)
        weights = box(torch.zeros(n, 2), torch.zeros(n, 2), torch.eye(n), sizes, window)
        return [row.nonzero().flatten().tolist() for row in weights]

    if sees([1])[0] == []:
        return "first key"
    if sees([3, 1])[3] == [0]:
        return "top left"
    if sees([3, 1])[3] != [0, 1, 2, 3]:
        return "stale pointer"
    if sees([1, 3])[1] != [0, 1]:
        return "sees ahead"
    if len(sees([1] * 5, 2)[4]) == 3:
        return "window + 1"
    return "none" if sees([5], 2)[1] == [0, 1] else "drops early"


TASK = Exercise(
    id="13.find_fault",
    title="A decoder in a closed box",
    level="hard",
    minutes=13,
    concepts=("cached-equals-uncached", "decode-step"),
    reference=find_fault,
    rungs=(
        rung(
            "the first key",
            0.5,
            shuffled("first key", "one by one"),
            a_name,
            "the simplest call first",
        ),
        rung(
            "one token after another",
            0.5,
            shuffled("top left", "appending"),
            a_name,
            "the simplest call first",
        ),
        rung(
            "steps after a prefill",
            1.0,
            shuffled("stale pointer", "appending"),
            a_name,
            "a cache shows after the first chunk",
        ),
        rung(
            "several tokens in a later chunk",
            1.0,
            shuffled("sees ahead", "at once"),
            a_name,
            "a cache shows after the first chunk",
        ),
        rung(
            "a window, in steps",
            1.0,
            shuffled("window + 1", "ring"),
            a_name,
            "a window shows once it is full",
        ),
        rung(
            "a window, in a longer chunk",
            2.0,
            shuffled("drops early", "at once"),
            a_name,
            "a window shows once it is full",
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by a table of probes", answer=by_a_table),
        Alternative(name="by the weights themselves", answer=by_what_is_seen),
    ),
    hints=(
        "For which queries and keys can you say in your head what attention returns?",
        "With queries of 0 an output is the mean of the values that are seen. Which chunks bring "
        "out each fault, and which chunks hide it?",
        "Go from simple to less simple: one prefill; single steps; a prefill and a step; a step "
        "and a chunk; then the window, in steps, and in a prefill that is longer.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "find_fault.wrong: line 5: 2.0 becomes 3.0 in 2.0 ** torch.arange(n)",
                "find_fault.wrong: line 6: torch.zeros becomes ones",
                "find_fault.wrong: line 6: torch.zeros becomes ones (2)",
                "find_fault: line 10: 2 becomes 1 in [2]",
                "find_fault: line 10: 2 becomes 3 in [2]",
                "find_fault: line 14: 2 becomes 3 in [2, 1]",
                "find_fault: line 16: 1 becomes 2 in [1, 2]",
                "find_fault: line 16: 2 becomes 3 in [1, 2]",
                "find_fault: line 18: 1 becomes 2 in [1, 1, 1]",
                "find_fault: line 18: 2 becomes 1 in window=2",
                "find_fault: line 20: 3 becomes 4 in [3]",
                "find_fault: line 20: 2 becomes 1 in window=2",
            ),
            "other questions to the decoder distinguish the faults as well",
        ),
        **dict.fromkeys(
            (
                "find_fault.wrong: line 7: 0 and t + 1 - (window or n) swapped in "
                "max(0, t + 1 - (window or n))",
                "find_fault.wrong: line 9: output[:, 0] and means swapped in "
                "torch.allclose(output[:, 0], means)",
            ),
            "a maximum has no order, and equality no direction",
        ),
        "find_fault.wrong: line 9: return not torch.allcl … e(output[:, 0], means) "
        "has its sign turned": ("minus 1 is as true as 1"),
        "find_fault.wrong: line 9: 0 becomes -1 in (:, 0)": ("the values have one column"),
    },
)
