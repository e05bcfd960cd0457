"""A notebook client that a student's kernel can neither flood, confuse nor hang."""

import asyncio
from typing import Any

from jupyter_core.utils import ensure_async
from nbclient.exceptions import CellExecutionComplete
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute
from traitlets import Integer

from plaincourse.judge.kernel_messages import size, well_formed
from plaincourse.judge.outputs import error

_PATIENCE = 3.0


class GuardedExecute(Execute):  # type: ignore[misc]
    """nbgrader's Execute, with limits on what a kernel may send."""

    cell_bytes = Integer(1 << 20, help="How much text the outputs of one cell may hold.").tag(
        config=True
    )
    notebook_bytes = Integer(8 << 20, help="How much those of a notebook may hold.").tag(
        config=True
    )

    def forget_floods(self) -> None:
        """Begin a notebook: nothing has been sent yet."""
        self._cell_sent = self._notebook_sent = 0
        self.flooded: set[int] = set()

    async def _async_poll_output_msg(
        self, parent_msg_id: str, cell: NotebookNode, cell_index: int
    ) -> None:
        self._cell_sent = 0
        ending: asyncio.Task[None] | None = None
        try:
            while True:
                try:
                    message = await ensure_async(self.kc.iopub_channel.get_msg(timeout=None))
                except (ValueError, KeyError, TypeError, AttributeError) as bad:
                    self.log.warning("A message that cannot be read: %s", bad)
                    continue
                if (
                    not well_formed(message)
                    or message["parent_header"].get("msg_id") != parent_msg_id
                ):
                    continue
                if self._too_much(message, cell, cell_index):
                    ending = ending or asyncio.ensure_future(self._stop())
                    continue
                try:
                    self.process_message(message, cell, cell_index)
                except CellExecutionComplete:
                    return
                except (KeyError, TypeError, ValueError, AttributeError, IndexError) as bad:
                    self.log.warning("A message that makes no sense: %s", bad)
        finally:
            if ending is not None:
                ending.cancel()

    async def _async_poll_kernel_alive(self) -> None:
        """Notice within a tenth of a second that the kernel died; stock takes one."""
        while await ensure_async(self.kc.is_alive()):
            await asyncio.sleep(0.1)
        self.task_poll_for_reply.cancel()

    def _too_much(self, message: dict[str, Any], cell: NotebookNode, index: int) -> bool:
        if message["msg_type"] in {"status", "execute_input"}:
            return False
        more = size(message)
        self._cell_sent += more
        self._notebook_sent += more
        over = self._cell_sent > self.cell_bytes or self._notebook_sent > self.notebook_bytes
        if over and index not in self.flooded:
            self.flooded.add(index)
            cell.outputs.append(error("OutputFlood", FLOOD))
        return over

    async def _stop(self) -> None:
        """Interrupt the cell that runs, and kill its kernel if it goes on."""
        await ensure_async(self.km.interrupt_kernel())
        await asyncio.sleep(_PATIENCE)
        await ensure_async(self.km.provisioner.kill())


FLOOD = "The cell printed more than a notebook may hold and was stopped. The rest is cut."
