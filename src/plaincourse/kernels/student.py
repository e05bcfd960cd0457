"""The student's kernel: a process that a fork server has made, inside the sandbox.

Its output before it answers goes to a log, which is quoted if it never answers. It may hold an
agent, which answers calls from outside; the code that starts the kernel names the function that
makes the agent.
"""

import asyncio
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from plaincourse.checking import memory
from plaincourse.checking.noticing import watch_all_threads
from plaincourse.exercise.report import VALIDATING
from plaincourse.kernels import warm
from plaincourse.kernels.application import CHANNELS, application
from plaincourse.kernels.messages import function_named


def run(arguments: dict[str, Any], fds: list[int]) -> None:
    """Enter the sandbox, start a kernel, and serve until it is asked to stop.

    Args:
        arguments: ``connection_file``: the file with the address and the key; ``room``: the fields
            of :class:`plaincourse.sandbox.Room` in JSON; ``level``: the name of a
            :class:`plaincourse.sandbox.Level`; ``agent``: the name of a function of a socket, the
            notebook's variables and the loop, which answers calls; empty for no agent;
            ``validating``: True if a student runs the checks, which then explain the mistakes.
        fds: the log, the pipe to write to when the kernel answers, the listening sockets in the
            order of ``CHANNELS`` and, with an ``agent``, its socket.
    """
    log, ready, *listening = fds
    info = json.loads(Path(arguments["connection_file"]).read_text("utf-8"))
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    null = os.open(os.devnull, os.O_WRONLY)
    _lock_in(arguments, keep=[null, ready, *listening])
    if arguments["validating"]:
        os.environ[VALIDATING] = "1"

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    if arguments["agent"]:
        watch_all_threads()  # including the kernel's own, to which a notebook can pass work
    app = application(info, listening[: len(CHANNELS)])
    # `exit()` would stop the kernel a tenth of a second later, in the middle of the cell that runs
    # then.
    app.shell.unobserve_all("exit_now")
    if arguments["agent"]:
        sock = socket.socket(fileno=listening[len(CHANNELS)])
        function_named(arguments["agent"])(sock, app.shell.user_ns, loop)

    def answer() -> None:
        for stream in (sys.stdout, sys.stderr):  # ipykernel's copies of the log end here
            os.dup2(null, stream.fileno(), inheritable=False)
        os.close(null)
        os.write(ready, b"1")
        os.close(ready)

    def first(info: Any) -> None:
        warm.reseed()  # the kernel has drawn a varying count of random numbers by now
        app.shell.events.unregister("pre_run_cell", first)

    app.shell.events.register("pre_run_cell", first)
    app.shell.events.register("pre_run_cell", _forget)
    loop.call_soon(answer)
    app.start()


def _forget(info: Any) -> None:
    memory.forget()  # another cell is tested, if one is tested here


def _lock_in(arguments: dict[str, Any], *, keep: list[int]) -> None:
    from plaincourse.sandbox import Level, Room, enter, seal

    room, level = Room.from_json(arguments["room"]), Level[arguments["level"]]
    if level is not Level.NONE:
        enter(room, level=level, keep=keep)
        seal(room.sockets)  # the sockets exist: no file need be made outside any more
    elif room.folder is not None:
        os.chdir(room.folder)
