"""Answers to 07.name_the_box that miss something."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

Box = Callable[[Tensor], Tensor]
Way = Callable[[Box, Tensor], str]


def table_of(box: Box, x: Tensor, how: str = "", than: float = 0.0) -> Tensor:
    before = box(x)
    columns = []
    for j in range(len(x)):
        other = x.clone()
        if how == "zero":
            other[j] = 0
        elif how == "even":
            other[j] += 1
        elif how == "larger":
            other[j] *= 2
        elif how == "turned":
            other[j] *= -1
        elif how in ("first", "last"):
            other[j, 0 if how == "first" else -1] += 1
        else:
            other[j] += torch.linspace(1, 3, x.shape[1], dtype=x.dtype)
        columns.append(changed(box(other), before, than).any(dim=-1))
    return torch.stack(columns, dim=-1)


def changed(after: Tensor, before: Tensor, than: float) -> Tensor:
    return (after - before).abs() > than if than else after != before


def last_into_first(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table[0, -1]:
        return "encoder"
    return "prefix" if table[0, 1] else "decoder"


def last_into_first_alone(box: Box, x: Tensor) -> str:
    return "encoder" if table_of(box, x)[0, -1] else "decoder"


def no_other(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table.all():
        return "encoder"
    return "prefix" if table.triu(1).any() else "decoder"


def prefix_for_other(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table.all():
        return "encoder"
    return "decoder" if torch.equal(table, torch.ones_like(table).tril()) else "prefix"


def looks_back_is_decoder(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if not table.triu(1).any():
        return "decoder"
    if table.all():
        return "encoder"
    first = int(table[0].sum())
    right = torch.ones_like(table).tril()
    right[:, :first] = True
    return "prefix" if torch.equal(table, right) else "other"


def looks_back_at_all_is_decoder(box: Box, x: Tensor) -> str:
    """Answer "decoder" as soon as some earlier input moves an output, and no later one does."""
    table = table_of(box, x)
    looks_back = bool(table.tril(-1).any()) and not table.triu(1).any()
    return "decoder" if looks_back else named(table)


def transposed(box: Box, x: Tensor) -> str:
    table = table_of(box, x).mT
    right = torch.ones_like(table).tril()
    for first in range(1, len(x) + 1):
        right[:, :first] = True
        if torch.equal(table, right):
            return "decoder" if first == 1 else "encoder" if first == len(x) else "prefix"
    return "other"


def neighbours(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    seen = bool(table.diagonal().all() and table.diagonal(-1).all())
    return "decoder" if seen and not table.triu(1).any() else named(table)


def by_counting(box: Box, x: Tensor, how: str = "") -> str:
    pairs, n = int(table_of(box, x, how).sum()), len(x)
    if pairs == n * n:
        return "encoder"
    if pairs == n * (n + 1) // 2:
        return "decoder"
    return "prefix" if pairs > n * (n + 1) // 2 else "other"


def prefix_of_one(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    right = torch.ones_like(table).tril()
    if table.all():
        return "encoder"
    for first in range(1, len(x)):
        right[:, :first] = True
        if torch.equal(table, right):
            return "prefix"
    return "other"


def first_row(box: Box, x: Tensor, how: str = "") -> str:
    seen = int(table_of(box, x, how)[0].sum())
    return "encoder" if seen == len(x) else "decoder" if seen == 1 else "prefix"


def first_row_or_other(box: Box, x: Tensor) -> str:
    row = table_of(box, x)[0]
    return first_row(box, x) if row[: int(row.sum())].all() and row[0] else "other"


def adjacent_only(box: Box, x: Tensor) -> str:
    table, n = table_of(box, x), len(x)
    ahead = [bool(table[i, i + 1]) for i in range(n - 1)]
    if not bool(table.tril().eq(torch.ones_like(table).tril()).all()):
        return "other"
    return "encoder" if all(ahead) else "prefix" if any(ahead) else "decoder"


def adjacent_whatever_is_below(box: Box, x: Tensor) -> str:
    ahead = table_of(box, x).diagonal(1)
    return "encoder" if ahead.all() else "prefix" if ahead.any() else "decoder"


def named(table: Tensor) -> str:
    right = torch.ones_like(table).tril()
    for first in range(1, len(table) + 1):
        right[:, :first] = True
        if torch.equal(table, right):
            return "decoder" if first == 1 else "encoder" if first == len(table) else "prefix"
    return "other"


def shifted(box: Box, x: Tensor) -> str:
    return named(table_of(box, x, "even"))


def stretched(box: Box, x: Tensor) -> str:
    return named(table_of(box, x, "larger"))


def strong_only(box: Box, x: Tensor, than: float = 0.3, how: str = "even") -> str:
    return named(table_of(box, x, how, than))


def first_row_and_below(box: Box, x: Tensor, s: str = "all", how: str = "") -> str:
    """Count as s the inputs that move output 0, those in front only, or up to the last one."""
    table, n = table_of(box, x, how), len(x)
    if not torch.equal(table.tril(), torch.ones_like(table).tril()):
        return "other"
    row = table[0].int()
    lengths = {
        "all": int(row.sum()), "in front": int(row.cumprod(0).sum()),
        "last": int(row.nonzero().max()) + 1,
    }  # fmt: skip
    return "decoder" if lengths[s] == 1 else "encoder" if lengths[s] == n else "prefix"


def open_row_or_last_row(box: Box, x: Tensor, than: float = 0.0) -> str:
    """Test the last output only if the first does not depend on all inputs."""
    opened = bool(table_of(box, x, than=than)[0].all())
    return "encoder" if opened else last_row_only(box, x, than)


def last_row_only(box: Box, x: Tensor, than: float = 0.0) -> str:
    table, n = table_of(box, x, than=than), len(x)
    if not table[-1].all():
        return "other"
    first = int(table[0].sum())
    return "encoder" if first == n else "decoder" if first == 1 else "prefix"


def first_and_last_row(box: Box, x: Tensor, how: str = "", than: float = 0.0) -> str:
    table = table_of(box, x, how, than)
    first, n = table[0], len(x)
    seen = int(first.sum())
    if not table[-1].all() or not seen or not first[:seen].all():
        return "other"
    return "encoder" if seen == n else "decoder" if seen == 1 else "prefix"


def never_prefix(box: Box, x: Tensor) -> str:
    name = named(table_of(box, x))
    return "other" if name == "prefix" else name


def some_lengths(box: Box, x: Tensor, least: int, left: int, how: str = "") -> str:
    """Compare with prefixes of some lengths only; a negative end counts from the last."""
    name = named(table_of(box, x, how))
    if name != "prefix":
        return name
    length = int(table_of(box, x, how).all(dim=0).sum())
    return "prefix" if least <= length <= (left if left > 0 else len(x) + left) else "other"


def both_ways(way: Callable[..., str]) -> tuple[Way, ...]:
    """Return two functions that change inputs in ways that a norm may hide."""
    return partial(way, how="even"), partial(way, how="larger")


def never_prefix_shifted(box: Box, x: Tensor) -> str:
    name = shifted(box, x)
    return "other" if name == "prefix" else name


def rows_below_left_out(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    return named(table | torch.ones_like(table).tril())


def zeroed(box: Box, x: Tensor) -> str:
    return named(table_of(box, x, "zero"))


def three_cells(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table[0, -1] or table[0, 1]:
        return "encoder" if table[0, -1] else "prefix"
    return "decoder" if table[-1, 0] else "other"


def corners_alone(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table[0, -1] and table[-1, 0]:
        return "encoder"
    return "decoder" if table[-1, 0] else "other"


def two_corners_and_a_cell(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    if not table[-1, 0]:
        return "other"
    return "encoder" if table[0, -1] else "prefix" if table[0, 1] else "decoder"


def one_cell_makes_a_prefix(box: Box, x: Tensor, how: str = "", than: float = 0.0) -> str:
    """Compare with encoder and decoder, and call any other box with one open cell a prefix."""
    table = table_of(box, x, how, than)
    name = named(table)
    if name in ("encoder", "decoder"):
        return name
    return "prefix" if table[0, 1] else "other"


def own_cell_set(box: Box, x: Tensor, than: float = 0.0, how: str = "") -> str:
    table = table_of(box, x, how, than)
    return named(table | torch.eye(len(x), dtype=torch.bool))


def above_and_own_left_out(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    ahead = table.triu(1)
    return named(table) if ahead.any() else named(table | torch.eye(len(x), dtype=torch.bool))


def one_feature(box: Box, x: Tensor, which: str = "first") -> str:
    return named(table_of(box, x, which))


def sign_turned(box: Box, x: Tensor) -> str:
    return named(table_of(box, x, "turned"))


def never_restored(box: Box, x: Tensor) -> str:
    """Change the inputs in turn, and leave the earlier ones changed."""
    before, other, columns = box(x), x.clone(), []
    for j in range(len(x)):
        other[j] += torch.linspace(1, 3, x.shape[1], dtype=x.dtype)
        columns.append((box(other.clone()) != before).any(dim=-1))
    return named(torch.stack(columns, dim=-1))


def all_numbers(box: Box, x: Tensor) -> str:
    """Count an output as moved only if all of its numbers are."""
    before, columns = box(x), []
    for j in range(len(x)):
        other = x.clone()
        other[j] += torch.linspace(1, 3, x.shape[1], dtype=x.dtype)
        columns.append((box(other) != before).all(dim=-1))
    return named(torch.stack(columns, dim=-1))
