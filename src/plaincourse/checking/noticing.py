"""Notice what an answer may not use while it runs, however its text names it.

:mod:`plaincourse.checking.forbidden` reads the code of an answer; ``getattr(torch, decoded)`` it
cannot read. While the answer is called, a mode of PyTorch sees its operations, and the frames in
which they run: a module's ``forward``, a function of the course's package. What an operation does
counts, not its name (:mod:`plaincourse.checking.effects`). Functions of the course's package that
run no operation are seen by :mod:`plaincourse.checking.packages`.

Not noticed is what runs where the mode is not: in another process; in threads that existed before
the call, and in calls that are not looked at (see :func:`looks`), where the answer is checked in
its own notebook; an autograder watches each call, and each thread of the kernel from its start.
Nor are functions of NumPy noticed in which PyTorch runs no operation.
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

#: Of how many calls of a check all are watched, and from then on each how manieth.
_FIRST, _EACH = 8, 3
_LIBRARIES = {"torch", "numpy", "scipy", NAME, *subject()}
#: Packages whose functions a task forbids by name; those of any other are ready-made.
_OPEN = {
    "torch", "torchgen", "functorch", "numpy", "einops", "opt_einsum", "matplotlib", "IPython",
    "ipykernel", "traitlets", "decorator", "jaxtyping", "beartype", "typeguard", "wadler_lindig",
    "tqdm", "typing_extensions", "scipy", "_pytest", "pluggy", "pytest", "hypothesis", "coverage",
    "nbclient", "jupyter_client", "tornado", NAME, *subject(),
}  # fmt: skip
#: PyTorch runs operations of its own by way of a module of this name, whether or not one derives.
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
    """What is forbidden in a call, and the first of it that was seen.

    An answer may come by it: all that can be written into is ``state``, of which the interpreter
    counts the changes.

    Args:
        forbid: names.
        own: the globals of whoever wrote the answer.
        boxes: functions of the tests' that the answer was handed; what runs in them is theirs.
        base: the frame that calls the answer.
        alone: whether all that runs above it is the answer's, as in a student's process.
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
        """Gather what is known of the call before it begins."""
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
        """The forbidden name that was seen first, or an empty text."""
        found: str = self.state["seen"]
        return found

    def ran(self, operation: Any, given: Sequence[Any]) -> None:
        """Note an operation that begins to run, two calls above this one.

        Args:
            operation: of PyTorch's.
            given: its positional arguments.
        """
        found = self.effects.named(operation, given)
        frame = sys._getframe(2)
        if not found and frame.f_globals is self.own:
            return  # the student's own line; what is around it runs operations of its own
        theirs, around = self._around(frame, briefly=self.alone and not found)
        done = found and found != "torch"  # which is also how the machinery reads a tensor
        if theirs or (done and self.alone):
            self.state["seen"] = found or self.effects.framed(around)

    def entered(self, package: str) -> None:
        """Note that a function of a package begins to run, or that its source is read.

        Args:
            package: its name.
        """
        if not self.seen and package in self.packages and self._around(sys._getframe(1))[0]:
            self.state["seen"] = self.packages[package]

    def passed_by(self, operation: Any = None) -> None:
        """Note that an operation is about to run where no mode sees it.

        Args:
            operation: of PyTorch's; none where modes are taken off, which PyTorch does too.
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
        """Let go of the frame that called the answer."""
        self.state["base"] = None

    def _is_theirs(self, frame: FrameType) -> bool:
        return self._is_of_theirs(frame.f_globals, origin(frame.f_code))

    def _is_of_theirs(self, space: dict[str, Any], whose: str) -> bool:
        if space is self.own or space.get("__name__") == "__main__":
            return True
        return not (self.known or whose)

    def _around(self, frame: FrameType | None, *, briefly: bool = False) -> tuple[bool, list[str]]:
        """Return whether the answer's code runs here, and the names of library frames around.

        Args:
            frame: the innermost.
            briefly: go no further than the answer's own code, or the machinery's: what is around
                that runs operations of its own.
        """
        names: list[str] = []
        theirs, base = False, self.state["base"]
        while frame is not None and frame is not base:
            space = frame.f_globals
            if briefly and space is self.own:
                return True, names
            code = frame.f_code  # Python tells the audit hook of it
            if id(code) in self.boxes:
                return False, []
            telling, whose, of = _facts(code, code.co_filename)
            if telling or (whose == OURS and any(space is each for each in _HOOKS)):
                frame = frame.f_back
                continue
            if briefly and whose == OURS:
                return False, names
            if of == NAME and not (theirs or self.known or self.alone):
                return False, []  # a task's function, which the answer was given while it runs
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
    """Return whether code tells, whose it is and of which package; its path is no part of it."""
    return packages.is_telling(code), origin(code), package(code)


def _is_known(own: Any) -> bool:
    """Return whether an answer is one of the course's own, by the module that it was written in."""
    name = str(own.get("__name__", ""))
    module = sys.modules.get(name)
    ours = name.partition(".")[0] in {NAME, *subject()}
    return ours and module is not None and vars(module) is own


def looks(number: int) -> bool:
    """Return whether a call of a check is watched; it is slower by half then.

    Args:
        number: of the call, from 0. The calls of a requirement stand side by side.
    """
    return number < _FIRST or number % _EACH == _EACH - 1


_now: Watch | None = None


def watching() -> bool:
    """Return whether an answer is being watched."""
    return _now is not None


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # to skip it, PyTorch imports it, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _now is not None and not _now.seen:
            _now.ran(func, args)
        return func(*args, **kwargs) if kwargs else func(*args)


def unwatched(box: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function of the tests' that answers are handed: what runs in it is not watched.

    Without, it is not blamed on the answer either, but each of its operations takes twice as long.
    It must not call what an answer hands it.

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
    """Watch what the body runs: a call of an answer.

    Args:
        answer: what is called.
        forbid: names that it may not use.
        given: what it is called with, of which functions are the tests' own.
        base: the frame that calls it; that of the ``with`` if none is given.
        alone: whether all that runs in the body is the answer's doing, as in a student's process.
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
    """Leave functions that were made to tell as they are until the body ends, for many calls."""
    telling = passages.telling_passages(_passed)
    with packages.held(), telling, passages.held_uncompiled(), made_plainly():
        yield


def _mode() -> contextlib.AbstractContextManager[Any]:
    """Return a mode that sees operations, if there is none around."""
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
    """Let threads that are started in the body be watched."""
    if getattr(_thread.start_new_thread, "watches", False):
        yield  # all are, in this process
        return
    before = _replace()
    try:
        yield
    finally:
        for module, name, function in before:
            setattr(module, name, function)


def watch_all_threads() -> None:
    """Let every thread that starts from now on be watched, whenever an answer is."""
    if not getattr(_thread.start_new_thread, "watches", False):
        _replace()


def _replace() -> list[tuple[Any, str, Any]]:
    """Replace what starts threads; return what was there."""
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
    """Return a function that starts a thread which is watched.

    What it starts with is among the constants of its code, where to look is noticed.
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
