"""Question 16.littles_law: requests in the system, and the largest load, by hand."""

from plaincourse.exercise import Misconception, Question

Numbers = tuple[float, ...]
RIGHT: Numbers = (10.5, 9, 0.75, 2)
LETTERS = "ABCD"
PLACES = 12

#: For each part the wrong numbers, a word for each, and the message.
WRONG: tuple[tuple[tuple[float, str, str], ...], ...] = (
    (
        (9, "runs-only", "counts only running requests; those in the queue are inside, too"),
        (12, "wait-added", "adds the wait to the 7 seconds, which contain it, or counts places"),
        (1.5, "waiting-only", "counts the requests that wait, or that arrive in a second"),
        (37_800, "per-hour", "multiplies requests an hour by seconds; use seconds for both"),
        (630, "per-minute", "multiplies requests a minute by seconds; use seconds for both"),
        (7 / 1.5, "divided", "divides the time by the rate; Little's law multiplies"),
        (5400 / 7, "divided-per-hour", "divides requests an hour by seconds; Little's law "
         "multiplies, both in seconds"),
        (90 / 7, "divided-per-minute", "divides requests a minute by seconds; Little's law "
         "multiplies, both in seconds"),
        (11, "rounded", "is rounded; a mean need not be a whole number"),
    ),
    (
        (10.5, "all-inside", "counts all requests inside; those in the queue do not run yet"),
        (12, "all-places", "counts all places, also those that are free"),
        (1.5, "waiting", "counts the requests that wait, or that arrive in a second"),
        (32_400, "per-hour", "multiplies requests an hour by seconds; use seconds for both"),
        (540, "per-minute", "multiplies requests a minute by seconds; use seconds for both"),
        (4, "divided", "divides the time by the rate; Little's law multiplies"),
        (900, "divided-per-hour", "divides requests an hour by seconds; Little's law multiplies, "
         "both in seconds"),
        (15, "divided-per-minute", "divides requests a minute by seconds; Little's law "
         "multiplies, both in seconds"),
        (9.5, "one-less", "subtracts 1 for the queue, in which 1.5 requests wait on average"),
        (6, "seconds", "is the number of seconds in a place; in each of them 1.5 requests arrive"),
    ),
    (
        (0.875, "inside", "divides all requests inside by the places; those in the queue "
         "have none"),
        (75, "per-cent", "is in per cent; a share is between 0 and 1"),
        (0.25, "free", "is the share of places that are free"),
        (4 / 3, "upside-down", "divides the places by those that are taken"),
        (6 / 7, "time", "is the share of its time that a request runs; the question is about "
         "the places"),
        (0.125, "rate", "divides by the places without the time that each is held"),
        (2700, "per-hour", "is not a share: it multiplies requests an hour by seconds"),
        (45, "per-minute", "is not a share: it multiplies requests a minute by seconds"),
        (9.5 / 12, "one-less", "divides 9.5 requests by the places; 9 have one on average"),
        (1, "all", "counts all places as taken; the engine could serve more requests than came"),
        (1 / 3, "divided", "divides a time by the rate"),
        (7 / 9, "places-and-queue", "adds the queue to the places, and waiting requests to "
         "running ones; those in the queue have no place"),
        (0.5, "seconds", "divides seconds by places; a share divides requests by places"),
        (7 / 12, "whole-time", "divides seconds by places; a share divides requests by places"),
        (1.25, "divided-per-minute", "is not a share: it divides requests a minute by seconds"),
    ),
    (
        (12 / 7, "whole-time", "lets a request hold its place for 7 seconds; during one of them "
         "it is in the queue and has none"),
        (0.5, "on-top", "is the rate that may be added to the present 1.5"),
        (12, "places", "is the number of places, as if each were free again after a second"),
        (1 / 6, "one-place", "is the rate of a single place"),
        (7200, "per-hour", "is in requests an hour; the question asks for requests a second"),
        (120, "per-minute", "is in requests a minute; the question asks for requests a second"),
        (1.5, "now", "is the present rate, at which a quarter of the places is free"),
        (8, "by-the-present", "divides the places by the requests that come now, which gives the "
         "seconds that each may hold its place; the question asks for a rate"),
        (10.5 / 6, "all-inside", "divides all requests inside by the time in a place; the limit "
         "is the places"),
        (72, "product", "multiplies places and time; the longer a request runs, the fewer "
         "are served"),
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


def of(part: int, number: float, name: str, why: str, *, share: bool = False) -> Misconception:
    """Make the answer that is wrong in this part, or in B and the share that follows from it."""
    letter, numbers = LETTERS[part], list(RIGHT)
    numbers[part] = number
    says = f"Your {letter} {why}."
    if share:
        numbers[2] = number / PLACES
        says += f" Your C is your B divided by the {PLACES} places, so it is wrong with B."
        name += "-and-share"
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
    misconceptions=(
        *(of(part, *way) for part, ways in enumerate(WRONG) for way in ways),
        *(of(1, *way, share=True) for way in WRONG[1]),
    ),
    parts={
        "how many are inside": (0,),
        "how many are running, and the share of the places": (1, 2),
        "the share of the places, and where the queue starts to grow": (2, 3),
    },
    hints=HINTS,
)
