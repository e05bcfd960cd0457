"""How 16.find_fault goes wrong."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, pairwise
from typing import Any

from exercise_bank.ch16.boxes import FAULTS, SOUND, UNCACHED, box
from exercise_bank.ch16.mistakes import saying_slips
from plaincourse.exercise import Misconception

Server = Callable[[Any, int], list[dict[str, Any]]]
FEW = ([(0, [1] * 3, 9), (0, [2] * 6, 9)], 5)
TIGHT = ([(0, [1] * 2, 6), (0, [2] * 3, 4)], 3)
#: A load for which no two kinds of servers behave alike.
TELLING: tuple[Any, int] = ([(0, [1] * 8, 2), (1, [1] * 8, 9), (2, [2] * 9, 6)], 6)
NAMES = FAULTS[1:]
#: Servers with possible false alarms: those that share pages, and those that preempt.
CACHED = ("shares", "in batches", "one by one")
AT_ONCE = ("shares", "shares nothing", "in batches")


def tokens(trace: list[dict[str, Any]], number: int) -> int:
    return sum(number in step["drawn"] for step in trace)


def known_whole(server: Server, slips: tuple[str, ...]) -> bool:
    trace = server([(0, [1] * 8, 1), (3, [1] * 8, 1)], 12)
    if "any zero" in slips:
        return any(not step["work"].get(1, 0) for step in trace)
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
    """Test a server correctly except for the slips."""
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


@cache
def kinds() -> dict[str, str]:
    """Return each kind of server by its record of one load."""
    return {repr(box(kind)(*TELLING)): kind for kind in (*NAMES, *SOUND, *UNCACHED)}


def alarmed(server: Server, *, name: str, at: tuple[str, ...], missed: str = "none") -> str:
    """Name every fault but one, and give a name to some servers with another fault or none."""
    kind, _, way = kinds().get(repr(server(*TELLING)), "none").partition(", ")
    if kind in at and (not way or way in at):
        return name
    return kind if kind in NAMES and kind != missed else "none"


def also_alarmed(missed: str) -> tuple[partial[str], ...]:
    """Miss a fault, and give a false alarm of another name for some or all sound servers."""
    rings = (SOUND, ("in batches", "one by one"))
    return tuple(
        partial(alarmed, name=name, at=(*at, *faults), missed=missed)
        for name in NAMES
        if name != missed
        for at in rings
        for faults in dict.fromkeys(
            ((), tuple(x for x in NAMES[NAMES.index(name) + 1 :] if x != missed))
        )
    )


def alarms(name: str, *rings: tuple[str, ...]) -> tuple[partial[str], ...]:
    """Give false alarms for sound servers, after all other checks, among them and before them.

    Servers with other faults also share pages, so they get the false alarm if "shares" does.
    """
    later, others = NAMES[NAMES.index(name) + 1 :], tuple(x for x in NAMES if x != name)
    return tuple(
        partial(alarmed, name=name, at=(*at, *faults))
        for at in rings
        for faults in dict.fromkeys(((), later, others) if "shares" in at else ((),))
    )


def some(of: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return all nonempty choices of these servers."""
    return [each for n in range(1, len(of) + 1) for each in combinations(of, n)]


said = saying_slips(slipped)

KNOWN = (
    "Which pages are in the cache when your second request comes, and which does it ask for?",
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
#: Ways to reveal a fault, for answers that miss it, and the hints.
MISSED = {
    "no query left": (
        'You say "none" of the server that finds whole prompts in its cache. It shows when the '
        "same prompt comes twice, the second time after it was read, and its length is a multiple "
        "of 4. The count of the second request in `work` is then 0, although a token is drawn.",
        KNOWN,
    ),
    "leaked page": (
        'You say "none" of the server that leaks. It shows once all is answered, if a last page '
        "was not full: `free` and `kept` together are then less than all pages. The last token of "
        "an answer takes no position, so a prompt of 3 and an answer of 2 fill a page of 4.",
        LEAK,
    ),
    "prefill first": (
        'You say "none" of the server that reads prompts first. It shows when a prompt comes while '
        "another request is being answered: all its tokens come, but not one in each step.",
        STALL,
    ),
    "lost request": (
        'You say "none" of the server that loses requests. It shows when two answers do not fit in '
        "the pages: one has fewer tokens in the end than it asked for.",
        PAGES,
    ),
}


def missing(*names: str) -> Misconception:
    """Miss these faults."""
    says = [MISSED[name][0] for name in names]
    slug = "-and-".join(name.replace(" ", "-") for name in names)
    hints = tuple(hint for name in names for hint in MISSED[name][1])[:4]
    found: Misconception = said(
        f"misses-{slug}", names, "My loads show every fault.", " ".join(says), *hints
    )
    variants = also_alarmed(names[0]) if len(names) == 1 else ()
    return replace(found, variants=variants, shown=names[0])


def exchanging(a: str, b: str) -> Misconception:
    """Exchange two names."""
    slug = f"{a}-for-{b}".replace(" ", "-")
    says = f'You say "{a}" where it is "{b}", and the other way round.'
    found: Misconception = said(
        slug,
        ("exchanged", a, b),
        "One is as good as the other.",
        says,
        "What happens under your load, and which of the descriptions fits?",
        "Read the two descriptions once more, and what your load asks for.",
    )
    return replace(found, shown=b)


FALSE_ALARMS = (
    said("never-sound", "never none", "One of the faults is there.",
         'You say "leaked page" of every sound server. Pages that requests hold while they run, '
         "and pages that are kept, are not leaked.", *LEAK),
    said("every-hit-is-a-fault", "any hit", "A prompt is computed whole.",
         'You say "no query left" of sound servers that share pages. That pages of a prompt are '
         "found is the purpose of a prefix cache, as long as a token is left to compute.", *KNOWN,
         variants=alarms(NAMES[0], CACHED, *(x for x in some(CACHED)[:-1] if x[0] == "shares"))),
    said("idle-is-no-query", "any zero", "Each request computes something in each step.",
         'You say "no query left" of every sound server, also of one that finds no prompt. A '
         "request that waits or is complete computes nothing either. The fault is a token that is "
         "drawn all the same.", *KNOWN, variants=alarms(NAMES[0], SOUND)[:1]),
    said("kept-is-leaked", "free only", "A page that is not free is lost.",
         'You say "leaked page" of sound servers. Pages that a prefix cache keeps are not leaked: '
         "it gives them to other requests when they are needed.",
         *LEAK, variants=alarms(NAMES[1], CACHED)),
    said("leak-while-running", "while running", "The sum always holds.",
         'You say "leaked page" of sound servers. Perhaps you add up pages while requests run, '
         "which hold some of them.", *LEAK,
         variants=alarms(NAMES[1], SOUND, AT_ONCE, AT_ONCE[:2])[2:]),
    said("the-prompt-waits", "prompt waits", "A prompt is read as soon as it comes.",
         "You test whether the prompt has to wait. The fault is that the answer has to.", *STALL),
    said("the-prompt-in-chunks", "prompt in one step", "Each step of a server draws a token.",
         "You see a stall in every sound server. A long prompt is read in chunks, and a request "
         "that waits or is complete is due no token, so it does not stall in a step without one.",
         *STALL,
         variants=alarms(NAMES[2], SOUND)),
    said("any-step-without-a-token", "any idle", "Each step draws a token of each request.",
         "You call every step without a token a stall. A request that still waits, or is complete, "
         "gets none.", *STALL,
         variants=alarms(NAMES[2], ("one by one",), ("in batches", "one by one"))),
    said("preemption-stalls", "stall by pages", "Only prompts stall an answer.",
         'You say "prefill first" of sound servers. A request that misses a step because pages '
         "are short was preempted: no stall.", *PAGES, variants=alarms(NAMES[2], *some(AT_ONCE))),
    said("preempted-is-lost", "preempted is lost", "Who loses its pages is lost.",
         'You say "lost request" of sound servers. A preempted request is not lost: it waits, and '
         "is read again.", *PAGES,
         variants=alarms(NAMES[3], *some(AT_ONCE))),
    said("absent-is-lost", "absent is lost", "A request takes part in every step.",
         'You say "lost request" of a server that runs one request at a time. A request that waits '
         "is not lost. It is lost if it has fewer tokens in the end than it asked for.", *PAGES,
         variants=alarms(NAMES[3], SOUND, ("one by one",), ("in batches", "one by one"))),
)  # fmt: skip

MISCONCEPTIONS = (
    *(replace(each, shown="none") for each in FALSE_ALARMS),
    *(missing(*names) for n in range(1, 5) for names in combinations(NAMES, n)),
    *(exchanging(*names) for names in combinations(NAMES, 2)),
)
