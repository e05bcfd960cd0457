"""Students for the tests of split execution, each a process made by a plain fork."""

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import torch

from plaincourse.judge.agent import Agent
from plaincourse.judge.channel import Channel
from plaincourse.judge.session import Session

#: For students' sources: a softmax under a hidden name, and one that is computed explicitly.
DISGUISED = """
import base64
import torch
def hidden(text): return base64.b64decode(text).decode()
def softly(x): return getattr(torch, hidden("c29mdG1heA=="))(x, -1)
def rightly(scores):
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)
"""


@contextlib.contextmanager
def child(body: Callable[[socket.socket], None]) -> Iterator[socket.socket]:
    """Run a function in a forked process, and yield the other end of its socket."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            ours.close()
            torch.set_num_threads(1)  # PyTorch's threads do not exist after a fork
            body(theirs)
            code = 0
        finally:
            os._exit(code)
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@contextlib.contextmanager
def student(source: str = "", **names: Any) -> Iterator[Session]:
    """Run a student's notebook of one cell, and yield the tests' side of the session."""

    def body(sock: socket.socket) -> None:
        namespace = {"__name__": "__main__", **names}
        exec(source, namespace)
        Agent(sock, namespace).run()

    with child(body) as sock:
        yield Session(Channel(sock), seconds=10.0)


def defined(source: str, *wanted: str) -> Any:
    """Return a context manager that runs a source and yields its names as proxies."""

    @contextlib.contextmanager
    def given() -> Iterator[Any]:
        with student(source) as session:
            found = session.names(list(wanted))
            yield found[wanted[0]] if len(wanted) == 1 else [found[name] for name in wanted]

    return given()
