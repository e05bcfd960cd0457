"""The files of a submission: list them safely, and find the notebooks among them.

A submission may hold links to foreign files, endless pipes, and more bytes than fit on a disk.
Nothing here follows a link, opens anything but a plain file, or reads endlessly. Left-out files are
reported, except for the leftovers of tools: a virtual environment, the history of a repository,
caches. If there are too many files, notebooks and modules are kept first.
"""

import fnmatch
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from plaincourse.grading import in_place
from plaincourse.grading.long_notebooks import LONGEST, read_long
from plaincourse.grading.long_notebooks import RefusedError as RefusedError  # raised here

#: The limits on one file, on all files of a submission, and on their number.
LARGEST, TOTAL = 64 * 2**20, 256 * 2**20
MOST = 2000
#: The number of bytes of a notebook that are read.
LARGEST_NOTEBOOK = 50 * 2**20
#: The number of further notebooks of a submission that are read.
MOST_NOTEBOOKS = 12
#: The limits on the entries of a submission's folders, and on their depth.
MOST_ENTRIES, DEEPEST = 100_000, 40
#: The name for refused files that are not listed one by one.
OTHERS = "…"
#: The name of the submission's own folder.
HERE = "."

_LINK = "it is a link to another file"
_SPECIAL = "it is not a plain file"
_UNOPENED = "could not be opened"
#: The reasons why an entry is not the student's own.
FOREIGN = (_LINK, _SPECIAL)
_LARGE = f"it is larger than {LARGEST // 2**20} MiB"
_FULL = f"the submission holds more than {TOTAL // 2**20} MiB or {MOST} files"
_DEEP = f"it lies more than {DEEPEST} folders deep"
_ENDLESS = f"the submission's folders hold more than {MOST_ENTRIES} entries"
#: Folders that tools make and no student writes in, besides those whose name begins with a dot.
_TOOLS = frozenset(
    "__pycache__ __MACOSX node_modules bower_components site-packages dist-packages venv "
    "virtualenv wandb mlruns lightning_logs lost+found $RECYCLE.BIN".split()
)
#: The contents that identify a virtual environment, whatever its name.
_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")
#: Files that computers and editors leave behind.
_LEFT_BEHIND = ("._*", ".DS_Store", "Thumbs.db", "desktop.ini", "*.py[co]", "*~", "~$*", ".*.sw?")
_COPY = re.compile(
    r"^(copy of |kopie von |copie de )+|([-_ ]*\((\d+)\)|[-_ ]+(copy|kopie|copie) ?\d*)+$"
)
#: The endings that browsers, editors and merge tools add to a notebook's name.
_ENDINGS = re.compile(r"\.ipynb(\.(txt|json|ipynb|orig|bak|backup|old|save|tmp))*$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Files:
    """The files of a submission.

    Attributes:
        files: the path of each, by its name below the submission's folder, with ``/`` in it.
        refused: why a name was left out.
    """

    files: dict[str, Path] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def list_files(folder: Path, *, ignore: Sequence[str] = (), whole: bool = False) -> Files:
    """List the plain files below a folder, and refuse the rest by name.

    Args:
        folder: the submission.
        ignore: patterns of names to skip silently, as in ``CourseDirectory.ignore``.
        whole: whether leftovers of tools count too, as in a folder of the instructor's.
    """
    found = Files()
    if folder.is_symlink():
        found.refused[HERE] = _LINK
        return found
    if in_place.is_no_folder(folder):
        found.refused[HERE] = in_place.NO_FOLDER
        return found
    plain: list[tuple[str, Path, int]] = []
    for name, path, about in _walk(folder, ignore, found.refused, whole=whole):
        if stat.S_ISLNK(about.st_mode):
            found.refused[name] = _LINK
        elif not stat.S_ISREG(about.st_mode):
            found.refused[name] = _SPECIAL
        elif about.st_size > (LONGEST if is_notebook(name) else LARGEST):
            found.refused[name] = _too_large(about.st_size, LONGEST if is_notebook(name) else 0)
        else:
            plain.append((name, path, about.st_size))
    _keep_first(plain, found)
    return found


def is_notebook(name: str) -> bool:
    """Return whether a file's name is that of a notebook, also with endings that browsers add."""
    return bool(_ENDINGS.search(name))


def read_file(path: Path) -> bytes:
    """Read a plain file, in its state at the time of opening.

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


def pieces(path: Path) -> Iterator[bytes]:
    """Yield the content of a plain file in pieces; a notebook may be longer than other files.

    Raises:
        OSError: it is a link, not a plain file, or too large.
    """
    most = LONGEST if is_notebook(path.name) else LARGEST
    with _opened(path) as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(f"{path.name}: {_SPECIAL}")
        yield b"%d\0" % about.st_size
        while piece := file.read(1 << 20):
            most -= len(piece)
            if most < 0:
                raise OSError(f"{path.name}: it is larger than it may be")
            yield piece


def write_file(folder: Path, name: str, content: bytes) -> None:
    """Write a file below a folder, replacing any existing one.

    Args:
        folder: an existing folder of ours.
        name: its path below the folder, as in `Files.files`.
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
        notes: irregularities, in sentences.
        why: why there is none, as the end of a sentence; empty if there is one or may be several.
        others: further notebooks in the folder, those with fitting names first.
        meant: those of them that may each be the notebook, if it is missing.
    """

    name: str
    path: Path | None
    notes: tuple[str, ...] = ()
    why: str = ""
    others: tuple[Path, ...] = ()
    meant: tuple[Path, ...] = ()


def find_notebooks(folder: Path, names: Sequence[str]) -> dict[str, Found]:
    """Find each notebook under its name, or else under the one name that fits it."""
    if folder.is_symlink():
        why = "`{}.ipynb` was not handed in; there was a link to another folder"
        return {name: Found(name=name, path=None, why=why.format(name)) for name in names}
    files = sorted(notebooks_below(folder))
    exact = {name: folder / f"{name}.ipynb" for name in names}
    there = {name for name, path in exact.items() if os.path.lexists(path) and not _is_dir(path)}
    spare = [path for path in files if path not in exact.values()]
    missing = [name for name in names if name not in there]
    found = {}
    for name in names:
        fits = _fitting(name, spare)
        others = tuple((fits + [path for path in spare if path not in fits])[:MOST_NOTEBOOKS])
        if name in there:
            found[name] = Found(name=name, path=exact[name], others=others)
        else:
            alone = len(missing) == len(names) == 1
            found[name] = _renamed(folder, name, fits or (spare if alone else []), others)
    return found


def read_notebook(path: Path, *, limit: int = LARGEST_NOTEBOOK) -> bytes:
    """Read a notebook's file; if it is longer than the limit, all but its outputs.

    If a long file cannot be a notebook, one byte more than the limit is read.

    Raises:
        RefusedError: it is a link, a folder, a device, cannot be opened, or is too large.
    """
    kinds = ((stat.S_ISLNK, "link"), (stat.S_ISDIR, "folder"))
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            kind = next((name for test, name in kinds if test(mode)), "device or a pipe")
            raise RefusedError(f"in its place is a {kind}, which is not followed. Hand in the file")
        with _opened(path) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise RefusedError("in its place is no plain file. Hand in the file")
            start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
            file.seek(0)
            if about.st_size <= limit or not start.startswith(b"{"):
                return file.read(limit + 1)
            return read_long(file, about.st_size, limit)
    except OSError as error:
        raise RefusedError(f"the file could not be opened ({error.strerror})") from None


def plain_name(name: str) -> str:
    """Return a file's name in small letters, without the parts that computers add to a copy."""
    stem = _ENDINGS.sub("", name).strip().lower()
    while (shorter := _COPY.sub("", stem).strip()) != stem:
        stem = shorter
    return re.sub(r"[\s_-]+", "-", stem)


def _walk(
    folder: Path, ignore: Sequence[str], refused: dict[str, str], *, whole: bool
) -> Iterator[tuple[str, Path, os.stat_result]]:
    """Yield the entries below a folder, by name; refuse those that cannot be read."""
    left, waiting = MOST_ENTRIES, [("", folder)]
    while waiting:
        above, here = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            if whole and not above:
                raise
            refused[above.rstrip("/") or HERE] = unopened("folder", error)
            continue
        if above and not whole and any(entry.name in _ENVIRONMENT for entry in entries):
            continue
        below = []
        for entry in entries:
            is_dir = _is_folder(entry)
            skip = any(fnmatch.fnmatch(entry.name, pattern) for pattern in ignore)
            if skip or (not whole and is_left_behind(entry, is_dir=is_dir)):
                continue
            left -= 1
            if left < 0:
                refused[OTHERS] = _ENDLESS
                return
            name = above + entry.name
            if not is_dir:
                try:
                    about = entry.stat(follow_symlinks=False)
                except OSError as error:
                    refused[name] = unopened("file", error)
                else:
                    yield name, Path(entry.path), about
            elif name.count("/") >= DEEPEST:
                refused[name[:200]] = _DEEP
            else:
                below.append((f"{name}/", Path(entry.path)))
        waiting += reversed(below)


def unopened(what: str, error: OSError) -> str:
    """Return why a file or a folder that the grader may not read is left out."""
    return f"the {what} {_UNOPENED} ({error.strerror or error})"


def is_unopened(why: str) -> bool:
    """Return whether `unopened` gave this reason."""
    return _UNOPENED in why


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def is_left_behind(entry: os.DirEntry[str], *, is_dir: bool) -> bool:
    """Return whether an entry was made by a tool rather than by a student."""
    if is_dir or entry.is_symlink():
        return entry.name.startswith(".") or entry.name in _TOOLS
    return any(fnmatch.fnmatch(entry.name, pattern) for pattern in _LEFT_BEHIND)


def _keep_first(plain: list[tuple[str, Path, int]], found: Files) -> None:
    """Keep the files that fit: notebooks, then modules, then the smaller before the larger.

    Notebooks are read one by one, and do not count towards the total size.
    """
    total = 0
    kept: set[str] = set()
    left_out: list[tuple[str, int]] = []
    kinds = ((is_notebook, 0), (lambda name: name.endswith(".py"), 1))

    def rank(file: tuple[str, Path, int]) -> tuple[int, int, str]:
        name, _, size = file
        return next((rank for test, rank in kinds if test(name)), 2), size, name

    for name, _, size in sorted(plain, key=rank):
        more = 0 if is_notebook(name) else size
        if total + more > TOTAL or len(kept) >= MOST:
            left_out.append((name, size))
        else:
            total += more
            kept.add(name)
    found.files.update((name, path) for name, path, _ in plain if name in kept)
    if left_out:
        first, weight = min(left_out)[0], sum(size for _, size in left_out) / 2**20
        many = f"{len(left_out)} files" if len(left_out) > 1 else "1 file"
        found.refused[OTHERS] = f"{_FULL}; {many} of {weight:.0f} MiB did not fit, such as {first}"


def _too_large(size: int, limit: int) -> str:
    return f"it has {size / 2**20:.0f} MiB; at most {limit // 2**20} are read" if limit else _LARGE


def _is_dir(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _opened(path: Path) -> BinaryIO:
    """Open a file without following a link or waiting for a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb")


def notebooks_below(folder: Path) -> Iterator[Path]:
    """Yield possible notebooks, without those that an editor or an archive put aside."""
    for _, path, about in _walk(folder, (), {}, whole=False):
        like = is_notebook(path.name) or in_place.begins_as_notebook(path, about)
        if like and not path.name.startswith("."):
            yield path


def _fitting(name: str, spare: Iterable[Path]) -> list[Path]:
    """Return the files whose names match a notebook's, or else those whose names contain it."""
    plain, spare = plain_name(name), list(spare)
    fits = [path for path in spare if plain_name(path.name) == plain]
    return fits or [path for path in spare if plain in plain_name(path.name)]


def _renamed(folder: Path, name: str, fits: list[Path], others: tuple[Path, ...]) -> Found:
    if len(fits) > 1 and _same(fits):
        fits = fits[:1]
    if len(fits) == 1:
        note = renamed_note(folder, name, fits[0])
        return Found(name=name, path=fits[0], notes=(note,), others=others)
    if fits:
        return Found(name=name, path=None, others=others, meant=tuple(fits))
    if _is_dir(folder / f"{name}.ipynb"):
        why = f"`{name}.ipynb` is a folder, and there is no notebook in it. Hand in the file"
        return Found(name=name, path=None, why=why, others=others)
    why = f"`{name}.ipynb` was not handed in; there was {in_place.in_its_place(folder)}"
    return Found(name=name, path=None, why=why, others=others)


def shown(folder: Path, path: Path) -> str:
    """Return the path of a file in a submission, safe between back quotes."""
    return path.relative_to(folder).as_posix().replace("`", "'")


def renamed_note(folder: Path, name: str, path: Path) -> str:
    """Return a note that a notebook was found under another name."""
    return f"The notebook was called `{shown(folder, path)}`. It was graded as `{name}.ipynb`."


def read_instead(folder: Path, name: str, path: Path) -> str:
    """Return a note that a file with another name was read, but could not be graded."""
    other = shown(folder, path)
    return f"`{name}.ipynb` was not handed in. The file `{other}` was looked into in its place."


def _same(paths: list[Path]) -> bool:
    try:
        first, *others = (read_notebook(path) for path in paths)
    except RefusedError:
        return False
    return all(other == first for other in others)
