"""What a cell has shown stays as it was when the cell had run."""

from typing import Any

from nbformat import NotebookNode


class Settled:
    """Goes in front of a notebook client: a cell changes its own outputs only.

    Jupyter lets a cell change what another one shows, by the id of a display. A cell above the
    hidden tests, whose outputs its author gets to see, could so be made to show their inputs.
    """

    _display_id_map: dict[str, Any]
    _showing = -1

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        """Hear one message of the kernel. See ``nbclient.NotebookClient.process_message``."""
        if cell_index != self._showing:
            self._showing = cell_index
            self._display_id_map.clear()
        made: NotebookNode | None = super().process_message(msg, cell, cell_index)  # type: ignore[misc]
        return made
