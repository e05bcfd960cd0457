"""Jupyter's manager and client of a kernel, without their fixed waits; and the kernel's name.

The stock classes also work with :class:`plaincourse.kernels.provisioner.SandboxProvisioner`, but
they sleep for some 0.3 seconds per kernel without need.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from traitlets import Type

from plaincourse.kernels.provisioner import SandboxProvisioner

Message = dict[str, Any]
NAME = "plaincourse-sandbox"
"""The name of the kernel and of its provisioner."""
CLIENT = "plaincourse.kernels.manager.SandboxKernelClient"
"""For ``c.AsyncKernelManager.client_class``: saves 0.2 seconds for each kernel."""
SHARE = Path(__file__).parent / "share"
"""A folder of the kind that ``JUPYTER_PATH`` lists."""


class SandboxKernelClient(AsyncKernelClient):
    """A client that learns from the kernel's own messages when it is ready."""

    def start_channels(
        self,
        shell: bool = True,
        iopub: bool = True,
        stdin: bool = True,
        hb: bool = False,
        control: bool = True,
    ) -> None:
        """Connect, without a heartbeat, because the manager knows whether the kernel is alive."""
        super().start_channels(shell=shell, iopub=iopub, stdin=stdin, hb=hb, control=control)

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel answers and its output arrives.

        Args:
            timeout: the longest wait, in seconds.

        Raises:
            RuntimeError: it died, or did not answer in time.
        """
        try:
            async with asyncio.timeout(timeout):
                # Only the first listener gets a welcome message; the others must ask again.
                await self._hear(self.iopub_channel, lambda m: m["msg_type"] == "iopub_welcome", 1)
                while not await self._asked():
                    pass
        except TimeoutError:
            raise RuntimeError(f"The kernel did not answer in {timeout:g} seconds.") from None

    async def _asked(self) -> bool:
        """Request the kernel's info; return whether its output arrived too."""
        asked = self.kernel_info()

        def answers(message: Message) -> bool:
            return bool(message["parent_header"].get("msg_id") == asked)

        def ends(message: Message) -> bool:
            return answers(message) and message["content"].get("execution_state") == "idle"

        while not await self._hear(self.shell_channel, answers, 1):
            if not await self.is_alive():
                raise RuntimeError("The kernel died before it answered.")
        return await self._hear(self.iopub_channel, ends, 0.5)

    async def _hear(self, channel: Any, wanted: Callable[[Message], bool], within: float) -> bool:
        """Read messages up to a wanted one.

        Returns:
            Whether it came before ``within`` seconds of silence.
        """
        try:
            while not wanted(await channel.get_msg(timeout=within)):
                pass
        except Empty:
            return False
        return True


class SandboxKernelManager(AsyncKernelManager):
    """A manager whose kernels are always sandboxed, whatever kernel the notebook names.

    ``start_kernel`` accepts the arguments of :meth:`SandboxProvisioner.launch_kernel`. A kernel is
    killed, never asked to stop, because it holds nothing worth keeping.
    """

    client_factory = Type(SandboxKernelClient, klass=AsyncKernelClient, config=True)

    @property
    def kernel_spec(self) -> KernelSpec:
        """The description of the sandboxed kernel."""
        return KernelSpec.from_resource_dir(str(SHARE / "kernels" / NAME))

    @property
    def ending(self) -> str:
        """A sentence on how the kernel ended by itself; empty if it runs or was asked to end."""
        return self.provisioner.ending if isinstance(self.provisioner, SandboxProvisioner) else ""

    async def start_kernel(self, **kw: Any) -> None:  # type: ignore[override]
        """Start a kernel."""
        if self.provisioner is None:
            self.provisioner = SandboxProvisioner(kernel_spec=self.kernel_spec, parent=self)
        command, kw = await self.pre_start_kernel(**kw)
        await self.provisioner.launch_kernel(command, **kw)

    async def shutdown_kernel(  # type: ignore[override]
        self, now: bool = True, restart: bool = False
    ) -> None:
        """Kill the kernel.

        Args:
            now: has no effect; the kernel is always killed now.
            restart: whether it will be started again.
        """
        if self.provisioner is not None and self.provisioner.has_process:
            await self.provisioner.kill(restart=restart)
            await self.provisioner.wait()
        await self.cleanup_resources(restart=restart)

    async def restart_kernel(  # type: ignore[override]
        self, now: bool = True, newports: bool = False, **kw: Any
    ) -> None:
        """Kill the kernel and start a fresh one.

        Args:
            now: has no effect; the kernel is always killed now.
            newports: has no effect; there are no ports.
            kw: changes to the arguments of the first start.
        """
        await self.shutdown_kernel(restart=True)
        await self.start_kernel(**{**(self._launch_args or {}), **kw})


def announce() -> None:
    """Let this process, and those that it starts, find the kernel without an installation.

    Afterwards ``c.Execute.kernel_name = "plaincourse-sandbox"`` makes stock nbgrader run every
    notebook in the sandbox.
    """
    known = os.environ.get("JUPYTER_PATH", "").split(os.pathsep)
    if str(SHARE) not in known:
        os.environ["JUPYTER_PATH"] = os.pathsep.join([str(SHARE), *filter(None, known)])
