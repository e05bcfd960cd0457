"""Detect forbidden operations and functions while an answer runs, under any name.

:mod:`plaincourse.checking.forbidden` reads the code of an answer, but it cannot read
``getattr(torch, decoded)``. While the answer is called, a mode of PyTorch therefore observes its
operations and the frames in which they run: a module's ``forward``, a function of the course's
package. The effect of an operation counts, not its name (:mod:`plaincourse.checking.effects`).
Functions of the course's package that run no operation are detected by
:mod:`plaincourse.checking.packages`.

The mode does not observe other processes. When an answer is checked in its own notebook, it also
misses threads that existed before the call and calls that are not watched (see :func:`looks`); an
autograder watches each call, and each thread of the kernel from its start. Functions of NumPy in
which PyTorch runs no operation are never detected.
"""

import _thread
import contextlib
import functools
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FrameType, FunctionType, MappingProxyType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from plaincourse.checking import packages, passages, processes
from plaincourse.checking.effects import READY_MADE, UNSEEN, Effects, effects_of, leave_forward_mode
from plaincourse.checking.forbidden import home
from plaincourse.checking.origins import OURS, origin, package, reading
from plaincourse.checking.subclasses import made_plainly
from plaincourse.exercise.course import NAME, subject

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: The number of first calls of a check that are all watched; after them, one in _EACH is.
_FIRST, _EACH = 8, 3
_LIBRARIES = {"torch", "numpy", "scipy", NAME, *subject()}
#: Packages whose functions a task forbids by name; those of any other package are ready-made.
_OPEN = {
    "torch", "torchgen", "functorch", "numpy", "einops", "opt_einsum", "matplotlib", "IPython",
    "ipykernel", "traitlets", "decorator", "jaxtyping", "beartype", "typeguard", "wadler_lindig",
    "tqdm", "typing_extensions", "scipy", "_pytest", "pluggy", "pytest", "hypothesis", "coverage",
    "nbclient", "jupyter_client", "tornado", NAME, *subject(),
}  # fmt: skip
#: PyTorch runs operations through a module of this name, even if nothing is differentiated.
_REGISTRY = "torch._library.autograd", "torch._library"
_HOOKS = (globals(), vars(packages), vars(passages))


class _Knows(NamedTuple):
    own: dict[str, Any]
    alone: bool
    known: bool
    boxes: Mapping[int, CodeType]
    effects: Effects
    packages: Mapping[str, str]
    state: dict[str, Any]


class Watch(_Knows):
    """The forbidden names of a call, and the first of them that was observed.

    An answer may obtain this object, so its only mutable part is ``state``, whose changes the
    interpreter counts.

    Args:
        forbid: names.
        own: the globals of the answer's author.
        boxes: functions of the tests that the answer receives; operations in them are the tests'.
        base: the frame that calls the answer.
        alone: whether all code above that frame is the answer's, as in a student's process.
    """

    __slots__ = ()

    def __new__(
        cls,
        forbid: Sequence[str],
        own: Any,
        boxes: Iterable[Any] = (),
        base: FrameType | None = None,
        *,
        alone: bool = False,
    ) -> "Watch":
        """Collect the facts about the call before it begins."""
        named = {name: name for name in subject() if name in forbid}
        if named and own.get("__name__") == "__main__":  # a notebook, not a known answer
            named[NAME] = next(iter(named))
        return super().__new__(
            cls,
            own=own,
            alone=alone,
            known=_is_known(own),
            boxes=MappingProxyType({id(code): code for code in packages.codes_of(boxes)}),
            effects=effects_of(*forbid),
            packages=MappingProxyType(named),
            state={"seen": "", "base": base},
        )

    @property
    def seen(self) -> str:
        """The forbidden name that was observed first, or an empty string."""
        found: str = self.state["seen"]
        return found

    def ran(self, operation: Any, given: Sequence[Any]) -> None:
        """Record an operation that begins to run, two calls above this one.

        Args:
            operation: an operation of PyTorch.
            given: its positional arguments.
        """
        found = self.effects.named(operation, given)
        frame = sys._getframe(2)
        if not found and frame.f_globals is self.own:
            return  # the student's own line; code around it runs operations of its own
        theirs, around = self._around(frame, briefly=self.alone and not found)
        done = found and found != "torch"  # the machinery also reads tensors through "torch"
        if theirs or (done and self.alone):
            self.state["seen"] = found or self.effects.framed(around)

    def entered(self, package: str) -> None:
        """Record that a function of a package begins to run, or that its source is read.

        Args:
            package: its name.
        """
        if not self.seen and package in self.packages and self._around(sys._getframe(1))[0]:
            self.state["seen"] = self.packages[package]

    def passed_by(self, operation: Any = None) -> None:
        """Record that an operation is about to run unobserved by any mode.

        Args:
            operation: an operation of PyTorch; ``None`` if modes are removed, as PyTorch also does.
        """
        if operation is not None:
            found = self.effects.named(operation, ())
            theirs = bool(found) and (self.alone or self._around(sys._getframe(1))[0])
        else:
            found = UNSEEN if self.effects.first else ""
            theirs = self._is_theirs(sys._getframe(4))
        if theirs and not self.seen:
            self.state["seen"] = found

    def close(self) -> None:
        """Drop the frame that called the answer."""
        self.state["base"] = None

    def _is_theirs(self, frame: FrameType) -> bool:
        return self._is_of_theirs(frame.f_globals, origin(frame.f_code))

    def _is_of_theirs(self, space: dict[str, Any], whose: str) -> bool:
        if space is self.own or space.get("__name__") == "__main__":
            return True
        return not (self.known or whose)

    def _around(self, frame: FrameType | None, *, briefly: bool = False) -> tuple[bool, list[str]]:
        """Return whether the answer's code runs here, and the names of library frames around it.

        Args:
            frame: the innermost frame.
            briefly: stop at the answer's own code or the machinery's, because the code around it
                runs operations of its own.
        """
        names: list[str] = []
        theirs, base = False, self.state["base"]
        while frame is not None and frame is not base:
            space = frame.f_globals
            if briefly and space is self.own:
                return True, names
            code = frame.f_code  # Python reports this to the audit hook
            if id(code) in self.boxes:
                return False, []
            telling, whose, of = _facts(code, code.co_filename)
            if telling or (whose == OURS and any(space is each for each in _HOOKS)):
                frame = frame.f_back
                continue
            if briefly and whose == OURS:
                return False, names
            if of == NAME and not (theirs or self.known or self.alone):
                return False, []  # a task's function, passed to the answer while it runs
            if self._is_of_theirs(space, whose):
                theirs = True
            elif self.known and whose == OURS:
                return theirs, names
            elif self.alone and whose != OURS:
                theirs = True
            module = str(space.get("__name__", ""))
            if space is not self.own and module.partition(".")[0] in _LIBRARIES:
                names += module.replace(*_REGISTRY).split(".")
                function = getattr(code, "co_qualname", code.co_name)
                names += function.split(".")
                if module.partition(".")[0] not in subject():
                    names += self.effects.families(function)
            if of and of not in _OPEN:
                names.append(READY_MADE + of)
            frame = frame.f_back
        return theirs or frame is None, names


@functools.lru_cache(maxsize=4096)
def _facts(code: CodeType, path: str) -> tuple[bool, str, str]:
    """Return whether code reports, its origin, its package; the path only extends the cache key."""
    return packages.is_telling(code), origin(code), package(code)


def _is_known(own: Any) -> bool:
    """Return whether an answer is one of the course's own, by the module that it was written in."""
    name = str(own.get("__name__", ""))
    module = sys.modules.get(name)
    ours = name.partition(".")[0] in {NAME, *subject()}
    return ours and module is not None and vars(module) is own


def looks(number: int) -> bool:
    """Return whether a call of a check is watched, which makes it slower by half.

    Args:
        number: the number of the call, from 0. The calls of a requirement are consecutive.
    """
    return number < _FIRST or number % _EACH == _EACH - 1


_now: Watch | None = None


def watching() -> bool:
    """Return whether an answer is being watched."""
    return _now is not None


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # PyTorch would import dynamo to skip it, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _now is not None and not _now.seen:
            _now.ran(func, args)
        return func(*args, **kwargs) if kwargs else func(*args)


def unwatched(box: Callable[_P, _R]) -> Callable[_P, _R]:
    """Exclude from the watch a function of the tests that answers receive.

    Without this decorator its operations are not attributed to the answer either, but each takes
    twice as long. The function must not call anything that an answer passes to it.

    Args:
        box: the function.
    """

    @functools.wraps(box)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        mode = _get_current_dispatch_mode()
        if not isinstance(mode, _Operations):
            return box(*args, **kwargs)
        mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        try:
            return box(*args, **kwargs)
        finally:
            mode.__enter__()  # type: ignore[no-untyped-call]

    called.unwatched = True  # type: ignore[attr-defined]
    return called


@contextlib.contextmanager
def watched(
    answer: Any,
    forbid: Sequence[str],
    given: Iterable[Any] = (),
    base: FrameType | None = None,
    *,
    alone: bool = False,
) -> Iterator[Watch]:
    """Watch the code that the body runs: a call of an answer.

    Args:
        answer: the answer.
        forbid: names that it may not use.
        given: its arguments; functions among them belong to the tests.
        base: the frame that calls it; by default that of the ``with`` statement.
        alone: whether all code in the body is the answer's, as in a student's process.
    """
    global _now
    before = _now
    watch = Watch(forbid, home(answer), given, base or sys._getframe(2), alone=alone)
    if not forbid:
        yield watch
        return
    _now = watch
    leave_forward_mode()
    try:
        with (
            passages.uncompiled(),
            _threads(),
            passages.telling_passages(_passed),
            packages.telling_packages(tuple(watch.packages), _entered),
            made_plainly(),
            _mode(),
            contextlib.nullcontext() if alone else processes.refused(),
        ):
            yield watch
    finally:
        _now = before
        watch.close()


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Keep functions instrumented until the body ends, for many calls."""
    telling = passages.telling_passages(_passed)
    with packages.held(), telling, passages.held_uncompiled(), made_plainly():
        yield


def _mode() -> contextlib.AbstractContextManager[Any]:
    """Return a mode that observes operations, or a null context if one is active."""
    on = isinstance(_get_current_dispatch_mode(), _Operations)
    return contextlib.nullcontext() if on else _Operations()  # type: ignore[no-untyped-call]


def _entered(package: str, given: tuple[Any, ...]) -> None:
    if _now is not None and not reading():
        _now.entered(package)


def _passed(operation: Any) -> None:
    if _now is not None:
        _now.passed_by(operation)


@contextlib.contextmanager
def _threads() -> Iterator[None]:
    """Watch threads that are started in the body."""
    if getattr(_thread.start_new_thread, "watches", False):
        yield  # all threads of this process are watched
        return
    before = _replace()
    try:
        yield
    finally:
        for module, name, function in before:
            setattr(module, name, function)


def watch_all_threads() -> None:
    """Watch every thread that starts from now on, whenever an answer is watched."""
    if not getattr(_thread.start_new_thread, "watches", False):
        _replace()


def _replace() -> list[tuple[Any, str, Any]]:
    """Replace the functions that start threads; return the original ones."""
    before = []
    for module, name in (
        (_thread, "start_new_thread"),
        (_thread, "start_new"),
        (_thread, "start_joinable_thread"),
        (threading, "_start_new_thread"),
        (threading, "_start_joinable_thread"),
    ):
        if hasattr(module, name):
            before.append((module, name, getattr(module, name)))
            setattr(module, name, _watching(getattr(module, name)))
    return before


def _watching(start: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that starts a watched thread.

    The function that it calls is among the constants of its code, where an access is detected.
    """
    consts = tuple({"start": start, "watched": _body}.get(str(each), each) for each in _STARTS)
    code = _started.__code__.replace(co_consts=consts)
    started = FunctionType(code, {}, start.__name__)
    started.watches = True  # type: ignore[attr-defined]
    return started


def _started(function: Any, *args: Any, **kwargs: Any) -> Any:
    start = "start"
    watched = "watched"
    return start(watched(function), *args, **kwargs)  # type: ignore[operator]


_STARTS = _started.__code__.co_consts


def _body(function: Callable[..., Any]) -> Callable[..., Any]:
    def body(*its: Any, **own: Any) -> Any:
        with _Operations():  # type: ignore[no-untyped-call]
            return function(*its, **own)

    return body
