"""Read the files of an archive, or of a folder that was one, within limits.

An archive may hold a file that unpacks to the size of a disk, names that point outside it, links
and passwords. Each entry is read separately into memory, up to a limit. An entry that cannot be
read is refused with a reason, and the others are still read.
"""

import contextlib
import io
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from plaincourse.grading.files import LARGEST, RefusedError, read_file
from plaincourse.grading.in_place import UNOPENED

#: The most entries of a student's archive, nested folders, and characters of a path.
MOST_ENTRIES, DEEPEST, LONGEST_PATH = 20_000, 20, 1000
#: The most files to list in a folder of the instructor's.
_MOST_FILES = 200_000
_PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
#: Files that operating systems and editors add to folders and archives.
_RUBBISH = re.compile(
    r"(^|/)(__MACOSX|\.git|\.svn|\.venv|venv|__pycache__|\.ipynb_checkpoints|node_modules|"
    r"\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)(/|$)",
    re.IGNORECASE,
)
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file in an archive or a folder.

    Attributes:
        path: its name, with ``/`` between folders.
        size: its declared size in bytes.
        read: returns its content, at most ``LARGEST`` bytes; raises `RefusedError`.
        why: why it is not read at all, as the end of a sentence; empty if it may be read.
    """

    path: str
    size: int
    read: Callable[[], bytes]
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Container:
    """An archive that the instructor downloaded, or a folder in place of one.

    Attributes:
        name: its name.
        time: the time of the last change, in seconds.
        entries: the files in it.
    """

    name: str
    time: float
    entries: list[Entry] = field(default_factory=list)


def is_rubbish(path: str) -> bool:
    """Return whether a path is of a file that an operating system or editor adds."""
    return bool(_RUBBISH.search(path))


def is_archive(path: str) -> bool:
    """Return whether a file's name is that of an archive that can be opened."""
    return path.lower().endswith(".zip")


def is_other_archive(path: str) -> bool:
    """Return whether a file's name is that of an archive that is not opened."""
    return path.lower().endswith(UNOPENED)


def open_zip(source: Path | bytes) -> list[Entry]:
    """List the files of a zip archive.

    Args:
        source: the archive, or its content if a student made it.

    Raises:
        RefusedError: it is broken, or has too many entries.
    """
    # Each entry has a header with this signature in the central directory, which is read whole.
    if isinstance(source, bytes) and source.count(b"PK\x01\x02") > MOST_ENTRIES:
        raise RefusedError(f"the archive holds more than {MOST_ENTRIES} files")
    try:
        archive = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
    except Exception as error:  # a broken directory may raise anything
        raise RefusedError(f"it could not be opened as a zip archive ({error})") from None
    found = []
    for info in archive.infolist():
        path = _name(info)
        if not (info.is_dir() or path.endswith("/") or is_rubbish(path)):
            found.append(
                Entry(
                    path=path,
                    size=info.file_size,
                    read=lambda info=info: _unpacked(archive, info),  # type: ignore[misc]
                    why=leads_out(path) or _unread(info),
                )
            )
    return found


def open_folder(folder: Path) -> list[Entry]:
    """List the files below a folder of the instructor's, without following links.

    Raises:
        RefusedError: it has too many files.
    """
    found = []
    for path in _walk(folder, DEEPEST):
        name = path.relative_to(folder).as_posix()
        if not is_rubbish(name):
            found.append(open_file(path, name))
        if len(found) > _MOST_FILES:
            raise RefusedError(f"it holds more than {_MOST_FILES} files")
    return found


def open_file(path: Path, name: str) -> Entry:
    """Return a file on disk as an entry.

    Args:
        path: its path on disk.
        name: its name in the archive that it came from.
    """
    about = path.lstat()
    why = "" if stat.S_ISREG(about.st_mode) else "it is a link or not a plain file"
    return Entry(
        path=unicodedata.normalize("NFC", name),
        size=about.st_size,
        read=lambda: _content(path),
        why=why or (_TOO_LARGE if about.st_size > LARGEST else ""),
    )


def leads_out(path: str) -> str:
    """Return why a path cannot be used below a folder, as the end of a sentence, or an empty text.

    It may lead out of the folder, be nested too deeply, or be too long.
    """
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or _DRIVE.match(path):
        return "its name leads out of the archive"
    if len(parts) > DEEPEST:
        return f"it lies in more than {DEEPEST} folders"
    if len(path) > LONGEST_PATH:
        return f"its name is longer than {LONGEST_PATH} letters"
    return ""


_TOO_LARGE = f"it is larger than {LARGEST // 2**20} MiB"


def _name(info: zipfile.ZipInfo) -> str:
    """Return an entry's name, with a guess at its encoding if the archive does not declare one."""
    name = info.filename
    if not info.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")  # as macOS writes it
    return unicodedata.normalize("NFC", name.replace("\\", "/")).removeprefix("./")


def _unread(info: zipfile.ZipInfo) -> str:
    """Return why an entry of a zip archive is not read; empty if it is."""
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "it is a link or not a plain file"
    if info.flag_bits & 0x1:
        return "it is locked by a password"
    if info.compress_type not in _PACKED:
        return f"it is packed by method {info.compress_type}, and only deflate is read"
    return _TOO_LARGE if info.file_size > LARGEST else ""


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as file:
            content = file.read(LARGEST + 1)
    except Exception as error:  # errors on broken bytes share no class
        raise RefusedError(f"it is broken ({error})") from None
    if len(content) > LARGEST:
        raise RefusedError(_TOO_LARGE)
    return content


def _content(path: Path) -> bytes:
    try:
        return read_file(path)
    except OSError as error:
        raise RefusedError(f"it could not be read ({error})") from None


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if not entry.is_dir(follow_symlinks=False):
            yield Path(entry.path)
        elif depth and not is_rubbish(entry.name):
            yield from _walk(Path(entry.path), depth - 1)
