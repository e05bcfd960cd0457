"""An IPython shell that stores the outputs of a cell instead of sending them."""

import contextlib
import sys
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbformat import NotebookNode
from traitlets.config import Config

from plaincourse.judge.outputs import Outputs, Stream


class _Hook(DisplayHook):
    def write_output_prompt(self) -> None:
        """Write nothing, because the number is stored with the result."""

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        """Store a result in all its forms."""
        shell: Any = self.shell
        outputs = shell.outputs
        count = self.prompt_count
        outputs.add("execute_result", data=format_dict, metadata=md_dict, execution_count=count)

    def finish_displayhook(self) -> None:
        """Write no empty line."""


class _Publisher(DisplayPublisher):
    def publish(self, data: Any, metadata: Any = None, *args: Any, **kwargs: Any) -> None:
        """Store the displayed data."""
        shell: Any = self.shell
        shell.outputs.add("display_data", data=data, metadata=metadata or {})


class TestShell(InteractiveShell):
    """Runs test cells as a kernel does."""

    __test__ = False
    displayhook_class = _Hook
    display_pub_class = _Publisher

    def __init__(self, **kwargs: Any) -> None:
        self.outputs = Outputs()
        config = Config({"HistoryManager": {"enabled": False, "hist_file": ":memory:"}})
        super().__init__(config=config, **kwargs)  # type: ignore[no-untyped-call]

    def init_sys_modules(self) -> None:
        """Leave ``sys.modules`` unchanged while no cell runs here."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        self.outputs.add(
            "error", ename=str(etype.__name__), evalue=str(evalue), traceback=list(stb)
        )

    def run(self, source: str, *, count: int) -> list[NotebookNode]:
        """Run a cell and return its outputs.

        Args:
            source: the cell.
            count: its number, as in ``In [3]``.
        """
        self.outputs, self.execution_count = Outputs(), count
        self._current()
        out, err = sys.stdout, sys.stderr
        main = sys.modules.get("__main__")
        streams: Any = (Stream(self.outputs, "stdout"), Stream(self.outputs, "stderr"))
        sys.stdout, sys.stderr = streams
        try:
            sys.modules["__main__"] = self.user_module
            self.run_cell(source, store_history=True)  # type: ignore[no-untyped-call]
        finally:
            sys.stdout, sys.stderr = out, err
            if main is not None:
                sys.modules["__main__"] = main
        return self.outputs.kept

    def failed(self) -> bool:
        """Return whether the last cell raised."""
        return any(each.output_type == "error" for each in self.outputs.kept)

    def plain(self, source: str) -> str:
        """Return a cell as Python, with its magics rewritten."""
        with contextlib.suppress(SyntaxError):
            return str(self.transform_cell(source))  # type: ignore[no-untyped-call]
        return source

    def _current(self) -> None:
        """Make this the shell that ``get_ipython`` returns."""
        for kind in type(self)._walk_mro():
            setattr(kind, "_instance", self)  # noqa: B010  its type says None
