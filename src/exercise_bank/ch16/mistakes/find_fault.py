"""How 16.find_fault goes wrong."""

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

from exercise_bank.ch16.mistakes import saying_slips
from plaincourse.exercise import Misconception

Server = Callable[[Any, int], list[dict[str, Any]]]
FEW = ([(0, [1] * 3, 9), (0, [2] * 6, 9)], 5)
TIGHT = ([(0, [1] * 2, 6), (0, [2] * 3, 4)], 3)
NAMES = ("no query left", "leaked page", "prefill first", "lost request")


def tokens(trace: list[dict[str, Any]], number: int) -> int:
    return sum(number in step["drawn"] for step in trace)


def known_whole(server: Server, slips: tuple[str, ...]) -> bool:
    trace = server([(0, [1] * 8, 1), (3, [1] * 8, 1)], 12)
    if "any hit" in slips:
        return sum(step["work"].get(1, 0) for step in trace) < 8
    return any(count == 0 for step in trace for count in step["work"].values())


def leaked(server: Server, slips: tuple[str, ...]) -> bool:
    trace = server([(0, [1] * 6, 2)], 9)
    if "free only" in slips:
        return bool(trace[-1]["free"] < 9)
    if "while running" in slips:
        return any(step["free"] + step["kept"] < 9 for step in trace)
    return bool(trace[-1]["free"] + trace[-1]["kept"] < 9)


def stalled(server: Server, slips: tuple[str, ...]) -> bool:
    trace = server([(0, [1] * 2, 9), (3, [2] * 20, 1)], 20)
    if "prompt waits" in slips:
        return not any(1 in step["work"] for step in trace[3:5])
    if "prompt in one step" in slips:
        return not any(1 in step["drawn"] for step in trace[:5])
    if "any idle" in slips:
        return any(0 not in step["drawn"] for step in trace)
    return any(0 not in step["drawn"] for step in trace[:9])


def slipped(server: Server, *, slips: tuple[str, ...]) -> str:
    """Question a server as one should, but for what slips."""
    found = _found(server, slips)
    if "never none" in slips and found == "none":
        return "leaked page"
    if "exchanged" in slips and found in slips:
        return next(name for name in slips if name not in ("exchanged", found))
    return found


def _found(server: Server, slips: tuple[str, ...]) -> str:
    missed = () if "exchanged" in slips else slips
    if "no query left" not in missed and known_whole(server, slips):
        return "no query left"
    if "leaked page" not in missed and leaked(server, slips):
        return "leaked page"
    if "prefill first" not in missed and stalled(server, slips):
        return "prefill first"
    if "stall by pages" in slips and any(
        1 in a["drawn"] and 1 not in b["drawn"] for a, b in pairwise(server(*FEW)[:12])
    ):
        return "prefill first"
    for asked, pages in (FEW, TIGHT):
        trace = server(asked, pages)
        preempted = any(step["preempted"] for step in trace)
        if "lost request" not in missed:
            if any(tokens(trace, number) < wanted for number, (_, _, wanted) in enumerate(asked)):
                return "lost request"
            if "preempted is lost" in slips and preempted:
                return "lost request"
            if "absent is lost" in slips and any(1 not in step["work"] for step in trace):
                return "lost request"
    return "none"


said = saying_slips(slipped)

KNOWN = (
    "Which pages does the cache know when your second request comes, and which does it ask for?",
    "The same prompt, a multiple of 4 long, after the first one was read: look for a count of 0.",
)
LEAK = (
    "Where are the pages once all is answered?",
    "After the last step, free and kept pages are all there are; let an answer end within a page.",
)
STALL = (
    "Who is being answered while your prompt is read?",
    "A long answer first, a prompt while it runs: does each step draw a token of the answer?",
)
PAGES = (
    "What does a sound server do when two answers do not fit into its pages?",
    "It takes the pages of one and reads that one again later: preempted is not lost.",
)
#: What brings a fault out, for those who miss it, and the hints.
MISSED = {
    "no query left": (
        "You let go of the server that finds whole prompts. It shows where the same prompt comes "
        "again after the first one was read, with full pages only, a multiple of 4; and it shows "
        "as a count of 0 in `work`: a token is drawn all the same.",
        KNOWN,
    ),
    "leaked page": (
        "You let go of the server that leaks. It shows once all is answered, if an answer ended "
        "within a page: `free` and `kept` together are then less than all pages.",
        LEAK,
    ),
    "prefill first": (
        "You let go of the server that reads prompts first. It shows where a prompt comes while "
        "another request is being answered: all its tokens come, but not one in each step.",
        STALL,
    ),
    "lost request": (
        "You let go of the server that loses requests. It shows where two answers do not fit into "
        "the pages: one has fewer tokens in the end than it asked for.",
        PAGES,
    ),
}


def missing(*names: str) -> Misconception:
    """Miss these faults."""
    says = [MISSED[name][0] for name in names]
    slug = "-and-".join(name.replace(" ", "-") for name in names)
    hints = tuple(hint for name in names for hint in MISSED[name][1])[:4]
    return said(f"misses-{slug}", names, "My loads show every fault.", " ".join(says), *hints)


def exchanging(a: str, b: str) -> Misconception:
    """Exchange two names."""
    slug = f"{a}-for-{b}".replace(" ", "-")
    says = f'You say "{a}" where it is "{b}", and the other way round.'
    return said(slug, ("exchanged", a, b), "One is as good as the other.", says,
                "What shows in your load, and which of the descriptions says so?",
                "Read the two descriptions once more, and what your load asks for.")  # fmt: skip


FALSE_ALARMS = (
    said("never-sound", "never none", "One of the faults is there.",
         "You name a fault where there is none.", *LEAK),
    said("every-hit-is-a-fault", "any hit", "A prompt is computed whole.",
         "You take it for a fault that pages of a prompt are found. That is what a prefix cache "
         "is for, as long as a token is left to compute.", *KNOWN),
    said("kept-is-leaked", "free only", "What is not free is lost.",
         "You take pages for lost that the prefix cache keeps. They are handed out when needed.",
         *LEAK),
    said("leak-while-running", "while running", "The sum always holds.",
         "You add up pages while requests run, which hold some.", *LEAK),
    said("the-prompt-waits", "prompt waits", "A prompt is read as soon as it comes.",
         "You look whether the prompt has to wait. The fault is that it does not, and the answer "
         "does.", *STALL),
    said("the-prompt-in-chunks", "prompt in one step", "A prompt is read in one step.",
         "You take it for a fault that a long prompt takes several steps. It is read in chunks.",
         *STALL),
    said("any-step-without-a-token", "any idle", "Each step draws a token of each request.",
         "You take every step without a token for a stall. A request that still waits, or is "
         "complete, is due none.", *STALL),
    said("preemption-stalls", "stall by pages", "Only prompts stall an answer.",
         "You take it for a stall that an answer misses a step when pages are short: the request "
         "was preempted.", *PAGES),
    said("preempted-is-lost", "preempted is lost", "Who loses its pages is lost.",
         "You take a request for lost that is preempted. It waits, and is read again.", *PAGES),
    said("absent-is-lost", "absent is lost", "A request takes part in every step.",
         "You take a request for lost that is left out of a step.", *PAGES),
)  # fmt: skip

MISCONCEPTIONS = (
    *FALSE_ALARMS,
    *(missing(*names) for n in range(1, 5) for names in combinations(NAMES, n)),
    *(exchanging(*names) for names in combinations(NAMES, 2)),
)
