"""Exceptions as data: their types by name, their message, the student's own lines."""

import builtins
import linecache
import sys
import traceback
from typing import Any

from plaincourse.checking.mistake import line
from plaincourse.judge.faults import WireError
from plaincourse.judge.wire import decode, encode

_LONGEST = 20_000
_FRAMES = 20
#: Packages of exception types that both sides have.
_LIBRARIES = {"numpy", "torch", "jaxtyping", "beartype", "einops"}
_CONSTRUCTED = {"builtins", "numpy", "torch"}
_made: dict[tuple[str, type[BaseException]], type[BaseException]] = {}


def packed(error: BaseException, answer: Any = None) -> dict[str, Any]:
    """Return an exception as plain data.

    Args:
        error: the exception.
        answer: the answer in whose notebook to look for the line that raised.
    """
    try:
        text = str(error)[:_LONGEST]
    except Exception:
        text = "its message cannot be read"
    try:
        args, buffers = encode(error.args)
    except Exception:
        args, buffers = None, []
    kinds = [[each.__module__, each.__qualname__] for each in type(error).__mro__]
    where = line(error, answer) if answer is not None else None
    frames = [
        [frame.f_code.co_filename, number, linecache.getline(frame.f_code.co_filename, number)]
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__") == "__main__"
    ]
    return {
        "kinds": kinds[:_FRAMES],
        "text": text,
        "args": None if buffers or len(text) > 2000 else args,
        "line": list(where) if where else None,
        "frames": frames[-_FRAMES:],
    }


def unpacked(data: Any) -> BaseException:
    """Rebuild an exception from an untrusted description by :func:`packed`.

    Its type is the real one if Python, NumPy or torch has it, and otherwise a type of that name
    derived from the nearest type that they have.

    Raises:
        WireError: it is not a valid description.
    """
    try:
        kinds = [(str(module)[:200], str(name)[:200]) for module, name in data["kinds"]]
        text, args, where = data["text"], data["args"], data["line"]
        frames = [(str(file), int(number), str(said)) for file, number, said in data["frames"]]
        if not isinstance(text, str) or len(text) > _LONGEST or len(frames) > _FRAMES:
            raise WireError("expected the message of an exception")
        student_line = (int(where[0]), str(where[1])[:1000]) if where else None
    except (LookupError, TypeError, ValueError) as error:
        raise WireError(f"what came describes no exception: {error}"[:200]) from None
    made = _error(kinds, text, args)
    made.student_line = student_line  # type: ignore[attr-defined]
    for file, number, said in frames:
        made.add_note(f"In the student's {file[:200]}, line {number}: {said.strip()[:300]}")
    return made


def _error(kinds: list[tuple[str, str]], text: str, args: Any) -> BaseException:
    base = next((each for each in map(_known, kinds) if each), Exception)
    exact = bool(kinds) and _known(kinds[0]) is base
    if exact and base.__module__.split(".")[0] in _CONSTRUCTED:
        for given in _arguments(args, text):
            try:
                made = base(*given)
                if str(made) == text:
                    return made
            except Exception:
                continue
    kind = base if exact else _named(kinds[0][1].rpartition(".")[2] if kinds else "Error", base)
    bare: BaseException = kind.__new__(kind)
    bare.args = (text,)
    return bare


def _arguments(args: Any, text: str) -> list[tuple[Any, ...]]:
    try:
        given = decode(args, [])
    except WireError:
        given = None
    return [*([given] if isinstance(given, tuple) else []), (text,), ()]


def _known(kind: tuple[str, str]) -> type[BaseException] | None:
    module, name = kind
    if module != "builtins" and module.split(".")[0] not in _LIBRARIES:
        return None
    found = getattr(builtins if module == "builtins" else sys.modules.get(module), name, None)
    right = isinstance(found, type) and issubclass(found, BaseException) and "." not in name
    return found if right else None


def _named(name: str, base: type[BaseException]) -> type[BaseException]:
    """Make a type for an exception that only the student's side has."""
    plain = name if name.isidentifier() and len(name) < 100 else "Error"
    if (plain, base) not in _made:
        told = {"__str__": lambda self: str(self.args[0]), "__module__": "__main__"}
        _made[plain, base] = type(plain, (base,), told)
    return _made[plain, base]
