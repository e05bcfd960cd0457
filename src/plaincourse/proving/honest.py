"""Unusual submissions of honest students, as data; they must not lose points.

Each is made from the exercise's release with right answers, changed as editors, browsers and people
change notebooks. It declares the expected points, notes and flags. Changes to cells and by editors
have their own modules; changes to files are here.
"""

import io
import zipfile
from collections.abc import Callable, Iterator

from plaincourse.proving import honest_cells, honest_editors
from plaincourse.proving.honest_desk import Desk, Odd, dumped, place
from plaincourse.proving.submissions import Class

#: A function that makes the cases of one kind.
Cases = Callable[[Desk], Iterator[Odd]]


def honest(students: Class, name: str) -> list[Odd]:
    """Return every unusual submission that must get full points.

    Args:
        students: the class of an assignment.
        name: the notebook's name.
    """
    desk = Desk(students, name)
    kinds: tuple[Cases, ...] = (honest_editors.cases, honest_cells.cases, _renamed)
    return [odd for kind in kinds for odd in kind(desk)]


def unreadable(students: Class, name: str) -> list[Odd]:
    """List the submissions that cannot be read: 0 points, with a reason."""
    return list(_unreadable(Desk(students, name)))


_MENDED = frozenset({("", "mended")})
_UNREAD = frozenset({("", "unread")})


def _renamed(desk: Desk) -> Iterator[Odd]:
    """Yield the same notebook under each file name that browsers and people give it."""
    right, name = dumped(desk.notebook()), desk.name
    for number, path in enumerate(
        (
            f"Copy of {name}.ipynb",
            f"{name} (1).ipynb",
            f"{name}-Copy1.ipynb",
            f"{name.replace('-', '_')}.ipynb",
            f"mueller_{name}_final.ipynb",
            "Untitled.ipynb",
            f"{name}.ipynb.txt",
            f"{name}.IPYNB",
            f"{name}/{name}.ipynb",
        )
    ):
        yield Odd(
            name=f"renamed-{number}",
            files={path: right, "__MACOSX/._x.ipynb": b"\0", "notes.txt": b"mine"},
            scores=desk.full,
            tells=(f"The notebook was called `{path}`",),
            flags=_MENDED,
        )
    yield Odd(
        name="copies-beside-it",
        files={f"{name}.ipynb": right, f"{name} (1).ipynb": b"", ".ipynb_checkpoints/x.ipynb": b""},
        scores=desk.full,
    )
    twins: dict[str, bytes | None] = {f"{name} ({n}).ipynb": right for n in (1, 2)}
    told = ("The notebook was called",)
    yield Odd(name="two-same-copies", files=twins, scores=desk.full, tells=told, flags=_MENDED)


def _unreadable(desk: Desk) -> Iterator[Odd]:
    """Yield the submissions that earn no points, with the reason that the notes must give."""
    right, name = dumped(desk.notebook()), f"{desk.name}.ipynb"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, right)
    for what, content, why in (
        ("empty", b"", "the file is empty"),
        ("blank", b"\0" * 4096, "the file holds only NUL bytes"),
        ("breaks-off", right[: len(right) // 2], "the file breaks off"),
        ("damaged", right.replace(b'"cells"', b'"cells" =', 1), "damaged in line 2"),
        ("merge-conflict", b"<<<<<<< HEAD\n" + right, "a merge conflict"),
        ("conflict-inside", right.replace(b"\n", b"\n>>>>>>> mine\n", 1), "a merge conflict"),
        ("script", b"import torch\n", "not a notebook"),
        ("other-json", b'{"a": 1}', "without cells"),
        ("list", b"[1, 2]", "without cells"),
        ("deep", b"[" * 200_000, "nested too deeply"),
        ("zip", packed.getvalue(), "a zip archive"),
        ("web-page", b"<!DOCTYPE html><p>Sign in", "a web page"),
        ("pdf", b"%PDF-1.7 ...", "a PDF"),
        ("too-many-cells", b'{"cells": [' + b"{}," * 6000 + b"{}]}", "6001 cells"),
    ):
        yield _zero(desk, what, {name: content}, why)
    yield _zero(desk, "folder", {name: None}, "is a folder")
    yield _zero(desk, "nothing", {}, "no file at all")
    yield _zero(desk, "only-text", {"answers.txt": b"2"}, "only `answers.txt`")
    first, second = f"{desk.name} (1).ipynb", f"{desk.name} (2).ipynb"
    changed = desk.notebook()
    changed["cells"][place(changed, desk.answers[0])]["source"] += "\nother = 1"
    two: dict[str, bytes | None] = {first: right, second: dumped(changed)}
    yield _zero(desk, "two-to-choose-from", two, "2 notebooks have different answers")
    link = {name: "/etc/hostname"}
    yield _zero(desk, "link", {}, "is a link", links=link)


def _zero(
    desk: Desk,
    name: str,
    files: dict[str, bytes | None],
    why: str,
    *,
    links: dict[str, str] | None = None,
) -> Odd:
    scores: dict[str, float | None] = dict.fromkeys(desk.full, 0.0)
    return Odd(
        name=name, files=files, links=links or {}, scores=scores, tells=(why,), flags=_UNREAD
    )
