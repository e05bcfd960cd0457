"""Start Jupyter kernels in the sandbox, by forking a process that has imported all modules."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase
from traitlets import Dict, Unicode

from plaincourse.exercise import course
from plaincourse.exercise.report import VALIDATING
from plaincourse.kernels import application, shared
from plaincourse.kernels.client import Child, ForkServer, ending, peak
from plaincourse.sandbox import CONSENT, Limits, Room

_HISTORY = "--HistoryManager.hist_file=:memory:"  # added by nbclient, and the default here anyway
_PATIENCE = 60.0  # seconds, enough for a busy machine


class SandboxProvisioner(KernelProvisionerBase):
    """Starts, interrupts and kills a sandboxed kernel. Its parent must be a kernel manager."""

    unsandboxed = Unicode(
        help=f"Where the system offers no sandbox: {CONSENT!r} to run without one."
    ).tag(config=True)
    limits = Dict(help="Fields of plaincourse.sandbox.Limits that shall differ.").tag(config=True)

    _child: Child | None = None
    _folder: Path | None = None
    _told = False  # asked to end, so it did not end by itself
    _over = False  # its end was waited for
    _held = 0  # bytes, when it was killed
    _allowed = Limits()

    @property
    def has_process(self) -> bool:
        """Whether there is a kernel whose end has not been waited for."""
        return self._child is not None and not self._over

    @property
    def ending(self) -> str:
        """A sentence on how the kernel ended by itself; empty if it runs or was asked to end."""
        child = self._child
        if child is None or self._told or child.poll() is None:
            return ""
        assert child.status is not None
        return ending(child.status, seconds=child.seconds, limit=self._allowed.seconds)

    @property
    def child(self) -> Child | None:
        """The kernel's process; its ``seconds`` and ``memory`` are known once it has ended."""
        return self._child

    @property
    def memory(self) -> int:
        """The kernel's peak memory, in bytes; known once it has ended, even if it was killed."""
        return 0 if self._child is None else max(self._child.memory, self._held)

    def _manager(self) -> KernelManager:
        if not isinstance(self.parent, KernelManager):
            raise TypeError(f"parent={self.parent!r}: expected a kernel manager")
        return self.parent

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Choose the addresses of the kernel, and give them to its manager.

        Args:
            kwargs: the arguments of the manager's ``start_kernel``.
        """
        extra = [each for each in kwargs.pop("extra_arguments", []) if each != _HISTORY]
        if extra:
            raise ValueError(f"extra_arguments={extra}: a sandboxed kernel takes none")
        manager = self._manager()
        if self._folder is None or not self._folder.is_dir():
            server = shared.student_server(kwargs.get("tests"))
            self._folder = Path(tempfile.mkdtemp(dir=server.folder))
            manager.cleanup_connection_file()
            manager.connection_file = str(self._folder / "kernel.json")
            manager.transport = "ipc"
            manager.ip = str(self._folder / "k")
            for port, name in enumerate(application.CHANNELS, start=1):
                setattr(manager, f"{name}_port", port)
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        return await super().pre_launch(cmd=self.kernel_spec.argv, **kwargs)

    async def launch_kernel(
        self,
        cmd: list[str],
        *,
        cwd: str | Path | None = None,
        agent: int | None = None,
        hidden: Sequence[Path] | None = None,
        limits: Limits | None = None,
        tests: Path | None = None,
        **kwargs: Any,
    ) -> KernelConnectionInfo:
        """Start the kernel, and return when it answers.

        Args:
            cmd: has no effect.
            cwd: the folder whose content is copied for the kernel.
            agent: a connected socket through which the judge calls the student's functions;
                ``None`` to run everything in this kernel.
            hidden: folders that it must not see; by default the bank if there is an agent.
            limits: the resources that it may use; by default those of the trait ``limits``.
            tests: the instructor's version of the notebook, if its tests run in this kernel and
                their tasks may be in its memory.
            kwargs: have no effect; the sandbox has an environment of its own.

        Raises:
            SandboxRefused: there is no sandbox, and no consent to run without one.
            RuntimeError: the kernel ended before it answered.
        """
        assert self._folder is not None
        level = shared.permitted(self.unsandboxed)
        if hidden is None:
            hidden = () if agent is None else (course.folder(),)
        self._allowed = limits or Limits(**self.limits)
        sockets = self._folder / "open"
        sockets.mkdir(exist_ok=True)
        room = Room(
            folder=None if cwd is None else Path(cwd),
            sockets=sockets,
            hidden=tuple(hidden),
            limits=self._allowed,
        )
        arguments = {
            "connection_file": self._manager().connection_file,
            "room": room.to_json(),
            "level": level.name,
            "agent": "" if agent is None else shared.AGENT,
            "validating": VALIDATING in os.environ,
        }
        self._child = await launch(
            shared.student_server(tests), arguments, address=self._manager().ip, agent=agent
        )
        self._told = self._over = False
        self._held = 0
        return self.connection_info

    async def poll(self) -> int | None:
        """Return the kernel's status, or ``None`` while it runs."""
        return 0 if self._child is None else self._child.poll()

    async def wait(self) -> int | None:
        """Wait for the kernel's end and return its status."""
        if self._child is None:
            return 0
        if self._child.poll() is None:
            await readable(self._child.fileno(), None)
        self._over = True
        return self._child.poll()

    async def send_signal(self, signum: int) -> None:
        """Send the kernel a signal.

        Args:
            signum: SIGINT interrupts the running cell.
        """
        if self._child is not None:
            self._child.signal(signum)

    async def kill(self, restart: bool = False) -> None:
        """Kill the kernel and all processes that it started, and wait for its end."""
        if self._child is not None and self._child.poll() is None:
            self._held = peak(self._child.pid)
            self._child.kill()
            self._told = self._over = True

    async def terminate(self, restart: bool = False) -> None:
        """Do the same as :meth:`kill`."""
        await self.kill(restart=restart)

    async def shutdown_requested(self, restart: bool = False) -> None:
        """Kill the kernel, whereas a stock provisioner asks it to stop and then waits."""
        await self.kill(restart=restart)

    async def cleanup(self, restart: bool = False) -> None:
        """Remove the folder of the kernel's sockets."""
        if self._folder is not None and not restart:
            shutil.rmtree(self._folder, ignore_errors=True)


async def launch(
    server: ForkServer, arguments: dict[str, Any], *, address: str, agent: int | None
) -> Child:
    """Start a kernel.

    Args:
        server: the server that forks the process.
        arguments: for :func:`plaincourse.kernels.student.run`.
        address: the prefix of the paths of its sockets.
        agent: the agent's socket, if it gets one.

    Raises:
        RuntimeError: it ended before it answered; the message holds its output.
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
    """Wait until a descriptor can be read from.

    Args:
        fd: a pipe, a socket or a process descriptor.
        timeout: the longest wait, in seconds.

    Raises:
        TimeoutError: it did not become readable in that time.
    """
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fd, ready.set)
    try:
        async with asyncio.timeout(timeout):
            await ready.wait()
    finally:
        loop.remove_reader(fd)
