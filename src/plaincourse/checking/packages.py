"""Detect functions of a package that run during an answer's call without a PyTorch operation.

A scheduler, a table of pages or a count of bytes is plain Python, so PyTorch does not observe it.
While an answer is called, each function of the package therefore reports when it is entered,
regardless of how it was found: by an import, in ``sys.modules``, or through the garbage collector.
If code runs or reads the source of the package instead, the interpreter's own audit events report
it.
"""

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from plaincourse.exercise.course import NAME, folder, subject

#: Called with the name of a package, and the arguments of the function that was entered.
Tell = Callable[[str, tuple[Any, ...]], None]


def _shim(*args: Any, **kwargs: Any) -> Any:
    tell = "tell"
    name = "name"
    run = "run"
    tell(name, args)  # type: ignore[operator]
    return run(*args, **kwargs)  # type: ignore[operator]


_SHIM = _shim.__code__.co_code


class _Told:
    """The functions of one package, each with an instrumented version of its code."""

    def __init__(self, package: str) -> None:
        self.package, self.known, self.tells = package, False, False
        self._codes: dict[int, tuple[FunctionType, CodeType, CodeType]] = {}

    def pairs(self, tell: Tell) -> list[tuple[FunctionType, CodeType, CodeType]]:
        """Return each function, its code, and its instrumented code."""
        if not self.known:
            self.known, inside = True, f"{self.package}."
            for name, module in list(sys.modules.items()):
                own = name == self.package or name.startswith(inside)
                if own and isinstance(module, ModuleType):
                    for function in _functions(module, self.package):
                        self._add(function, tell)
        return [each for each in self._codes.values() if each[0].__code__ is each[1]]

    def _add(self, function: FunctionType, tell: Tell) -> None:
        if is_telling(function.__code__):
            return
        if id(function) in self._codes and self._codes[id(function)][1] is function.__code__:
            return
        told = telling(function, self.package, tell)
        self._codes[id(function)] = function, function.__code__, told


def telling(function: FunctionType, name: str, tell: Tell) -> CodeType:
    """Return instrumented code for a function: it makes a report and then runs the function.

    Args:
        function: a function of Python, which is not changed.
        name: the first argument of the report; the second is the tuple of positional arguments.
        tell: the function that receives the report.
    """
    code = function.__code__
    # Under its own name it would be found in place of the function, and report nothing.
    run = FunctionType(
        code, function.__globals__, "run", function.__defaults__, function.__closure__
    )
    run.__kwdefaults__ = function.__kwdefaults__
    means = {"tell": tell, "name": name, "run": run}
    consts = tuple(means.get(x, x) if isinstance(x, str) else x for x in _shim.__code__.co_consts)
    return _shim.__code__.replace(
        co_consts=consts,
        co_freevars=code.co_freevars,
        co_filename=code.co_filename,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=code.co_firstlineno,
    )


def is_telling(code: CodeType) -> bool:
    """Return whether code was made by :func:`telling`; such code has no author and no file."""
    return code.co_code == _SHIM


_packages: dict[str, _Told] = {}
_folders: dict[str, str] = {}
_hears: list[Tell] = []
_told_now: list[tuple[FunctionType, CodeType]] = []
_holds = 0


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Keep functions instrumented until the body ends, for many calls."""
    global _holds
    _holds += 1
    try:
        yield
    finally:
        _holds -= 1
        if not _holds:
            _untell()


@contextlib.contextmanager
def telling_packages(packages: tuple[str, ...], tell: Tell) -> Iterator[None]:
    """Make all functions of some packages report in the body when they are entered.

    Args:
        packages: their names. A package that is not installed is skipped.
        tell: is called with the name of the package whenever one of its functions is entered, or
            its source is read or run. It is the same for the whole life of a process.
    """
    _listen(packages, tell)
    with held():
        for name in packages:
            told = _packages.setdefault(name, _Told(name))
            if not (told.known and told.tells):
                for function, code, other in told.pairs(tell):
                    function.__code__ = other
                    _told_now.append((function, code))
                told.tells = True
        yield


def _untell() -> None:
    for function, code in reversed(_told_now):
        function.__code__ = code
    _told_now.clear()
    for told in _packages.values():
        told.tells = False


def _listen(packages: tuple[str, ...], tell: Tell) -> None:
    for name in packages:
        if name not in _folders:
            _folders[name] = ""
            with contextlib.suppress(LookupError):
                _folders[name] = str(folder(name)) + os.sep
    if not _hears:
        _hears.append(tell)
        sys.addaudithook(_heard)


def _heard(event: str, what: tuple[Any, ...]) -> None:
    if event == "exec":
        path = getattr(what[0], "co_filename", None)
    elif event == "open" and not _shows_a_stack(sys._getframe(1)):
        path = what[0]
    else:
        return
    if isinstance(path, str) and path.endswith((".py", ".pyc")):
        for name, inside in _folders.items():
            if inside and path.startswith(inside):
                if event == "exec" and name in _packages:
                    _packages[name].known = False
                _hears[0](name, ())


def _shows_a_stack(frame: FrameType | None) -> bool:
    """Return whether a file is opened to show a stack, for example by a seed or a warning.

    The stack contains the functions that call the answer, but the answer does not use them.
    """
    while frame is not None and frame.f_globals.get("__name__") in ("tokenize", "linecache"):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") in ("traceback", "warnings")


def _functions(module: ModuleType, package: str) -> Iterator[FunctionType]:
    seen: set[int] = set()
    for value in list(vars(module).values()):
        if isinstance(value, type) and _is_of(value, package) and id(value) not in seen:
            seen.add(id(value))
            yield from functions_of(value)
        elif not isinstance(value, (type, ModuleType)):
            yield from _within(value, package)


def functions_of(kind: type) -> Iterator[FunctionType]:
    """Yield the functions of a class, including those of its properties.

    Args:
        kind: the class. Inherited members and members made by another package are skipped.
    """
    for member in list(vars(kind).values()):
        yield from _within(member, kind.__module__.partition(".")[0])


def _within(value: Any, package: str) -> Iterator[FunctionType]:
    """Yield the functions of a package that a value of a module or a class calls."""
    if isinstance(value, property):
        for each in (value.fget, value.fset):
            yield from _within(each, package)
        return
    if isinstance(value, functools.cached_property):
        value = value.func
    value = getattr(value, "__func__", value) if isinstance(value, _BOUND) else value
    for _ in range(10):
        if isinstance(value, FunctionType) and hasattr(value, "unwatched"):
            return  # a box, or its derivative: autograd calls it, and not the box
        if isinstance(value, FunctionType) and _is_of(value, package):
            yield value
        if not isinstance(value, (FunctionType, _CACHED)):
            return
        value = getattr(value, "__wrapped__", None)


_BOUND = (staticmethod, classmethod)
_CACHED = type(functools.lru_cache(lambda: None))


def _is_of(value: Any, package: str) -> bool:
    return str(getattr(value, "__module__", "")).partition(".")[0] == package


def codes_of(boxes: Iterable[Any], deep: int = 3) -> Iterator[CodeType]:
    """Yield the code of objects that the tests pass in: functions, and methods of their objects."""
    for box in boxes:
        if isinstance(box, Mapping):
            yield from codes_of(box.values(), deep - 1) if deep else ()
        elif type(box) in (list, tuple):
            yield from codes_of(box, deep - 1) if deep else ()
        code = getattr(box, "__code__", None)
        if isinstance(code, CodeType):
            yield code
        for kind in type(box).__mro__:
            if kind.__module__.partition(".")[0] in {NAME, *subject()}:
                yield from (each.__code__ for each in functions_of(kind))
        for each in (getattr(type(box), "forward", None), vars(type(box)).get("__call__")):
            code = getattr(each, "__code__", None)
            if isinstance(code, CodeType):
                yield code
