"""Idle work for a fork server of the tests."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STEPS: list[int] = []


def steps(number: int, note: str) -> Iterator[None]:
    """Take some steps, each recorded in a file, and then fail."""
    for each in range(number):
        STEPS.append(each)
        Path(note).write_text(str(each))
        time.sleep(0.01)
        yield
    raise ArithmeticError("the last step fails")


def taken(arguments: dict[str, Any], fds: list[int]) -> None:
    os.write(fds[0], str(len(STEPS)).encode())
