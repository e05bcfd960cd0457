"""Find names that an answer may not use."""

import dis
import functools
import inspect
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from plaincourse.checking.effects import DERIVES, DONE_BY, PASSES_BY, effects_of
from plaincourse.checking.remote import session_of
from plaincourse.exercise.course import subject

#: Names that reach an object by a string with its name. If code uses none of them, its strings are
#: treated as data: keys of a dictionary, labels, docstrings.
BY_NAME = {
    "getattr", "__getattribute__", "__getattr__", "__dict__", "vars", "dir", "globals", "locals",
    "attrgetter", "methodcaller", "eval", "exec", "compile", "__import__", "import_module",
    "getmembers", "get_ipython",
}  # fmt: skip
#: The number of parts of a container that are searched, and the kinds of container.
_MOST_PARTS = 1000
_HOLDERS = (Mapping, list, tuple, set, frozenset, deque)
#: Opcodes that load a method by its name, and names whose use is detected at run time by its
#: effect.
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_SEEN_RUNNING = {*DERIVES, *DONE_BY}
#: Packages whose functions may be an answer without a line of the student's own.
LIBRARIES = {"torch", "numpy", "builtins", *subject()}
#: The folder of the course's packages, and the folders of packages that pip installs.
_INSTALLED = (str(Path(__file__).resolve().parents[2]), "site-packages", "dist-packages")


def find(answer: Any, forbid: Sequence[str]) -> str | None:
    """Return the first forbidden name that an answer reaches, or ``None``.

    If it reaches none, but does reach a way to run operations past the watch, return that name (one
    of ``PASSES_BY``).

    It searches the code of the answer, of functions nested in it, of the methods of a class, and of
    every function or class of the same notebook that these call. It searches attributes
    (``F.scaled_dot_product_attention``), imports, strings (``getattr``), and the values of global
    names, defaults, closures and parts of any of them, so that neither ``import ... as`` nor a list
    hides a name. A function or method that the student wrote may have a forbidden name: if code
    calls a method by such a name, the watch decides at run time whether it was the library's. An
    answer that lives in the student's process is searched there; a result of ``None`` is not proof
    that the answer reaches nothing forbidden.
    """
    if session := session_of(answer):
        there: str | None = session.find(answer, list(forbid))
        return there
    effects = effects_of(*forbid)
    seen: set[int] = set()
    past = None
    for part in _parts(answer):
        ready = str(getattr(part, "__module__", "")).split(".")[0] in LIBRARIES
        for name in chain(_origins(part) if ready else (), _names(part, seen)):
            if name in effects.means:
                return effects.means[name]
            if effects.first and name in PASSES_BY:
                past = past or name
    return past


def home(answer: Any) -> dict[str, Any]:
    """Return the globals of the module or notebook in which an answer was written.

    For an answer that lives in the student's process, return an empty dictionary.
    """
    if session_of(answer):
        return {}
    while isinstance(answer, functools.partial):
        answer = answer.func
    for each in (answer, type(answer)):
        for function in _functions(each):
            return function.__globals__
    return {}


def _functions(answer: Any) -> Iterator[FunctionType]:
    answer = inspect.unwrap(answer) if callable(answer) else answer
    if isinstance(answer, MethodType):
        answer = inspect.unwrap(answer.__func__)
    if isinstance(answer, FunctionType):
        yield answer
    elif isinstance(answer, type):
        for member in vars(answer).values():
            member = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if isinstance(member, FunctionType):
                yield from _functions(member)


def _names(answer: Any, seen: set[int]) -> Iterator[str]:
    if id(answer) in seen:
        return
    seen.add(id(answer))
    if isinstance(answer, type):
        for base in answer.__mro__[1:]:
            if base.__module__ == answer.__module__:
                yield from _names(base, seen)
            elif base.__module__.split(".")[0] not in {"builtins", "torch"}:
                yield from _origins(base)
            else:
                yield base.__name__
    for function in _functions(answer):
        own = function.__globals__
        codes = list(_codes(function.__code__))
        uses = [use for code in codes for use in _uses(code)]
        by_name = any(opname != "LOAD_CONST" and name in BY_NAME for opname, name in uses)
        for opname, name in uses:
            if opname in _ATTRIBUTES and name in _SEEN_RUNNING and _is_method(name, codes, own):
                continue
            if opname in {"LOAD_GLOBAL", "LOAD_NAME"} and name in own:
                value = own[name]
                if _is_file(value):
                    yield from _used_of(value, uses, seen)
                    continue
                if callable(value) and not _is_own(value, own):
                    yield name
                yield from _stood_for(value, own, seen)
            elif by_name or opname != "LOAD_CONST":
                yield name
        for cell in function.__closure__ or ():
            try:
                held = cell.cell_contents
            except ValueError:
                continue
            if held is not answer:
                yield from _stood_for(held, own, seen)
        for held in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            yield from _stood_for(held, own, seen)


def _is_method(name: str, codes: list[CodeType], own: dict[str, Any]) -> bool:
    """Return whether a student's class or file, or a class in a function, defines this name."""
    if any(code.co_name == name for code in codes):
        return True
    written = own.get("__name__")
    classes = (each for each in own.values() if isinstance(each, type))
    own_classes = [each for each in classes if each.__module__ == written or _is_own(each, own)]
    return any(name in vars(each) for each in (*own_classes, *_files(own)))


def _files(names: dict[str, Any]) -> list[ModuleType]:
    """Return the student's own files among these objects, and the files that they import."""
    found: list[ModuleType] = []
    todo = [names]
    while todo and len(found) < _MOST_PARTS:
        for each in list(todo.pop().values()):
            if _is_file(each) and each not in found:
                found.append(each)
                todo.append(vars(each))
    return found


def _used_of(module: ModuleType, uses: list[tuple[str, str]], seen: set[int]) -> Iterator[str]:
    """Yield the names that code reaches through a file of the student's."""
    if id(module) in seen:
        return
    held = vars(module)
    for opname, name in uses:
        if opname in _ATTRIBUTES and name in held:
            value = held[name]
            if _is_file(value):
                yield from _used_of(value, uses, seen | {id(module)})
            else:
                yield from _stood_for(value, held, seen)


@functools.lru_cache(maxsize=256)
def is_students(module: str) -> bool:
    """Return whether the module of this name is a file that was submitted with the notebook."""
    top = module.partition(".")[0]
    file = str(getattr(sys.modules.get(module), "__file__", None) or "")
    known = top in LIBRARIES or top in sys.stdlib_module_names
    return bool(file) and not known and not any(part in file for part in _INSTALLED)


def _is_file(value: Any) -> bool:
    return isinstance(value, ModuleType) and is_students(value.__name__)


def _stood_for(value: Any, own: dict[str, Any], seen: set[int]) -> Iterator[str]:
    """Yield the names that a value reaches when the code of an answer uses it."""
    for part in _parts(value):
        yield from _names(part, seen) if _is_own(part, own) else _origins(part)


def _parts(value: Any, depth: int = 4) -> Iterator[Any]:
    """Yield a value and the callables in it: in containers, partials, objects, modules."""
    yield value
    if depth == 0 or isinstance(value, (str, bytes, type, ModuleType, FunctionType)):
        return
    held: list[Any] = []
    if isinstance(value, functools.partial):
        held = [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, Mapping):
        held = list(islice(value.values(), _MOST_PARTS))
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        held = list(islice(value, _MOST_PARTS))
    elif isinstance(value, MethodType):
        held = [value.__self__]
    elif type(value).__module__.partition(".")[0] != "torch" and not callable(value):
        return
    elif isinstance(vars_of := getattr(value, "__dict__", None), dict):
        held = [type(value), *islice(vars_of.values(), _MOST_PARTS)]
    for each in held:
        if callable(each) or isinstance(each, (ModuleType, *_HOLDERS)):
            yield from _parts(each, depth - 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


@functools.lru_cache(maxsize=1024)  # most functions of a notebook are examined repeatedly
def _uses(code: CodeType) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for instruction in dis.get_instructions(code):
        if isinstance(instruction.argval, str):
            if instruction.opname.startswith("IMPORT"):
                found += ((instruction.opname, part) for part in instruction.argval.split("."))
            elif instruction.opname.startswith(("LOAD_", "STORE_GLOBAL")):
                local = any(kind in instruction.opname for kind in ("FAST", "DEREF", "CLOSURE"))
                if not local:
                    found.append((instruction.opname, instruction.argval))
    return tuple(found)


def _is_own(value: Any, own: dict[str, Any]) -> bool:
    if isinstance(value, ModuleType) or not callable(value):
        return False
    return any(
        function.__globals__ is own or is_students(str(function.__module__))
        for function in _functions(value)
    )


def _origins(value: Any) -> Iterator[str]:
    """Yield the names of a value at its definition: its own, and its package's."""
    if isinstance(value, ModuleType):
        yield from value.__name__.split(".")
    elif callable(value):
        name = str(getattr(value, "__name__", type(value).__name__))
        yield from (name, name.strip("_"))
        if not name and "DispatchKey" in str(getattr(value, "__doc__", "")):
            yield "_op_dk"  # the kernels of an operation, which have no name
        yield str(getattr(value, "__module__", "")).split(".")[0]
