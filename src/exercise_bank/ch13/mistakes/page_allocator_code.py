"""Allocators that lose a page, assign one twice, or copy too much."""

from collections.abc import Callable

Events = list[tuple[str, ...]]
State = tuple[dict[str, list[int]], list[int], list[tuple[int, int]]]


def allocate(
    n_pages: int,
    size: int,
    events: Events,
    *,
    copy: bool = True,
    let_go: bool = True,
    count_fork: bool = True,
    free_all: bool = False,
    free_all_at_once: bool = False,
    free_none: bool = False,
    copy_full: bool = False,
    copy_first: bool = False,
    copy_all: bool = False,
    forget_length: bool = True,
    count_refused: bool = False,
    count_refused_growth: bool = False,
    same_list: bool = False,
    pair_first: int = 0,
    room: Callable[[int, int], bool] = lambda length, size: length % size == 0,
    reuse: bool = True,
    error: type[Exception] | None = None,
    stop: bool = False,
    copy_own: bool = False,
    copy_last: bool = False,
    let_go_first: bool = False,
    free_list: int | None = None,
    highest: bool = False,
    tell: bool = True,
    tell_full: bool = False,
    old_page_stays: bool = False,
    held_or_not: bool = False,
    page_0_is_none: bool = False,
    empty_stays: bool = False,
    trust_length: bool = False,
    fork_length: bool = True,
    in_place_when_full: bool = False,
    table_first: bool = False,
    exactly_full: bool = False,
    writes_in_place: Callable[[bool, bool], bool] = lambda forked, has_forks: False,
) -> State:
    """Process the events, correctly except for the given slips."""
    tables: dict[str, list[int]] = {}
    lengths: dict[str, int] = {}
    holders, copies, used = [0] * n_pages, [], 0
    forks, originals = set[str](), set[str]()
    waiting = list(range(n_pages))[:: -1 if free_list == -1 else 1]

    def release(page: int) -> None:
        holders[page] -= 1
        if not holders[page]:
            waiting.append(page)

    for kind, name, *new in events:
        if kind == "free":
            for page in tables.pop(name):
                if free_all or free_all_at_once:
                    holders[page] = 0
                elif not free_none:
                    release(page)
            if forget_length:
                del lengths[name]
            if empty_stays:
                tables[name] = []
            continue
        if kind == "fork":
            lengths[new[0]] = lengths[name] * fork_length
            forks.add(new[0])
            originals.add(name)
            if copy_all and holders.count(0) >= len(tables[name]):
                own = [page for page, count in enumerate(holders) if count == 0]
                tables[new[0]] = own[: len(tables[name])]
                copies += list(zip(tables[name], tables[new[0]], strict=True))
            else:
                tables[new[0]] = tables[name] if same_list else list(tables[name])
            for page in tables[new[0]]:
                holders[page] += count_fork
            if copy_last and 0 in holders and lengths[name] % size:
                fresh = holders.index(0)
                release(tables[new[0]].pop())
                copies.append((tables[name][-1], fresh))
                tables[new[0]].append(fresh)
                holders[fresh] = 1
            continue
        table, length = tables.get(name, []), lengths.get(name, 0)
        if table_first:
            tables[name] = table
        if exactly_full and length > size * len(table):
            lengths[name] = length + 1
            continue
        starts = room(length, size) or not (table or trust_length)
        shared = (bool(table) or not starts) and (copy_own or holders[table[-1]] > 1)
        shared = shared and not (page_0_is_none and table[-1] == 0)
        in_place = writes_in_place(name in forks, name in originals)
        if starts or (copy and shared and not in_place):
            free = [page for page in range(n_pages) if holders[page] == 0]
            free = free if free_list is None else waiting
            if let_go_first and shared and not starts:
                release(table[-1])
            free = free if reuse else [page for page in free if page >= used]
            if len(free) < 1 + (copy_first and shared and starts):
                if error:
                    raise error("no page is free")
                if stop:
                    break
                kept = in_place_when_full and not starts
                counted = count_refused or (count_refused_growth and name in tables)
                lengths[name] = length + (counted or kept)
                continue
            page = free[-1 if highest else free_list or 0]
            used = page + 1
            if page in waiting:
                waiting.remove(page)
            holders[page] = 1
            if shared and starts and tell_full:
                copies.append((table[-1], page))
            if shared and not starts:
                old = table[-1] if old_page_stays else table.pop()
                if free_all_at_once:
                    holders[old] = 0
                elif let_go and not let_go_first:
                    release(old)
                copies.append((old, page) if pair_first == 0 else (page, old))
            elif shared and copy_full and len(free) > 1:
                old = table.pop()
                holders[old] -= 1
                copied, page = (page, free[1]) if copy_first else (free[1], page)
                table.append(copied)
                holders[free[1]] = 1
                copies.append((old, copied))
            table.append(page)
        tables[name], lengths[name] = table, length + 1
    if held_or_not:
        holders = [min(count, 1) for count in holders]
    return tables, holders, copies if tell else []


def highest_first(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, highest=True)


def copies_untold(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, tell=False)


def written_in_place(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, copy=False)


def page_0_in_place(n_pages: int, size: int, events: Events) -> State:
    """Treat page number 0 as no page, as a truth test does."""
    return allocate(n_pages, size, events, page_0_is_none=True)


def original_in_place(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, writes_in_place=lambda forked, has_forks: not forked)


def original_of_any_in_place(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, writes_in_place=lambda forked, has_forks: has_forks)


def fork_in_place(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, writes_in_place=lambda forked, has_forks: forked)


def fork_without_forks_in_place(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, writes_in_place=lambda forked, has_forks: not has_forks)


def old_page_kept(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, let_go=False)


def fork_not_counted(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, count_fork=False)


def freed_for_all(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, free_all=True)


def never_counted_down(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, free_all_at_once=True)


def never_freed(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, free_none=True)


def full_page_copied(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, copy_full=True)


def full_page_copied_first(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, copy_full=True, copy_first=True)


def fork_copies(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, copy_all=True)


def fork_copies_the_last(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, copy_last=True)


def own_page_copied(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, copy_own=True)


def let_go_first(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, let_go_first=True)


def last_freed_first(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, free_list=-1)


def first_freed_first(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, free_list=0)


def empty_table_stays(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, empty_stays=True)


def stops_when_full(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, stop=True)


def refused_and_believed(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, count_refused=True, trust_length=True)


def fork_without_length(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, fork_length=False)


def in_place_when_full(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, in_place_when_full=True)


def table_of_the_refused(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, table_first=True)


def old_length(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, forget_length=False)


def refused_but_counted(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, count_refused=True)


def refused_growth_counted(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, count_refused_growth=True)


def refused_and_never_full_again(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, count_refused=True, exactly_full=True)


def one_list_for_both(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, same_list=True)


def pairs_turned(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, pair_first=1)


def a_page_for_each_token(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, room=lambda length, size: True)


def always_the_next_page(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, reuse=False)


def raises_value_error(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, error=ValueError)


def raises_index_error(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, error=IndexError)


def raises_memory_error(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, error=MemoryError)


def raises_runtime_error(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, error=RuntimeError)


def one_token_too_early(n_pages: int, size: int, events: Events) -> State:
    return allocate(
        n_pages, size, events, room=lambda length, size: not length or length % size == size - 1
    )


def full_page_told(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, tell_full=True)


def old_page_in_the_table(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, old_page_stays=True)


def held_or_not(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, held_or_not=True)


def old_length_believed(n_pages: int, size: int, events: Events) -> State:
    return allocate(n_pages, size, events, forget_length=False, trust_length=True)


def one_token_too_late(n_pages: int, size: int, events: Events) -> State:
    return allocate(
        n_pages, size, events, room=lambda length, size: length % size == 1 and length > 1
    )
