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

#: What reaches a thing by a text that names it. Where none of them is used, a text is a text: the
#: key of a dictionary, a label, a docstring.
BY_NAME = {
    "getattr", "__getattribute__", "__getattr__", "__dict__", "vars", "dir", "globals", "locals",
    "attrgetter", "methodcaller", "eval", "exec", "compile", "__import__", "import_module",
    "getmembers", "get_ipython",
}  # fmt: skip
#: The number of parts of a container that are looked at, and the kinds of container.
_MOST_PARTS = 1000
_HOLDERS = (Mapping, list, tuple, set, frozenset, deque)
#: What calls a method by its name, and the names whose work is seen as it runs, by its effect.
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_SEEN_RUNNING = {*DERIVES, *DONE_BY}
#: Where functions come from that are an answer's without a line of the student's own.
LIBRARIES = {"torch", "numpy", "builtins", *subject()}
#: Where the course's packages lie, and the folders of those that pip installs.
_INSTALLED = (str(Path(__file__).resolve().parents[2]), "site-packages", "dist-packages")


def find(answer: Any, forbid: Sequence[str]) -> str | None:
    """Return the first forbidden name that an answer reaches, or ``None``.

    If it reaches none, but a way to run operations past the watch, return that (of ``PASSES_BY``).

    It looks at the code of the answer, of functions nested in it, of the methods of a class, and
    of every function or class of the same notebook that these call; at attributes
    (``F.scaled_dot_product_attention``), imports, texts (``getattr``), and at what a global name, a
    default, a closure or a part of any of them stands for, so that neither ``import ... as`` nor a
    list hides anything. A function or method of the student's own that happens to have a forbidden
    name is theirs: if code calls such a method, the watch sees while it runs whether it was another
    one. The student's process looks through an answer that lives there; what it does not find is no
    proof that nothing is there.
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

    Those of an answer that lives in the student's process stay there: an empty dictionary.
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
    """Return whether a class or file of the student's, or a class within a function, has it."""
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
    """Return whether a module, by its name, is a file that was handed in with the notebook."""
    top = module.partition(".")[0]
    file = str(getattr(sys.modules.get(module), "__file__", None) or "")
    known = top in LIBRARIES or top in sys.stdlib_module_names
    return bool(file) and not known and not any(part in file for part in _INSTALLED)


def _is_file(value: Any) -> bool:
    return isinstance(value, ModuleType) and is_students(value.__name__)


def _stood_for(value: Any, own: dict[str, Any], seen: set[int]) -> Iterator[str]:
    """Yield the names that a value reaches where the code of an answer has it."""
    for part in _parts(value):
        yield from _names(part, seen) if _is_own(part, own) else _origins(part)


def _parts(value: Any, depth: int = 4) -> Iterator[Any]:
    """Yield a value and what can be called in it: in containers, partials, objects, modules."""
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


@functools.lru_cache(maxsize=1024)  # most of a notebook's functions are looked at again and again
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
    """Yield the names that a value has where it was made: its own, and its package's."""
    if isinstance(value, ModuleType):
        yield from value.__name__.split(".")
    elif callable(value):
        name = str(getattr(value, "__name__", type(value).__name__))
        yield from (name, name.strip("_"))
        if not name and "DispatchKey" in str(getattr(value, "__doc__", "")):
            yield "_op_dk"  # the kernels of an operation, which have no name
        yield str(getattr(value, "__module__", "")).split(".")[0]
