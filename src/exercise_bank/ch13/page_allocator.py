"""Exercise 13.page_allocator: pages that are counted, shared, copied on a write, and never lost."""

from collections import Counter
from typing import Any

from exercise_bank.ch13.mistakes.page_allocator import MISCONCEPTIONS
from exercise_bank.ch13.page_events import (
    Event,
    again,
    alone,
    begun,
    copied,
    everything,
    full,
    last_holder,
    lowest,
    one_sequence,
    shared,
    written,
)
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs

State = tuple[dict[str, list[int]], list[int], list[tuple[int, int]]]


def page_allocator(n_pages: int, size: int, events: list[Event]) -> State:
    """Return tables, holders and copies after all events."""
    tables: dict[str, list[int]] = {}
    lengths: dict[str, int] = {}
    holders = [0] * n_pages
    copies = []
    for kind, name, *new in events:
        if kind == "free":
            for page in tables.pop(name):
                holders[page] -= 1
            del lengths[name]
        elif kind == "fork":
            for page in tables[name]:
                holders[page] += 1
            tables[new[0]] = list(tables[name])
            lengths[new[0]] = lengths[name]
        else:
            table, length = tables.get(name, []), lengths.get(name, 0)
            starts = length % size == 0
            if starts or holders[table[-1]] > 1:
                if 0 not in holders:
                    continue
                page = holders.index(0)
                holders[page] = 1
                if not starts:
                    old = table.pop()
                    holders[old] -= 1
                    copies.append((old, page))
                table.append(page)
            tables[name], lengths[name] = table, length + 1
    return tables, holders, copies


def counted_from_the_tables(n_pages: int, size: int, events: list[Event]) -> State:
    tables: dict[str, list[int]] = {}
    tokens: dict[str, int] = {}
    copies: list[tuple[int, int]] = []

    def count() -> list[int]:
        held = [page for table in tables.values() for page in table]
        return [held.count(page) for page in range(n_pages)]

    for event in events:
        name = event[1]
        if event[0] == "fork":
            tables[event[2]], tokens[event[2]] = tables[name][:], tokens[name]
        elif event[0] == "free":
            del tables[name], tokens[name]
        else:
            table, n, counts = tables.get(name, []), tokens.get(name, 0), count()
            empty = [page for page in range(n_pages) if counts[page] == 0]
            if n == size * len(table):
                if not empty:
                    continue
                table = [*table, empty[0]]
            elif counts[table[-1]] > 1:
                if not empty:
                    continue
                copies.append((table[-1], empty[0]))
                table = [*table[:-1], empty[0]]
            tables[name], tokens[name] = table, n + 1
    return tables, count(), copies


def with_sets(n_pages: int, size: int, events: list[Event]) -> State:
    owners: list[set[str]] = [set() for _ in range(n_pages)]
    tables: dict[str, list[int]] = {}
    room: dict[str, int] = {}
    copies: list[tuple[int, int]] = []
    for kind, name, *rest in events:
        if kind == "fork":
            tables[rest[0]], room[rest[0]] = tables[name].copy(), room[name]
            for page in tables[name]:
                owners[page].add(rest[0])
            continue
        if kind == "free":
            for page in tables.pop(name):
                owners[page].discard(name)
            room.pop(name)
            continue
        left = room.get(name, 0)
        last = tables[name][-1] if left else None
        if last is not None and owners[last] == {name}:
            room[name] = left - 1
            continue
        page = next((i for i in range(n_pages) if not owners[i]), -1)
        if page < 0:
            continue
        owners[page].add(name)
        if last is None:
            tables.setdefault(name, []).append(page)
        else:
            owners[last].remove(name)
            tables[name][-1] = page
            copies.append((last, page))
        room[name] = (left or size) - 1
    return tables, [len(each) for each in owners], copies


def parts(answer: Any) -> tuple[Any, Any, Any] | str:
    """Return the three parts of an answer, or a message on a wrong kind."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return "return a tuple of three: tables, holders, copies"
    tables, holders, copies = answer
    if not isinstance(tables, dict) or not all(
        isinstance(x, (list, tuple)) for x in tables.values()
    ):
        return "`tables` is a dict of lists: for each sequence, its pages in order"
    if not isinstance(holders, (list, tuple)) or not isinstance(copies, (list, tuple)):
        return "`holders` and `copies` are lists"
    return {name: list(table) for name, table in tables.items()}, holders, copies


def tables_right(inputs: Inputs, answer: Any) -> str | None:
    """Report the sequence whose table is wrong."""
    found, right = parts(answer), page_allocator(**inputs)[0]
    if isinstance(found, str):
        return found
    for name in sorted({*right, *found[0]}, key=str):
        if name not in right:
            return f"{name!r} holds no token, and is in your tables"
        if name not in found[0]:
            return f"{name!r} holds tokens, in pages {right[name]}, and is not in your tables"
        if found[0][name] != right[name]:
            return f"{name!r} lies in pages {right[name]}; in your tables it is {found[0][name]}"
    return None


def renamed(inputs: Inputs, answer: Any) -> dict[int, int] | None:
    """Return an answer's number of each page, if its tables differ only by these numbers."""
    found, right = parts(answer), page_allocator(**inputs)[0]
    if isinstance(found, str):
        return None
    tables = {name: table for name, table in found[0].items() if table}
    if any(len(tables.get(name, [])) != len(right.get(name, [])) for name in {*right, *tables}):
        return None
    pairs = {pair for name in right for pair in zip(right[name], tables[name], strict=True)}
    one_to_one = all(len({pair[side] for pair in pairs}) == len(pairs) for side in (0, 1))
    return dict(pairs) if one_to_one else None


def tables_alike(inputs: Inputs, answer: Any) -> str | None:
    """Report a table that differs by more than page numbers: those have their own requirement."""
    return tables_right(inputs, answer) if renamed(inputs, answer) is None else None


def no_copy_more(inputs: Inputs, answer: Any) -> str | None:
    """Report different tables, or more copies than are needed."""
    found, needed = parts(answer), len(page_allocator(**inputs)[2])
    if not isinstance(found, str) and len(found[2]) > needed:
        return f"{needed} copies are needed; you make {len(found[2])}: {found[2]}"
    return tables_alike(inputs, answer)


def counts_right(inputs: Inputs, answer: Any) -> str | None:
    """Report a page whose count differs from its entries in the answer's own tables."""
    found, n_pages = parts(answer), inputs["n_pages"]
    if isinstance(found, str):
        return found
    tables, holders, _ = found
    if len(holders) != n_pages:
        return f"`holders` has an entry for each of the {n_pages} pages; yours has {len(holders)}"
    if not any(tables.values()) and page_allocator(**inputs)[0]:
        return "your tables are empty, and not every sequence was freed"
    entries = Counter(page for table in tables.values() for page in table)
    for page, count in enumerate(holders):
        if entries[page] != count:
            return (
                f"page {page} is {entries[page]} times in your tables, and you count {count} "
                "holders"
            )
    return None


def copies_right(inputs: Inputs, answer: Any) -> str | None:
    """Compare the copies, using the answer's own page numbers."""
    found, right = parts(answer), page_allocator(**inputs)[2]
    if isinstance(found, str):
        return found
    number = renamed(inputs, answer) or {}
    right = [(number.get(old, old), number.get(new, new)) for old, new in right]
    yours = [tuple(each) if isinstance(each, (list, tuple)) else each for each in found[2]]
    if yours == right:
        return None
    named = "" if all(old == new for old, new in number.items()) else "by the pages of your tables "
    return f"{named}the copies are {right}, pairs of old and new page; yours are {yours}"


def all_right(inputs: Inputs, answer: Any) -> str | None:
    return (
        tables_right(inputs, answer) or counts_right(inputs, answer) or copies_right(inputs, answer)
    )


TASK = Exercise(
    id="13.page_allocator",
    title="Pages that are never lost",
    level="hard",
    minutes=16,
    concepts=("paged-cache",),
    reference=page_allocator,
    rungs=(
        rung(
            "a page is taken when it is needed",
            0.5,
            begun(one_sequence),
            no_copy_more,
            "a page when one is needed",
        ),
        rung(
            "free pages are used again",
            0.5,
            begun(again),
            tables_alike,
            "free when its last holder leaves",
        ),
        rung(
            "a fork shares the pages of its original, full ones for good",
            0.75,
            begun(shared),
            tables_alike,
            "shared until one writes",
        ),
        rung(
            "a write into a shared page goes into a copy",
            0.5,
            begun(written),
            tables_alike,
            "shared until one writes",
        ),
        rung(
            "no copy of a full page, nor of a page of one's own",
            1.25,
            begun(alone),
            no_copy_more,
            "shared until one writes",
        ),
        rung(
            "a shared page is free when its last holder leaves",
            1.0,
            begun(last_holder),
            tables_alike,
            "free when its last holder leaves",
        ),
        rung(
            "the counts are those of the tables",
            1.0,
            begun(everything),
            counts_right,
            "free when its last holder leaves",
        ),
        rung("the copies are listed, old page and new", 0.5, begun(copied), copies_right),
        rung("the free page with the lowest number is taken", 0.5, begun(lowest), tables_right),
        rung("an append that finds no page changes nothing", 0.5, full, all_right),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="counted from the tables", answer=counted_from_the_tables),
        Alternative(name="a set of owners for each page", answer=with_sets),
    ),
    hints=(
        "What must be true of the counts and the tables after every event, whatever it was?",
        "An append does one of three things: it takes a page, it copies one, or it needs neither. "
        "Which two numbers decide?",
        "Take a page where the length is a multiple of `size`; copy where the last page has more "
        "than one holder. Look for a free page before you change anything.",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "page_allocator: line 14: 0 becomes -1 in new[0]",
                "page_allocator: line 15: 0 becomes -1 in new[0]",
            ),
            "a fork has one new name, which is the first and the last",
        ),
        "page_allocator: line 29: + 1 becomes - 1": (
            "only multiples of the size matter, and a multiple stays one when its sign turns"
        ),
    },
)
