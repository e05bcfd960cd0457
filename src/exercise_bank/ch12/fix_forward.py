"""Exercise 12.fix_forward: find the fault of a tiled attention in a closed box by its outputs."""

import torch
from torch import Generator

from exercise_bank.ch12.boxes import FAULTS, SOUND, Box, box
from exercise_bank.ch12.mistakes.fix_forward import MISCONCEPTIONS
from exercise_bank.skills import Draw, rung
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs

#: Queries, keys (both of width 1), whether causal, height and width for which a fault has an
#: effect. The values are 1, 2, 3, ...
SHOWN = {
    "top-left": ([0.0], [0.0, 0.0], True, 1, 1),
    "diagonal": ([0.0, 0.0], [0.0, 0.0], True, 2, 2),
    "skipped": ([0.0, 0.0], [0.0, 0.0], True, 2, 1),
    "sixteen": ([0.0], [0.0] * 17, False, 1, 1),
    "padding": ([0.0], [0.0], False, 1, 2),
    "no maximum": ([1.0], [1000.0], False, 1, 1),
    "log-sum-exp": ([1.0], [2.0], False, 1, 1),
}


def boxes(*kinds: str) -> list[Inputs]:
    return [{"box": box(kind)} for kind in kinds]


def asked(*kinds: str) -> Draw:
    """Make a requirement's draws: always the same boxes."""
    return lambda g: boxes(*kinds)


def sound(g: Generator) -> list[Inputs]:
    return boxes(*(SOUND[i] for i in torch.randperm(len(SOUND), generator=g).tolist()))


def a_name(inputs: Inputs, answer: object) -> str | None:
    """Return why an answer is wrong: it is not one of the names, or not that of this box."""
    if not isinstance(answer, str) or answer not in FAULTS:
        return f"return one of {', '.join(map(repr, FAULTS))}; yours is {answer!r}"
    true = fix_forward(**inputs)
    if answer == true:
        return None
    if true == "none":
        return (
            "this box agrees with attention up to rounding, and never holds all scores at once: "
            f"only tiles, and all sums and outputs; yours says {answer!r}"
        )
    if true == "matrix":
        few, many = (inputs["box"](*torch.zeros(3, n, 1), False, 8, 8)[2] for n in (64, 128))
        return (
            f"for 64 queries and keys in tiles of 8 x 8 this box holds {few} bytes at once, for "
            f"128 {many}: {many / few:.1f} times the bytes; yours says {answer!r}"
        )
    query, key, causal, height, width = SHOWN[true]
    sides = torch.tensor(query)[:, None], torch.tensor(key)[:, None]
    value = torch.arange(1.0, len(key) + 1)[:, None]
    gave = inputs["box"](*sides, value, causal, height, width)
    should = box("matrix")(*sides, value, causal, height, width)
    return (
        f"for the queries {show(query)} and keys {show(key)}, the values "
        f"{show(value[:, 0].tolist())}, {'causal' if causal else 'no mask'}, tiles {height} x "
        f"{width}, this box gives output {show(gave[0][:, 0].tolist())} and log-sum-exp "
        f"{show(gave[1].tolist())}; attention gives {show(should[0][:, 0].tolist())} and "
        f"{show(should[1].tolist())}; yours says {answer!r}"
    )


def fix_forward(box: Box) -> str:
    """Return the name of the box's fault, or "none"."""

    def wrong(q: int, k: int, causal: bool, height: int, width: int, score: float = 0.0) -> bool:
        query, key = torch.ones(q, 1), torch.full((k, 1), score)
        value = torch.arange(k)[:, None] + 1.0
        output = box(query, key, value, causal, height, width)[0]
        last = torch.arange(k - q, k) if causal else torch.full((q,), k - 1)
        return not torch.allclose(output[:, 0], last / 2 + 1)

    zeros = torch.zeros(32, 1)
    if box(zeros, zeros, zeros, False, 8, 8)[2] >= 4 * 32 * 32:
        return "matrix"
    if wrong(1, 3, True, 1, 1):
        return "top-left"
    if wrong(2, 2, True, 2, 2):
        return "diagonal"
    if wrong(2, 2, True, 2, 1):
        return "skipped"
    if wrong(1, 17, False, 1, 1):
        return "sixteen"
    if wrong(1, 3, False, 1, 2):
        return "padding"
    if wrong(1, 1, False, 1, 1, score=1000.0):
        return "no maximum"
    one = torch.ones(1, 1)
    lse = box(one, one, one, False, 1, 1)[1]
    return "none" if torch.allclose(lse, torch.ones(1)) else "log-sum-exp"


def apart(box: Box, q: int, k: int, causal: bool, height: int, width: int, size: float) -> str:
    """Name the results that differ from attention with all scores at once."""
    x = torch.linspace(1, 2, 2 * (q + k), dtype=torch.float64).reshape(-1, 2) * 7
    query, key, value = (size * x[:q].sin(), x[q:].cos(), x[q:].tan())
    output, lse, _ = box(query, key, value, causal, height, width)
    scores = query @ key.mT / 2**0.5
    if causal:
        mask = torch.ones(q, k, dtype=torch.bool).tril(k - q)
        scores = torch.where(mask, scores, -torch.inf)
    right = torch.allclose(output, torch.softmax(scores, dim=1) @ value)
    return ("" if right else "o") + ("" if torch.allclose(lse, scores.logsumexp(dim=1)) else "l")


def against_attention(box: Box) -> str:
    found = apart(box, 2, 3, False, 2, 3, 1.0)
    if found == "l":
        return "log-sum-exp"
    if apart(box, 1, 6, True, 1, 2, 1.0):
        return "top-left"
    if apart(box, 6, 6, True, 3, 3, 1.0):
        return "diagonal"
    if apart(box, 6, 6, True, 3, 1, 1.0):
        return "skipped"
    if apart(box, 2, 7, False, 2, 4, 1.0):
        return "padding"
    if apart(box, 1, 40, False, 1, 2, 1.0):
        return "sixteen"
    if apart(box, 4, 5, False, 2, 5, 5000.0):
        return "no maximum"
    x = torch.ones(40, 1)
    return "matrix" if box(x, x, x, True, 8, 8)[2] > 6_000 else "none"


def by_doubling(box: Box) -> str:
    bytes_held = []
    for n in (16, 32):
        x = torch.zeros(n, 1)
        bytes_held.append(box(x, x, x, False, 4, 4)[2])
    if bytes_held[1] > 3 * bytes_held[0]:
        return "matrix"
    probes: dict[str, tuple[int, int, bool, int, int, float]] = {
        "top-left": (1, 4, True, 1, 4, 1.0),
        "diagonal": (4, 4, True, 4, 4, 1.0),
        "skipped": (4, 4, True, 4, 2, 1.0),
        "padding": (3, 5, False, 3, 3, 1.0),
        "sixteen": (1, 17, False, 1, 1, 1.0),
        "no maximum": (3, 3, False, 3, 3, 9000.0),
    }
    for name, probe in probes.items():
        if "o" in apart(box, *probe):
            return name
    return "log-sum-exp" if apart(box, 1, 2, False, 1, 2, 1.0) else "none"


MASK = "a causal mask in tiles"

TASK = Exercise(
    id="12.fix_forward",
    title="A tiled attention in a closed box",
    level="hard",
    minutes=16,
    concepts=("tiling", "never-writing-scores", "flash-forward", "interpreted-kernel"),
    reference=fix_forward,
    rungs=(
        rung(
            "all scores at once",
            0.75,
            asked("rows stay", "keys stay", "matrix"),
            a_name,
            "only tiles are held",
        ),
        rung("a mask in the wrong place", 0.75, asked("rows stay", "top-left"), a_name, MASK),
        rung("no mask inside a tile", 1.0, asked("keys stay", "diagonal"), a_name, MASK),
        rung(
            "tiles that are skipped and should not be",
            1.0,
            asked("backwards", "skipped"),
            a_name,
            MASK,
        ),
        rung("keys that are left out", 0.5, asked("keys stay", "sixteen"), a_name),
        rung("a last block that is short", 0.5, asked("lazy", "padding"), a_name),
        rung("large scores", 0.5, asked("backwards", "no maximum"), a_name),
        rung("what is saved", 0.5, asked("lazy", "log-sum-exp"), a_name),
        rung("the sound boxes pass", 0.5, sound, a_name),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="against attention", answer=against_attention),
        Alternative(name="by doubling, and a list of probes", answer=by_doubling),
    ),
    hints=(
        "With equal scores you know the right output in your head. Which average of the values "
        "1, 2, 3, ... is left under a causal mask?",
        "Each fault needs an input on which the others are right. With tiles of one query and one "
        "key, which of the three faults of masks is left? And with square tiles?",
        "Seventeen keys in blocks of one; three keys in blocks of two; one score of 1000; one "
        "score of 1. For the matrix, look at the third result, with many queries in small tiles.",
    ),
    equivalents=dict.fromkeys(
        (
            "fix_forward.wrong: line 4: q becomes height in torch.ones(q, 1)",
            "fix_forward.wrong: line 6: height becomes q in box(…)",
            "fix_forward.wrong: line 6: height becomes k in box(…)",
            "fix_forward.wrong: line 7: condition causal always true",
            "fix_forward.wrong: line 7: causal becomes q in torch.arange(k - q, k) … "
            "orch.full((q,), k - 1)",
            "fix_forward.wrong: line 7: causal becomes k in torch.arange(k - q, k) … "
            "orch.full((q,), k - 1)",
            "fix_forward.wrong: line 7: causal becomes height in torch.arange(k - q, k) "
            "… orch.full((q,), k - 1)",
            "fix_forward.wrong: line 7: causal becomes width in torch.arange(k - q, k) "
            "… orch.full((q,), k - 1)",
            "fix_forward.wrong: line 7: q becomes height in k - q",
            "fix_forward.wrong: line 7: q becomes k in (q,)",
            "fix_forward.wrong: line 7: q becomes height in (q,)",
            "fix_forward.wrong: line 7: q becomes width in (q,)",
            "fix_forward.wrong: line 8: return not torch.allcl … t[:, 0], last / 2 + 1) "
            "has its sign turned",
            "fix_forward.wrong: line 8: output[:, 0] and last / 2 + 1 swapped in "
            "torch.allclose(output[:, 0], last / 2 + 1)",
            "fix_forward.wrong: line 8: 0 becomes -1 in (:, 0)",
            "fix_forward: line 9: torch.zeros becomes ones",
            "fix_forward: line 9: 32 becomes 31 in torch.zeros(32, 1)",
            "fix_forward: line 9: 32 becomes 33 in torch.zeros(32, 1)",
            "fix_forward: line 9: 1 becomes 0 in torch.zeros(32, 1)",
            "fix_forward: line 9: 1 becomes 2 in torch.zeros(32, 1)",
            "fix_forward: line 10: >= 4 * 32 * 32 becomes > 4 * 32 * 32",
            "fix_forward: line 10: False becomes True in box(zeros, zeros, zeros, False, 8, 8)",
            "fix_forward: line 10: 8 becomes 7 in box(zeros, zeros, zeros, False, 8, 8)",
            "fix_forward: line 10: 8 becomes 9 in box(zeros, zeros, zeros, False, 8, 8)",
            "fix_forward: line 10: 8 becomes 7 in box(zeros, zeros, zeros, False, 8, 8) (2)",
            "fix_forward: line 10: 8 becomes 9 in box(zeros, zeros, zeros, False, 8, 8) (2)",
            "fix_forward: line 10: 4 * dropped",
            "fix_forward: line 10: 4 becomes 3 in 4 * 32",
            "fix_forward: line 10: 4 becomes 5 in 4 * 32",
            "fix_forward: line 10: 32 becomes 31 in 4 * 32",
            "fix_forward: line 10: 32 becomes 33 in 4 * 32",
            "fix_forward: line 12: True and 1 swapped in wrong(1, 3, True, 1, 1)",
            "fix_forward: line 12: 1 becomes 2 in wrong(1, 3, True, 1, 1)",
            "fix_forward: line 12: 3 becomes 2 in wrong(1, 3, True, 1, 1)",
            "fix_forward: line 12: 3 becomes 4 in wrong(1, 3, True, 1, 1)",
            "fix_forward: line 12: 1 becomes 2 in wrong(1, 3, True, 1, 1) (2)",
            "fix_forward: line 12: 1 becomes 2 in wrong(1, 3, True, 1, 1) (3)",
            "fix_forward: line 14: True and 2 swapped in wrong(2, 2, True, 2, 2)",
            "fix_forward: line 14: 2 becomes 1 in wrong(2, 2, True, 2, 2) (3)",
            "fix_forward: line 14: 2 becomes 3 in wrong(2, 2, True, 2, 2) (3)",
            "fix_forward: line 14: 2 becomes 3 in wrong(2, 2, True, 2, 2) (4)",
            "fix_forward: line 16: 2 becomes 3 in wrong(2, 2, True, 2, 1) (2)",
            "fix_forward: line 16: 2 becomes 3 in wrong(2, 2, True, 2, 1) (3)",
            "fix_forward: line 18: 1 becomes 2 in wrong(1, 17, False, 1, 1)",
            "fix_forward: line 18: 17 becomes 18 in wrong(1, 17, False, 1, 1)",
            "fix_forward: line 18: False becomes True in wrong(1, 17, False, 1, 1)",
            "fix_forward: line 18: 1 becomes 2 in wrong(1, 17, False, 1, 1) (2)",
            "fix_forward: line 20: 1 and 3 swapped in wrong(1, 3, False, 1, 2)",
            "fix_forward: line 20: 1 becomes 2 in wrong(1, 3, False, 1, 2)",
            "fix_forward: line 20: 1 becomes 2 in wrong(1, 3, False, 1, 2) (2)",
            "fix_forward: line 22: 1 becomes 2 in wrong(1, 1, False, 1, 1, score=1000.0)",
            "fix_forward: line 22: 1 becomes 2 in wrong(1, 1, False, 1, 1, score=1000.0) (2)",
            "fix_forward: line 22: False becomes True in wrong(1, 1, False, 1, 1, score=1000.0)",
            "fix_forward: line 22: 1 becomes 2 in wrong(1, 1, False, 1, 1, score=1000.0) (3)",
            "fix_forward: line 22: 1 becomes 2 in wrong(1, 1, False, 1, 1, score=1000.0) (4)",
            "fix_forward: line 22: 1000.0 becomes 999.0 in score=1000.0",
            "fix_forward: line 22: 1000.0 becomes 1001.0 in score=1000.0",
            "fix_forward: line 25: one becomes zeros in box(one, one, one, False, 1, 1) (3)",
            "fix_forward: line 25: False becomes True in box(one, one, one, False, 1, 1)",
            "fix_forward: line 25: 1 becomes 2 in box(one, one, one, False, 1, 1)",
            "fix_forward: line 25: 1 becomes 2 in box(one, one, one, False, 1, 1) (2)",
            "fix_forward: line 26: lse and torch.ones(1) swapped in torch.allclose(lse, "
            "torch.ones(1))",
            "fix_forward: line 26: torch.allclose of lse dropped",
            "fix_forward: line 26: 1 becomes 2 in torch.ones(1)",
        ),
        "other questions to the box distinguish the faults as well",
    ),
)
