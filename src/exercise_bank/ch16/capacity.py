"""Exercise 16.capacity: from bytes to pages, from pages to requests, from a load to machines."""

import math
from typing import Any

from torch import Generator

from exercise_bank.ch16.mistakes.capacity import MISCONCEPTIONS
from exercise_bank.draws import more, some
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs

Three = tuple[int, int, int | None]


def drawn(
    memory: int, weights: int, token_bytes: int, page_size: int, prompt: int, answer: int,
    shared: int = 0, rate: float = 8, seconds: float = 5,
) -> Inputs:  # fmt: skip
    return dict(locals())


def of_weights(g: Generator) -> list[Inputs]:
    size, token = some(g, 3, 7), some(g, 11, 29)
    return [
        drawn(1000, 600, 3, 4, 9, 3),
        drawn(90_000, 26_000, 100, 16, 40, 9),
        drawn(size * token * 90 + 700 + size * token - 1, 700, token, size, 20, 6),
        drawn(size * token * 90 + 5000, 5000, token, size, 20, 6),
    ]


def alone(g: Generator) -> list[Inputs]:
    size, n = some(g, 5, 9), some(g, 3, 6)
    return [
        drawn(500, 100, 1, 4, 7, 2),
        drawn(5000, 100, 1, 10, 6, 6),
        drawn(9000, 700, 3, size, n * size - 3, 4),
        drawn(9000, 700, 3, size, n * size - 3, 5),
        drawn(9000, 700, 2, size, size + 2, 2 * size + 1),
        drawn(8000, 100, 3, size, 3 * size, 1),
        drawn(8000 + 10 * more(g, 99), 100, 3, size, n * size, size - 1),
    ]


def with_a_beginning(g: Generator) -> list[Inputs]:
    size, n = some(g, 5, 9), some(g, 2, 4)
    a, b, c, d = (40 * more(g, 9) for _ in range(4))
    return [
        drawn(500 + a, 100, 1, 4, 9, 3, shared=4),
        drawn(1000 + b, 600, 3, 4, 9, 3, shared=6),
        drawn(9000, 700, 3, size, n * size + 9, 8, shared=n * size),
        drawn(9000, 700, 3, size, n * size + 9, 7, shared=n * size + size - 1),
        drawn(9000, 100, 2, size, 4 * size + 3, 2 * size, shared=size - 1),
        drawn(4100 + c, 100, 2, 10, 995, 16, shared=990),
        drawn(4100 + d, 100, 2, 10, 945, 26, shared=940),
        drawn(141, 100, 1, 10, 16, 5, shared=11),
        drawn(9000, 700, 3, size, (n + 1) * size, 2 * size + 2, shared=n * size),
    ]


def loads(g: Generator) -> list[Inputs]:
    rate, seconds = some(g, 20, 40), some(g, 3, 9)
    return [
        drawn(500, 100, 1, 4, 7, 2, rate=25, seconds=4),
        drawn(500, 100, 1, 4, 7, 2, rate=25.25, seconds=4),
        drawn(500, 100, 1, 4, 7, 2, rate=rate * 5.5, seconds=seconds),
        drawn(500, 100, 1, 4, 7, 2, rate=0.5, seconds=2.5),
        drawn(1000, 600, 3, 4, 9, 3, shared=6, rate=rate, seconds=seconds + 0.5),
        drawn(500, 100, 1, 4, 7, 2, rate=12.25, seconds=4),
        drawn(500, 100, 1, 4, 7, 2, rate=12, seconds=4.125),
        drawn(500, 100, 1, 4, 7, 2, rate=12.375, seconds=4.25),
    ]


def nothing(g: Generator) -> list[Inputs]:
    size = some(g, 4, 8)
    return [
        drawn(100, 300, 1, 4, 7, 2),
        drawn(110, 100, 1, 4, 9, 4),
        drawn(100 + 3 * size, 100, 1, size, 3 * size + 1, 2, shared=3 * size),
        drawn(100 + 3 * size, 100, 1, size, 5 * size, 2, shared=4 * size),
        drawn(100 + 3 * size, 100, 1, size, 2 * size, size + 1, rate=3, seconds=0.5),
    ]


def of_all(g: Generator) -> list[Inputs]:
    """Draw the prompt's machines, those that no request fits, and some of all others."""
    shown = drawn(1000, 600, 3, 4, 9, 3, shared=6, rate=10, seconds=4)
    others = (*of_weights(g), *alone(g), *with_a_beginning(g), *loads(g))
    return [shown, *nothing(g), *others]


def capacity(
    memory: int, weights: int, token_bytes: int, page_size: int, prompt: int, answer: int,
    shared: int, rate: float, seconds: float,
) -> Three:  # fmt: skip
    """Return pages, requests that fit, and machines."""
    pages = max(0, memory - weights) // (page_size * token_bytes)
    whole = shared // page_size
    own = math.ceil((prompt + answer - 1) / page_size) - whole
    fit = max(0, pages - whole) // own
    machines = math.ceil(rate * seconds / fit) if fit else None
    return pages, fit, machines


def by_trying(
    memory: int, weights: int, token_bytes: int, page_size: int, prompt: int, answer: int,
    shared: int, rate: float, seconds: float,
) -> Three:  # fmt: skip
    pages = 0
    while weights + (pages + 1) * page_size * token_bytes <= memory:
        pages += 1
    kept = range(prompt + answer - 1)
    of_one = {place // page_size for place in kept}
    for_all = {page for page in of_one if (page + 1) * page_size <= shared}
    fit, used = 0, len(for_all) + len(of_one - for_all)
    while used <= pages:
        fit, used = fit + 1, used + len(of_one - for_all)
    if fit == 0:
        return pages, 0, None
    machines = 1
    while machines * fit < rate * seconds:
        machines += 1
    return pages, fit, machines


def with_negative_floors(
    memory: int, weights: int, token_bytes: int, page_size: int, prompt: int, answer: int,
    shared: int, rate: float, seconds: float,
) -> Three:  # fmt: skip
    pages = (memory - weights) // token_bytes // page_size if memory > weights else 0
    once, rest = divmod(shared, page_size)
    left = prompt - (shared - rest) + answer - 1
    fit = (pages - once) // -(-left // page_size)
    if fit <= 0:
        return pages, 0, None
    return pages, fit, int(-(-rate * seconds // fit))


def fits(pages: int, inputs: Inputs) -> int:
    """Return the number of requests that fit in this many pages."""
    size, n = inputs["page_size"], inputs["prompt"] + inputs["answer"] - 1
    whole = inputs["shared"] // size
    return max(0, pages - whole) // (math.ceil(n / size) - whole)


def taken(inputs: Inputs, answer: Any) -> tuple[Any, Any, Any] | str:
    """Return the three parts of an answer, or a message on a wrong kind."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return "return a tuple of three: pages, fit, machines"
    for name, part in zip(("pages", "fit"), answer, strict=False):
        if isinstance(part, bool) or not isinstance(part, (int, float)):
            return f"`{name}` is a whole number; yours is {part!r}"
    pages, fit, machines = answer
    return pages, fit, machines


def positive(number: Any) -> bool:
    return number > 0 and number == int(number)


def pages_right(inputs: Inputs, answer: Any) -> str | None:
    found = taken(inputs, answer)
    if isinstance(found, str):
        return found
    right = capacity(**inputs)[0]
    return None if found[0] == right else f"the machine has {right} pages; you say {found[0]}"


def fit_right(inputs: Inputs, answer: Any) -> str | None:
    """Check the number that fits, given the answer's own pages."""
    found = taken(inputs, answer)
    if isinstance(found, str):
        return found
    pages, fit = found[:2]
    pages = pages if positive(pages) else capacity(**inputs)[0]
    if fit == fits(pages, inputs):
        return None
    return f"{pages} pages hold {fits(pages, inputs)} requests; you say {fit}"


def machines_right(inputs: Inputs, answer: Any) -> str | None:
    """Check the machines, given the answer's own number that fits."""
    found = taken(inputs, answer)
    if isinstance(found, str):
        return found
    _, fit, machines = found
    inside = inputs["rate"] * inputs["seconds"]
    fit = fit if positive(fit) else capacity(**inputs)[1]
    right = math.ceil(inside / fit) if fit else None
    if machines == right and not isinstance(machines, bool):
        return None
    if right is None:
        return f"no request fits, so `machines` should be None; yours is {machines!r}"
    return (
        f"{inside:g} requests are inside on average, and {fit} fit on a machine: that takes "
        f"{right} machines; you say {machines!r}"
    )


def machines_but_for_full_ones(inputs: Inputs, answer: Any) -> str | None:
    """Check the machines, and accept one more if all are exactly full."""
    said = machines_right(inputs, answer)
    if said is None or isinstance(taken(inputs, answer), str):
        return said
    pages, fit, machines = answer
    right = (pages, fit, machines - 1) if isinstance(machines, int) else answer
    full = positive(fit) and inputs["rate"] * inputs["seconds"] % fit == 0
    return None if full and machines_right(inputs, right) is None else said


def all_right(inputs: Inputs, answer: Any) -> str | None:
    for law in (pages_right, fit_right, machines_right):
        if said := law(inputs, answer):
            return said
    return None


TASK = Exercise(
    id="16.capacity",
    title="How many fit",
    level="warm-up",
    minutes=9,
    concepts=("long-document-design", "serving-paged", "prefix-caching"),
    reference=capacity,
    rungs=(
        rung(
            "the pages that the weights leave, where they leave any",
            1.25,
            of_weights,
            pages_right,
            "whole pages",
        ),
        rung("requests that share nothing", 0.75, alone, fit_right, "what a request keeps"),
        rung(
            "what all begin with is kept once",
            1.25,
            with_a_beginning,
            fit_right,
            "what a request keeps",
        ),
        rung(
            "machines for a load, by your own `fit`; one too many, if all are full, counts below",
            1.25,
            loads,
            machines_but_for_full_ones,
            "machines for a load",
        ),
        rung("all three together, also if no request fits", 0.5, of_all, all_right),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by trying", answer=by_trying),
        Alternative(name="with floors of negative numbers", answer=with_negative_floors),
    ),
    hints=(
        "Draw one request on pages of four tokens: which positions does it keep, which of its "
        "pages would a second request with the same beginning keep again?",
        "A request's own pages are all that it touches, rounded up once, less the whole pages of "
        "the shared beginning. These are taken from the pool a single time.",
        "The mean number inside is rate times seconds. Machines are not divisible: round up, after "
        "all divisions.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "capacity: line 2: 0 and memory - weights swapped in max(0, memory - weights)",
                "capacity: line 5: 0 and pages - whole swapped in max(0, pages - whole)",
            ),
            "a maximum has no order",
        ),
        "capacity: line 2: 0 becomes 1 in max(0, memory - weights)": "one byte is not enough",
    },
)
