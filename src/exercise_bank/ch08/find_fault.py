"""Exercise 08.find_fault: find the fault of a training loop in a closed box."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch08.loops import FAULTS, Loop, box
from exercise_bank.ch08.mistakes.find_fault import MISCONCEPTIONS, SEEN
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

DOWN = "down, against the gradient"
CLIPPED = "the length is clipped first"
BEFORE = "the step before"


def boxes(*faults: str) -> list[Inputs]:
    return [{"loop": box(fault)} for fault in faults]


def told(inputs: Inputs, answer: object) -> str | None:
    """Describe this box, if the answer is a wrong name or not a name."""
    if not isinstance(answer, str) or answer not in FAULTS:
        return f"return one of {', '.join(map(repr, FAULTS))}; yours is {answer!r}"
    name = find_fault(inputs["loop"])
    if answer == name:
        return None
    return f"this box {SEEN[name]}: {name!r}; your answer is {answer!r}"


def rung(name: str, points: float, fault: str, idea: str) -> Rung:
    """Make a requirement: separate a loop with this fault from a right one."""

    def draw(g: Generator) -> list[Inputs]:
        return boxes(fault, "none")

    return Rung(name=name, points=points, draw=draw, law=told, idea=idea)


def find_fault(loop: Loop) -> str:
    gradients = torch.tensor([[3.0, 4.0], [0.6, 0.0]])
    path = loop(torch.zeros(2), gradients, torch.tensor([1.0, 2.0]), 1.0)
    first, second = path[0], path[1] - path[0]
    if first[0] == 0:
        return "late gradient"
    if first[0] > 0:
        return "climbs"
    if first[0] < -2:
        return "clips late"
    if first[0] < -0.8:
        return "clips each"
    if second[1] != 0:
        return "adds up"
    return "late rate" if second[0] > -1 else "none"


def by_table(loop: Loop) -> str:
    ends = {
        "none": (-1.8, -0.8),
        "climbs": (1.8, 0.8),
        "clips late": (-4.2, -4.0),
        "clips each": (-2.2, -1.0),
        "adds up": (-1.94, -2.29),
        "late gradient": (-1.2, -1.6),
        "late rate": (-1.2, -0.8),
    }
    gradients = torch.tensor([[3.0, 4.0], [0.6, 0.0]])
    end = loop(torch.zeros(2), gradients, torch.tensor([1.0, 2.0]), 1.0)[-1]
    return min(ends, key=lambda name: float((end - torch.tensor(ends[name])).norm()))


def moves(loop: Loop, gradients: list[list[float]], rates: list[float]) -> list[list[float]]:
    start = torch.zeros(len(gradients[0]))
    path: Tensor = loop(start, torch.tensor(gradients), torch.tensor(rates), 1.0)
    steps: list[list[float]] = torch.diff(path, dim=0, prepend=start[None]).tolist()
    return steps


def one_question_each(loop: Loop) -> str:
    if moves(loop, [[0.5], [0.0]], [1.0, 1.0])[1][0] < -0.4:
        once = moves(loop, [[0.5], [0.0]], [1.0, 1.0])[0][0]
        return "adds up" if once < 0 else "late gradient"
    if moves(loop, [[0.5]], [1.0])[0][0] > 0:
        return "climbs"
    if moves(loop, [[9.0]], [1.0])[0][0] < -2:
        return "clips late"
    if moves(loop, [[9.0, 9.0]], [1.0])[0][0] < -0.9:
        return "clips each"
    late = moves(loop, [[0.5], [0.5]], [1.0, 0.0])[1][0] != 0
    return "late rate" if late else "none"


TASK = Exercise(
    id="08.find_fault",
    title="A loop in a closed box",
    level="hard",
    minutes=20,
    concepts=("gradient-clipping", "learning-rate-schedule"),
    reference=find_fault,
    rungs=(
        rung("up or down", 0.25, "climbs", DOWN),
        rung("clipped number by number", 2.5, "clips each", CLIPPED),
        rung("clipped too late", 0.5, "clips late", CLIPPED),
        rung("gradients that are never cleared", 1.25, "adds up", BEFORE),
        rung("the gradient before", 1.25, "late gradient", BEFORE),
        rung("the rate before", 1.25, "late rate", BEFORE),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="one question each", answer=one_question_each),
        Alternative(name="by a table of ends", answer=by_table),
    ),
    hints=(
        "For which gradients and rates can you compute the steps of the right loop in your head?",
        "Which faults can a single step show, and which need a second one with a different "
        "gradient and a different rate? Which needs two weights?",
        "Take the gradients (3, 4) and then (0.6, 0), two different rates, and clip at 1. Write "
        "down by hand the weights of each of the seven loops after each step.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "find_fault: line 2: 3.0 becomes 4.0 in [3.0, 4.0]",
                "find_fault: line 2: 4.0 becomes 3.0 in [3.0, 4.0]",
                "find_fault: line 2: 4.0 becomes 5.0 in [3.0, 4.0]",
                "find_fault: line 3: 2 becomes 1 in torch.zeros(2)",
                "find_fault: line 3: torch.tensor of [1.0, 2.0] dropped",
                "find_fault: line 3: 2.0 becomes 3.0 in [1.0, 2.0]",
            ),
            "these inputs separate the seven loops as well",
        ),
        **dict.fromkeys(
            (
                "find_fault: line 5: 0 becomes -1 in first[0]",
                "find_fault: line 5: 0 becomes 1 in first[0]",
                "find_fault: line 7: 0 becomes -1 in first[0]",
                "find_fault: line 7: 0 becomes 1 in first[0]",
                "find_fault: line 9: 0 becomes -1 in first[0]",
                "find_fault: line 9: 0 becomes 1 in first[0]",
                "find_fault: line 9: -2 becomes -1 in first[0] < -2",
                "find_fault: line 11: 0 becomes -1 in first[0]",
                "find_fault: line 11: 0 becomes 1 in first[0]",
            ),
            "both weights of the first step lead to the same answer",
        ),
        **dict.fromkeys(
            (
                "find_fault: line 7: > 0 becomes >= 0",
                "find_fault: line 9: < -2 becomes <= -2",
                "find_fault: line 11: < -0.8 becomes <= -0.8",
                "find_fault: line 15: > -1 becomes >= -1",
            ),
            "no loop lands on the limit itself",
        ),
        **dict.fromkeys(
            ("find_fault: line 7: first becomes second in first[0]",),
            "the second step has the sign of the first",
        ),
    },
)
