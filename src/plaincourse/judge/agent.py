"""The student's side of the conversation: it carries out the requests of the tests' proxies."""

import asyncio
import contextlib
import copy
import importlib
import inspect
import operator
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from plaincourse.checking.by_name import by_name
from plaincourse.checking.check import LATER
from plaincourse.checking.effects import DERIVES, UNSEEN
from plaincourse.checking.forbidden import find
from plaincourse.checking.limits import OutOfTime, time_limit
from plaincourse.checking.noticing import Watch, watch_all_threads, watched
from plaincourse.checking.readable import unreadable
from plaincourse.checking.returned import returned
from plaincourse.judge.answers import HELPERS
from plaincourse.judge.call_values import Computed, Got, Sent, described, snapshot
from plaincourse.judge.calls import Setting, called, listening
from plaincourse.judge.channel import Channel, Closed
from plaincourse.judge.faults import TooLargeError, WireError
from plaincourse.judge.integrity import Integrity
from plaincourse.judge.leftovers import overwrite
from plaincourse.judge.packed_errors import packed, unpacked
from plaincourse.judge.peer import Peer
from plaincourse.judge.wire import decode, encode
from plaincourse.sandbox.process_state import resident

_WRITING = {"call", "calls", "help", "setitem", "exit"}
#: Forbidden names that a backward pass may use if the tests request it.
_ASKED_FOR = {*DERIVES, "grad", "jacobian", "vjp", "cat", "pad", "torch"}
_BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()


def attach(sock: socket.socket, namespace: dict[str, Any], loop: asyncio.AbstractEventLoop) -> None:
    """Make an agent of a student's kernel answer requests whenever its loop is idle.

    Args:
        sock: the connection to the tests.
        namespace: the notebook's variables.
        loop: the kernel's event loop.
    """
    Agent(sock, namespace).attach(loop)


class Agent(Peer):
    """Answers questions about the objects of a student's notebook.

    Args:
        sock: the connection to the tests.
        namespace: the notebook's variables.

    Attributes:
        helpers: functions of :mod:`plaincourse.judge.answers` by name.
        until: deadline of the current request, on the clock of ``time.monotonic``.
        result: encodes the result of the current request.
    """

    def __init__(self, sock: socket.socket, namespace: dict[str, Any]) -> None:
        super().__init__(Channel(sock))
        self.namespace = namespace
        # Copied before any cell runs, because a notebook may write into the modules' dictionaries.
        self._operations, self.helpers = dict(OPERATIONS), dict(HELPERS)
        watch_all_threads()
        self.integrity = Integrity([sys.modules[__name__]])
        self._setting = Setting()
        self._asking = False
        self.until = 0.0
        self._held = 0
        self.result: Any = None

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answer requests from now on, whenever the loop is idle."""
        os.environ[LATER] = "yes"
        self.channel.sock.setblocking(True)

        def answer() -> None:
            if not self.answer():
                loop.remove_reader(self.channel.sock)
                self.channel.close()

        loop.add_reader(self.channel.sock, answer)

    def run(self) -> None:
        """Answer until the other side closes the connection."""
        os.environ[LATER] = "yes"
        while self.answer():
            pass

    def answer(self) -> bool:
        """Answer one request; return whether there may be more."""
        try:
            tree, buffers = self._received(None)
            if "id" in tree:
                self.serve(tree, buffers, None)
        except (Closed, WireError, OSError):
            return False
        return True

    def serve(self, tree: dict[str, Any], buffers: list[Any], deadline: float | None) -> None:
        """Carry out a request and send the result."""
        outermost, self._asking = not self._asking, True
        reply: dict[str, Any] = {"to": tree["id"]}
        out: list[memoryview] = []
        try:
            self.release(tree["drop"])
            if outermost:
                self._held = _resident()
                self._setting.enter(tree["scope"])
            else:
                self.integrity.nested += 1
            with listening() as said:
                computing, clock = tree["within"]
                self.until = time.monotonic() + clock
                limit = self.limit(computing, clock) if outermost else contextlib.nullcontext()
                grad = torch.set_grad_enabled(tree["grad"] and torch.is_grad_enabled())
                try:
                    with self._watched(tree, sys._getframe()) as watch, limit, grad:
                        changed = self.integrity.window(watch) if _alone(tree, watch) else None
                        out = self._done(tree, buffers, reply)
                        reply["said"] = said()
                        touched = bool(changed and watch and not watch.seen and changed())
                    used = self.used(tree, watch, touched=touched)
                    if used:
                        reply["used"] = used
                except OutOfTime:
                    words = said(warnings_too=False)
                    reply = {"to": tree["id"], "slow": True, "grown": self.grown(), "said": words}
                    if not outermost:
                        raise
            reply["looks"], self.integrity.notes[:] = [*self.integrity.notes], []
            reply["loads"] = [*self.integrity.loaded]
            self._reply(reply, out)
        finally:
            self._asking = not outermost

    def _reply(self, reply: dict[str, Any], out: list[memoryview]) -> None:
        try:
            self.channel.send(reply, out)
        except WireError as error:  # it is too large, and no part of it has been sent
            kept = {key: reply[key] for key in ("to", "used", "looks", "loads") if key in reply}
            self.channel.send({**kept, "error": _too_large(error)}, [])

    def used(self, tree: dict[str, Any], watch: Watch | None, *, touched: bool) -> str:
        """Return the observed forbidden name, or a name for a change of the watch itself."""
        changed = touched or self.integrity.changed()
        if changed:
            self.integrity.note_change()
        if watch is None:
            return ""
        return watch.seen or (UNSEEN if changed else "")

    def limit(self, seconds: float, clock: float) -> contextlib.AbstractContextManager[None]:
        """Return a :func:`time_limit` that never interrupts a message."""
        return time_limit(seconds, clock, unless=lambda: self.channel.busy)

    def grown(self) -> int:
        """Return by how many bytes this process has grown since the current request began."""
        return max(_resident() - self._held, 0)

    def _done(
        self, tree: dict[str, Any], buffers: list[Any], reply: dict[str, Any]
    ) -> list[memoryview]:
        got, plain = Got(self), tree.get("data") is True
        out: list[memoryview] = []
        before: Any = None
        outer = self.result
        self.result = Computed(self, got.tensors, plain=plain)
        try:
            values = decode(tree["args"], buffers, got)
            args, kwargs = values
            try:
                before = snapshot(values) if tree["op"] in _WRITING else None
                value = self._operations[tree["op"]](self, *args, **kwargs)
                if plain and tree["op"] == "call":
                    value = returned(value)
                if tree.get("keep"):
                    value = _Whole(value)
                reply["ok"], out = encode(value, self.result, self.result.buffers)
            except OutOfTime:
                raise
            except TooLargeError as error:
                reply["error"], out = _too_large(error), []
            except BaseException as error:
                home = self.objects.get(tree["scope"][1]) if tree["scope"] else None
                reply["error"], out = packed(error, home), []
            if before is not None and snapshot(values) != before:
                reply["changed"], out = encode(values, Sent(self, plain=plain), out)
        except Exception as error:  # also errors of a student's objects under inspection
            reply["error"], out = packed(error), []
            reply.pop("changed", None)
            reply.pop("ok", None)
        finally:
            self.result = outer
        return out

    @contextlib.contextmanager
    def _watched(self, tree: dict[str, Any], base: FrameType) -> Iterator[Watch | None]:
        """Watch the student's code that a task's request runs, until the whole result is data."""
        forbid = tree["scope"][2] if tree["scope"] else ()
        if tree["op"] == "backward":  # the tests themselves request it
            forbid = [name for name in forbid if name not in _ASKED_FOR]
        if not forbid:
            yield None
            return
        answer = self.objects.get(tree["scope"][1])
        with watched(answer, forbid, (), base, alone=True) as watch:
            yield watch

    def named(self, value: Any, *, plain: bool = False) -> list[Any]:
        """Return the reference for an object: its number and its description."""
        if type(value) is _Whole:
            value = value.value
        if type(value) is _Given:
            return ["@fun", value.number]
        if plain:
            return ["@obj", 0, described(value)]
        kinds = [[each.__module__, each.__qualname__] for each in type(value).__mro__[:-1]]
        kind = isinstance(value, type)
        if kind:
            kinds = [[each.__module__, each.__qualname__] for each in value.__mro__[:-1]]
        about = {"type": type(value).__name__, "call": callable(value), "kind": kind}
        if unread := unreadable(value):
            about["unread"] = unread
        return ["@obj", self.number(value), {**about, "kinds": kinds[:50]}]

    def meant(self, tree: list[Any]) -> Any:
        """Return the object for a reference: by number, of a library, or a tests' function."""
        tag, *parts = tree
        if tag == "@own":
            if parts[0] not in self.objects:
                raise WireError("the student's process no longer has this object")
            return self.objects[parts[0]]
        if tag == "@lib":
            module = importlib.import_module(parts[0])
            return getattr(module, parts[1]) if parts[1] else module
        if tag == "@fun":
            return _Given(self, parts[0])
        raise WireError("expected an object")

    def stale(self, number: Any) -> bool:
        """Ignore an answer whose request ended by its time limit."""
        return isinstance(number, int) and number < self._asked

    def ask(self, body: dict[str, Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """Send a request to the tests' side while carrying out one of its own.

        Raises:
            RuntimeError: the tests' side has no request in progress.
        """
        if not self._asking:
            raise RuntimeError("a function of the tests' can be called only while they test")
        answer = self.request({**body, "data": True}, [list(args), kwargs], None)
        if "error" in answer:
            raise unpacked(answer["error"])
        return answer["value"]

    def backward(self, graph: int, gradient: Tensor) -> list[Tensor | None]:
        """Request the backward pass of a call of a function of the tests."""
        found: list[Tensor | None] = self.ask({"op": "backward"}, (graph, gradient), {})
        return found


def _alone(tree: dict[str, Any], watch: Watch | None) -> bool:
    """Return whether the machinery stays unchanged while this request is carried out."""
    return watch is not None and tree["op"] not in {"calls", "settle"}


def _too_large(error: WireError) -> dict[str, Any]:
    return packed(TooLargeError(str(error)))


def _resident() -> int:
    with contextlib.suppress(OSError):  # only Linux provides it
        return resident()
    return 0


class _Given:
    """A function of the tests, as a student's code receives it."""

    _one_at_a_time = threading.RLock()  # the answer's threads share one connection

    def __init__(self, agent: Agent, number: int) -> None:
        self._agent, self.number, self.__name__ = agent, number, "given"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._one_at_a_time:
            return self._agent.ask({"op": "callback", "of": self.number}, args, kwargs)

    def __copy__(self) -> "_Given":
        return self

    def __deepcopy__(self, memo: Any) -> "_Given":
        return self


class _Whole:
    """A value that crosses as an object, even if it is plain data."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _names(agent: Any, wanted: list[str]) -> dict[str, Any]:
    return {name: agent.namespace[name] for name in wanted if name in agent.namespace}


def _signature(agent: Any, function: Any) -> list[Any]:
    given = inspect.signature(function).parameters.values()
    return [[each.name, each.kind.name, each.default is not each.empty] for each in given]


def _call(agent: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    return (by_name(function) if kwargs else function)(*args, **kwargs)


def _find(agent: Any, answer: Any, forbid: list[str]) -> str | None:
    return find(answer, tuple(forbid))


def _exit(agent: Any, manager: Any, kind: str | None, text: str | None) -> bool:
    error = RuntimeError(f"{kind}: {text}") if kind else None
    return bool(manager.__exit__(type(error) if error else None, error, None))


def _help(agent: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return agent.helpers[name](*args, **kwargs)


def _settle(agent: Any) -> None:
    agent.graphs.clear()
    overwrite()


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def asked(agent: Any, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return asked


def _turned(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda agent, right, left: function(left, right)


#: The requests that the tests may make about a student's objects.
OPERATIONS: dict[str, Callable[..., Any]] = {
    "names": _names,
    "signature": _signature,
    "find": _find,
    "exit": _exit,
    "help": _help,
    "settle": _settle,
    "backward": lambda agent, graph, gradient: agent.gradients(graph, gradient),
    "call": _call,
    "calls": called,
    "enter": lambda agent, manager: manager.__enter__(),
    **{name: _plain(f) for name, f in (("get", getattr), ("set", setattr), ("del", delattr))},
    **{f.__name__: _plain(f) for f in (repr, str, len, iter, next, reversed, bool, float, int)},
    **{f.__name__: _plain(f) for f in (isinstance, operator.index, operator.contains)},
    **{name: _plain(getattr(operator, name)) for name in ("getitem", "setitem", "delitem")},
    **{name: _plain(getattr(operator, name)) for name in "lt le gt ge neg pos abs invert".split()},
    **{name.rstrip("_"): _plain(getattr(operator, name)) for name in _BINARY},
    **{"r" + name.rstrip("_"): _turned(getattr(operator, name)) for name in _BINARY},
    "copied": _plain(copy.copy),
    "deepcopied": _plain(copy.deepcopy),
}
