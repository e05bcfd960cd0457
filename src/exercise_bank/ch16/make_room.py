"""Exercise 16.make_room: a step of a server that runs out of pages, and the waiting requests."""

import math
from collections.abc import Callable
from string import ascii_lowercase
from typing import Any

import torch
from torch import Generator

from exercise_bank.ch16.mistakes.make_room import MISCONCEPTIONS
from exercise_bank.draws import some
from exercise_bank.skills import rung
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Alternative, Exercise, Inputs

Running = list[tuple[str, int, int]]
Queue = list[tuple[str, int]]
Step = tuple[dict[str, int], Queue, int]


def drawn(running: Running, free: int, budget: int = 99, size: int = 4, waits: int = 0) -> Inputs:
    waiting = [("z", waits)] if waits else []
    return {
        "running": running, "waiting": waiting, "free": free, "budget": budget, "size": size,
    }  # fmt: skip


def named(*sizes: tuple[int, int]) -> Running:
    """Name requests with these numbers of cached and missing positions."""
    return [(name, *each) for name, each in zip(ascii_lowercase, sizes, strict=False)]


def renamed(draw: Callable[[Generator], list[Inputs]]) -> Callable[[Generator], list[Inputs]]:
    """Let a draw give hidden requests other names."""

    def drawing(g: Generator) -> list[Inputs]:
        every = draw(g)
        return [_with_other_names(g, each) for each in every] if isinstance(g, Fresh) else every

    return drawing


def _with_other_names(g: Generator, inputs: Inputs) -> Inputs:
    order = torch.randperm(len(ascii_lowercase), generator=g).tolist()
    names = {a: ascii_lowercase[i] for a, i in zip(ascii_lowercase, order, strict=True)}
    queues = {
        which: [(names[name], *rest) for name, *rest in inputs[which]]
        for which in ("running", "waiting")
    }
    return {**inputs, **queues}


def enough(g: Generator) -> list[Inputs]:
    """Draw steps with enough pages for everything."""
    n = some(g, 5, 9)
    return [
        drawn(named((3, 6), (8, 1)), 20, 4),
        drawn(named((8, 1), (2, n), (5, 1), (7, 1)), 20, n),
        drawn(named((5, 1), (6, 1), (2, n + 4), (9, 3)), 30, 2 + n),
        drawn(named((4, 1), (8, 3), (2, 7), (6, 1)), 20, 9, 3),
        drawn(named((7, n), (3, 1), (4, 2)), 20, 30),
        drawn(named((3, 1), (5, 1), (2, 1)), 0, 3),
        drawn(named((5, 1), (6, 2), (n, 1), (3, 1)), 2, 3 + n),
    ]


def one_goes(g: Generator) -> list[Inputs]:
    """Draw steps in which the pages of one request are more than enough."""
    n = some(g, 9, 12)
    return [
        drawn(named((8, 1), (3, 1), (n, 1)), 0),
        drawn(named((8, 1), (2, 1), (6, 1), (n, 1)), 0, 20),
        drawn(named((3, 5), (n + 8, 1), (6, 1), (n, 1)), 0, 20),
        drawn(named((7, 9), (1, 1), (5, 1), (n, 1)), 1, 5),
        drawn(named((2, 1), (8, 1), (n + 9, 1), (1, 1), (n, 1)), 0, 3),
        drawn(named((5, 1), (6, 8), (13, 1), (2, 1), (n, 1)), 0, 7, 3),
        drawn(named((1, 3), (12, 1), (n + 4, 1), (3, 1), (9, 30)), 0, 4),
    ]


def several_go(g: Generator) -> list[Inputs]:
    """Draw steps in which several requests lose their pages, and others keep theirs."""
    n = some(g, 13, 16)
    return [
        drawn(named((4, 9), (2, 1), (3, 1), (4, 1), (7, 1)), 0),
        drawn(named((8, n), (5, 1), (2, 1), (6, 1), (3, 1), (7, 1)), 0),
        drawn(named((8, 1), (4, 9), (2, 1), (n, 1), (3, 1), (4, 1), (7, 1)), 1),
        drawn(named((6, 20), (9, 1), (2, 1), (5, 1), (3, 1)), 0, 12),
        drawn(named((3, 1), (6, 11), (2, 1), (4, 1), (5, 1), (6, 1)), 0, 30, 3),
        drawn(named((4, 13), (3, 1), (n, 1), (1, 1), (2, 1), (5, 1)), 1, 40),
    ]


def itself(g: Generator) -> list[Inputs]:
    """Draw steps in which a request loses its own pages."""
    n = some(g, 17, 20)
    return [
        drawn(named((8, 1), (3, 1), (4, 1)), 1),
        drawn(named((3, 1), (4, n), (2, 1), (3, 1)), 0),
        drawn(named((7, 1), (6, 1), (2, n), (5, 1), (1, 1)), 0),
        drawn(named((2, 1), (12, 5), (8, n), (4, 1), (3, 1)), 2),
        drawn(named((6, 2), (9, n), (3, 1)), 1, 40, 3),
    ]


def queues(g: Generator) -> list[Inputs]:
    """Draw steps after which several requests wait behind others."""
    n = some(g, 5, 9)
    return [
        drawn(named((8, 1), (3, 1), (n, 1)), 0, waits=7),
        drawn(named((4, 9), (2, 1), (3, 2), (4, 1), (7, 1)), 0, waits=n),
        drawn(named((6, 20), (9, 1), (2, 3), (5, 1), (3, 1)), 0, 12, waits=1),
        drawn(named((3, 1), (4, 18), (2, 1), (3, n)), 0, waits=4),
        drawn(named((3, 1), (5, 1)), 4, waits=n),
    ]


def just_enough(g: Generator) -> list[Inputs]:
    """Draw steps with exactly enough pages, or with no page needed and none free."""
    n = some(g, 5, 8)
    return [
        drawn(named((8, 1), (3, 1), (n, 1)), 1),
        drawn(named((3, 1), (6, 1), (n, 2)), 0, 2),
        drawn(named((4, 9), (3, 1), (2, 1), (1, 1), (5, 1)), 0),
        drawn(named((5, 3), (4, n), (1, 1)), 2),
        drawn(named((4, 1), (8, 1), (4, 1)), 2),
        drawn(named((8, 1), (3, 8), (3, 1)), 0, 1),
    ]


def pages_after(g: Generator) -> list[Inputs]:
    return [*one_goes(g), *several_go(g), *itself(g), *enough(g), *just_enough(g)]


def all_of_it(g: Generator) -> list[Inputs]:
    shown = [
        {**drawn([("a", 8, 1), ("b", 3, 6), ("c", 5, 1)], 0, 6), "waiting": [("d", 7)]},
        drawn([("a", 4, 1), ("b", 4, 1)], 1, 8),
    ]
    every = []
    for n in (3, 4, 6, 7):
        sizes = [(some(g, 1, 14), some(g, 2, 12) if some(g, 0, 2) == 0 else 1) for _ in range(n)]
        every.append(
            drawn(
                named(*sizes), some(g, 0, 2), some(g, n, 3 * n), some(g, 2, 5), waits=some(g, 1, 9)
            )
        )
    return [*shown, *every, *queues(g), *just_enough(g)]


def make_room(running: Running, waiting: Queue, free: int, budget: int, size: int) -> Step:
    """Return the plan of the step, the queue after it, and the free pages."""
    running, waiting = list(running), list(waiting)
    plan: dict[str, int] = {}
    while len(plan) < len(running) and budget:
        name, kept, missing = running[len(plan)]
        count = min(missing, budget)
        need = math.ceil((kept + count) / size) - math.ceil(kept / size)
        if need > free:
            name, kept, missing = running.pop()
            waiting.insert(0, (name, kept + missing))
            free += math.ceil(kept / size)
        else:
            plan[name] = count
            budget, free = budget - count, free - need
    return plan, waiting, free


def by_starting_again(running: Running, waiting: Queue, free: int, budget: int, size: int) -> Step:
    plan, left, pages = {}, budget, free
    for name, kept, missing in running:
        count = min(missing, left)
        pages -= (kept + count - 1) // size - (kept - 1) // size
        if pages < 0:
            *others, (last, held, more) = running
            longer = [(last, held + more), *waiting]
            return by_starting_again(others, longer, free + (held - 1) // size + 1, budget, size)
        if count:
            plan[name] = count
            left -= count
    return plan, list(waiting), pages


def by_a_total(running: Running, waiting: Queue, free: int, budget: int, size: int) -> Step:
    held = {name: -(-kept // size) for name, kept, _ in running}
    total = free + sum(held.values())
    plan = {}
    for name, kept, missing in running:
        count = min(missing, budget)
        if name not in held or count < 1:
            break
        others = sum(pages for other, pages in held.items() if other != name)
        wanted = -(-(kept + count) // size)
        while name in held and wanted + others > total:
            _, pages = held.popitem()
            others -= pages
        if name in held:
            held[name], plan[name] = wanted, count
            budget -= count
    back = [(name, kept + missing) for name, kept, missing in running if name not in held]
    return plan, back + waiting, total - sum(held.values())


def with_a_reserve(running: Running, waiting: Queue, free: int, budget: int, size: int) -> Step:
    """Return the step of a server that always keeps one page free."""
    running, waiting = list(running), list(waiting)
    plan: dict[str, int] = {}
    while len(plan) < len(running) and budget:
        name, kept, missing = running[len(plan)]
        count = min(missing, budget)
        need = math.ceil((kept + count) / size) - math.ceil(kept / size)
        if need and need >= free:
            name, kept, missing = running.pop()
            waiting.insert(0, (name, kept + missing))
            free += math.ceil(kept / size)
        else:
            plan[name] = count
            budget, free = budget - count, free - need
    return plan, waiting, free


def as_dict(plan: Any) -> Any:
    """Read a plan in any form: pairs count as a dict, and counts of 0 as missing."""
    try:
        return {name: count for name, count in dict(plan).items() if count != 0}
    except (TypeError, ValueError):
        return plan


def parts(answer: Any) -> tuple[Any, list[tuple[Any, ...]], Any] | str:
    """Return the three parts of an answer, or an error in their kind."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return "return a tuple of three: plan, waiting, free"
    plan, waiting, free = answer
    if not isinstance(waiting, (list, tuple)):
        return f"`waiting` is a list of pairs; yours is {waiting!r}"
    return plan, [tuple(x) if isinstance(x, (list, tuple)) else (x,) for x in waiting], free


def preempted(inputs: Inputs, queue: list[tuple[Any, ...]]) -> list[str]:
    """Return the running requests that are in a queue, in the order of their arrival."""
    names = [each[0] for each in queue if each]
    return [name for name, *_ in inputs["running"] if name in names]


def planned(inputs: Inputs, answer: Any) -> str | None:
    """Compare the plan and the preempted requests, in any form; a page in reserve is accepted."""
    found, (plan, queue, _) = parts(answer), make_room(**inputs)
    if isinstance(found, str):
        return found
    yours, out, right = as_dict(found[0]), preempted(inputs, found[1]), preempted(inputs, queue)
    if yours == plan and out == right:
        return None
    plan_with, queue_with, _ = with_a_reserve(**inputs)
    if yours == plan_with and out == preempted(inputs, queue_with):
        return None
    if isinstance(yours, dict):
        yours = dict(sorted(yours.items(), key=str))
    return (
        f"the step computes {plan} and preempts {right or 'no request'}; yours computes {yours} "
        f"and preempts {out or 'no request'}"
    )


def queued(inputs: Inputs, answer: Any) -> str | None:
    found, (_, queue, _) = parts(answer), make_room(**inputs)
    if isinstance(found, str):
        return found
    if found[1] in (queue, with_a_reserve(**inputs)[1]):
        return None
    return f"the queue is {queue} after the step; yours is {answer[1]}"


def left_free(inputs: Inputs, answer: Any) -> str | None:
    found, (_, _, free) = parts(answer), make_room(**inputs)
    if isinstance(found, str):
        return found
    if found[2] == free and not isinstance(found[2], bool):
        return None
    return f"{free} pages are free after the step; you return {found[2]!r}"


def all_right(inputs: Inputs, answer: Any) -> str | None:
    for law in (planned, queued, left_free):
        if said := law(inputs, answer):
            return said
    plan, queue, _ = make_room(**inputs)
    if answer[0] != plan:
        return f"the plan is {plan}; yours is {answer[0]!r}"
    yours = parts(answer)[1]
    return None if yours == queue else f"the queue is {queue} after the step; yours is {answer[1]}"


SHORT = "preemption when pages are short"

TASK = Exercise(
    id="16.make_room",
    title="Out of pages",
    level="hard",
    minutes=13,
    concepts=("serving-paged", "continuous-batching", "chunked-prefill"),
    reference=make_room,
    rungs=(
        rung(
            "enough pages: requests in order, within the budget",
            1.5,
            renamed(enough),
            planned,
            "one budget, in the order of arrival",
        ),
        rung("one request makes room", 1.25, renamed(one_goes), planned, SHORT),
        rung("several make room, and no more", 1.25, renamed(several_go), planned, SHORT),
        rung("a request that loses its own pages", 0.75, renamed(itself), planned, SHORT),
        rung("the queue after the step", 0.5, renamed(queues), queued),
        rung("the free pages after the step", 0.25, renamed(pages_after), left_free),
        rung("all of it, also if the pages just suffice", 0.5, renamed(all_of_it), all_right),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by starting again", answer=by_starting_again),
        Alternative(name="by a total of all pages", answer=by_a_total),
    ),
    hints=(
        "How many pages does a request with 8 positions hold, with 4 on a page? How many does it "
        "need for one more position?",
        "Go through the requests in order. Before one takes its pages, compare the pages that it "
        "lacks with the free ones, and take the last request off the list until they suffice.",
        "Stop when the request at hand is itself taken off the list. Each one that goes frees its "
        "pages and is inserted at the head of the queue with kept + missing positions.",
    ),
    equivalents=dict.fromkeys(
        ("make_room: line 6: missing and budget swapped in min(missing, budget)",),
        "a minimum has no order",
    ),
)
