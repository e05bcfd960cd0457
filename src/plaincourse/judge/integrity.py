"""Detect in the student's process a notebook that inspects its caller or changes the watch.

Python calls an audit hook, which cannot be removed, when code objects, frames or the garbage
collector's objects are inspected. A notebook has no use for them; libraries have. The interpreter
keeps a version number of each dictionary, so a change is visible even after it was undone.
"""

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from plaincourse.checking import (
    effects,
    forbidden,
    limits,
    noticing,
    origins,
    packages,
    passages,
    processes,
)
from plaincourse.judge import (
    arrays,
    call_values,
    calls,
    channel,
    loading,
    packed_errors,
    peer,
    wire,
)

#: The note for a notebook that changed the machinery.
CHANGED = "changes what watches it"
#: The end of a note on a process that was refused to an answer.
TESTED = " while it is tested"
_MODULES = (
    effects, forbidden, limits, noticing, origins, packages, passages,
    arrays, call_values, calls, channel, loading, packed_errors, peer, wire,
)  # fmt: skip
#: Events of the audit hook that mean an inspection of a caller.
_LOOKS = frozenset({
    "sys._getframe", "gc.get_objects", "gc.get_referrers", "gc.get_referents", "code.__new__",
    "function.__new__", "sys.setprofile", "sys.settrace", "sys.addaudithook", "object.__getattr__",
    "object.__setattr__", "compile", "exec", "ctypes.addressof", "ctypes.call_function",
    "ctypes.cdata", "ctypes.cdata/buffer", "ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle",
    "ctypes.string_at", "ctypes.wstring_at", "ctypes.PyObj_FromPtr", "import",
})  # fmt: skip
#: Events that a debugger or a profiler also causes; the owner of the installed function decides.
_FOLLOWS = {"sys.settrace": sys.gettrace, "sys.setprofile": sys.getprofile}
#: Events that mean unobserved work while an answer is called.
_LEAVES = frozenset({
    "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "subprocess.Popen",
})  # fmt: skip
#: Events by which a package's source enters the notebook: it is run, or its file is read.
_TAKES = frozenset({"exec", "open"})
_HEARD = _LOOKS | _LEAVES | _TAKES
#: Events that the watch itself causes, for each operation.
_ALSO_OURS = frozenset({"sys._getframe", "object.__getattr__"})
_INSIDE = ("plaincourse.checking", "plaincourse.judge", "plaincourse.sandbox", "_thread")
_CONSTANTS = (tuple, frozenset, dict, type, FunctionType, BuiltinFunctionType, ModuleType)
_AT = 24  # offset of the version in a dictionary, up to Python 3.12


class Integrity:
    """A record of actions that no notebook needs.

    Args:
        more: further modules of the machinery.

    Attributes:
        notes: the actions, in a few words each.
        loaded: the packages of ready-made answers that it loaded.
        nested: the number of requests answered during another one.
    """

    def __init__(self, more: Sequence[ModuleType] = ()) -> None:
        self.notes: list[str] = []
        self.loaded: list[str] = []
        self._touched, self.nested = False, 0
        self._following: list[str] = []
        modules = (*_MODULES, *more)
        self._globals = [vars(module) for module in modules]
        for each in self._globals:  # Python adds this key when a warning is raised in our code
            each.setdefault("__warningregistry__", {})
        kinds = [kind for module in modules for kind in _kinds(module)]
        self._kinds = frozenset(kinds)
        self._fixed = [_dict_of(kind) for kind in kinds]
        self._fixed += [
            value
            for each in self._globals
            for name, value in each.items()
            if type(value) is dict and name.isupper()
        ]
        self._versions, self._spaces = _versions(self._fixed), _versions(self._globals)
        self._before, self._seen = self._versions(), list[int]()
        self._values = [
            [(name, value) for name, value in each.items() if isinstance(value, _CONSTANTS)]
            for each in self._globals
        ]
        members = [*(value for each in self._values for _, value in each), *_members(kinds)]
        functions = [each for each in members if isinstance(each, FunctionType)]
        self._functions = [(each, *_parts(each)) for each in functions]
        self._own, self._set = {id(each) for each in functions}, False
        processes.refuse_unheard(noticing.watching, lambda event: self.note(event + TESTED))
        sys.addaudithook(self._hook())

    def changed(self) -> bool:
        """Return whether the machinery differs from its state before the first cell."""
        return (
            self._touched
            or self._versions() != self._before
            or self._bound_anew()
            or (self._set and any(_parts(each) != tuple(rest) for each, *rest in self._functions))
        )

    def _bound_anew(self) -> bool:
        """Return whether a name of a module has a new value; only changed modules are examined."""
        now = self._spaces()
        same = [a == b for a, b in zip(now, self._seen, strict=False)] or [False] * len(
            self._values
        )
        anew = any(
            space.get(name) is not value
            for space, names, unchanged in zip(self._globals, self._values, same, strict=True)
            if not unchanged
            for name, value in names
        )
        self._seen = [] if anew else now
        return anew

    def window(self, watch: Any) -> Callable[[], bool]:
        """Return a function that reports any later change of the machinery, even a temporary one.

        Args:
            watch: the watch of the call; its state changes only if a forbidden name is observed.
        """
        of_watch = _versions([watch.state])

        def versions() -> list[int]:
            return self._spaces() + self._versions() + of_watch()

        before, asked = versions(), self.nested

        def changed() -> bool:
            self._look_who_follows()
            return self._touched or (self.nested == asked and versions() != before)

        return changed

    def note(self, text: str) -> None:
        """Record an action of the notebook, once."""
        if text not in self.notes and len(self.notes) < 20:
            self.notes.append(text)

    def note_change(self) -> None:
        """Record that the machinery was changed."""
        self.note(CHANGED)

    def _look_who_follows(self) -> None:
        """Record a function of the notebook's own that Python calls for each line or call."""
        while self._following:
            event = self._following.pop()
            follower = _FOLLOWS[event]()
            function = getattr(follower, "__func__", follower)
            if isinstance(function, FunctionType) and not _is_library(function.__globals__):
                self.note(event)

    def _hook(self) -> Callable[[str, tuple[Any, ...]], None]:
        getframe, known, note = sys._getframe, _is_library, self.note
        watching, inside = noticing.watching, {id(each) for each in self._globals}
        kinds, loaded, package_of = self._kinds, self.loaded, loading.package_of
        is_by_notebook = loading.is_by_notebook
        asking, own = False, self._own  # this hook causes events, too

        def heard(event: str, what: tuple[Any, ...]) -> None:
            nonlocal asking
            if event not in _HEARD:
                return
            if event == "object.__setattr__" and id(what[0]) in own:
                self._set = True
            if asking:
                return
            asking = True
            try:
                package = package_of(what[0]) if event in _TAKES else ""
                if package and package not in loaded and is_by_notebook(getframe(1), known):
                    loaded.append(package)
                if event == "open":
                    return
                if event in _ALSO_OURS and id(getframe(1).f_globals) in inside:
                    return
                if self._following:
                    self._look_who_follows()
                if event in _LEAVES:
                    if watching():
                        note(f"{event}{TESTED}")
                        raise PermissionError(processes.ALONE.format(event))
                    return
                outside = event == "import" and not str(what[0]).startswith(_INSIDE)
                if outside or id(space := getframe(1).f_globals) in inside or known(space):
                    return
                if event in _FOLLOWS:
                    self._following.append(event)
                    return
                note(_in_words(event, what))
                if event == "object.__setattr__":
                    of = id(getattr(what[0], "__globals__", None))
                    self._touched |= of in inside or type(what[0]) in kinds
            finally:
                asking = False

        return heard


def _in_words(event: str, what: tuple[Any, ...]) -> str:
    if event.startswith("object.__") and len(what) > 1:
        return f"{what[1]} of a {type(what[0]).__name__}"
    return f"import {what[0]}" if event == "import" else event


def _is_library(space: dict[str, Any]) -> bool:
    """Return whether globals are those of a module of a library, the machinery or Python."""
    name = space.get("__name__")
    module = sys.modules.get(name) if type(name) is str else None
    if module is None or getattr(module, "__dict__", None) is not space:
        return name in _FROZEN and space is vars(_FROZEN[name])
    file = space.get("__file__")
    return name in _FROZEN or (type(file) is str and origins.is_theirs(file))


_FROZEN = {
    module.__name__: module
    for key in ("_frozen_importlib", "_frozen_importlib_external", "zipimport")
    if (module := sys.modules.get(key)) is not None
}


def _versions(dicts: Sequence[dict[str, Any]]) -> Callable[[], list[int]]:
    """Return a function that reads the versions of dictionaries, without causing an audit event."""
    held = list(dicts) if _VERSIONED else []
    # Each dictionary is kept with its address, so that it lives as long as its memory is read.
    places = [(ctypes.c_uint64.from_address(id(each) + _AT), each) for each in held]
    return lambda: [place.value for place, _ in places]


def _has_versions() -> bool:
    """Return whether this Python counts the changes of a dictionary at the expected offset."""
    if sys.implementation.name != "cpython" or sys.version_info >= (3, 12):
        return False
    probe: dict[str, int] = {"a": 1}
    place = ctypes.c_uint64.from_address(id(probe) + _AT)
    before = place.value
    probe["a"] = 2
    probe["a"] = 1
    return place.value != before


_VERSIONED = _has_versions()


def _kinds(module: ModuleType) -> list[type]:
    own = (each for each in vars(module).values() if isinstance(each, type))
    return [each for each in own if each.__module__ == module.__name__]


def _members(kinds: Sequence[type]) -> Iterator[Any]:
    for kind in kinds:
        for each in vars(kind).values():
            yield getattr(each, "__func__", getattr(each, "fget", each))


def _dict_of(kind: type) -> dict[str, Any]:
    """Return the dictionary of a class itself."""
    found: dict[str, Any] = gc.get_referents(vars(kind))[0]
    return found


def _parts(function: FunctionType) -> tuple[Any, ...]:
    return function.__code__, function.__defaults__, function.__kwdefaults__
