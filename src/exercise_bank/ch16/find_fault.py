"""Exercise 16.find_fault: find the fault of a server in a closed box by its record of a load."""

import torch
from torch import Generator

from exercise_bank.ch16.boxes import FAULTS, SOUND, Asked, Server, Trace, box
from exercise_bank.ch16.mistakes.find_fault import MISCONCEPTIONS
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Law

#: Requests and pages for which a fault has an effect, and that effect.
SHOWN = {
    "no query left": (
        "server([(0, [7] * 4, 1), (1, [7] * 4, 1)], 9)",
        "request 1 draws its first token in a step in which it computes nothing: there is no query "
        "that could give it",
    ),
    "leaked page": (
        "server([(0, [7] * 5, 1)], 3)",
        "all is answered, and 2 of 3 pages are free or kept: a page that was not full never came "
        "back",
    ),
    "prefill first": (
        "server([(0, [7], 4), (1, [8] * 2, 1)], 9)",
        "request 0 draws nothing in step 1, in which the other prompt is read",
    ),
    "lost request": (
        "server([(0, [7] * 2, 4), (0, [8] * 3, 6)], 3)",
        "request 1 loses its pages and is never seen again",
    ),
}
#: Evidence against each name for a sound server.
SOUND_SAYS = {
    "no query left": "each token is drawn in a step that computes a position of its request",
    "leaked page": "once all is answered, `free` and `kept` together are all its pages",
    "prefill first": "an answer that has begun gets a token in each step, until it is complete or "
    "loses its pages",
    "lost request": "each request has all its tokens in the end, also one that lost its pages",
}


def boxes(*kinds: str) -> list[Inputs]:
    return [{"server": box(kind)} for kind in kinds]


def known(g: Generator) -> list[Inputs]:
    return boxes("no query left", "shares")


def leaks(g: Generator) -> list[Inputs]:
    return boxes("leaked page, shares nothing", "shares nothing", "shares")


def stalls(g: Generator) -> list[Inputs]:
    return boxes("prefill first, shares nothing", "in batches")


def too_few_pages(g: Generator) -> list[Inputs]:
    return boxes("lost request, shares nothing", "shares nothing", "shares")


def sound(g: Generator) -> list[Inputs]:
    return boxes(*SOUND)


def all_of_them(g: Generator) -> list[Inputs]:
    kinds = (*FAULTS[1:], *SOUND)
    return boxes(*(kinds[i] for i in torch.randperm(len(kinds), generator=g).tolist()))


def a_name(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not one of the names, or this server's behaviour."""
    if type(answer) is not str or answer not in FAULTS:
        return f"return one of {', '.join(map(repr, FAULTS))}; yours is {answer!r}"
    true = find_fault(**inputs)
    if answer == true:
        return None
    if true == "none":
        return f"this server is sound: {SOUND_SAYS[answer]}; yours says {answer!r}"
    call, happens = SHOWN[true]
    but = f", and here {SOUND_SAYS[answer]}" if answer in SOUND_SAYS else ""
    return f"after {call} on this server, {happens}; yours says {answer!r}{but}"


def about(fault: str) -> Law:
    """Make a law about one fault: its name is given to its servers and no others."""

    def law(inputs: Inputs, answer: object) -> str | None:
        of_others = answer in FAULTS and fault not in (answer, find_fault(**inputs))
        return None if of_others else a_name(inputs, answer)

    return law


def find_fault(server: Server) -> str:
    """Return the name of the server's fault, or "none"."""
    trace = server([(0, [7] * 4, 1), (1, [7] * 4, 1)], 9)
    if any(count == 0 for step in trace for count in step["work"].values()):
        return "no query left"
    last = server([(0, [7] * 5, 1)], 3)[-1]
    if last["free"] + last["kept"] < 3:
        return "leaked page"
    if any(0 not in step["drawn"] for step in server([(0, [7], 4), (1, [8], 1)], 9)[:4]):
        return "prefill first"
    trace = server([(0, [7] * 2, 4), (0, [8] * 3, 6)], 3)
    if sum(1 in step["drawn"] for step in trace) < 6:
        return "lost request"
    return "none"


def by_every_law(server: Server) -> str:
    """Run a few loads, and check every law on each of them."""
    loads: list[tuple[list[Asked], int]] = [
        ([(0, [1] * 8, 2), (3, [1] * 8, 2)], 12),
        ([(0, [1, 2], 12), (3, [3] * 20, 2)], 20),
        ([(0, [1] * 3, 9), (0, [2] * 6, 9)], 5),
        ([(0, [1] * 2, 6), (0, [2] * 3, 4)], 3),
    ]
    for asked, pages in loads:
        trace = server(asked, pages)
        drawn = [step["drawn"] for step in trace]
        out: set[int] = set()
        for i, step in enumerate(trace):
            if not all(step["work"].values()):
                return "no query left"
            out |= set(step["preempted"])
            for number in drawn[i - 1] if i else []:
                goes_on = any(number in later for later in drawn[i:])
                if goes_on and number not in out and number not in drawn[i]:
                    return "prefill first"
            out -= set(step["work"])
        if any(sum(k in each for each in drawn) < wanted for k, (*_, wanted) in enumerate(asked)):
            return "lost request"
        if trace[-1]["free"] + trace[-1]["kept"] != pages:
            return "leaked page"
    return "none"


def from_positions(server: Server) -> str:
    """Sum positions and tokens; check pages only after the requests have ended."""

    def drawn(trace: Trace, number: int) -> list[int]:
        return [i for i, step in enumerate(trace) if number in step["drawn"]]

    alone = server([(0, [5] * 6, 4)], 10)
    if alone[-1]["free"] != 10 - alone[-1]["kept"]:
        return "leaked page"
    twice = server([(0, [5] * 12, 1), (6, [5] * 12, 1)], 10)
    if sum(step["work"].get(1, 0) for step in twice) == 0:
        return "no query left"
    steps = drawn(server([(0, [5], 10), (4, [6] * 30, 1)], 20), 0)
    if steps[-1] - steps[0] != 9:
        return "prefill first"
    tight = server([(0, [5] * 3, 3), (0, [6] * 4, 4)], 3)
    return "none" if len(drawn(tight, 1)) == 4 else "lost request"


TASK = Exercise(
    id="16.find_fault",
    title="A server in a closed box",
    level="hard",
    minutes=12,
    concepts=("continuous-batching", "prefix-caching", "chunked-prefill", "serving-paged"),
    reference=find_fault,
    rungs=(
        rung(
            "prompts that are known",
            1.0,
            known,
            about("no query left"),
            "each fault has a load of its own",
        ),
        rung(
            "pages that do not come back",
            1.0,
            leaks,
            about("leaked page"),
            "each fault has a load of its own",
        ),
        rung(
            "a prompt beside an answer",
            1.0,
            stalls,
            about("prefill first"),
            "each fault has a load of its own",
        ),
        rung(
            "too few pages",
            1.25,
            too_few_pages,
            about("lost request"),
            "each fault has a load of its own",
        ),
        rung("the sound servers pass", 0.75, sound, a_name, "sound servers differ"),
        rung("all of them, in any order", 1.0, all_of_them, a_name),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by every law", answer=by_every_law),
        Alternative(name="from positions", answer=from_positions),
    ),
    hints=(
        "What must be true of every step, and what once all is answered, whatever the load was?",
        "Each fault needs a load of its own: the same prompt again, later; an answer that ends "
        "within a page; a prompt that comes while an answer runs; two answers that do not fit.",
        "Count 0 in `work`; `free` + `kept` at the end; a step without the token of one that "
        "answers; fewer tokens than wanted.",
    ),
    equivalents=dict.fromkeys(
        (
            "find_fault: line 2: 4 becomes 5 in [7] * 4",
            "find_fault: line 2: 1 becomes 2 in (0, [7] * 4, 1)",
            "find_fault: line 2: 1 becomes 2 in (1, [7] * 4, 1)",
            "find_fault: line 2: 1 becomes 2 in (1, [7] * 4, 1) (2)",
            "find_fault: line 2: 9 becomes 8 in server(…)",
            "find_fault: line 2: 9 becomes 10 in server(…)",
            "find_fault: line 5: 0 becomes 1 in (0, [7] * 5, 1)",
            "find_fault: line 5: * 5 dropped",
            "find_fault: line 5: 7 becomes 6 in [7]",
            "find_fault: line 5: 7 becomes 8 in [7]",
            "find_fault: line 5: 5 becomes 6 in [7] * 5",
            "find_fault: line 5: 1 becomes 2 in (0, [7] * 5, 1)",
            "find_fault: line 5: -1 becomes 0 in server([(0, [7] * 5, 1)], 3)[-1]",
            "find_fault: line 8: 7 becomes 6 in [7]",
            "find_fault: line 8: 7 becomes 8 in [7]",
            "find_fault: line 8: 4 becomes 5 in (0, [7], 4)",
            "find_fault: line 8: 1 becomes 2 in (1, [8], 1)",
            "find_fault: line 8: 8 becomes 7 in [8]",
            "find_fault: line 8: 8 becomes 9 in [8]",
            "find_fault: line 8: 1 becomes 2 in (1, [8], 1) (2)",
            "find_fault: line 8: 9 becomes 8 in server([(0, [7], 4), (1, [8], 1)], 9)",
            "find_fault: line 8: 9 becomes 10 in server([(0, [7], 4), (1, [8], 1)], 9)",
            "find_fault: line 8: 4 becomes 3 in :4",
            "find_fault: line 10: 2 becomes 3 in [7] * 2",
            "find_fault: line 10: 7 becomes 6 in [7]",
            "find_fault: line 10: 7 becomes 8 in [7]",
            "find_fault: line 10: 4 becomes 5 in (0, [7] * 2, 4)",
            "find_fault: line 10: 8 becomes 7 in [8]",
            "find_fault: line 10: 8 becomes 9 in [8]",
            "find_fault: line 10: 0 becomes 1 in (0, [8] * 3, 6)",
            "find_fault: line 10: 3 becomes 2 in [8] * 3",
            "find_fault: line 10: 3 becomes 2 in server(…)",
            "find_fault: line 10: 3 becomes 4 in [8] * 3",
            "find_fault: line 10: 6 becomes 7 in (0, [8] * 3, 6)",
            "find_fault: line 11: 6 becomes 5 in sum((1 in step['drawn' … or step in trace)) < 6",
        ),
        "other loads distinguish the faults as well",
    ),
)
