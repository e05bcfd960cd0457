"""Question 16.littles_law: how many are inside, and what load a server bears, by hand."""

from plaincourse.exercise import Misconception, Question

Numbers = tuple[float, ...]
RIGHT: Numbers = (10.5, 9, 0.75, 2)
LETTERS = "ABCD"

#: For each part the wrong numbers, a word for each, and what to say to it.
WRONG: tuple[tuple[tuple[float, str, str], ...], ...] = (
    (
        (9, "runs-only", "counts those that run; who waits in the queue is inside too"),
        (12, "wait-added", "adds the wait to the 7 seconds, which contain it, or counts places"),
        (1.5, "waiting-only", "counts those that wait, or that arrive in a second"),
        (37_800, "per-hour", "takes requests an hour times seconds; bring both to seconds"),
        (630, "per-minute", "takes requests a minute times seconds; bring both to seconds"),
        (7 / 1.5, "divided", "divides the time by the rate; Little's law multiplies"),
        (5400 / 7, "divided-per-hour", "divides requests an hour by seconds; Little's law "
         "multiplies, both in seconds"),
        (90 / 7, "divided-per-minute", "divides requests a minute by seconds; Little's law "
         "multiplies, both in seconds"),
        (11, "rounded", "is rounded; a mean need not be whole"),
    ),
    (
        (10.5, "all-inside", "counts all inside; those in the queue do not run yet"),
        (12, "all-places", "counts the places, whether they are taken or not"),
        (1.5, "waiting", "counts those that wait, or that arrive in a second"),
        (32_400, "per-hour", "takes requests an hour times seconds; bring both to seconds"),
        (540, "per-minute", "takes requests a minute times seconds; bring both to seconds"),
        (4, "divided", "divides the time by the rate; Little's law multiplies"),
        (900, "divided-per-hour", "divides requests an hour by seconds; Little's law multiplies, "
         "both in seconds"),
        (15, "divided-per-minute", "divides requests a minute by seconds; Little's law "
         "multiplies, both in seconds"),
        (9.5, "one-less", "takes the second in the queue for one request; 1.5 wait on average"),
        (6, "seconds", "is the seconds in a place; in each of them 1.5 requests come"),
    ),
    (
        (0.875, "inside", "holds all that are inside against the places; who waits has none"),
        (75, "per-cent", "is in per cent; asked for is a share from 0 to 1"),
        (0.25, "free", "is the share of places that are free"),
        (4 / 3, "upside-down", "divides the places by those that are taken"),
        (6 / 7, "time", "is the share of its time that a request runs; asked for are the places"),
        (0.125, "rate", "divides by the places without the time that each is held"),
        (2700, "per-hour", "is no share: it takes requests an hour times seconds"),
        (45, "per-minute", "is no share: it takes requests a minute times seconds"),
        (9.5 / 12, "one-less", "takes the second in the queue for one request"),
        (1, "all", "takes all places for taken; the engine bears more than came"),
        (1 / 3, "divided", "divides a time by the rate"),
        (7 / 9, "places-and-queue", "adds the queue to the places, and who waits to those that "
         "run; who waits has none"),
        (0.5, "seconds", "divides the seconds in a place by the places; both are to be requests"),
        (7 / 12, "whole-time", "divides the seconds of a request by the places; both are to be "
         "requests"),
        (1.25, "divided-per-minute", "is no share: it divides requests a minute by seconds"),
    ),
    (
        (12 / 7, "whole-time", "lets a request hold its place for 7 seconds; in the first it has "
         "none"),
        (0.5, "on-top", "is what may be added to the present 1.5"),
        (12, "places", "is the places: each would be free again after a second"),
        (1 / 6, "one-place", "is what one place answers in a second"),
        (7200, "per-hour", "is requests an hour; asked for are requests a second"),
        (120, "per-minute", "is requests a minute; asked for are requests a second"),
        (1.5, "now", "is the present load; a quarter of the places is free at it"),
        (8, "by-the-present", "divides the places by the requests that come now, which gives the "
         "seconds that each may hold its place; asked for are requests a second"),
        (10.5 / 6, "all-inside", "divides all that are inside by the time in a place; the places "
         "are the bound"),
        (72, "product", "multiplies places and time; the longer a request runs, the fewer go "
         "through"),
        (1.875, "quarter-more", "is a quarter more than now; a quarter of the places is free, "
         "which is a third of those that are taken"),
    ),
)  # fmt: skip
HINTS = (
    "Of which part of the system does each question ask: all of it, or the places?",
    "Little's law holds for any part: the mean number in it is the rate through it times the mean "
    "time in it.",
    "1.5 requests a second; 7 seconds inside, 6 of them in a place.",
)


def of(part: int, number: float, name: str, why: str) -> Misconception:
    """Make the answer that is wrong in this part."""
    letter, numbers = LETTERS[part], list(RIGHT)
    numbers[part] = number
    says = f"Your {letter} {why}."
    return Misconception(
        name=f"{letter.lower()}-{name}",
        answer=tuple(numbers),
        believed=says,
        says=says,
        hints=HINTS,
    )


TASK = Question(
    id="16.littles_law",
    title="Inside, by hand",
    level="easy",
    minutes=5,
    concepts=("throughput-and-latency", "continuous-batching"),
    points=3.0,
    answer=RIGHT,
    letters=LETTERS,
    misconceptions=tuple(of(part, *way) for part, ways in enumerate(WRONG) for way in ways),
    parts={
        "how many are inside": (0,),
        "how many are running": (1,),
        "which share of the places is taken": (2,),
        "where the queue starts to grow, with the share of the places": (2, 3),
    },
    hints=HINTS,
)
