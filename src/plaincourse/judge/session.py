"""The tests' side of the conversation: what proxies ask, and what may be asked back."""

import builtins
import contextlib
import math
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import torch
from torch import Tensor

from plaincourse.checking.limits import OutOfTime
from plaincourse.checking.remote import StudentGone, session_of
from plaincourse.judge.channel import Channel, Closed, Late
from plaincourse.judge.doing import doing
from plaincourse.judge.errors import unpacked
from plaincourse.judge.faults import WireError
from plaincourse.judge.many import SHARE, understood
from plaincourse.judge.tests_side import TestsSide

#: How much longer than it may take an answer is waited for, so that a student's side that stops
#: itself in time can still say so.
GRACE = 2.0
_CALLS = {"call", "calls"}
_MOST_SAID = 1 << 20


class Session(TestsSide):
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
    """

    def __init__(self, channel: Channel, *, seconds: float = 30.0) -> None:
        super().__init__(channel)
        self.seconds, self.gone, self.lied = seconds, "", False
        self._scope: list[Any] | None = None
        self._scopes, self._said, self._limit = 0, 0, 0.0
        self.seen = ""
        self._until: float | None = None
        self._half = math.inf

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
        number: int = 0,
    ) -> list[tuple[str, Any, Any, str]]:
        """Call an answer with each of some inputs in turn; see :mod:`plaincourse.judge.many`.

        Args:
            answer: a function of the student's.
            given: the keyword arguments of each call; what a call writes into them is written here.
            seconds: how long one call may take.
            forbid: names that it may not use.
            number: of the first of these calls in the check.

        Returns:
            How each of the first calls ended, its value or error, what :meth:`tell` takes, and a
            forbidden name that was seen to run.
        """
        with self.scope(answer, (1 + SHARE) * seconds, forbid):
            came = self._put({"op": "calls"}, (answer, given, seconds, list(forbid), number), {})
        try:
            return understood(came, len(given), forbid)
        except WireError as error:
            raise self._nonsense(error) from None

    def _put(self, body: dict[str, Any], args: Any, kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True
        if self.gone:
            raise StudentGone(self.gone)
        now = time.monotonic()
        limit = min(self._limit if self._scope else now + self.seconds, self._until or math.inf)
        within = limit - now
        if within <= 0:
            self._late()
        dropped, self._dropped = self._dropped, []
        how = {"within": within, "scope": self._scope, "drop": dropped}
        if self._scope and body["op"] in _CALLS and "keep" not in body:
            how["data"] = True
        body = {**body, **how, "grad": torch.is_grad_enabled()}
        try:
            with doing("waited for the student's process and took in what it sent"):
                answer = self.request(body, [list(args), kwargs], limit + GRACE)
            self.tell(answer.get("said"))
            self._saw(answer.get("used"))
            if "error" in answer:
                raise unpacked(answer["error"])
        except Late:
            gone = self._end("The student's process did not answer in time.")
            if self._scope:
                raise OutOfTime from None
            raise gone from None
        except Closed:
            raise self._end("The student's process ended while it was tested.") from None
        except WireError as error:
            raise self._nonsense(error) from None
        if answer.get("slow"):
            self._late()
        return answer.get("value")

    def begin(self, seconds: float) -> None:
        """Let the student's code take so many seconds from now on, all together."""
        self._until, self._half = time.monotonic() + seconds, seconds / 2

    @contextlib.contextmanager
    def half(self) -> Iterator[float]:
        """Let what is asked in the body take half of the time since :meth:`begin`, and yield it.

        So of the two checks of a test cell, one on visible inputs and one on fresh ones, neither
        lives at the expense of the other. The time is infinite where nobody has set one.
        """
        before, now = self._until, time.monotonic()
        self._until = None if before is None else min(before, now + self._half)
        try:
            yield self._half
        finally:
            self._until = before

    def _late(self) -> NoReturn:
        if self._scope:
            raise OutOfTime
        raise TimeoutError("the student's code took too long and was stopped")

    def _nonsense(self, what: Any) -> StudentGone:
        self.lied = True
        return self._end(f"The student's process answered nonsense: {what}.")

    def _end(self, why: str) -> StudentGone:
        self.gone = why
        self.channel.close()
        return StudentGone(why)

    @contextlib.contextmanager
    def scope(self, answer: Any, seconds: float, forbid: Sequence[str] = ()) -> Iterator[None]:
        """Let the student's side run what is asked in the body in a clean state, and in time.

        Its random numbers start from 0, shapes are not checked, gradients are on; afterwards all
        is as it was. Errors are told with the line of ``answer``'s notebook that raised them, and
        the calls are watched for what is forbidden.
        """
        before = self._scope, self._limit
        self._scopes += 1
        home = answer._number if session_of(answer) is self else None
        self._scope, self._limit = [self._scopes, home, list(forbid)], time.monotonic() + seconds
        self.seen = ""
        try:
            yield
        finally:
            self._scope, self._limit = before

    def settle(self) -> None:
        """Let the student's side put back its state and forget how outputs were computed."""
        self._said, self._until, self._half = 0, None, math.inf
        self.objects.clear()
        self._numbers.clear()
        if not self.gone:
            self.ask("settle")

    def names(self, wanted: list[str]) -> dict[str, Any]:
        """Return those of the student's variables that there are: data by value, else proxies."""
        found = self.ask("names", wanted) if wanted else {}
        if type(found) is not dict or not found.keys() <= set(wanted):
            raise self._nonsense("about its variables")
        return found

    def find(self, answer: Any, forbid: list[str]) -> str | None:
        """Return a forbidden name that the student's side finds in an answer."""
        name = self.ask("find", answer, forbid)
        return name if type(name) is str and name in forbid else None

    def forget(self, number: int) -> None:
        """Let an object go at the next question."""
        self._dropped.append(number)

    def backward(self, graph: int, gradient: Tensor) -> list[Tensor | None]:
        """Ask for the backward pass of a call."""
        found = self.ask("backward", graph, gradient)
        if not isinstance(found, list) or not all(
            each is None or isinstance(each, Tensor) for each in found
        ):
            raise self._nonsense("about gradients")
        return found

    def _saw(self, name: Any) -> None:
        if self._scope and type(name) is str and name in self._scope[2]:
            self.seen = self.seen or name

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


def _category(name: str) -> type[Warning]:
    known = getattr(builtins, name, None)
    return known if isinstance(known, type) and issubclass(known, Warning) else UserWarning
