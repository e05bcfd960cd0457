"""One end of the conversation between tests and student: requests, answers, objects by number."""

import math
import os
import secrets
from collections import OrderedDict
from typing import Any

from torch import Tensor

from plaincourse.judge.call_values import Got, Result, Sent, ran_backward, redo
from plaincourse.judge.channel import Channel
from plaincourse.judge.faults import ProxyError, WireError
from plaincourse.judge.wire import decode, encode

_GRAPHS = 512
_DEEPEST = 12


class Peer:
    """The parts that both sides share. While one waits for an answer, the other may send a request.

    Attributes:
        objects: objects of this side that the other side knows by number.
        graphs: outputs computed here whose gradient the other side may request, with their inputs.
    """

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.objects: dict[int, Any] = {}
        self.graphs: OrderedDict[int, tuple[Tensor, list[Tensor]]] = OrderedDict()
        self._numbers: dict[int, int] = {}
        self._count, self._asked, self._depth = 1, 0, 0

    def number(self, value: Any) -> int:
        """Return the number of an object that stays here; the same object keeps its number."""
        known = self._numbers.get(id(value))
        if known is None:
            known = self._numbers[id(value)] = secrets.randbits(48)  # hides the count
            self.objects[known] = value
        return known

    def release(self, numbers: list[int]) -> None:
        """Drop objects that the other side no longer needs."""
        for number in numbers:
            value = self.objects.pop(number, None)
            self._numbers.pop(id(value), None)

    def keep(self, output: Tensor, inputs: list[Tensor]) -> int:
        """Keep the graph of an output; return its number, which is above 1."""
        self._count += 1
        self.graphs[self._count] = (output, inputs)
        while len(self.graphs) > _GRAPHS:
            self.graphs.popitem(last=False)
        return self._count

    def request(self, body: dict[str, Any], values: Any, deadline: float | None) -> dict[str, Any]:
        """Send a request and return the answer, with ``value`` rebuilt.

        Args:
            body: the request, for JSON. If it contains ``data``, objects are described, without a
                reference.
            values: a list or tuple of the arguments; changes that the other side makes to them are
                repeated here.
            deadline: on the clock of ``time.monotonic``; ``None`` waits without limit.

        Raises:
            ProxyError: one of the values cannot cross.
            WireError: the answer does not belong to this request.
            Closed: the other side is gone.
            Late: it did not answer in time.
        """
        self._asked += 1
        plain, until = body.get("data") is True, math.inf if deadline is None else deadline
        asked, sent = self._asked, Sent(self, plain=plain)
        try:
            tree, buffers = encode(values, sent)
        except WireError as error:
            raise ProxyError(f"{error}. Only data can be handed to a student's code") from None
        self.channel.send({"id": asked, "args": tree, **body}, buffers, deadline=deadline)
        while True:
            answer, buffers = self._received(deadline)
            if "id" in answer:
                self._nested(answer, buffers, deadline)
            elif answer.get("to") == asked:
                break
            elif not self.stale(answer.get("to")):
                raise WireError(f"an answer to question {answer.get('to')!r:.20} came, not {asked}")
        if answer.get("changed") is not None:
            redo(values, decode(answer["changed"], buffers, Got(self, plain=plain, until=until)))
        if "ok" in answer:
            result = Result(self, sent.tensors, plain=plain, until=until)
            answer["value"] = decode(answer["ok"], buffers, result)
        return answer

    def _received(self, deadline: float | None) -> tuple[dict[str, Any], list[Any]]:
        tree, buffers, fds = self.channel.receive(deadline=deadline)
        for fd in fds:
            os.close(fd)
        if not isinstance(tree, dict):
            raise WireError("expected a question or an answer")
        return tree, buffers

    def _nested(self, tree: dict[str, Any], buffers: list[Any], deadline: float | None) -> None:
        if self._depth >= _DEEPEST:
            raise WireError(f"questions are nested more than {_DEEPEST} deep")
        self._depth += 1
        try:
            self.serve(tree, buffers, deadline)
        finally:
            self._depth -= 1

    def stale(self, number: Any) -> bool:
        """Return whether an unexpected answer may be ignored."""
        return False

    def serve(self, tree: dict[str, Any], buffers: list[Any], deadline: float | None) -> None:
        """Answer a request of the other side.

        Raises:
            WireError: it is not a request that this side accepts.
        """
        raise WireError("this side answers no questions")

    def named(self, value: Any, *, plain: bool = False) -> list[Any]:
        """Return the reference for an object that stays here.

        Args:
            value: the object.
            plain: describe it, and keep nothing by which it could be requested.

        Raises:
            WireError: it may not be sent as a reference.
        """
        raise WireError(f"a {type(value).__name__} cannot cross to another process")

    def meant(self, tree: list[Any]) -> Any:
        """Return the object for a reference.

        Raises:
            WireError: there is no such object.
        """
        raise WireError("a reference came where none may come")

    def gradients(self, graph: Any, gradient: Any) -> list[Tensor | None]:
        """Run the backward pass of a call that ran here.

        Raises:
            WireError: there was no such call.
        """
        if type(graph) is not int or graph not in self.graphs or not isinstance(gradient, Tensor):
            raise WireError("there is no call of which this could be the gradient")
        output, inputs = self.graphs[graph]
        return ran_backward(output, inputs, gradient)

    def backward(self, graph: int, gradient: Tensor) -> list[Tensor | None]:
        """Request from the other side the backward pass of a call that ran there.

        Raises:
            WireError: the answer is not a list of tensors.
        """
        raise WireError("this side asks for no gradients")
