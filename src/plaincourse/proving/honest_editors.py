"""Right answers, as each editor and each version of the format saves them."""

import uuid
from collections.abc import Iterator
from typing import Any

from plaincourse.proving.honest_desk import Desk, Json, Odd, dumped, own


def cases(desk: Desk) -> Iterator[Odd]:
    """Yield one submission for each way to save a notebook."""
    yield desk.make("plain", desk.notebook())
    yield desk.make("colab", _colab(desk.notebook()))
    yield desk.make("vscode", _vscode(desk.notebook()))
    yield desk.make("format-3", _three(desk.notebook()), tells=("old format (3)",))
    for minor in (0, 1, 4):
        yield desk.make(f"format-4-{minor}", _without_ids(desk.notebook(), minor))
    yield desk.make("same-ids", _each(desk.notebook(), lambda cell: cell.update(id="one")))
    yield desk.make("bad-ids", _each(desk.notebook(), lambda cell: cell.update(id="no id, é" * 9)))
    yield desk.make("text-in-one-piece", _each(desk.notebook(), _whole))
    yield desk.make("mark-of-utf8", b"\xef\xbb\xbf" + dumped(desk.notebook()))
    yield desk.make("utf-16", dumped(desk.notebook()).decode().encode("utf-16"))
    yield desk.make("file-with-windows-ends", dumped(desk.notebook()).replace(b"\n", b"\r\n"))
    yield desk.make("cells-with-windows-ends", _each(desk.notebook(), _windows))
    yield desk.make("old-mac-ends", _each(desk.notebook(), _mac))
    told = ("not saved as UTF-8",)
    accent = _with(desk.notebook(), own("# René"))
    left = dumped(accent).decode().encode("cp1252", errors="replace")
    yield desk.make("windows-letters", left, tells=told)
    yield desk.make("no-kernel", _metadata(desk.notebook()))
    conda = {"display_name": "Python [conda env:ml]", "language": "python", "name": "conda-env-ml"}
    yield desk.make("conda-kernel", _metadata(desk.notebook(), kernelspec=conda))
    julia = {"display_name": "Julia 1.10", "language": "julia", "name": "julia-1.10"}
    other = _metadata(desk.notebook(), kernelspec=julia)
    yield desk.make("julia-kernel", other, tells=("asked for julia",))
    yield desk.make("odd-metadata", _each(_metadata(desk.notebook(), kernelspec="py"), _odd))
    yield desk.make("large-outputs", _each(desk.notebook(), _loud))
    half = _with(desk.notebook(), own("s = 'HALF'"))
    yield desk.make("half-a-letter", dumped(half).replace(b"HALF", rb"\ud83d"))


def _each(notebook: Json, change: Any) -> Json:
    for cell in notebook["cells"]:
        change(cell)
    return notebook


def _with(notebook: Json, cell: Json) -> Json:
    notebook["cells"].insert(2, cell)
    return notebook


def _metadata(notebook: Json, **metadata: Any) -> Json:
    notebook["metadata"] = metadata
    return notebook


def _colab(notebook: Json) -> Json:
    """Change a notebook like Colab: move ids into the metadata, add its own, drop the language."""
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"]["id"] = cell.pop("id")
        if cell["cell_type"] == "code":
            cell["metadata"]["outputId"] = str(uuid.UUID(int=number))
            cell["metadata"]["colab"] = {"base_uri": "https://localhost:8080/", "height": 35}
            cell["execution_count"] = number
    notebook["cells"].insert(1, own("from google.colab import drive\ndrive.mount('/content')"))
    kernel = {"name": "python3", "display_name": "Python 3"}
    colab = {"provenance": [], "toc_visible": True}
    notebook["metadata"] = {"colab": colab, "kernelspec": kernel, "accelerator": "GPU"}
    return notebook | {"nbformat": 4, "nbformat_minor": 0}


def _vscode(notebook: Json) -> Json:
    for cell in notebook["cells"]:
        cell.pop("id")
        language = "python" if cell["cell_type"] == "code" else "markdown"
        cell["metadata"] |= {"vscode": {"languageId": language}, "language": language}
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.12.4"}
    notebook["metadata"]["orig_nbformat"] = 4
    return notebook | {"nbformat_minor": 2}


def _three(notebook: Json) -> Json:
    cells = []
    for cell in notebook["cells"]:
        cell.pop("id")
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
            cell |= {"language": "python", "prompt_number": cell.pop("execution_count")}
        cells.append(cell)
    cells.insert(0, {"cell_type": "heading", "level": 2, "source": "Mine", "metadata": {}})
    sheets = [{"cells": cells, "metadata": {}}]
    return {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets}


def _without_ids(notebook: Json, minor: int) -> Json:
    return _each(notebook, lambda cell: cell.pop("id")) | {"nbformat_minor": minor}


def _whole(cell: Json) -> None:
    cell["source"] = [cell["source"]]


def _windows(cell: Json) -> None:
    cell["source"] = cell["source"].replace("\n", "\r\n")


def _mac(cell: Json) -> None:
    cell["source"] = cell["source"].replace("\n", "\r")


def _odd(cell: Json) -> None:
    """Add tags that would keep nbclient from running a cell, and sections of other tools."""
    tags = ["skip-execution", "raises-exception", "remove-cell"]
    cell["metadata"] |= {"tags": tags, "jupyter": 5, "collapsed": "yes", "execution": None}
    cell["metadata"]["plaincourse"] = {"one_process": "please"}


def _loud(cell: Json) -> None:
    if cell["cell_type"] == "code":
        text = {"output_type": "stream", "name": "stderr", "text": "old noise\n" * 20_000}
        wrong = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
        cell["outputs"] = [text, wrong, {"output_type": "of the future"}]
