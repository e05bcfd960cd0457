"""The tests' side of the conversation: requests of proxies, and requests in return."""

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

#: Seconds to wait beyond an answer's limit, so that a student's side that stops itself in time can
#: still report it.
GRACE = 2.0
#: Default limit of a function of the tests, and the seconds reserved for its reply.
_LONGEST, _TO_ANSWER = 60.0, 1.0
_CALLED = "ran a function of theirs on what the student's code had given it"
#: Why a student's process receives no more requests, for readers of the flag.
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

    Within :meth:`scope`, where a task is checked, the result of a call is fetched once, as data; an
    object arrives as a :class:`~plaincourse.checking.remote.Thing`. Only :meth:`kept` returns a
    proxy. In a test cell without a task, objects are proxies.

    Args:
        channel: the connection to its agent.
        seconds: the time that any answer may take, outside of :meth:`scope`.

    Attributes:
        gone: the reason why the student's process no longer answers; empty if it does.
        lied: whether the reason is an invalid answer.
        seen: a forbidden name that was observed to run in the last :meth:`scope`.
        notes: the ways in which the notebook inspected its caller, in a few words each.
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
        """Send a request to the student's side, and return or raise its result.

        Raises:
            StudentGone: it is dead, silent, or gives an invalid answer.
            ProxyError: an argument cannot cross.
            OutOfTime: it did not finish within :meth:`scope`.
        """
        __tracebackhide__ = True  # these frames are of no use in a notebook
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
            given: the keyword arguments of each call; changes that a call makes to them are
                repeated here.
            seconds: the time that one call may take.
            forbid: names that it may not use.

        Returns:
            For each of the first calls, how it ended, its value or error, the argument for
            :meth:`tell`, and a forbidden name that was observed to run.
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
        """Allow the student's code ``seconds`` from now on, in total.

        The tests' own computations do not count.
        """
        self._left, self._half = seconds, seconds / 2

    @contextlib.contextmanager
    def half(self) -> Iterator[float]:
        """Limit requests in the body to half of the time from :meth:`begin`, and yield that time.

        A test cell has two checks, one on visible inputs and one on fresh ones, and neither may use
        the time of the other. The time is infinite if no limit was set.
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
        """Run requests in the body in a clean state on the student's side, with a time limit.

        Each request may take ``seconds`` of its process's computing. The total wait for all of them
        is limited to ``PATIENCE * seconds`` by the clock; the tests' own computations in between do
        not count.

        Random numbers start from seed 0, shapes are not checked, and gradients are on; afterwards
        the previous state is restored. Errors include the line of ``answer``'s notebook that raised
        them, and the calls are watched for forbidden names.
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
        """Make the student's side restore its state and drop the graphs of outputs."""
        self._said, self._left, self._half = 0, math.inf, math.inf
        self.objects.clear()
        self._numbers.clear()
        if not self.gone:
            self.ask("settle")

    def names(self, wanted: list[str]) -> dict[str, Any]:
        """Return those of the student's variables that exist: data by value, else proxies."""
        found = self.ask("names", wanted) if wanted else {}
        if type(found) is not dict or not found.keys() <= set(wanted):
            raise self._nonsense("another list of variables than was asked for")
        return found

    def find(self, answer: Any, forbid: list[str]) -> str | None:
        """Return a name that an answer may not use, if the student's side finds one in it."""
        name = self.ask("find", answer, forbid)
        return name if type(name) is str and name in {*forbid, *PASSES_BY} else None

    def forget(self, number: int) -> None:
        """Release an object with the next request."""
        self._dropped.append(number)

    def backward(self, graph: int, gradient: Tensor) -> list[Tensor | None]:
        """Request the backward pass of a call."""
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
        """Print the text that the student's code printed, and repeat its warnings."""
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
        """Return the reference for a proxy, for a function, or for an object of torch or NumPy."""
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
        """Return the proxy for an object of the student's."""
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
        """Run a function of the tests that a student's code received, on data and nothing else.

        Changes that the function makes to its arguments are reported, and repeated on the other
        side. It is stopped when the time of the enclosing request is over.
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
            with contextlib.suppress(WireError):  # it wrote a value that cannot cross
                reply["changed"], out = encode(given, Sent(self), [*out])
        self.channel.send(reply, out, deadline=deadline)


def _category(name: str) -> type[Warning]:
    known = getattr(builtins, name, None)
    return known if isinstance(known, type) and issubclass(known, Warning) else UserWarning


def _refuse(things: list[Thing | Unread], function: Any) -> None:
    """Refuse objects of the student's, because one could observe its use."""
    if things:
        what = getattr(function, "__name__", "given")
        raise TypeError(
            f"{what} takes data: tensors, numbers, texts, lists of them; it was given "
            f"{kind(things[0])}"
        )
