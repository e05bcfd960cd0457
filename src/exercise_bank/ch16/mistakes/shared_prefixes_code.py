"""Prefix caches that find too much, too little, or freed pages."""

from typing import Any

Event = tuple[Any, ...]
State = tuple[Any, Any, Any]


def key_of(text: tuple[int, ...], number: int, size: int, slips: tuple[str, ...]) -> Any:
    """Return the key of a page."""
    start, end = size * number, size * (number + 1)
    own = text[start:end]
    if "own tokens" in slips:
        return own
    if "own tokens and place" in slips:
        return number, own
    if "page before" in slips:
        return text[max(0, start - size) : end]
    if "first token" in slips:
        return text[:1], number
    if "any order" in slips:
        return number, tuple(sorted(text[:end]))
    if "one string" in slips:
        return "".join(map(str, text[:end]))
    if "sum" in slips:
        return number, sum(text[:end])
    return text[:end]


def longest(text: tuple[int, ...], others: dict[str, tuple[int, ...]]) -> tuple[int, str]:
    """Return the length of the longest beginning shared with another text, and which text it is."""
    alike = [
        (next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b),
              min(len(text), len(other))), name)
        for name, other in others.items()
    ]  # fmt: skip
    return max(alike, key=lambda each: each[0], default=(0, ""))


def slipped(size: int, events: list[Event], *, slips: tuple[str, ...]) -> State:
    """Process the events correctly except for the slips."""
    tables: dict[str, list[int]] = {}
    texts: dict[str, tuple[int, ...]] = {}
    holders: dict[int, int] = {}
    filled: dict[int, Any] = {}
    computed: list[int] = []
    freed: list[int] = []
    ever: dict[Any, int] = {}
    first: dict[int, str] = {}
    taken = 0
    for kind, name, *more in events:
        if kind == "end":
            for page in tables.pop(name):
                if "never freed" in slips or page not in holders:
                    continue
                holders[page] -= 1
                goes = "freed with its first" in slips and first.get(page) == name
                if holders[page] == 0 or "freed for all" in slips or goes:
                    if "zeros stay" in slips:
                        holders[page] = 0
                    else:
                        del holders[page]
                    freed.append(page)
                    if "remembered" not in slips:
                        filled.pop(page, None)
            if "empty stays" in slips:
                tables[name] = []
            continue
        if kind == "begin":
            tables[name], texts[name] = [], tuple(more[0])
            text, stop = texts[name], len(texts[name])
            if {"no query left", "all given up"} & set(slips):
                stop += 1
            if "two left" in slips:
                stop -= 1
            if "last page left" in slips:
                stop = size * (len(text) // size)
            if "nothing found" in slips:
                stop = 0
            whole = [tuple(other) for key, other in texts.items() if key != name and key in tables]
            if "whole prompts" in slips and not any(o[: len(text)] == text for o in whole):
                stop = 0
            if "one page" in slips:
                stop = min(stop, size + 1)
            ends = list(range(size, stop, size))
            if "half pages" in slips and len(text) % size:
                ends.append(len(text))
            latest = list(tables)[-2] if len(tables) > 1 else name
            for end in ends:
                key = key_of(text, (end - 1) // size, size, slips)
                found = sorted(page for page, known in filled.items() if known == key)
                if "index for ever" in slips:
                    found = [ever[key]] if key in ever else []
                if "of the latest" in slips:
                    found = [page for page in found if page in tables[latest]]
                if not found:
                    break
                page = found[-1 if "highest" in slips else 0]
                if "first known" in slips:
                    page = next(page for page, known in filled.items() if known == key)
                if "last known" in slips:
                    page = [page for page, known in filled.items() if known == key][-1]
                if "last begun" in slips:
                    page = [p for x in tables for p in tables[x] if p in found][-1]
                tables[name].append(page)
                if "not counted" not in slips:
                    holders[page] = holders.get(page, 0) + 1
                if page in freed:
                    freed.remove(page)
            if {"donor", "donor of pages"} & set(slips) and len(tables) > 1:
                for page in tables[name]:
                    holders[page] -= 1
                unit = 1 if "donor" in slips else size
                alike = {x: longest(text[:-1], {x: texts[x]})[0] for x in tables if x != name}
                whose = max(alike, key=lambda x: alike[x] // unit)
                tables[name] = tables[whose][: alike[whose] // size]
                for page in tables[name]:
                    holders[page] += 1
            if "all given up" in slips and size * len(tables[name]) == len(text):
                for page in tables[name]:
                    holders[page] -= 1
                tables[name] = []
            reused = min(size * len(tables[name]), len(text))
            if "token by token" in slips:
                others = {key: texts[key] for key in tables if key != name}
                most, other = longest(text[:-1], others)
                if most > reused:
                    tables[name].append(tables[other][reused // size])
                    holders[tables[name][-1]] += 1
                    reused = min(most, reused + size)
            amount = len(text) - reused
            if "all computed" in slips:
                amount = len(text)
            if "found told" in slips:
                amount = reused
            if "pages told" in slips:
                amount = -(-amount // size)
            if "at least one" in slips:
                amount = max(1, amount)
            if "new page whole" in slips:
                amount = size * -(-amount // size)
            if "one total" in slips:
                computed[:] = [sum(computed) + amount]
            else:
                computed.append(amount)
        else:
            texts[name] += (more[0],)
            if "appends told" in slips:
                computed.append(1)
            if "appends added" in slips:
                computed[-1] += 1
            if "writes into prompt" in slips:
                next(e for e in events if e[0] == "begin" and e[1] == name)[2].append(more[0])
        table, text = tables[name], texts[name]
        if "page in advance" in slips:
            need = len(text) // size + 1
        elif "page too late" in slips and kind == "append":
            need = -(-(len(text) - 1) // size)
        elif "page for each append" in slips and kind == "append":
            need = len(table) + 1
        else:
            need = -(-len(text) // size)
        while len(table) < need:
            page = next(i for i in range(taken + 1) if not holders.get(i))
            if "new numbers" in slips:
                page = taken
            if "last freed" in slips and freed:
                page = freed[-1]
            if "first freed" in slips and freed:
                page = freed[0]
            if page in freed:
                freed.remove(page)
            taken = max(taken, page + 1)
            holders[page], first[page] = 1, name
            if "remembered while taken" not in slips:
                filled.pop(page, None)
            table.append(page)
        if "prompts only" in slips and kind == "append":
            continue
        begun = "half pages" in slips
        for number in range(-(-len(text) // size) if begun else len(text) // size):
            if number >= len(table):
                continue
            key = key_of(text, number, size, slips)
            known = sorted(page for page, other in filled.items() if other == key)
            if "first stays" in slips and known and table[number] not in known:
                continue
            if "last stays" in slips:
                for page in known:
                    del filled[page]
            if "merged" in slips and known and known[0] != table[number]:
                old, table[number] = table[number], known[0]
                holders[known[0]] += 1
                holders[old] -= 1
                if holders[old] == 0:
                    del holders[old]
                    filled.pop(old, None)
                    freed.append(old)
            filled[table[number]] = key
            ever[key] = min(table[number], ever.get(key, table[number]))
    if "ones" in slips:
        return tables, dict.fromkeys(holders, 1), computed
    if "listed" in slips:
        return tables, [holders.get(i, 0) for i in range(taken)], computed
    if "shared only" in slips:
        return tables, {page: n for page, n in holders.items() if n > 1}, computed
    if "others" in slips:
        return tables, {page: n - 1 for page, n in holders.items()}, computed
    return tables, holders, computed
