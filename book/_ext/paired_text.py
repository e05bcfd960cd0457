"""The site shows a chapter's own text with the outputs of its notebook.

The notebook that lies beside the text is for JupyterLab, Colab and the code host: its text is plain
Markdown. :mod:`plaincourse.notebooks.plain` makes it, and says how the two go together.
"""

from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from plaincourse import settings
from plaincourse.notebooks.page import PageError, dumps, read_text
from plaincourse.notebooks.plain import dressed


def take_text(app: Sphinx, docname: str, source: list[str]) -> None:
    """Read a chapter's text in the place of its notebook's.

    Raises:
        ExtensionError: the notebook is not that of the text.
    """
    notebook = Path(app.env.doc2path(docname))
    text = notebook.with_suffix(".md")
    if notebook.suffix != ".ipynb" or not text.is_file():
        return
    app.env.note_dependency(str(text))
    try:
        whole = dressed(read_text(text), nbformat.reads(source[0], as_version=4))
    except PageError as error:
        raise ExtensionError(f"{text}: {error}") from error
    if not settings.load(Path(app.srcdir)).owner:  # there is nothing that it could install
        for cell in whole.cells:
            if "setup" in cell.metadata.get("tags", []):
                cell.metadata["tags"] = [*cell.metadata["tags"], "remove-cell"]
    source[0] = dumps(whole)


def setup(app: Sphinx) -> dict[str, Any]:
    """Take the text whenever a chapter is read."""
    app.connect("source-read", take_text)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
