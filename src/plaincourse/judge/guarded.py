"""Run cells in an untrusted kernel, whose messages can neither flood nor confuse this process."""

import asyncio
import time
from typing import Any

from jupyter_core.utils import ensure_async
from nbclient.exceptions import CellExecutionComplete
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from traitlets import Integer

from plaincourse.judge.kernel_messages import (
    echo_of,
    length,
    well_formed,
    without_quotation,
)
from plaincourse.judge.outputs import error
from plaincourse.judge.plan import is_test
from plaincourse.kernels.client import computed

#: Seconds that a cell that printed too much may compute after it was interrupted, and elapsed
#: seconds that it may take.
_GRACE, _CLOCK = 3.0, 30.0
#: Seconds in which a cell that printed too much may end by itself, and in which an interrupt has
#: surely arrived: two processes forward it, and it could otherwise reach the next cell.
_ENDS, _ARRIVES = 0.2, 0.5
#: Messages that add an output to a cell. An error is short, and always kept.
_PRINTED = frozenset({"stream", "display_data", "execute_result", "update_display_data"})
#: The length that an invalid message counts as.
_SENSELESS = 1 << 10
FLOOD = "The cell printed more than a cell may hold and was stopped. The rest is cut."
FULL = "The cells above printed as much as a notebook may hold. What this cell printed is left out."


class GuardedExecute(Execute):  # type: ignore[misc]
    """nbgrader's Execute, with limits on a kernel's messages."""

    cell_bytes = Integer(1 << 20, help="How much text the outputs of one cell may hold.").tag(
        config=True
    )
    notebook_bytes = Integer(8 << 20, help="How much those of a notebook may hold.").tag(
        config=True
    )

    def forget_floods(self) -> None:
        """Reset the counts for a new notebook."""
        self._cell_sent = self._kept = 0
        self.flooded: set[int] = set()
        self._cut: set[int] = set()
        self._interrupting = False

    async def _async_poll_output_msg(
        self, parent_msg_id: str, cell: NotebookNode, cell_index: int
    ) -> None:
        self._cell_sent = 0
        self._echo_left, self._quoted = echo_of(cell.source), False
        ending: asyncio.Task[None] | None = None
        try:
            while True:
                await asyncio.sleep(0)  # earlier messages delay no other task
                try:
                    message = await self._next()
                    if not well_formed(message):
                        continue
                    if message["parent_header"].get("msg_id") != parent_msg_id:
                        continue
                    if self._is_echo(message):
                        continue
                    self._shorten_quotation(message, cell)
                    if self._too_much(message, cell, cell_index):
                        ending = ending or asyncio.ensure_future(self._stop())
                        continue
                    if self._is_full(message, cell, cell_index):
                        continue
                    self.process_message(message, cell, cell_index)
                except CellExecutionComplete:
                    return
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as bad:
                    if self._over(_SENSELESS, cell, cell_index):
                        # Waiting messages name no cell, and would count for the next one.
                        ending = ending or asyncio.ensure_future(self._kill())
                    else:
                        self.log.warning("A message that makes no sense: %.200s", bad)
        finally:
            if ending is not None:
                ending.cancel()

    async def _next(self) -> dict[str, Any]:
        """Wait for the next message. If its content exceeds a cell's limit, it stays bytes.

        A kernel makes messages faster than they can be parsed, so content that will be dropped is
        not parsed.

        Raises:
            ValueError: it is not a message, or the parts around its content are too long.
        """
        session = self.kc.session
        _, parts = session.feed_identities(await self.kc.iopub_channel.socket.recv_multipart())
        if sum(map(len, parts[1:4])) > self.cell_bytes:
            raise ValueError("what stands around its content is longer than a cell may be")
        small = sum(map(len, parts[4:5])) <= self.cell_bytes
        message: dict[str, Any] = session.deserialize(parts, content=small)
        return message

    async def _async_poll_kernel_alive(self) -> None:
        """Detect within a tenth of a second that the kernel died; nbclient needs a second."""
        while await ensure_async(self.kc.is_alive()):
            await asyncio.sleep(0.1)
        self.task_poll_for_reply.cancel()

    def _is_echo(self, message: dict[str, Any]) -> bool:
        """Return whether a message repeats a cell's own source, which does not count as output.

        A kernel does so once; a text longer than the source, or a repetition, counts as output.
        """
        if message["msg_type"] != "execute_input":
            return False
        self._echo_left -= length(message["content"])
        return self._echo_left >= 0

    def _shorten_quotation(self, message: dict[str, Any], cell: NotebookNode) -> None:
        """Shorten an error that quotes a long source, once per cell, since source is not output."""
        if message["msg_type"] != "error" or self._quoted:
            return
        if (cut := without_quotation(message["content"], cell.source)) is not None:
            self._quoted, message["content"] = True, cut

    def _too_much(self, message: dict[str, Any], cell: NotebookNode, index: int) -> bool:
        content = message["content"]
        if isinstance(content, dict) and message["msg_type"] == "status":
            return False
        return self._over(length(content), cell, index)

    def _is_full(self, message: dict[str, Any], cell: NotebookNode, index: int) -> bool:
        """Return whether an output has no room because other cells printed too much.

        This does not stop the cell, which may have printed only a line. A test's report is always
        kept.
        """
        if message["msg_type"] not in _PRINTED or is_test(cell):
            return False
        self._kept += length(message["content"])
        if self._kept <= self.notebook_bytes:
            return False
        if index not in self._cut:
            self._cut.add(index)
            cell.outputs.append(new_output("stream", name="stdout", text=f"{FULL}\n"))
        return True

    def _over(self, more: int, cell: NotebookNode, index: int) -> bool:
        """Count the received data; return whether the cell has exceeded its limit."""
        self._cell_sent += more
        over = self._cell_sent > self.cell_bytes
        if over and index not in self.flooded:
            self.flooded.add(index)
            cell.outputs.append(error("OutputFlood", FLOOD))
        return over

    async def _stop(self) -> None:
        """Interrupt the running cell, and kill its kernel if it continues to compute or wait."""
        await asyncio.sleep(_ENDS)
        self._interrupting = True
        await ensure_async(self.km.interrupt_kernel())
        pid = self.km.provisioner.child.pid
        late, over = computed(pid) + _GRACE, time.monotonic() + _CLOCK
        while computed(pid) < late and time.monotonic() < over:
            await asyncio.sleep(0.1)
        await self._kill()

    def settle(self, *, interrupted: bool) -> None:
        """Wait after a cell until an interrupt meant for it can no longer reach the next."""
        if interrupted or self._interrupting:
            time.sleep(_ARRIVES)
        self._interrupting = False

    async def _kill(self) -> None:
        await ensure_async(self.km.provisioner.kill())
