"""The files that a student handed in: which there are, and which one a notebook is.

A folder from a stranger may hold links to other people's files, pipes that never end, and more
bytes than a disk. Nothing here follows a link, opens what is not a plain file, or reads for ever.
What is left out is told.
"""

import fnmatch
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

#: One file, all files of a submission, and how many of them.
LARGEST = 64 * 2**20
TOTAL = 256 * 2**20
MOST = 2000
#: How many bytes of a notebook are read.
LARGEST_NOTEBOOK = 50 * 2**20

_LINK = "it is a link to another file"
_SPECIAL = "it is not a plain file"
_LARGE = f"it is larger than {LARGEST // 2**20} MiB"
_FULL = f"the submission holds more than {TOTAL // 2**20} MiB or {MOST} files"
_COPY = re.compile(
    r"^(copy of |kopie von |copie de )+|([-_ ]*\((\d+)\)|[-_ ]+(copy|kopie|copie) ?\d*)+$"
)
_ENDINGS = re.compile(r"\.ipynb(\.txt|\.json|\.ipynb)*$", re.IGNORECASE)


class RefusedError(ValueError):
    """A file is not read; the message says why, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True)
class Files:
    """The files of a submission.

    Attributes:
        files: where each lies, by its name below the submission's folder, with ``/`` in it.
        refused: why a name was left out.
    """

    files: dict[str, Path] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def list_files(folder: Path, *, ignore: Sequence[str] = ()) -> Files:
    """List the plain files below a folder, and refuse the rest by name.

    Args:
        folder: what a student handed in.
        ignore: patterns of names to pass over in silence, as in ``CourseDirectory.ignore``.
    """
    found = Files()
    if folder.is_symlink():
        found.refused["."] = _LINK
        return found
    total = 0
    for name, path, about in _walk(folder, "", ignore):
        if stat.S_ISLNK(about.st_mode):
            found.refused[name] = _LINK
        elif not stat.S_ISREG(about.st_mode):
            found.refused[name] = _SPECIAL
        elif about.st_size > LARGEST:
            found.refused[name] = _LARGE
        elif total + about.st_size > TOTAL or len(found.files) >= MOST:
            found.refused["…"] = _FULL
            return found
        else:
            total += about.st_size
            found.files[name] = path
    return found


def read_file(path: Path) -> bytes:
    """Read a plain file, in the state in which it is when it is opened.

    Raises:
        OSError: it is a link, not a plain file, or too large.
    """
    with _opened(path) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path.name}: {_SPECIAL}")
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(f"{path.name}: {_LARGE}")
    return content


def write_file(folder: Path, name: str, content: bytes) -> None:
    """Write a file below a folder, in place of what stood there.

    Args:
        folder: an existing folder of ours.
        name: where below it, as in `Files.files`.
        content: its bytes.

    Raises:
        ValueError: the name leads out of the folder.
    """
    path = folder.joinpath(*name.split("/"))
    if ".." in name.split("/") or Path(name).is_absolute():
        raise ValueError(f"{name!r} leads out of its folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content)


@dataclass(frozen=True, kw_only=True)
class Found:
    """A notebook of an assignment in a student's folder.

    Attributes:
        name: the notebook's name in the assignment.
        path: the file; ``None`` if there is none.
        notes: what was odd about it, in sentences.
        why: why there is none, as the end of a sentence; else empty.
    """

    name: str
    path: Path | None
    notes: tuple[str, ...] = ()
    why: str = ""


def find_notebooks(folder: Path, names: Sequence[str]) -> dict[str, Found]:
    """Find each notebook under its name, or else under the one name that fits it."""
    files = sorted(_notebooks(folder))
    exact = {name: folder / f"{name}.ipynb" for name in names}
    there = {name for name, path in exact.items() if os.path.lexists(path)}
    spare = [path for path in files if path not in exact.values()]
    missing = [name for name in names if name not in there]
    found = {}
    for name in names:
        if name in there:
            found[name] = Found(name=name, path=exact[name])
        else:
            found[name] = _renamed(folder, name, spare, alone=len(missing) == len(names) == 1)
    return found


def read_notebook(path: Path, *, limit: int = LARGEST_NOTEBOOK) -> bytes:
    """Read a plain file, at most one byte more than the limit.

    Raises:
        RefusedError: it is a link, a folder, a device, or cannot be opened.
    """
    kinds = ((stat.S_ISLNK, "link"), (stat.S_ISDIR, "folder"))
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            kind = next((name for test, name in kinds if test(mode)), "device or a pipe")
            raise RefusedError(f"in its place is a {kind}, which is not followed. Hand in the file")
        with _opened(path) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise RefusedError("in its place is no plain file. Hand in the file")
            return file.read(limit + 1)
    except OSError as error:
        raise RefusedError(f"the file could not be opened ({error.strerror})") from None


def plain_name(name: str) -> str:
    """Return a file's name without what computers add to a copy, in small letters."""
    stem = _ENDINGS.sub("", name).strip().lower()
    while (shorter := _COPY.sub("", stem).strip()) != stem:
        stem = shorter
    return re.sub(r"[\s_-]+", "-", stem)


def _walk(
    folder: Path, above: str, ignore: Sequence[str]
) -> Iterator[tuple[str, Path, os.stat_result]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if any(fnmatch.fnmatch(entry.name, pattern) for pattern in ignore):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{above}{entry.name}/", ignore)
        else:
            yield above + entry.name, Path(entry.path), entry.stat(follow_symlinks=False)


def _opened(path: Path) -> BinaryIO:
    """Open a file, but follow no link and wait for no pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb")


def _notebooks(folder: Path) -> Iterator[Path]:
    """Yield what may be a notebook; what an editor or an archive put aside is left out."""
    for here, folders, files in os.walk(folder, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        for name in files:
            if _ENDINGS.search(name) and not name.startswith("."):
                yield Path(here, name)


def _renamed(folder: Path, name: str, spare: Iterable[Path], *, alone: bool) -> Found:
    plain = plain_name(name)
    spare = list(spare)
    fits = [path for path in spare if plain_name(path.name) == plain]
    fits = fits or [path for path in spare if plain in plain_name(path.name)]
    if not fits and alone:
        fits = spare
    if len(fits) > 1 and _same(fits):
        fits = fits[:1]
    if len(fits) == 1:
        there = fits[0].relative_to(folder).as_posix().replace("`", "'")
        note = f"The notebook was called `{there}`. It was graded as `{name}.ipynb`."
        return Found(name=name, path=fits[0], notes=(note,))
    if fits:
        names = ", ".join(f"`{path.name}`" for path in fits).replace("``", "`")
        why = f"`{name}.ipynb` is missing, and {len(fits)} files may be meant: {names}. Keep one"
        return Found(name=name, path=None, why=why)
    others = [entry.name for entry in _entries(folder)][:8]
    there = f"only {', '.join(f'`{other}`' for other in others)}" if others else "no file at all"
    why = f"`{name}.ipynb` was not handed in; there was {there}"
    return Found(name=name, path=None, why=why)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if p.name != "timestamp.txt")
    except OSError:
        return []


def _same(paths: list[Path]) -> bool:
    try:
        first, *others = (read_notebook(path) for path in paths)
    except RefusedError:
        return False
    return all(other == first for other in others)
