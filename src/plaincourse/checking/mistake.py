"""Describe an exception in a student's terms, with the line of theirs that raised it.

The student sees the description with its message (:func:`complaint`). Feedback that is made after
hidden tests have run omits every word of the answer's own (:func:`unquoted`), because a message, a
name or a number may then be one of their inputs. :func:`scrub` removes details of the machine from
a text.
"""

import inspect
import linecache
import re
import sys
import sysconfig
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plaincourse.checking.forbidden import home
from plaincourse.checking.remote import StudentGone

_PATH = re.compile(r"(?<![\w.<:/])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}[/\\]?")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_ANNOTATION = re.compile(r"\b(?:Float|Int|Bool|Num|Shaped|Inexact|Integer|Complex)\w*\[[^\]]*\]")
_TOO_DEEP = (
    "your function calls itself without end, or deeper than Python allows (RecursionError); in "
    "place of calls that go as deep as an input is long, write a loop"
)
_FIXED = (
    (SystemExit, "your function ends the program (exit, quit or SystemExit); it should return"),
    (RecursionError, _TOO_DEEP),
    (MemoryError, "your function asks for more memory than it can get"),
    (StudentGone, "your function ends its process, or does not come back at all"),
)

#: Errors that ordinary mistakes raise; others are rare.
_USUAL = frozenset(
    "ArithmeticError AssertionError AttributeError FileNotFoundError FloatingPointError "
    "ImportError IndentationError IndexError KeyError ModuleNotFoundError NameError "
    "NotImplementedError OverflowError RuntimeError SyntaxError TypeError UnboundLocalError "
    "ValueError ZeroDivisionError".split()
)
#: Keyed by the names of their types, because these come from the student's process.
_NOBODY = {
    "BdbQuit": "your function starts a debugger (breakpoint() or set_trace()), which nobody "
    "answers when a notebook is graded; take it out",
    "EOFError": "your function asks for input (input()), which nobody answers when a notebook is "
    "graded; write the value into the code",
}
_NOBODY["WireError"] = (
    "your function returns a value that the check cannot read, such as a list that holds "
    "itself; return what its annotations ask for"
)
_NOBODY["TooLargeError"] = (
    "your function returns a value that is too large for a check; return what its annotations ask "
    "for"
)
_NOBODY["StdinNotImplementedError"] = _NOBODY["EOFError"]
#: Shown in an example in place of an output, for errors that no code of the answer raised.
_INSTEAD = {
    "WireError": "a value that the check cannot read",
    "TooLargeError": "a value that is too large for a check",
}
#: Python's message for the end of input; a file that is too short gives another message.
_NO_LINE = "EOF when reading a line"
#: The folders of installed packages and of Python's own modules.
_LIBRARIES = tuple({sysconfig.get_paths()[each] for each in ("stdlib", "purelib", "platlib")})
_STARTS = re.compile(r"\b(?:breakpoint|set_trace)\b")


def complaint(error: BaseException, answer: Any) -> str:
    """Describe an exception by its type, message and the student's line, without other frames."""
    fixed = _fixed(error)
    if fixed:
        said = f"{fixed}."
    elif "TypeCheckError" in type(error).__name__ or "BeartypeCall" in type(error).__name__:
        said = _shape(str(error))
    else:
        message = " ".join(scrub(str(error)).split())
        message = message if len(message) <= 300 else message[:300] + " …"
        name = type(error).__name__
        said = (
            f"your function raises `{name}: {message}`."
            if message
            else f"your function raises `{name}`."
        )
    where = line(error, answer)
    return f"{said} It happens in your line {where[0]}: `{where[1]}`" if where else said


def unquoted(error: BaseException) -> str:
    """Describe an exception without quoting the answer, as a sentence without its full stop."""
    if fixed := _fixed(error):
        return fixed
    if "TypeCheckError" in type(error).__name__:
        return "what your function is given or returns has another shape or dtype than annotated"
    return f"your function raises {known_error(type(error).__name__)}"


def in_example(error: BaseException) -> str:
    """Describe the result of a call without an output, for an example."""
    name = type(error).__name__
    return _INSTEAD.get(name, f"raises {name}")


def known_error(name: str) -> str:
    """Return the name of an error as code if ordinary mistakes raise it, else "an error".

    Python has more kinds; an answer that could choose among all of them could encode a test's
    inputs.

    Args:
        name: the name of its type, which a student may have chosen.
    """
    return f"`{name}`" if name in _USUAL else "an error"


def line(error: BaseException, answer: Any) -> tuple[int, str] | None:
    """Return the number and the text of the student's line that raised, if there is one."""
    if hasattr(error, "student_line"):  # raised in the student's process, which recorded the line
        told: tuple[int, str] | None = error.student_line
        return told
    own = home(answer)
    by_library = _is_library(own)  # such as `apply` of a class that derives from one of PyTorch's
    frames = [
        (frame, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
        if (frame.f_globals.get("__name__") == "__main__" if by_library else frame.f_globals is own)
    ]
    if not frames:
        return None
    (frame, number), code = frames[-1], frames[-1][0].f_code
    lines = linecache.getlines(code.co_filename, module_globals=frame.f_globals)
    if type(error).__name__ == "BdbQuit":  # raised where the debugger stopped, below its start
        inside = range(code.co_firstlineno, len(lines) + 1)
        starts = [at for at in inside if _STARTS.search(lines[at - 1])]
        number = max((at for at in starts if at <= number), default=min(starts, default=number))
    text = lines[number - 1].strip() if number <= len(lines) else ""
    return (number, text) if text else None


def _is_library(names: dict[str, Any]) -> bool:
    """Return whether global names belong to an installed package or to Python's own modules."""
    file = str(names.get("__file__") or "")
    return file.startswith(_LIBRARIES) or "site-packages" in file


def unfit(answer: Callable[..., Any], inputs: dict[str, Any]) -> str | None:
    """Describe how an answer's parameters differ from the arguments of its calls."""
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


def scrub(text: str) -> str:
    """Replace file-system paths and memory addresses by an ellipsis."""
    return _ADDRESS.sub("0x…", _PATH.sub("…", text))


def scrub_known(text: str, *folders: str) -> str:
    """Replace only these folders and this machine's own, in a text with other slashes."""
    own = (sys.prefix, tempfile.gettempdir(), str(Path.home()))
    for folder in sorted({*folders, *own} - {"", "/"}, key=len, reverse=True):
        text = text.replace(folder, "…")
    return _ADDRESS.sub("0x…", text)


def uncoloured(text: str) -> str:
    """Remove terminal colours."""
    return _ANSI.sub("", text)


def _fixed(error: BaseException) -> str:
    if isinstance(error, RuntimeError) and "DefaultCPUAllocator" in str(error):  # PyTorch's own
        error = MemoryError()
    name = type(error).__name__
    if name in _NOBODY and (name != "EOFError" or str(error) == _NO_LINE):
        return _NOBODY[name]
    return next((said for kind, said in _FIXED if isinstance(error, kind)), "")


def _shape(message: str) -> str:
    """Shorten a shape check's message to the value, its shape and the expected shape."""
    text = uncoloured(message)
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
