"""Exercise 13.page_allocator: pages that are counted, shared, copied on a write, and never lost."""

from collections import Counter
from typing import Any

from torch import Generator

from exercise_bank.ch13.mistakes.page_allocator import MISCONCEPTIONS
from exercise_bank.draws import some
from exercise_bank.skills import Draw, rung
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Alternative, Exercise, Inputs

Event = tuple[str, ...]
State = tuple[dict[str, list[int]], list[int], list[tuple[int, int]]]


def grow(name: str, times: int = 1) -> list[Event]:
    return [("append", name)] * times


def fork(name: str, new: str) -> list[Event]:
    return [("fork", name, new)]


def free(name: str) -> list[Event]:
    return [("free", name)]


def drawn(n_pages: int, size: int, *parts: list[Event]) -> Inputs:
    return {"n_pages": n_pages, "size": size, "events": [each for part in parts for each in part]}


def begun(draw: Draw) -> Draw:
    """Let a draw give hidden inputs one more sequence, which holds the first pages."""

    def drawing(g: Generator) -> list[Inputs]:
        if not isinstance(g, Fresh):
            return list(draw(g))
        return [_with_first(each, some(g, 1, 9)) for each in draw(g)]

    return drawing


def _with_first(inputs: Inputs, times: int) -> Inputs:
    pages = -(-times // inputs["size"])
    events = grow("first", times) + inputs["events"]
    return {**inputs, "n_pages": inputs["n_pages"] + pages, "events": events}


def one_sequence(g: Generator) -> list[Inputs]:
    size = some(g, 2, 4)
    return [
        drawn(3, 2, grow("a", 2)),
        drawn(3, 2, grow("a", 3)),
        drawn(9, size, grow("a", some(g, size + 1, 3 * size))),
        drawn(6, 3, grow("a", 4), grow("b", 2), grow("a", 3), grow("b", 2)),
        drawn(3, 1, grow("a", 3)),
    ]


def again(g: Generator) -> list[Inputs]:
    n = some(g, 5, 7)
    return [
        drawn(3, 2, grow("a", 2), grow("b", 1), free("a"), grow("b", 2)),
        drawn(4, 2, grow("a", 3), free("a"), grow("a", 2)),
        drawn(6, 2, grow("a", 3), grow("b", 2), grow("c", 1), free("a"), grow("c", n)),
        drawn(3, 4, grow("a", 1), free("a"), grow("b", 1), free("b"), grow("c", 9)),
    ]


def shared(g: Generator) -> list[Inputs]:
    n = some(g, 2, 4)
    return [
        drawn(3, 2, grow("a", 2), fork("a", "b")),
        drawn(8, 2, grow("a", 4), fork("a", "b"), grow("b", 1)),
        drawn(9, 2, grow("a", 2 * n), fork("a", "b"), fork("b", "c"), grow("c", 2), grow("a", 1)),
    ]


def written(g: Generator) -> list[Inputs]:
    n = some(g, 3, 5)
    return [
        drawn(3, 2, grow("a", 1), fork("a", "b"), grow("b", 1)),
        drawn(4, 2, grow("a", 3), fork("a", "b"), grow("b", 1)),
        drawn(5, 3, grow("a", 4), fork("a", "b"), grow("a", 1), grow("b", 1)),
        drawn(
            9, 3, grow("a", n), grow("a", n % 3 == 0), fork("a", "b"), fork("a", "c"),
            grow("c", 1), grow("b", 2), grow("a", 4),
        ),
        drawn(
            9, 4, grow("z", 2), grow("a", 6), fork("a", "b"), fork("b", "c"), grow("b", 1),
            fork("b", "d"), grow("d", 1), grow("c", 1),
        ),
    ]  # fmt: skip


def alone(g: Generator) -> list[Inputs]:
    n = some(g, 1, 3)
    return [
        drawn(5, 2, grow("a", 2), fork("a", "b"), grow("b", 1), grow("a", 1)),
        drawn(5, 4, grow("a", 2), fork("a", "b"), free("a"), grow("b", 1)),
        drawn(8, 4, grow("a", 4 + n), fork("a", "b"), grow("b", 1), grow("a", 1)),
        drawn(8, 4, grow("a", 1), fork("a", "b"), fork("b", "c"), free("b"), free("a"),
              grow("c", n)),
    ]  # fmt: skip


def last_holder(g: Generator) -> list[Inputs]:
    n = some(g, 2, 3)
    return [
        drawn(3, 2, grow("a", 2), fork("a", "b"), free("a"), grow("c", 1)),
        drawn(6, 2, grow("a", 2 * n), fork("a", "b"), free("b"), free("a"), grow("c", 3)),
        drawn(
            8, 2, grow("a", 3), fork("a", "b"), grow("b", 2), free("a"), grow("c", 2), free("b"),
            grow("d", 5),
        ),
    ]  # fmt: skip


def full(g: Generator) -> list[Inputs]:
    n = some(g, 1, 3)
    return [
        drawn(1, 2, grow("a", 2 + n)),
        drawn(2, 2, grow("a", 4), grow("b", 1), free("a"), grow("b", 2)),
        drawn(1, 2, grow("a", 1), fork("a", "b"), grow("b", n), grow("a", 1), free("b"),
              grow("a", 1)),
        drawn(3, 2, grow("a", 5), grow("b", 1), grow("a", 3), fork("a", "c"), free("a"),
              grow("c", 1)),
        drawn(2, 2, grow("c", 1), grow("a", 1), fork("a", "b"), grow("b", n), free("c"),
              grow("b", 1)),
    ]  # fmt: skip


def mixed(g: Generator) -> list[Inputs]:
    return [a_day(g, 5, 2, 14), a_day(g, 7, 3, 40), a_day(g, 12, 4, 90)]


def a_day(g: Generator, n_pages: int, size: int, n: int) -> Inputs:
    """Draw events among a few sequences; only those that hold a token are forked or freed."""
    events: list[Event] = []
    for _ in range(n):
        held = sorted(page_allocator(n_pages, size, events)[0])
        unused = [name for name in "abcde" if name not in held]
        kind = some(g, 0, 9)
        one = held[some(g, 0, len(held) - 1)] if held else ""
        if kind == 0 and held:
            events += free(one)
        elif kind in (1, 2) and held and unused:
            events += fork(one, unused[0])
        elif kind == 3 and unused:
            events += grow(unused[0])
        else:
            events += grow(one or "a", some(g, 1, 3))
    return {"n_pages": n_pages, "size": size, "events": events}


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
    """Return the three parts of an answer, or say what is wrong with their kind."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return "return a tuple of three: tables, holders, copies"
    tables, holders, copies = answer
    if not isinstance(tables, dict) or not all(isinstance(x, list) for x in tables.values()):
        return "`tables` is a dict of lists: for each sequence, its pages in order"
    if not isinstance(holders, (list, tuple)) or not isinstance(copies, (list, tuple)):
        return "`holders` and `copies` are lists"
    return tables, holders, copies


def tables_right(inputs: Inputs, answer: Any) -> str | None:
    """Say which sequence has another table than it should."""
    found, right = parts(answer), page_allocator(**inputs)[0]
    if isinstance(found, str):
        return found
    for name in sorted({*right, *found[0]}, key=str):
        if name not in right:
            return f"{name!r} holds no token, and stands in your tables"
        if name not in found[0]:
            return f"{name!r} holds tokens, in pages {right[name]}, and is not in your tables"
        if found[0][name] != right[name]:
            return f"{name!r} lies in pages {right[name]}; in your tables it is {found[0][name]}"
    return None


def tables_alike(inputs: Inputs, answer: Any) -> str | None:
    """Say which table differs by more than the numbers of the pages, a rung of their own."""
    found, right = parts(answer), page_allocator(**inputs)[0]
    if isinstance(found, str) or found[0].keys() != right.keys():
        return tables_right(inputs, answer)
    if any(len(found[0][name]) != len(right[name]) for name in right):
        return tables_right(inputs, answer)
    pairs = {pair for name in right for pair in zip(right[name], found[0][name], strict=True)}
    one_to_one = all(len({pair[side] for pair in pairs}) == len(pairs) for side in (0, 1))
    return None if one_to_one else tables_right(inputs, answer)


def counts_right(inputs: Inputs, answer: Any) -> str | None:
    """Say which page is not counted as often as it stands in the answer's own tables."""
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
                f"page {page} stands {entries[page]} times in your tables, and you count {count} "
                "holders"
            )
    return None


def copies_right(inputs: Inputs, answer: Any) -> str | None:
    """Say which copies were made instead of which."""
    found, right = parts(answer), page_allocator(**inputs)[2]
    if isinstance(found, str):
        return found
    yours = [tuple(each) if isinstance(each, (list, tuple)) else each for each in found[2]]
    if yours == right:
        return None
    return f"the copies are {right}, pairs of old and new page; yours are {yours}"


def all_right(inputs: Inputs, answer: Any) -> str | None:
    return (
        tables_right(inputs, answer) or counts_right(inputs, answer) or copies_right(inputs, answer)
    )


def everything(g: Generator) -> list[Inputs]:
    return [*one_sequence(g)[:1], *shared(g), *written(g), *last_holder(g)]


TASK = Exercise(
    id="13.page_allocator",
    title="Pages that are never lost",
    level="hard",
    minutes=16,
    concepts=("paged-cache",),
    reference=page_allocator,
    rungs=(
        rung("a page is taken when it is needed", 0.75, begun(one_sequence), tables_right),
        rung("pages that are free are handed out again", 0.75, begun(again), tables_right),
        rung("a fork shares the pages of its original", 0.75, begun(shared), tables_alike),
        rung("a write into a shared page goes into a copy", 1.25, begun(written), tables_alike),
        rung(
            "no copy of a full page, nor of a page of one's own", 0.75, begun(alone), tables_alike
        ),
        rung(
            "a shared page is free when its last holder leaves",
            0.75,
            begun(last_holder),
            tables_right,
        ),
        rung("the counts are those of the tables", 0.75, begun(everything), counts_right),
        rung("the copies are told, old page and new", 0.5, begun(written), copies_right),
        rung("an append that finds no page changes nothing", 0.5, full, all_right),
        rung("all of it, for long", 0.25, mixed, all_right),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="counted from the tables", answer=counted_from_the_tables),
        Alternative(name="a set of owners for each page", answer=with_sets),
    ),
    hints=(
        "What must be true of the counts and the tables after every event, whatever it was?",
        "An append does one of three things: it takes a page, it copies one, or it needs neither. "
        "Which two numbers tell which?",
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
