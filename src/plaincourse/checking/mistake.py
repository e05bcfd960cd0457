"""Say in a student's terms what an exception was and which line of theirs raised it."""

import inspect
import linecache
import re
import traceback
from collections.abc import Callable
from typing import Any

from plaincourse.checking.forbidden import home
from plaincourse.checking.remote import StudentGone
from plaincourse.checking.scrub import scrub

_ANNOTATION = re.compile(r"\b(?:Float|Int|Bool|Num|Shaped|Inexact|Integer|Complex)\w*\[[^\]]*\]")


def complaint(error: BaseException, answer: Any) -> str:
    """Describe an exception: its type, its message, the student's line; no frame of anyone else."""
    if isinstance(error, SystemExit):
        said = "your function ends the program (exit, quit or SystemExit); it should return."
    elif isinstance(error, RecursionError):
        said = "your function calls itself without end (RecursionError)."
    elif isinstance(error, MemoryError):
        said = "your function asks for more memory than there is (MemoryError)."
    elif isinstance(error, StudentGone):
        said = "your function ends its process, or does not come back at all."
    elif "TypeCheckError" in type(error).__name__ or "BeartypeCall" in type(error).__name__:
        said = _shape(str(error))
    else:
        message = " ".join(_message(error).split())
        message = message if len(message) <= 300 else message[:300] + " …"
        name = type(error).__name__
        said = (
            f"your function raises `{name}: {message}`."
            if message
            else f"your function raises `{name}`."
        )
    where = line(error, answer)
    return f"{said} It happens in your line {where[0]}: `{where[1]}`" if where else said


def line(error: BaseException, answer: Any) -> tuple[int, str] | None:
    """Return the number and the text of the student's line that raised, where there is one."""
    if hasattr(error, "student_line"):  # raised in the student's process, which told where
        told: tuple[int, str] | None = error.student_line
        return told
    own = home(answer)
    frames = [
        (frame.f_code.co_filename, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_globals is own
    ]
    if not frames:
        return None
    text = linecache.getline(*frames[-1], module_globals=own).strip()
    return (frames[-1][1], text) if text else None


def unfit(answer: Callable[..., Any], inputs: dict[str, Any]) -> str | None:
    """Say how an answer's parameters differ from those that it is called with."""
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError, StudentGone):
        return None
    try:
        signature.bind(**inputs)
    except TypeError:
        wanted, has = ", ".join(inputs), ", ".join(signature.parameters)
        return (
            f"your function has the parameters ({has}); it is called with ({wanted}). Names and "
            "number must agree."
        )
    return None


def _message(error: BaseException) -> str:
    return scrub(str(error))


def _shape(message: str) -> str:
    """Shorten a shape check's message to what has which shape, and what was expected."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", message)
    name = re.search(r"parameter '?(\w+)", text)
    got = re.search(r"Actual value: (.+)", text)
    expected = re.search(r"Expected type: (.+)", text)
    sizes = re.findall(r"^(\w+=\d+)$", text, flags=re.MULTILINE)
    annotation = _ANNOTATION.search(expected.group(1) if expected else text)
    what = f"`{name.group(1)}`" if name else "the value that your function returns"
    said = f"{what} has the wrong shape or dtype"
    if got:
        said += f": it is {re.sub(r'[(]torch[)]|[(]numpy[)]', '', got.group(1)).rstrip('.')}"
    if annotation:
        said += f", expected {annotation.group(0).replace('Tensor, ', '')}"
    return f"{said} with {', '.join(sizes)}." if sizes else f"{said}."
