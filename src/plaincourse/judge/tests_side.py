"""What the tests hand to a student's code, and what that code may ask of it."""

import contextlib
import sys
import time
from types import ModuleType
from typing import Any
from weakref import WeakValueDictionary

import torch

from plaincourse.checking.limits import OutOfTime, time_limit
from plaincourse.checking.remote import Thing, session_of
from plaincourse.judge.changes import snapshot
from plaincourse.judge.channel import Channel
from plaincourse.judge.crossed import Computed, Got, Sent
from plaincourse.judge.doing import doing
from plaincourse.judge.errors import packed
from plaincourse.judge.faults import WireError
from plaincourse.judge.peer import Peer
from plaincourse.judge.proxies import made
from plaincourse.judge.wire import decode, encode

#: How long a function of the tests' may take where nobody says, and how much is left to answer in.
_LONGEST, _TO_ANSWER = 60.0, 1.0
_CALLED = "ran a function of theirs on what the student's code had given it"
_LIBRARIES = {"torch", "numpy", "builtins", "math", "operator"}


class TestsSide(Peer):
    """The half of a session that names objects and serves: proxies, library names, functions."""

    __test__ = False

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self._proxies: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self._dropped: list[int] = []

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
        try:
            _refuse(got.things, function)
            before = snapshot(given) if tree.get("op") == "callback" else None
            named = {str(name): each for name, each in kwargs.items()}
            with doing(_CALLED), time_limit(max(ends - time.monotonic(), 0.01)):
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


def _refuse(things: list[Thing], function: Any) -> None:
    """Refuse objects of the student's: one could hear what is done with it."""
    if things:
        what = getattr(function, "__name__", "given")
        raise TypeError(
            f"{what} takes data: tensors, numbers, texts, lists of them; it was given a "
            f"{type(things[0]).__name__}"
        )
