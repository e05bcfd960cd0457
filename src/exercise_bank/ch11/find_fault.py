"""Exercise 11.find_fault: find the fault of an online softmax in a closed box by its outputs."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch11.boxes import FAULTS, SOUND, Box, box
from exercise_bank.ch11.mistakes.find_fault import MISCONCEPTIONS
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

INF = torch.inf
#: Scores and a block size for which a fault has an effect. The values are 1, 2, 3, ...
SHOWN = {
    "no maximum": ([[1000.0, 1000.0]], 1),
    "sum kept": ([[0.0, 2.0]], 1),
    "values kept": ([[0.0, 2.0]], 1),
    "last block lost": ([[0.0, 0.0, 0.0]], 2),
    "empty block": ([[-INF, 0.0]], 1),
    "one maximum": ([[0.0], [1000.0]], 1),
}


def boxes(*kinds: str) -> list[Inputs]:
    return [{"box": box(kind)} for kind in kinds]


def sums_kept(g: Generator) -> list[Inputs]:
    return boxes("online", "sum kept")


def values_kept(g: Generator) -> list[Inputs]:
    return boxes("lazy", "values kept")


def cut(g: Generator) -> list[Inputs]:
    return boxes("at once", "last block lost")


def far_from_0(g: Generator) -> list[Inputs]:
    return boxes("online", "no maximum")


def far_apart(g: Generator) -> list[Inputs]:
    return boxes("online", "one maximum")


def hidden(g: Generator) -> list[Inputs]:
    return boxes("backwards", "empty block")


def sound(g: Generator) -> list[Inputs]:
    return boxes(*(SOUND[i] for i in torch.randperm(len(SOUND), generator=g).tolist()))


def a_name(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not one of the names, or this box's behaviour."""
    if not isinstance(answer, str) or answer not in FAULTS:
        return f"return one of {', '.join(map(repr, FAULTS))}; yours is {answer!r}"
    true = find_fault(**inputs)
    if answer == true:
        return None
    if true == "none":
        return (
            "this box agrees with softmax on every input, up to rounding; sound boxes differ in "
            f"the last digits, so compare with a tolerance; yours says {answer!r}"
        )
    rows, block = SHOWN[true]
    scores = torch.tensor(rows)
    value = torch.arange(1.0, scores.shape[1] + 1)[:, None]
    gave, should = inputs["box"](scores, value, block), box("at once")(scores, value, block)
    values = [f"{each:g}" for each in value[:, 0].tolist()]
    return (
        f"for the scores {show(rows)}, the values {', '.join(values)} and blocks of {block} this "
        f"box gives output {show(gave[0][:, 0].tolist())} and log-sum-exp "
        f"{show(gave[1].tolist())}; softmax gives {show(should[0][:, 0].tolist())} and "
        f"{show(should[1].tolist())}; yours says {answer!r}"
    )


def find_fault(box: Box) -> str:
    """Return the name of the box's fault, or "none"."""

    def wrong(scores: Tensor, block: int) -> tuple[bool, bool]:
        output, lse = box(scores, torch.ones(scores.shape[1], 1), block)
        output_is_1 = torch.allclose(output, torch.ones_like(output))
        return not torch.allclose(lse, scores.logsumexp(dim=1)), not output_is_1

    lse_wrong, output_wrong = wrong(torch.arange(2.0)[None], 1)
    if output_wrong:
        return "sum kept" if lse_wrong else "values kept"
    if any(wrong(torch.zeros(1, 3), 2)):
        return "last block lost"
    if any(wrong(torch.tensor([[1000.0]]), 1)):
        return "no maximum"
    if any(wrong(torch.tensor([[-torch.inf, 0.0]]), 1)):
        return "empty block"
    return "one maximum" if any(wrong(torch.tensor([[0.0], [1000.0]]), 1)) else "none"


def agrees(box: Box, rows: list[list[float]], block: int) -> tuple[bool, bool]:
    scores = torch.tensor(rows, dtype=torch.float64)
    value = torch.arange(scores.shape[1], dtype=torch.float64)[:, None].sin() + 2
    output, lse = box(scores, value, block)
    right = torch.softmax(scores, dim=1) @ value
    return torch.allclose(output, right), torch.allclose(lse, scores.logsumexp(dim=1))


def against_softmax(box: Box) -> str:
    output, lse = agrees(box, [[0.0, 1.0, 3.0, 2.0]], 2)
    if not (output and lse):
        return "sum kept" if not lse else "values kept"
    if not all(agrees(box, [[1.0, 0.0, 2.0]], 2)):
        return "last block lost"
    if not all(agrees(box, [[-2000.0, -2001.0]], 1)):
        return "no maximum"
    if not all(agrees(box, [[-torch.inf, -torch.inf, 5.0, 4.0]], 2)):
        return "empty block"
    return "none" if all(agrees(box, [[0.0, 1.0], [5000.0, 1.0]], 1)) else "one maximum"


def by_table(box: Box) -> str:
    probes = {
        "last block lost": ([[4.0, 3.0, 2.0]], 2),
        "no maximum": ([[900.0, 900.0]], 2),
        "one maximum": ([[-900.0, -900.0], [0.0, 0.0]], 2),
        "empty block": ([[-torch.inf, 3.0]], 1),
    }
    failed = [name for name, (rows, block) in probes.items() if not all(agrees(box, rows, block))]
    if "no maximum" in failed:
        return "no maximum"
    if failed:
        return failed[0]
    scores, value = torch.tensor([[1.0, 2.0]]), torch.ones(2, 1)
    output, lse = box(scores, value, 1)
    if torch.allclose(output, torch.ones(1, 1)):
        return "none"
    return "values kept" if torch.allclose(lse, scores.logsumexp(dim=1)) else "sum kept"


TASK = Exercise(
    id="11.find_fault",
    title="A softmax in a closed box",
    level="hard",
    minutes=15,
    concepts=("rescaling", "online-exactness", "log-sum-exp"),
    reference=find_fault,
    rungs=(
        Rung(
            name="the sum is not rescaled",
            points=0.8,
            idea="sum and values are both rescaled",
            draw=sums_kept,
            law=a_name,
            compare=False,
        ),
        Rung(
            name="the values are not rescaled",
            points=1.2,
            idea="sum and values are both rescaled",
            draw=values_kept,
            law=a_name,
            compare=False,
        ),
        Rung(
            name="a block is missing",
            points=0.8,
            draw=cut,
            law=a_name,
            compare=False,
        ),
        Rung(
            name="scores far from 0",
            points=0.8,
            idea="large scores need a maximum in each row",
            draw=far_from_0,
            law=a_name,
            compare=False,
        ),
        Rung(
            name="rows far from each other",
            points=1.2,
            idea="large scores need a maximum in each row",
            draw=far_apart,
            law=a_name,
            compare=False,
        ),
        Rung(
            name="a row that begins with a hidden block",
            points=0.8,
            draw=hidden,
            law=a_name,
            compare=False,
        ),
        Rung(
            name="sound boxes are called sound",
            points=0.4,
            draw=sound,
            law=a_name,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="against softmax", answer=against_softmax),
        Alternative(name="by a table of probes", answer=by_table),
    ),
    hints=(
        "For which inputs can you compute the right softmax in your head?",
        "Each fault needs its own input. Which faults do not show with one block, with equal "
        "scores, or with a single row?",
        "Two faults show in a row whose scores rise. One of them leaves the log-sum-exp right. "
        "Give all keys the value 1: what must the output be then?",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "find_fault.wrong: line 4: 1 becomes 2 in torch.ones(scores.shape[1], 1)",
                "find_fault: line 7: 2.0 becomes 3.0 in torch.arange(2.0)",
                "find_fault: line 10: 1 and 3 swapped in torch.zeros(1, 3)",
                "find_fault: line 10: torch.zeros becomes ones",
                "find_fault: line 10: 1 becomes 2 in torch.zeros(1, 3)",
                "find_fault: line 12: 1000.0 becomes 999.0 in [1000.0]",
                "find_fault: line 12: 1000.0 becomes 1001.0 in [1000.0]",
                "find_fault: line 12: 1 becomes 2 in wrong(torch.tensor([[1000.0]]), 1)",
                "find_fault: line 14: 0.0 becomes -1.0 in [-torch.inf, 0.0]",
                "find_fault: line 14: 0.0 becomes 1.0 in [-torch.inf, 0.0]",
                "find_fault: line 16: 0.0 becomes -1.0 in [0.0]",
                "find_fault: line 16: 0.0 becomes 1.0 in [0.0]",
                "find_fault: line 16: 1000.0 becomes 999.0 in [1000.0]",
                "find_fault: line 16: 1000.0 becomes 1001.0 in [1000.0]",
                "find_fault: line 16: 1 becomes 2 in wrong(torch.tensor([[0.0], [1000.0]]), 1)",
            ),
            "other questions to the box distinguish the faults as well",
        ),
        **dict.fromkeys(
            (
                "find_fault.wrong: line 5: output and torch.ones_like(output) swapped in "
                "torch.allclose(…)",
                "find_fault.wrong: line 6: lse and scores.logsumexp(dim=1) swapped in "
                "torch.allclose(lse, scores.logsumexp(dim=1))",
            ),
            "equality has no direction",
        ),
        "find_fault.wrong: line 5: output becomes lse in torch.ones_like(output)": (
            "ones of either shape meet every output"
        ),
    },
)
