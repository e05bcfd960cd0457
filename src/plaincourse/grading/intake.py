"""Find the notebooks in a folder that a student handed in, and read them safely.

Only plain files are read. A link, a device or a pipe could be anything, also something that the
student may not see; it is refused and told.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plaincourse.grading.mend import Mended, mend, mended
from plaincourse.grading.reading import LIMIT, refused
from plaincourse.grading.source import Source

_COPY = re.compile(
    r"^(copy of |kopie von |copie de )+|([-_ ]*\((\d+)\)|[-_ ]+(copy|kopie|copie) ?\d*)+$"
)
_ENDINGS = re.compile(r"\.ipynb(\.txt|\.json|\.ipynb)*$", re.IGNORECASE)


class RefusedError(ValueError):
    """A file is not read; the message says why, as the end of a sentence."""


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


def take_in(
    folder: Path, sources: Mapping[str, Source], *, limit: int = LIMIT
) -> dict[str, Mended]:
    """Read and mend every notebook of an assignment from a student's folder; never raise.

    Args:
        folder: what the student handed in.
        sources: the assignment's notebooks by name.
        limit: how many bytes of a notebook are read at most.
    """
    taken = {}
    for name, found in find(folder, list(sources)).items():
        try:
            if found.path is None:
                raise RefusedError(found.why)
            raw = read(found.path, limit=limit)
            taken[name] = mend(raw, sources[name], notes=found.notes, limit=limit)
        except RefusedError as error:
            taken[name] = mended(refused(str(error)), sources[name], notes=found.notes)
    return taken


def find(folder: Path, names: Sequence[str]) -> dict[str, Found]:
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


def read(path: Path, *, limit: int = LIMIT) -> bytes:
    """Read a plain file, at most one byte more than the limit.

    Raises:
        RefusedError: it is a link, a folder, a device, or cannot be opened.
    """
    kinds = ((stat.S_ISLNK, "link"), (stat.S_ISDIR, "folder"))
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            kind = next((name for test, name in kinds if test(mode)), "device or a pipe")
            raise RefusedError(f"in its place is a {kind}, which is not followed. Hand in the file")
        with os.fdopen(os.open(path, flags), "rb") as file:
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
        first, *others = (read(path) for path in paths)
    except RefusedError:
        return False
    return all(other == first for other in others)
