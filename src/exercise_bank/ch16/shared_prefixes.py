"""Exercise 16.shared_prefixes: page tables whose requests share what they begin with."""

import ast
import math
from collections import Counter
from functools import lru_cache
from typing import Any

from torch import Generator

from exercise_bank.ch16.mistakes.shared_prefixes import MISCONCEPTIONS
from exercise_bank.draws import some
from exercise_bank.skills import Draw, rung
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Alternative, Exercise, Inputs

Event = tuple[Any, ...]
State = tuple[dict[str, list[int]], dict[int, int], list[int]]


def begin(name: str, *tokens: int) -> list[Event]:
    return [("begin", name, list(tokens))]


def add(name: str, *tokens: int) -> list[Event]:
    return [("append", name, token) for token in tokens]


def end(*names: str) -> list[Event]:
    return [("end", name) for name in names]


def drawn(size: int, *parts: list[Event]) -> Inputs:
    return {"size": size, "events": [each for part in parts for each in part]}


def begun(draw: Draw) -> Draw:
    """Let a draw give hidden inputs one more request, which holds the first pages."""

    def drawing(g: Generator) -> list[Inputs]:
        if not isinstance(g, Fresh):
            return list(draw(g))
        return [
            {**each, "events": begin("first", *range(100, 101 + some(g, 0, 9))) + each["events"]}
            for each in draw(g)
        ]

    return drawing


def alone(g: Generator) -> list[Inputs]:
    n = some(g, 4, 7)
    return [
        drawn(2, begin("a", 5, 6, 7)),
        drawn(3, begin("a", 1, 2, 3), begin("b", 4, 5), add("b", 6), add("a", 9)),
        drawn(3, begin("a", 1, 2, 3), add("a", *range(n)), begin("b", 8, 8, 8, 8)),
        drawn(4, begin("a", 7), add("a", 1, 2, 3), begin("b", 6)),
    ]


def shared(g: Generator) -> list[Inputs]:
    x, y = some(g, 10, 19), some(g, 20, 29)
    return [
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 9)),
        drawn(
            2, begin("a", 1, 2, 3, 4, 5), begin("b", 1, 2, 3, 4, 9, 9, 9), begin("c", 1, 2, 3, 9)
        ),
        drawn(3, begin("a", 1, 2, x, 4, y), begin("b", 1, 2, x, 4, y), begin("c", 1, 2, y, 4)),
        drawn(
            2, begin("a", x, y, 3), begin("b", y, x, 3), begin("c", x, y, 9), begin("d", y, x, 1)
        ),
        drawn(2, begin("a", x, y, x, y, 1), begin("b", x, y, 3, 4, 5), begin("c", x, y, 3, 4, 6)),
    ]


def other_beginnings(g: Generator) -> list[Inputs]:
    x, y = some(g, 10, 19), some(g, 20, 29)
    return [
        drawn(2, begin("a", 1, 2, 3, 4, 5), begin("b", 9, 9, 3, 4, 5)),
        drawn(2, begin("a", 1, 2, 3, 4, 5), begin("b", 3, 4, 5)),
        drawn(2, begin("a", x, y, x, y, 5)),
        drawn(2, begin("a", 1, 12, 5), begin("b", 11, 2, 5)),
        drawn(2, begin("a", x, y, 5), begin("b", x + 1, y - 1, 5)),
        drawn(1, begin("a", 1, x, y, 7), begin("b", 2, x, y, 7), begin("c", 2, x, y, 5)),
        drawn(2, begin("a", 1, 2, x, y, 5, 6, 1), begin("b", 3, 4, x, y, 5, 6, 1)),
    ]


def whole_prompts(g: Generator) -> list[Inputs]:
    x, size = some(g, 10, 19), some(g, 3, 5)
    text = list(range(x, x + 2 * size))
    return [
        drawn(2, begin("a", 1, 2), begin("b", 1, 2)),
        drawn(2, begin("a", 1, 2, 3, 4), begin("b", 1, 2, 3, 4), begin("c", 1, 2, 3)),
        drawn(size, begin("a", *text, 1), begin("b", *text)),
        drawn(size, begin("a", *text), begin("b", *text, 1)),
        drawn(size, begin("a", *text), begin("b", *text[:-1])),
        drawn(1, begin("a", x), begin("b", x, 3), begin("c", x, 3)),
    ]


def counted(g: Generator) -> list[Inputs]:
    x, y = some(g, 10, 19), some(g, 20, 29)
    return [
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 4), end("a"), begin("c", 5, 6, 7)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 4), end("b"), begin("c", 5, 6, 7)),
        drawn(2, begin("a", 1, 2, 3), end("a"), begin("b", x, y, 3), begin("c", 1, 2, 3)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 4), begin("c", 5), end("a", "b"), begin("d", 6)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 4), begin("c", 5), end("b", "a"), begin("d", 6)),
        drawn(
            2, begin("a", x, y, 3), begin("b", x, y, 4), begin("c", x, y, 5), end("b", "a"),
            begin("d", x, y, 1), begin("e", 1, 2),
        ),
        drawn(2, begin("a", 1, 2, 3), end("a"), begin("b", x), begin("c", 1, 2, 3)),
        drawn(2, begin("z", 5), begin("a", 1, x, 3), end("z", "a"), begin("b", 1, x, 4)),
        drawn(2, begin("a", x, y, 1), begin("b", 7, 7, 7), begin("c", 8), end("b"), begin("a2", 5)),
    ]  # fmt: skip


def generated(g: Generator) -> list[Inputs]:
    x = some(g, 10, 19)
    return [
        drawn(2, begin("a", 1), add("a", 2), begin("b", 1, 2, 3)),
        drawn(3, begin("a", 1, 2, x, 4), add("a", 5), begin("b", 1, 2, x, 4, 5, 6)),
        drawn(2, begin("a", 1, x, 3), begin("b", 1, x, 3), add("a", 4), begin("c", 1, x, 3, 4, 5)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 3), add("a", x), add("b", x), add("b", 1)),
    ]


def copies(g: Generator) -> list[Inputs]:
    """Draw pages that hold the same, of which the lower is found, also where it is the younger."""
    x = some(g, 10, 19)
    shown = [begin("a", 1, 2, 3, 4), begin("b", 1, 2, 3, 4), begin("c", 9, 9, 3, 4, 5)]
    return [
        drawn(2, *shown),
        drawn(2, *shown, add("b", 5), end("a")),
        drawn(2, begin("a", 1, x), begin("b", 1, x), begin("c", 1, x, 3)),
        drawn(2, begin("z", 5), begin("a", 1, x), end("z"), begin("b", 1, x), begin("c", 1, x, 3)),
        drawn(2, begin("a", 1, x), begin("b", 1, x), end("a"), begin("c", 1, x, 3)),
        drawn(2, begin("a", 1, x), begin("b", 1, x), end("b"), begin("c", 1, x, 3)),
        drawn(2, begin("a", 1, x), begin("b", 1, x), add("b", 3, 4), begin("c", 1, x, 3, 4, 5)),
        a_day(g, 2, 12),
        a_day(g, 3, 16),
    ]


def a_day(g: Generator, size: int, n: int) -> Inputs:
    """Draw events of a few requests, whose tokens are few enough to meet again."""
    events: list[Event] = []
    open_: list[str] = []
    for i in range(n):
        kind = some(g, 0, 4)
        if kind == 0 and open_:
            events += end(open_.pop(some(g, 0, len(open_) - 1)))
        elif kind < 3 and open_:
            events += add(open_[some(g, 0, len(open_) - 1)], some(g, 1, 2))
        else:
            text = [1] * size + [some(g, 1, 2) for _ in range(some(g, 1, 2 * size))]
            events += begin(f"r{i}", *text)
            open_.append(f"r{i}")
    return {"size": size, "events": events}


def shared_prefixes(size: int, events: list[Event]) -> State:
    """Return tables, holders and what each request computed."""
    tables: dict[str, list[int]] = {}
    texts: dict[str, list[int]] = {}
    computed = []

    def holders() -> Counter[int]:
        return Counter(page for table in tables.values() for page in table)

    def found(text: list[int]) -> list[int]:
        pages = []
        for end in range(size, len(text), size):
            same = [tables[x][end // size - 1] for x in tables if texts[x][:end] == text[:end]]
            pages += sorted(same)[:1]
        return pages

    def lengthen(table: list[int], length: int) -> None:
        for _ in range(math.ceil(length / size) - len(table)):
            table.append(min(set(range(len(holders()) + 1)) - set(holders())))

    for kind, name, *more in events:
        if kind == "end":
            del tables[name], texts[name]
            continue
        if kind == "append":
            texts[name] = texts[name] + more
        else:
            tables[name], (texts[name],) = found(*more), more
            computed.append(len(texts[name]) - size * len(tables[name]))
        lengthen(tables[name], len(texts[name]))
    return tables, dict(holders()), computed


def counted_page_by_page(size: int, events: list[Event]) -> State:
    tables: dict[str, list[int]] = {}
    texts: dict[str, tuple[int, ...]] = {}
    holders: dict[int, int] = {}
    filled: dict[int, tuple[int, ...]] = {}
    computed = []
    for kind, name, *more in events:
        if kind == "end":
            for page in tables.pop(name):
                holders[page] -= 1
                if holders[page] == 0:
                    del holders[page]
                    filled.pop(page, None)
            continue
        if kind == "begin":
            tables[name], texts[name] = [], tuple(more[0])
            for end in range(size, len(texts[name]), size):
                found = [page for page, text in filled.items() if text == texts[name][:end]]
                if found:
                    tables[name].append(min(found))
                    holders[min(found)] += 1
            computed.append(len(texts[name]) - size * len(tables[name]))
        else:
            texts[name] += (more[0],)
        table, text = tables[name], texts[name]
        for _ in range(math.ceil(len(text) / size) - len(table)):
            table.append(min(set(range(len(holders) + 1)) - set(holders)))
            holders[table[-1]] = 1
        for number in range(len(text) // size):
            filled[table[number]] = text[: size * (number + 1)]
    return tables, holders, computed


def with_chained_hashes(size: int, events: list[Event]) -> State:
    tables: dict[str, list[int]] = {}
    tokens: dict[str, list[int]] = {}
    count: dict[int, int] = {}
    pages_of: dict[int, set[int]] = {}  # by the hash of a page and all before it
    computed: list[int] = []

    def chain(text: list[int]) -> list[int]:
        hashes, before = [], 0
        for start in range(0, len(text) - size + 1, size):
            before = hash((before, tuple(text[start : start + size])))
            hashes.append(before)
        return hashes

    def enter(name: str) -> None:
        while len(tables[name]) < -(-len(tokens[name]) // size):
            page = next(i for i in range(len(count) + 1) if i not in count)
            count[page] = 1
            tables[name].append(page)
        for key, page in zip(chain(tokens[name]), tables[name], strict=False):
            pages_of.setdefault(key, set()).add(page)

    for kind, name, *more in events:
        if kind == "begin":
            tokens[name], tables[name] = list(more[0]), []
            for key in chain(tokens[name][:-1]):
                if not pages_of.get(key):
                    break
                page = min(pages_of[key])
                count[page] += 1
                tables[name].append(page)
            computed.append(len(tokens[name]) - size * len(tables[name]))
            enter(name)
        elif kind == "append":
            tokens[name].append(more[0])
            enter(name)
        else:
            for page in tables.pop(name):
                count[page] -= 1
                if not count[page]:
                    del count[page]
                    for pages in pages_of.values():
                        pages.discard(page)
    return tables, count, computed


@lru_cache(maxsize=1024)
def _right(size: int, events: str) -> State:
    return shared_prefixes(size, ast.literal_eval(events))


def right(inputs: Inputs) -> State:
    """Return what is right; laws ask for it again and again."""
    return _right(inputs["size"], repr(inputs["events"]))


def in_order(found: dict[Any, Any]) -> dict[Any, Any]:
    """Sort a dict by its keys: two answers that differ in this order only are told the same."""
    return dict(sorted(found.items(), key=lambda each: (len(str(each[0])), str(each[0]))))


def parts(answer: Any) -> State | str:
    """Return the three parts of an answer, or say what is wrong with their kind."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return "return a tuple of three: tables, holders, computed"
    tables, holders, computed = answer
    if not isinstance(tables, dict) or not all(isinstance(x, list) for x in tables.values()):
        return "`tables` is a dict of lists: for each request, its pages in order"
    if not isinstance(holders, dict) or not isinstance(computed, (list, tuple)):
        return "`holders` is a dict and `computed` a list"
    return in_order(tables), in_order(holders), list(computed)


def tables_right(inputs: Inputs, answer: Any) -> str | None:
    found, tables = parts(answer), right(inputs)[0]
    if isinstance(found, str):
        return found
    return None if found[0] == tables else f"the tables are {tables}; yours are {found[0]}"


def computed_right(inputs: Inputs, answer: Any) -> str | None:
    found, computed = parts(answer), right(inputs)[2]
    if isinstance(found, str):
        return found
    if found[2] == computed:
        return None
    return f"the requests compute {computed} tokens of their prompts; you say {found[2]}"


def counts_right(inputs: Inputs, answer: Any) -> str | None:
    """Compare the counts with the answer's own tables."""
    found, tables = parts(answer), right(inputs)[0]
    if isinstance(found, str):
        return found
    if tables and not any(found[0].values()):
        return "your tables are empty, and not every request has ended"
    held = in_order(Counter(page for table in found[0].values() for page in table))
    if held == found[1]:
        return None
    return f"by your own tables the pages have {held} holders; you count {found[1]}"


def both(inputs: Inputs, answer: Any) -> str | None:
    said = [law(inputs, answer) for law in (tables_right, computed_right)]
    return "; ".join(each for each in said if each) or None


def with_counts(inputs: Inputs, answer: Any) -> str | None:
    said = [law(inputs, answer) for law in (tables_right, counts_right)]
    return "; ".join(each for each in said if each) or None


def all_right(inputs: Inputs, answer: Any) -> str | None:
    return both(inputs, answer) or counts_right(inputs, answer)


OTHER_BEGINNINGS, COUNTED = begun(other_beginnings), begun(counted)

TASK = Exercise(
    id="16.shared_prefixes",
    title="Begun alike, kept once",
    level="medium",
    minutes=13,
    concepts=("prefix-caching", "serving-paged"),
    reference=shared_prefixes,
    rungs=(
        rung("pages are taken when they are needed", 0.75, alone, tables_right),
        rung("known full pages are shared", 1.0, begun(shared), tables_right),
        rung(
            "a page is known by all tokens up to its end",
            1.0,
            begun(other_beginnings),
            tables_right,
        ),
        rung("at least one token is computed", 1.0, begun(whole_prompts), both),
        rung("holders are counted, and what nobody holds is gone", 1.0, COUNTED, with_counts),
        rung("tokens that were generated fill pages too", 0.5, begun(generated), tables_right),
        rung("all of it; of several pages that hold the same, the lowest", 0.75, copies, all_right),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="counted page by page", answer=counted_page_by_page),
        Alternative(name="with chained hashes", answer=with_chained_hashes),
    ),
    hints=(
        "What do keys and values on a page depend on: on its own tokens only?",
        "Remember for each full page the whole text up to its end. How many pages may a prompt of "
        "exactly three pages take over, if it still must compute something?",
        "Of n tokens at most n - 1 are found, in whole pages. Count a holder for each table; at 0, "
        "forget both the count and the text of the page.",
    ),
    equivalents={
        "shared_prefixes.lengthen: line 18: 1 becomes 2 in len(holders()) + 1": (
            "of one page more than are held one is free, of two more the same is the lowest"
        ),
        "shared_prefixes: line 29: dict of holders() dropped": "a Counter is equal to its dict",
    },
)
