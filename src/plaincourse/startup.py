"""Set up a process of the course before anything else: imports, PATH, and a terminal.

- Importing ``plaincourse`` calls `skip_address_grammar`, so that no process compiles it.
- Every command calls `begin`, so that it finds other commands and no terminal or pipe stops it.
- ``nbgrader_config.py`` calls `put_commands_on_path`.
"""

import codecs
import contextlib
import errno
import io
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

#: How `write_anywhere` replaces characters that the terminal's encoding does not have.
ERRORS = "plaincourse.plain"

_PLAIN = {
    **dict(zip("▁▂▃▄▅▆▇█", "_.:-=+*#", strict=True)),
    **{"…": "...", "–": "-", "—": "-", "−": "-", "·": "*", "×": "x", "→": "->", "≤": "<="},
    **{"“": '"', "”": '"', "‘": "'", "’": "'", "√": "sqrt", "≥": ">=", "\u00a0": " "},
}


#: Errors of writing to a pipe without a reader, a terminal that is gone, or a closed file.
_GONE = frozenset({errno.EPIPE, errno.EIO, errno.EBADF, errno.ENXIO, errno.ECONNRESET})


def begin() -> None:
    """Set up the process of a command, before its arguments are read."""
    put_commands_on_path()
    write_anywhere()


def skip_address_grammar() -> None:
    """Prevent jsonschema from compiling its 39 grammars of internet addresses.

    That takes two to three seconds in each process that reads a notebook, and no check of a
    notebook uses them.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


def put_commands_on_path() -> None:
    """Put the folders of this interpreter and of its scripts first on PATH.

    nbgrader starts ``alembic`` by its name, which is otherwise found only in an activated
    environment.
    """
    own = [str(Path(sys.executable).parent), sysconfig.get_path("scripts")]
    rest = os.environ.get("PATH", os.defpath).split(os.pathsep)
    folders = dict.fromkeys([*own, *(each for each in rest if each not in own)])
    os.environ["PATH"] = os.pathsep.join(folders)


def write_anywhere() -> None:
    """Let stdout and stderr accept any text in any encoding, even if their reader is gone.

    A character that the encoding lacks is written as plain ASCII of the same meaning, or as its
    escape sequence. Output to a closed pipe or to a terminal that has gone away is dropped, so that
    the command completes its work and returns its own exit code.
    """
    codecs.register_error(ERRORS, _plainly)
    if None in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        _fill_standard_files()
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = open(os.devnull, "w", encoding="utf-8", errors=ERRORS)  # noqa: SIM115, PTH123
            setattr(sys, name, nowhere)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)
            if stream is getattr(sys, f"__{name}__"):
                setattr(sys, name, _forgiving(stream))


class _ForgivingFile(io.FileIO):
    """A file whose reader may go away; later output is dropped."""

    def write(self, data: Any) -> int:
        """Write bytes, and return the number of bytes that need not be written again."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in _GONE:
                raise
            return memoryview(data).nbytes


def _forgiving(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Return a stream to the same file that does not fail when its reader has gone."""
    with contextlib.suppress(OSError):
        stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_ForgivingFile(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _fill_standard_files() -> None:
    """Open the null device in place of standard files that the parent process had closed.

    Otherwise the next file to be opened would become one of them.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(_PLAIN.get(each) or _escaped(each) for each in wrong), error.end


def _escaped(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode()
