"""Is a summary of fixed width too small for eight facts, or does it take longer to learn?

The answer that is tested against: thirty-two numbers have no room, so longer training changes
nothing. The reader who looks back is done after 500 steps and is stopped after 1000.
"""

from experiments.record import Experiment
from plainformer.lab.recall import Reader, Recall, last_state, look_back, practise, share_right

CHECKS = (500, 1000, 2000, 4000, 8000)
CARDS = (1, 2, 4, 8, 12, 16)


def measure(
    *, seed: int, steps: int, width: int, recall: str, stop: int
) -> dict[str, list[list[float]]]:
    """Train a reader; return the share of digits recalled, by check and by number of cards."""
    ways: dict[str, Recall] = {"last state": last_state, "all states": look_back}
    reader = Reader(width=width, recall=ways[recall])
    end = min(steps, stop)
    checks = [check for check in CHECKS if check < end] + [end]
    return {
        "recalled": [
            [share_right(reader, n) for n in CARDS] for _ in practise(reader, checks=checks)
        ]
    }


EXPERIMENT = Experiment(
    file=__file__,
    question="Does a reader with one summary recall eight facts if it is trained for longer?",
    measure=measure,
    variants={
        "last state, 32": {"width": 32, "recall": "last state", "stop": 8000},
        "last state, 64": {"width": 64, "recall": "last state", "stop": 8000},
        "looks back, 32": {"width": 32, "recall": "all states", "stop": 1000},
    },
    steps=8000,
)

if __name__ == "__main__":
    EXPERIMENT.main()
