"""Exercise 16.scheduler: the positions computed in a step for each request; none may starve."""

import math
from collections.abc import Callable
from string import ascii_lowercase
from typing import Any

import torch
from torch import Generator

from exercise_bank.ch16.mistakes.scheduler import MISCONCEPTIONS
from exercise_bank.draws import some
from exercise_bank.skills import rung
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Alternative, Exercise, Inputs

Queue = list[tuple[str, int]]
Plan = dict[str, int]
STEPS = 60


def queue(names: str, *missing: int) -> Queue:
    return list(zip(names, missing, strict=True))


def drawn(
    running: Queue, waiting: Queue, budget: int, slots: int, free: int = 99, size: int = 4
) -> Inputs:
    return dict(locals())


def renamed(draw: Callable[[Generator], list[Inputs]]) -> Callable[[Generator], list[Inputs]]:
    """Let a draw of queues give hidden requests other names."""

    def drawing(g: Generator) -> list[Inputs]:
        drawn = draw(g)
        if not isinstance(g, Fresh):
            return drawn
        return [_with_other_names(g, each) for each in drawn]

    return drawing


def _with_other_names(g: Generator, inputs: Inputs) -> Inputs:
    order = torch.randperm(len(ascii_lowercase), generator=g).tolist()
    names = {a: ascii_lowercase[i] for a, i in zip(ascii_lowercase, order, strict=True)}
    queues = {
        which: [(names[name], n) for name, n in inputs[which]] for which in ("running", "waiting")
    }
    return {**inputs, **queues}


def decoding(g: Generator) -> list[Inputs]:
    n = some(g, 4, 9)
    return [
        drawn(queue("ab", 6, 1), [], 4, 4),
        drawn(queue("abc", 1, 9, 1), [], 4, 4),
        drawn(queue("abcd", n + 3, 1, 1, n), [], n, 4),
        drawn(queue("abcd", 1, 7, 1, 1), [], 4, 4),
        drawn(queue("abc", 1, 1, 1), [], 8, 3),
    ]


def reading(g: Generator) -> list[Inputs]:
    n = some(g, 5, 9)
    return [
        drawn(queue("a", 9), [], 4, 4),
        drawn(queue("ab", 6, 3), [], 8, 4),
        drawn(queue("abc", n, 4, 3), [], n, 5),
        drawn(queue("abc", 3, n + 9, 2), [], n + 4, 4),
        drawn(queue("abcd", 5, 3, 8, 2), [], 19, 4),
        drawn(queue("abcd", 5, 3, n, 2), [], 30, 4),
    ]


def joining(g: Generator) -> list[Inputs]:
    n = some(g, 4, 9)
    return [
        drawn([], queue("ab", 3, 2), 8, 4),
        drawn([], queue("ab", 9, 2), 6, 4),
        drawn(queue("a", 1), queue("bc", 5, 9), 8, 4),
        drawn(queue("ab", 1, 4), queue("cde", 2, 2, 2), 20, 4),
        drawn(queue("abc", 1, 6, 1), queue("de", n, 3), n + 5, 5),
        drawn(queue("ab", 1, 1), queue("cd", 2, 3), 9, 2),
        drawn(queue("ab", 3, 2), queue("cd", 3, 4), 5, 4),
        drawn(queue("a", 3), queue("b", 4), 9, 4),
        drawn(queue("ab", 1, 1), queue("cdef", 2, 1, 2, 3), 20, 3),
        drawn([], queue("abcd", n, 1, 7, 2), n + 4, 3),
        drawn(queue("a", 1), queue("bcd", 3, n, 3), 10 + n, 7),
        drawn(queue("abc", 1, 4, 3), queue("def", 2, 2, 2), 25, 4),
    ]


def on_pages(g: Generator) -> list[Inputs]:
    n = some(g, 9, 12)
    return [
        drawn([], queue("ab", 9, 2), 20, 4, free=2),
        drawn([], queue("ab", 8, 4), 20, 4, free=3),
        drawn(queue("a", 1), queue("bc", 8, 3), 20, 4, free=2),
        drawn(queue("a", 7), queue("bc", n, 3), 10, 4, free=2),
        drawn([], queue("abc", 5, 6, 2), 30, 4, free=4),
        drawn(queue("ab", 1, 5), queue("cde", 3, n, 2), 30, 6, free=3, size=5),
        drawn([], queue("ab", 8, 3), 30, 4, free=1),
        drawn([], queue("ab", 13, 7), 30, 4, free=1),
        drawn([], queue("abc", 5, 4, 5), 30, 4, free=1),
        drawn(queue("a", 1), queue("b", 2), 30, 4, free=0),
        drawn([], queue("abc", 2, 1, 3), 30, 4, free=3),
        drawn([], queue("ab", 4, 9), 6, 4, free=3),
        drawn(queue("ab", 9, 6), queue("cd", 5, n), 40, 6, free=5),
    ]


def just_enough(g: Generator) -> list[Inputs]:
    """Draw steps in which one slot or page more admits a request, or one less excludes it."""
    n = some(g, 9, 12)
    return [
        drawn([], queue("ab", 8, 4), 20, 4, free=3),
        drawn([], queue("ab", 9, 2), 20, 4, free=4),
        drawn(queue("ab", 1, 1), queue("cd", 2, 3), 9, 2),
        drawn(queue("ab", 1, 3), queue("cde", 4, n, 3), 10 + n, 4, free=9),
        drawn(queue("a", 1), queue("bcd", 8, n, 4), 12 + n, 4, free=5),
        drawn(queue("ab", 1, 5), queue("cde", 3, 9, 2), 30, 6, free=3, size=5),
    ]


def mixed(g: Generator) -> list[Inputs]:
    running = queue("xy", 9, 1)
    every = [
        drawn(running, queue("abc", 5, 9, 2), 20, 5, free=4),
        drawn(running, queue("a", 5), 6, 5, free=4),
        drawn(queue("abc", 1, 3, 5), queue("defg", 4, 1, 2, 3), 30, 4),
    ]
    for n in (3, 5, 7, 8):
        k = some(g, 1, n - 1)
        names = "abcdefgh"[:n]
        missing = [some(g, 1, 12) if some(g, 0, 2) else 1 for _ in names]
        budget, slots = some(g, n, 3 * n), some(g, k, n)
        free, size = some(g, 0, 3 * (n - k)), some(g, 2, 5)
        running, waiting = queue(names[:k], *missing[:k]), queue(names[k:], *missing[k:])
        every.append(drawn(running, waiting, budget, slots, free, size))
    return every


def dull(g: Generator) -> list[Inputs]:
    """Draw steps in which only the form of a plan can be wrong."""
    n = some(g, 4, 9)
    return [
        drawn(queue("ab", 1, 1), queue("cd", 2, n), 2, 4),
        drawn(queue("abc", 1, 1, n), queue("d", 3), 3, 5),
        drawn(queue("ab", 1, 1), queue("c", 3), 9, 4),
        drawn(queue("abc", 1, 1, n), [], 2, 4),
    ]


def days(g: Generator) -> list[Inputs]:
    """Draw a load: when each request arrives, how long its prompt is, and its answer."""
    long = some(g, 17, 23)
    return [
        {"arrivals": [(0, "a", 2, 4), (1, "b", 6, 2)], "budget": 3, "slots": 2, "pages": 8},
        {
            "arrivals": [(0, "a", 5, 6), (1, "b", long, 3), (1, "c", 3, 4), (2, "d", 4, 2)],
            "budget": 4, "slots": 3, "pages": 9,
        },
    ]  # fmt: skip


def every_step(g: Generator) -> list[Inputs]:
    return [*renamed(mixed)(g), *days(g)]


def serve(answer: Any, inputs: Inputs) -> Any:
    """Call an answer once; or step by step, until every request of a load is answered."""
    if "arrivals" not in inputs:
        return answer(**inputs)
    later = list(inputs["arrivals"])
    waiting: Queue = []
    running: Queue = []
    kept: dict[str, tuple[int, int]] = {}  # reserved pages, and tokens still to generate
    plans: list[Any] = []
    while (later or waiting or running) and len(plans) < STEPS:
        while later and later[0][0] <= len(plans):
            _, name, prompt, tokens = later.pop(0)
            kept[name] = -(-(prompt + tokens - 1) // 4), tokens
            waiting.append((name, prompt))
        free = max(0, inputs["pages"] - sum(kept[name][0] for name, _ in running))
        plan = answer(
            running=list(running), waiting=list(waiting), budget=inputs["budget"],
            slots=inputs["slots"], free=free, size=4,
        )  # fmt: skip
        plan = as_dict(plan)
        plans.append(plan)
        if not isinstance(plan, dict) or not {*plan} <= {n for n, _ in [*running, *waiting]}:
            break
        both = [(name, missing - plan.get(name, 0)) for name, missing in [*running, *waiting]]
        in_place = {name for name, _ in running} | {*plan}
        waiting = [each for each in both if each[0] not in in_place]
        running = []
        for name, missing in both:
            if missing > 0 and name in in_place:
                running.append((name, missing))
            elif name in in_place:
                kept[name] = kept[name][0], kept[name][1] - 1
                running += [(name, 1)] if kept[name][1] > 0 else []
    return plans


def scheduler(
    running: Queue, waiting: Queue, budget: int, slots: int, free: int, size: int
) -> Plan:
    """Return how many positions each request computes in this step."""
    plan = {}
    for name, missing in sorted(running, key=lambda each: each[1] > 1):
        if budget:
            plan[name] = min(missing, budget)
            budget -= plan[name]
    slots -= len(running)
    for name, missing in waiting:
        free -= math.ceil(missing / size)
        if not budget or not slots or free < 0:
            break
        plan[name] = min(missing, budget)
        budget, slots = budget - plan[name], slots - 1
    return plan


def in_three_rounds(
    running: Queue, waiting: Queue, budget: int, slots: int, free: int, size: int
) -> Plan:
    plan: Plan = {}
    for name, missing in running:
        if missing == 1 and budget > 0:
            plan[name], budget = 1, budget - 1
    for name, missing in running:
        if missing > 1 and budget > 0:
            plan[name] = missing if missing < budget else budget
            budget -= plan[name]
    inside = len(running)
    for name, missing in waiting:
        pages = (missing + size - 1) // size
        if budget <= 0 or inside >= slots or pages > free:
            return plan
        plan[name] = min(budget, missing)
        budget -= plan[name]
        free -= pages
        inside += 1
    return plan


def position_by_position(
    running: Queue, waiting: Queue, budget: int, slots: int, free: int, size: int
) -> Plan:
    line = [name for name, missing in running if missing == 1]
    line += [name for name, missing in running if missing != 1 for _ in range(missing)]
    queue, inside = list(waiting), len(running)
    while queue and inside < slots and (queue[0][1] - 1) // size + 1 <= free:
        name, missing = queue.pop(0)
        line += [name] * missing
        free -= (missing - 1) // size + 1
        inside += 1
    plan: Plan = {}
    for name in line[:budget]:
        plan[name] = plan.get(name, 0) + 1
    return plan


def as_dict(plan: Any) -> Any:
    """Read a plan in any form: pairs count as a dict, and counts of 0 as missing."""
    try:
        return {name: count for name, count in dict(plan).items() if count != 0}
    except (TypeError, ValueError):
        return plan


def in_order(plan: Any) -> Any:
    """Sort a plan by its names, so that plans which differ only in order get the same message."""
    return dict(sorted(plan.items(), key=str)) if isinstance(plan, dict) else plan


def off_by_one(inputs: Inputs) -> list[Plan]:
    """Return plans that count a slot or a page wrongly by one."""
    line, free = [], inputs["free"]
    for name, missing in inputs["waiting"]:
        free -= missing // inputs["size"] + 1
        if free < 0:
            break
        line.append((name, missing))
    slips: list[Inputs] = [
        {"slots": inputs["slots"] + 1},
        {"free": inputs["free"] - 1},
        {"waiting": line, "free": len(line) * inputs["budget"] + inputs["free"]},
    ]
    return [scheduler(**{**inputs, **slip}) for slip in slips]


def to_the_letter(inputs: Inputs, answer: Any) -> str | None:
    """Report a difference from the right plan."""
    right, answer = in_order(scheduler(**inputs)), in_order(answer)
    if not isinstance(answer, dict):
        return f"return a dict from names to counts; yours is {answer!r}"
    if answer == right:
        return None
    total, budget = sum(answer.values()), inputs["budget"]
    if total > budget:
        return f"you plan {total} positions, {answer}; the budget is {budget}; right is {right}"
    return f"this step computes {right}; yours {answer}"


def planned(inputs: Inputs, answer: Any) -> str | None:
    """Report a difference from the right plan beyond its form, or one slot or page."""
    plan = as_dict(answer)
    return None if plan in off_by_one(inputs) else to_the_letter(inputs, plan)


def but_for_its_form(inputs: Inputs, answer: Any) -> str | None:
    return to_the_letter(inputs, as_dict(answer))


def served(inputs: Inputs, answer: Any) -> str | None:
    """Report the first step of a load whose plan is wrong, and requests that are never answered."""
    if "arrivals" not in inputs:
        return planned(inputs, answer)
    right = serve(scheduler, inputs)
    if not isinstance(answer, list) or not answer or not isinstance(answer[-1], dict):
        return f"return a dict from names to counts; yours is {answer!r}"
    if answer == right:
        return None
    step = next((i for i, (x, y) in enumerate(zip(right, answer, strict=False)) if x != y), 0)
    said = f"in step {step} the plan is {in_order(right[step])}; yours is {in_order(answer[step])}"
    if len(answer) == STEPS:
        said += f". After {STEPS} steps a request is unanswered; {len(right)} were enough"
    return said


JOINING = "joining in order, if it fits"

TASK = Exercise(
    id="16.scheduler",
    title="The next step",
    level="hard",
    minutes=13,
    concepts=("continuous-batching", "chunked-prefill"),
    reference=scheduler,
    rungs=(
        rung(
            "decodes come first, then prompts in order",
            1.5,
            renamed(decoding),
            planned,
            "decoding before reading",
        ),
        rung(
            "prompts are read in chunks of what is left",
            0.5,
            renamed(reading),
            planned,
            "chunks within one budget",
        ),
        rung(
            "waiting requests join in order, about as many as there is room for",
            1.5,
            renamed(joining),
            planned,
            JOINING,
        ),
        rung(
            "a whole prompt's pages, and no request is overtaken",
            1.5,
            renamed(on_pages),
            planned,
            JOINING,
        ),
        rung("slots and pages that just suffice", 0.25, renamed(just_enough), but_for_its_form),
        rung("a dict of those that compute", 0.25, renamed(dull), to_the_letter),
        rung("all of it, and step after step", 0.5, every_step, served),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in three rounds", answer=in_three_rounds),
        Alternative(name="position by position", answer=position_by_position),
    ),
    hints=(
        "Which requests notice it at once if they are left out of a step? Which notice it after "
        "many steps?",
        "Go through three groups in turn; the budget shrinks in all of them.",
        "Decoding requests get 1 each; reading requests get all that they miss, or the rest of the "
        "budget. Then the queue, until the first that cannot join, for budget, slot or pages.",
    ),
    call=serve,
    equivalents=dict.fromkeys(
        (
            "scheduler: line 5: missing and budget swapped in min(missing, budget)",
            "scheduler: line 12: missing and budget swapped in min(missing, budget)",
        ),
        "a minimum has no order",
    ),
)
