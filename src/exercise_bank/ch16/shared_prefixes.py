"""Exercise 16.shared_prefixes: page tables whose requests share their beginnings."""

import ast
import math
from collections import Counter
from functools import lru_cache
from typing import Any

from exercise_bank.ch16.mistakes.shared_prefixes import MISCONCEPTIONS
from exercise_bank.ch16.prefix_events import (
    Event,
    alone,
    begun,
    coming_and_going,
    counted,
    generated,
    of_several,
    other_beginnings,
    shared,
    shared_and_counted,
    told,
    whole_prompts,
)
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs

State = tuple[dict[str, list[int]], dict[int, int], list[int]]


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
    """Return the right answer, cached for repeated calls by laws."""
    return _right(inputs["size"], repr(inputs["events"]))


def in_order(found: dict[Any, Any]) -> dict[Any, Any]:
    """Sort a dict by its keys, so that answers which differ only in order get the same message."""
    return dict(sorted(found.items(), key=lambda each: (len(str(each[0])), str(each[0]))))


def parts(answer: Any) -> tuple[dict[str, list[int]], Any, Any] | str:
    """Return the three parts of an answer, or a message on a wrong kind."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return "return a tuple of three: tables, holders, computed"
    tables, holders, computed = answer
    if not isinstance(tables, dict) or not all(
        isinstance(x, (list, tuple)) for x in tables.values()
    ):
        return "`tables` is a dict of lists: for each request, its pages in order"
    tables = {name: list(table) for name, table in tables.items()}
    return in_order(tables), holders, computed


def tables_right(inputs: Inputs, answer: Any) -> str | None:
    """Compare the tables; an empty table for an ended request is accepted here."""
    found, tables = parts(answer), right(inputs)[0]
    if isinstance(found, str):
        return found
    if {name: table for name, table in found[0].items() if table} == tables:
        return None
    return f"the tables are {tables}; yours are {found[0]}"


def computed_right(inputs: Inputs, answer: Any) -> str | None:
    found, computed = parts(answer), right(inputs)[2]
    if isinstance(found, str):
        return found
    if isinstance(found[2], (list, tuple)) and list(found[2]) == computed:
        return None
    return f"the requests compute {computed} tokens of their prompts; you say {found[2]}"


def counts_right(inputs: Inputs, answer: Any) -> str | None:
    """Compare the counts with the answer's own tables."""
    found, tables = parts(answer), right(inputs)[0]
    if isinstance(found, str):
        return found
    if not isinstance(found[1], dict):
        return f"`holders` is a dict; yours is {found[1]}"
    if tables and not any(found[0].values()):
        return "your tables are empty, and not every request has ended"
    if not all(found[0].values()):
        return f"a request that ended has no table; your tables are {found[0]}"
    held = in_order(Counter(page for table in found[0].values() for page in table))
    if held == in_order(found[1]):
        return None
    return f"by your own tables the pages have {held} holders; you count {in_order(found[1])}"


TASK = Exercise(
    id="16.shared_prefixes",
    title="A shared beginning, kept once",
    level="medium",
    minutes=13,
    extra=True,
    concepts=("prefix-caching", "serving-paged"),
    reference=shared_prefixes,
    rungs=(
        rung("pages are taken when they are needed", 0.25, alone, tables_right),
        rung(
            "known full pages are shared",
            0.75,
            begun(shared),
            tables_right,
            "found by the whole text before it",
        ),
        rung(
            "a page is known by all tokens up to its end",
            0.75,
            begun(other_beginnings),
            tables_right,
            "found by the whole text before it",
        ),
        rung(
            "at least one token is computed",
            0.75,
            begun(whole_prompts),
            tables_right,
            "one token is left to compute",
        ),
        rung(
            "a page without a holder is free, and forgotten",
            0.75,
            begun(counted),
            tables_right,
            "held, free, and the lowest of several",
        ),
        rung(
            "the lowest of several free pages, or of several with the same text",
            0.75,
            begun(of_several),
            tables_right,
            "held, free, and the lowest of several",
        ),
        rung("requests that begin alike, come and go", 1.25, begun(coming_and_going), tables_right),
        rung("tokens that were generated fill pages too", 0.25, begun(generated), tables_right),
        rung(
            "how many tokens of each prompt are computed, where some prompts begin alike",
            0.25,
            begun(told),
            computed_right,
        ),
        rung("the counts are those of the tables", 0.25, begun(shared_and_counted), counts_right),
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
