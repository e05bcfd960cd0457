"""Events for 13.page_allocator."""

from torch import Generator

from exercise_bank.draws import some
from exercise_bank.skills import Draw
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Inputs

Event = tuple[str, ...]


def grow(name: str, times: int = 1) -> list[Event]:
    return [("append", name)] * times


def fork(name: str, new: str) -> list[Event]:
    return [("fork", name, new)]


def free(name: str) -> list[Event]:
    return [("free", name)]


def drawn(n_pages: int, size: int, *parts: list[Event]) -> Inputs:
    return {"n_pages": n_pages, "size": size, "events": [each for part in parts for each in part]}


def begun(draw: Draw) -> Draw:
    """Let a draw give hidden inputs one more sequence, which occupies the first pages."""

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
    """Draw pools that are too small for an allocator that never reuses a page."""
    n = some(g, 4, 5)
    return [
        drawn(2, 2, grow("a", 2), grow("b", 1), free("a"), grow("b", 2)),
        drawn(2, 2, grow("a", 3), free("a"), grow("b", 2)),
        drawn(4, 2, grow("a", 3), grow("b", 2), grow("c", 1), free("a"), grow("c", n)),
        drawn(1, 4, grow("a", 1), free("a"), grow("b", 1), free("b"), grow("c", 3)),
    ]


def lowest(g: Generator) -> list[Inputs]:
    n = some(g, 2, 6)
    return [
        drawn(3, 2, grow("a", 2), grow("b", 1), free("a"), grow("b", 2)),
        drawn(4, 2, grow("a", 3), free("a"), grow("a", 2)),
        drawn(6, 2, grow("a", 3), grow("b", 2), grow("c", 1), free("a"), grow("c", n)),
    ]


def shared(g: Generator) -> list[Inputs]:
    n = some(g, 2, 4)
    return [
        drawn(3, 2, grow("a", 2), fork("a", "b")),
        drawn(4, 2, grow("a", 3), fork("a", "b")),
        drawn(8, 2, grow("a", 4), fork("a", "b"), grow("b", 1)),
        drawn(9, 2, grow("a", 2 * n), fork("a", "b"), fork("b", "c"), grow("c", 2), grow("a", 1)),
    ]


def written(g: Generator) -> list[Inputs]:
    n = some(g, 3, 5)
    return [
        drawn(3, 2, grow("a", 1), fork("a", "b"), grow("b", 1)),
        drawn(4, 2, grow("a", 3), fork("a", "b"), grow("b", 1)),
        drawn(4, 2, grow("a", 3), fork("a", "b"), grow("a", 1)),
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
        drawn(5, 4, grow("a", 1), fork("a", "b"), grow("a", 2)),
        drawn(5, 4, grow("a", 1), fork("a", "b"), grow("b", 2)),
        drawn(8, 4, grow("a", 4 + n), fork("a", "b"), grow("b", 1), grow("a", 1)),
        drawn(8, 4, grow("a", 1), fork("a", "b"), fork("b", "c"), free("b"), free("a"),
              grow("c", n)),
    ]  # fmt: skip


def last_holder(g: Generator) -> list[Inputs]:
    n = some(g, 2, 3)
    return [
        drawn(2, 2, grow("a", 2), fork("a", "b"), free("a"), grow("c", 1)),
        drawn(n + 1, 2, grow("a", 2 * n), fork("a", "b"), free("b"), free("a"), grow("c", 3)),
        drawn(
            4, 2, grow("a", 3), fork("a", "b"), grow("b", 2), free("a"), grow("c", 2), free("b"),
            grow("d", 5),
        ),
    ]  # fmt: skip


def full(g: Generator) -> list[Inputs]:
    """Draw pools that refuse appends, to a full last page and to a shared one."""
    n, refused = some(g, 1, 3), some(g, 1, 2)
    return [
        drawn(1, 2, grow("a", 2 + n)),
        drawn(3, 3, grow("a", 3), grow("b", 6), grow("a", refused), free("b"), grow("a", 4)),
        drawn(2, 2, grow("a", 4), grow("b", 1), free("a"), grow("b", 2)),
        drawn(1, 2, grow("a", 1), fork("a", "b"), grow("b", n), grow("a", 1), free("b"),
              grow("a", 1)),
        drawn(3, 2, grow("a", 5), grow("b", 1), grow("a", 3), fork("a", "c"), free("a"),
              grow("c", 1)),
        drawn(2, 2, grow("c", 1), grow("a", 1), fork("a", "b"), grow("b", n), free("c"),
              grow("b", 1)),
        drawn(2, 2, grow("c", 1), grow("a", 1), fork("a", "b"), grow("a", n), free("c"),
              grow("a", 1)),
        drawn(2, 3, grow("c", 1), grow("a", 1), fork("a", "b"), grow("b", refused), free("c"),
              grow("b", 3)),
    ]  # fmt: skip


def copied(g: Generator) -> list[Inputs]:
    return written(g) + alone(g)


def everything(g: Generator) -> list[Inputs]:
    return [*one_sequence(g)[:1], *shared(g), *written(g), *last_holder(g)]
