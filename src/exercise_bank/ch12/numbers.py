"""Whole numbers, read from an answer."""


def two_whole(answer: object) -> tuple[int, int] | None:
    """Read an answer as two whole numbers, or return ``None`` if it is something else."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return None
    try:
        found = int(answer[0]), int(answer[1])
        return found if all(x == y for x, y in zip(found, answer, strict=True)) else None
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
