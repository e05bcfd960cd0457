"""Attacks through malformed notebooks, and other files in the place of a notebook."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from tests.attacks.attack import Attack, Plant


def _notebook(make: Callable[[Path, dict[str, str]], None]) -> Plant:
    def plant(folder: Path, places: dict[str, str]) -> None:
        (folder / "arena.ipynb").unlink()
        make(folder / "arena.ipynb", places)

    return plant


def _nested(path: Path, places: dict[str, str]) -> None:
    path.write_text('{"cells": ' + "[" * 50_000 + "]" * 50_000 + "}")


_ALL = ("first", "target", "plain", "partial", "choice", "last")
#: A notebook that cannot be read gets no grade, but a reason.
_NOTEBOOKS = {
    "notebook-is-a-link": (
        "Hands in a symlink to the victim's notebook.",
        lambda path, places: path.symlink_to(places["victim"]),
    ),
    "notebook-is-a-folder": (
        "Hands in a folder with the notebook's name.",
        lambda path, places: path.mkdir(),
    ),
    "notebook-is-a-pipe": (
        "Hands in a pipe, from which a reader waits for ever.",
        lambda path, places: os.mkfifo(path),
    ),
    "notebook-is-no-json": (
        "Hands in bytes that are no notebook.",
        lambda path, places: path.write_bytes(b"\xff\x00" * 1000),
    ),
    "notebook-is-a-list": (
        "Hands in JSON that is no notebook.",
        lambda path, places: path.write_text('[{"cells": 1}, NaN]'),
    ),
    "notebook-is-deep": ("Hands in JSON fifty thousand brackets deep.", _nested),
    "notebook-has-odd-cells": (
        "Hands in cells that are numbers and texts.",
        lambda path, places: path.write_text(
            json.dumps(
                {"nbformat": 4, "nbformat_minor": 5, "metadata": [], "cells": [1, "x", None]}
            )
        ),
    ),
    "notebook-of-tomorrow": (
        "Hands in a notebook of a format that does not exist.",
        lambda path, places: path.write_text('{"nbformat": 99, "metadata": {}, "cells": []}'),
    ),
}

#: Files that can be read as a notebook in which everything is missing.
_EMPTY = ("notebook-has-odd-cells", "notebook-of-tomorrow")

NOTEBOOKS = (
    *(
        Attack(
            name=name,
            theme="folders",
            attempts=attempts,
            wrong=_ALL[1:5],
            scores={"first": 0.0, "last": 0.0},
            plant=_notebook(make),
            flags=("restored",) if name in _EMPTY else (),
            says="" if name in _EMPTY else "notebook",
        )
        for name, (attempts, make) in _NOTEBOOKS.items()
    ),
)
