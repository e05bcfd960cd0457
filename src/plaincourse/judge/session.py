"""The tests' side of the conversation: what proxies ask, and what may be asked back."""

import builtins
import contextlib
import math
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from plaincourse.checking.effects import PASSES_BY, is_told
from plaincourse.checking.in_words import kind
from plaincourse.checking.limits import PATIENCE, OutOfTime, time_limit
from plaincourse.checking.readable import Unread
from plaincourse.checking.remote import StudentGone, Thing, session_of
from plaincourse.checking.returned import read
from plaincourse.judge.activity import doing
from plaincourse.judge.call_values import Computed, Got, Sent, snapshot
from plaincourse.judge.calls import SHARE, grown, understood
from plaincourse.judge.channel import Channel, Closed, Late
from plaincourse.judge.faults import WireError
from plaincourse.judge.loading import PACKAGES
from plaincourse.judge.packed_errors import packed, unpacked
from plaincourse.judge.peer import Peer
from plaincourse.judge.proxies import made
from plaincourse.judge.wire import decode, encode

#: How much longer than it may take an answer is waited for, so that a student's side that stops
#: itself in time can still say so.
GRACE = 2.0
#: How long a function of the tests' may take where nobody says, and how much is left to answer in.
_LONGEST, _TO_ANSWER = 60.0, 1.0
_CALLED = "ran a function of theirs on what the student's code had given it"
#: Why a student's process is asked no more, for whoever reads its flag.
_SILENT = (
    "The student's process did not answer in time, not even that it was stopped. Read the answer: "
    "it may wait for something, or catch what stops it."
)
_NONSENSE = (
    "The student's process sent the tests what no answer sends ({what}), and was ended. Read all "
    "cells of the notebook: one may write to a connection that is not its own, or change how "
    "values are sent."
)
_LIBRARIES = {"torch", "numpy", "builtins", "math", "operator"}
_CALLS = {"call", "calls"}
_MOST_SAID = 1 << 20
_MOST_NOTES, _LONGEST_NOTE = 20, 200


class Session(Peer):
    """A conversation with one student's process.

    Within :meth:`scope`, where a task is checked, what a call returns is fetched once, as data;
    an object comes as a :class:`~plaincourse.checking.remote.Thing`. Only :meth:`kept` gives a
    proxy. In a test cell without a task, objects are proxies.

    Args:
        channel: the connection to its agent.
        seconds: how long any answer may take, outside of :meth:`scope`.

    Attributes:
        gone: why the student's process can no longer be asked; empty while it can.
        lied: whether that is because it answered nonsense.
        seen: a forbidden name that was seen to run in the last :meth:`scope`.
        notes: how the notebook looked behind a call, in a few words each.
        loads: the packages of ready-made answers that it loaded.
    """

    def __init__(self, channel: Channel, *, seconds: float = 30.0) -> None:
        super().__init__(channel)
        self._proxies: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self._dropped: list[int] = []
        self.seconds, self.gone, self.lied = seconds, "", False
        self._scope: list[Any] | None = None
        self._scopes, self._said = 0, 0
        self._limit, self._clock = math.inf, 0.0
        self.seen = ""
        self.notes: list[str] = []
        self.loads: list[str] = []
        self._left = self._half = math.inf

    def ask(self, op: str, *args: Any, **kwargs: Any) -> Any:
        """Ask the student's side to do something, and return or raise what comes of it.

        Raises:
            StudentGone: it is dead, silent, or answers nonsense.
            ProxyError: an argument cannot cross.
            OutOfTime: it did not come to an end within :meth:`scope`.
        """
        __tracebackhide__ = True  # nobody wants to see these frames in a notebook
        return self._put({"op": op}, args, kwargs)

    def kept(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function of the student's and return a proxy of the result, even of plain data."""
        return self._put({"op": "call", "keep": True}, (function, *args), kwargs)

    def calls(
        self,
        answer: Any,
        given: list[Any],
        seconds: float,
        forbid: Sequence[str] = (),
    ) -> list[tuple[str, Any, Any, str]]:
        """Call an answer with each of some inputs in turn; see :mod:`plaincourse.judge.calls`.

        Args:
            answer: a function of the student's.
            given: the keyword arguments of each call; what a call writes into them is written here.
            seconds: how long one call may take.
            forbid: names that it may not use.

        Returns:
            How each of the first calls ended, its value or error, what :meth:`tell` takes, and a
            forbidden name that was seen to run.
        """
        with self.scope(answer, (1 + SHARE) * seconds, forbid):
            came = self._put({"op": "calls"}, (answer, given, seconds, list(forbid)), {})
        try:
            return understood(came, len(given), forbid)
        except WireError as error:
            raise self._nonsense(error) from None

    def _put(self, body: dict[str, Any], args: Any, kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True
        if self.gone:
            raise StudentGone(self.gone)
        now, before = time.monotonic(), (self._clock, self._left)
        clock = min(self._clock if self._scope else self.seconds, self._left)
        if clock <= 0:
            self._late()
        dropped, self._dropped = self._dropped, []
        how: dict[str, Any] = {"scope": self._scope, "drop": dropped}
        how["within"] = [min(self._limit, clock), clock]
        if self._scope and body["op"] in _CALLS and "keep" not in body:
            how["data"] = True
        body = {**body, **how, "grad": torch.is_grad_enabled()}
        try:
            with doing("waited for the student's process and took in what it sent"):
                answer = self.request(body, [list(args), kwargs], now + clock + GRACE)
            self.tell(answer.get("said"))
            self._saw(answer.get("used"))
            self._noted(answer.get("looks"))
            self._brought(answer.get("loads"))
            if "error" in answer:
                raise unpacked(answer["error"])
        except Late:
            gone = self._end(_SILENT)
            if self._scope:
                raise OutOfTime from None
            raise gone from None
        except Closed:
            raise self._end("The student's process ended while it was tested.") from None
        except WireError as error:
            raise self._nonsense(error) from None
        finally:
            took = time.monotonic() - now
            self._clock, self._left = (each - took for each in before)
        if answer.get("slow"):
            self._late(grown(answer.get("grown")))
        value = answer.get("value")
        return read(value) if how.get("data") and body["op"] == "call" else value

    def begin(self, seconds: float) -> None:
        """Wait for the student's code for so many seconds from now on, all together.

        What the tests compute themselves does not count.
        """
        self._left, self._half = seconds, seconds / 2

    @contextlib.contextmanager
    def half(self) -> Iterator[float]:
        """Let what is asked in the body take half of the time from :meth:`begin`, and yield it.

        So of the two checks of a test cell, one on visible inputs and one on fresh ones, neither
        lives at the expense of the other. The time is infinite where nobody has set one.
        """
        before = self._left
        self._left = given = min(before, self._half)
        try:
            yield self._half
        finally:
            took = given - self._left if math.isfinite(given) else 0.0
            self._left = before - took

    def _late(self, more: int = 0) -> NoReturn:
        if self._scope:
            raise OutOfTime(more)
        raise TimeoutError("the student's code took too long and was stopped")

    def _nonsense(self, what: Any) -> StudentGone:
        self.lied = True
        return self._end(_NONSENSE.format(what=what))

    def _end(self, why: str) -> StudentGone:
        self.gone = why
        self.channel.close()
        return StudentGone(why)

    @contextlib.contextmanager
    def scope(self, answer: Any, seconds: float, forbid: Sequence[str] = ()) -> Iterator[None]:
        """Let the student's side run what is asked in the body in a clean state, and in time.

        Each question may take ``seconds`` of its process's computing. What all of them are waited
        for is limited by the clock, to ``PATIENCE`` times as long; what the tests compute in
        between does not count.

        Its random numbers start from 0, shapes are not checked, gradients are on; afterwards all
        is as it was. Errors are told with the line of ``answer``'s notebook that raised them, and
        the calls are watched for what is forbidden.
        """
        before = self._scope, self._limit, self._clock
        self._scopes += 1
        home = answer._number if session_of(answer) is self else None
        self._scope, self.seen = [self._scopes, home, list(forbid)], ""
        self._limit, self._clock = seconds, PATIENCE * seconds
        try:
            yield
        finally:
            self._scope, self._limit, self._clock = before

    def settle(self) -> None:
        """Let the student's side put back its state and forget how outputs were computed."""
        self._said, self._left, self._half = 0, math.inf, math.inf
        self.objects.clear()
        self._numbers.clear()
        if not self.gone:
            self.ask("settle")

    def names(self, wanted: list[str]) -> dict[str, Any]:
        """Return those of the student's variables that there are: data by value, else proxies."""
        found = self.ask("names", wanted) if wanted else {}
        if type(found) is not dict or not found.keys() <= set(wanted):
            raise self._nonsense("another list of variables than was asked for")
        return found

    def find(self, answer: Any, forbid: list[str]) -> str | None:
        """Return a name that an answer may not use, if the student's side finds one in it."""
        name = self.ask("find", answer, forbid)
        return name if type(name) is str and name in {*forbid, *PASSES_BY} else None

    def forget(self, number: int) -> None:
        """Let an object go at the next question."""
        self._dropped.append(number)

    def backward(self, graph: int, gradient: Tensor) -> list[Tensor | None]:
        """Ask for the backward pass of a call."""
        found = self.ask("backward", graph, gradient)
        if not isinstance(found, list) or not all(
            each is None or isinstance(each, Tensor) for each in found
        ):
            raise self._nonsense("gradients that are not tensors")
        return found

    def _saw(self, name: Any) -> None:
        if self._scope and is_told(name, self._scope[2]):
            self.seen = self.seen or name

    def _noted(self, looks: Any) -> None:
        texts = looks if isinstance(looks, list) else []
        for text in (each[:_LONGEST_NOTE] for each in texts[:_MOST_NOTES] if type(each) is str):
            if text not in self.notes and len(self.notes) < _MOST_NOTES:
                self.notes.append(text)

    def _brought(self, loads: Any) -> None:
        for name in loads[: len(PACKAGES)] if isinstance(loads, list) else []:
            if type(name) is str and name in PACKAGES and name not in self.loads:
                self.loads.append(name)

    def tell(self, said: Any) -> None:
        """Print what the student's code printed, and warn as it warned."""
        said = [] if said is None else said
        if not isinstance(said, list) or not all(
            isinstance(each, list) and [type(part) for part in each] == [str, str] for each in said
        ):
            raise WireError("expected what was printed")
        for stream, text in said:
            self._said += len(text)
            if self._said > _MOST_SAID:
                continue
            if stream in {"stdout", "stderr"}:
                getattr(sys, stream).write(text)
            else:
                warnings.warn_explicit(text, _category(stream), "the student's code", 1)

    def named(self, value: Any, *, plain: bool = False) -> list[Any]:
        """Return what stands for a proxy, for something of torch or NumPy, or for a function."""
        if session_of(value) is self:
            return ["@own", value._number]
        if isinstance(value, ModuleType) and value.__name__.split(".")[0] in _LIBRARIES:
            return ["@lib", value.__name__, ""]
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        library = isinstance(module, str) and module.split(".")[0] in _LIBRARIES
        if library and getattr(sys.modules.get(str(module)), str(name), None) is value:
            return ["@lib", module, name]
        if callable(value) and not isinstance(value, (type, torch.nn.Module)):
            return ["@fun", self.number(value)]
        raise WireError(
            f"a {type(value).__name__} cannot be handed to a student's code; hand over its data, "
            "or make it there: plaincourse.judge.answers.made(kind, ...)"
        )

    def meant(self, tree: list[Any]) -> Any:
        """Return the proxy that stands for an object of the student's."""
        tag, number, *about = tree
        if type(number) is not int:
            raise WireError("expected the number of an object")
        if tag == "@fun" and number in self.objects:
            return self.objects[number]
        if tag != "@obj" or len(about) != 1:
            raise WireError("expected an object of the student's")
        if number in self._dropped:
            self._dropped.remove(number)
        known = self._proxies.get(number)
        if known is None:
            known = self._proxies[number] = made(self, number, about[0])
        return known

    def serve(self, tree: dict[str, Any], buffers: list[Any], deadline: float | None) -> None:
        """Run a function of the tests' that a student's code was handed, on data and nothing else.

        What the function writes into its arguments is told, and written there too. It is stopped
        when the time of the question is over in whose course it is asked for.
        """
        ends = time.monotonic() + _LONGEST if deadline is None else deadline - _TO_ANSWER
        got = Got(self, plain=True, until=ends)
        given = decode(tree.get("args"), buffers, got)
        number = tree.get("of")
        function = self.objects.get(number) if type(number) is int else None
        if [type(each) for each in given] != [list, dict] if isinstance(given, list) else True:
            raise WireError("expected the arguments of a function")
        if tree.get("op") == "backward" and len(given[0]) == 2:
            function = self.gradients
        if function is None:
            raise WireError("expected the number of a function that the tests handed over")
        args, kwargs = given
        reply: dict[str, Any] = {"to": tree["id"]}
        out: list[memoryview] = []
        before: Any = None
        within = max(ends - time.monotonic(), 0.01)
        try:
            _refuse(got.things, function)
            before = snapshot(given) if tree.get("op") == "callback" else None
            named = {str(name): each for name, each in kwargs.items()}
            with doing(_CALLED), time_limit(within, within):
                value = function(*args, **named)
            reply["ok"], out = encode(value, Computed(self, got.tensors))
        except WireError as error:
            if tree.get("op") == "backward":
                raise
            reply["error"] = packed(error)
        except OutOfTime:
            took = "a function of the tests' took too long on what it was given"
            reply["error"] = packed(TimeoutError(took))
        except Exception as error:
            reply["error"] = packed(error)
        if before is not None and snapshot(given) != before:
            with contextlib.suppress(WireError):  # it wrote what cannot cross
                reply["changed"], out = encode(given, Sent(self), [*out])
        self.channel.send(reply, out, deadline=deadline)


def _category(name: str) -> type[Warning]:
    known = getattr(builtins, name, None)
    return known if isinstance(known, type) and issubclass(known, Warning) else UserWarning


def _refuse(things: list[Thing | Unread], function: Any) -> None:
    """Refuse objects of the student's: one could hear what is done with it."""
    if things:
        what = getattr(function, "__name__", "given")
        raise TypeError(
            f"{what} takes data: tensors, numbers, texts, lists of them; it was given "
            f"{kind(things[0])}"
        )
