"""Have a fork server make a student's kernel, and wait until it answers."""

import asyncio
import os
import tempfile
from typing import Any

from plaincourse.kernels import application
from plaincourse.kernels.child import Child, ending
from plaincourse.kernels.client import ForkServer

_PATIENCE = 60.0  # seconds, on a machine with other things to do


async def launch(
    server: ForkServer, arguments: dict[str, Any], *, address: str, agent: int | None
) -> Child:
    """Start a kernel.

    Args:
        server: makes the process.
        arguments: for :func:`plaincourse.kernels.student.run`.
        address: how the paths of its sockets begin.
        agent: the agent's socket, if it gets one.

    Raises:
        RuntimeError: it ended before it answered; the message holds what it said.
    """
    listening = application.listen(address)
    ready, theirs = os.pipe()
    with tempfile.TemporaryFile() as log:
        try:
            fds = [log.fileno(), theirs, *(sock.fileno() for sock in listening)]
            given = [] if agent is None else [agent]
            child = server.fork("plaincourse.kernels.student:run", arguments, fds=fds + given)
        except BaseException:
            os.close(ready)
            raise
        finally:
            os.close(theirs)
            for sock in listening:
                sock.close()
        try:
            await readable(ready, _PATIENCE)
            answered = os.read(ready, 1)
        except TimeoutError:
            answered = b""
        finally:
            os.close(ready)
        if not answered:
            late = child.wait(1) is None
            child.kill()
            log.seek(0)
            said = log.read()[-2000:].decode(errors="replace").strip()
            status = child.status
            assert status is not None
            limit = arguments["room"]["limits"]["seconds"]
            why = f"It did not answer in {_PATIENCE:g} seconds." if late else ""
            if not late and not 0 <= status < 128:
                why = ending(status, seconds=child.seconds, limit=limit)
            raise RuntimeError(f"The kernel did not start. {why} It said:\n{said}")
    return child


async def readable(fd: int, timeout: float | None) -> None:
    """Wait until there is something to read.

    Args:
        fd: a pipe, a socket or a process descriptor.
        timeout: for so many seconds at most.

    Raises:
        TimeoutError: there was nothing for so long.
    """
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fd, ready.set)
    try:
        async with asyncio.timeout(timeout):
            await ready.wait()
    finally:
        loop.remove_reader(fd)
