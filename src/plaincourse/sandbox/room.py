"""The room that isolates student code: its content, its limits and its level of isolation."""

import enum
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MIB = 1 << 20
GIB = 1 << 30
SWITCH = "PLAINCOURSE_UNSANDBOXED"
CONSENT = "yes, run student code with my rights"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The resources that one sandbox may use.

    Attributes:
        memory: Bytes that one process may allocate beyond those it holds when it enters. If a
            control group can be made, all processes of the sandbox together stay below this plus
            ``disk`` plus the bytes held at entry.
        seconds: Seconds of CPU time of one process.
        processes: Processes and threads together, the kernel's own threads included.
        file: Bytes of one file.
        disk: Bytes of the private folder, ``/tmp`` and ``/dev/shm`` together.
        handles: Open files of one process.
    """

    memory: int = 2 * GIB
    seconds: int = 600
    processes: int = 64
    file: int = 64 * MIB
    disk: int = 256 * MIB
    handles: int = 256

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int) or value < 1:
                raise ValueError(
                    f"Limits({name}={value!r}): a whole number of at least 1 is needed"
                )


@dataclass(frozen=True, kw_only=True)
class Room:
    """The place in which a piece of student code runs. It never has a network.

    Attributes:
        folder: Its content is copied into the private working folder; None leaves that empty.
            Links, devices, pipes and files with a second hard link are not copied.
        sockets: A folder of the host that stays writable at the same path, for the sockets of a
            kernel. Only sockets can be made in it, unless it lies below ``/tmp``;
            :func:`~plaincourse.sandbox.entrance.sockets_folder` makes one.
        hidden: Folders that are covered if they lie inside a visible one.
        limits: The resources that it may use.
    """

    folder: Path | None
    sockets: Path
    hidden: tuple[Path, ...] = ()
    limits: Limits = Limits()

    def to_json(self) -> dict[str, Any]:
        """Return the room as data for :meth:`from_json`."""
        return {
            "folder": None if self.folder is None else os.fspath(self.folder),
            "sockets": os.fspath(self.sockets),
            "hidden": [os.fspath(path) for path in self.hidden],
            "limits": asdict(self.limits),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Room":
        """Make a room from the ``data`` of :meth:`to_json`."""
        return cls(
            folder=None if data["folder"] is None else Path(data["folder"]),
            sockets=Path(data["sockets"]),
            hidden=tuple(Path(path) for path in data["hidden"]),
            limits=Limits(**data["limits"]),
        )


class Level(enum.Enum):
    """The level of isolation of student code.

    Attributes:
        NAMESPACES: A file tree, processes and a network of its own; seccomp; limits.
        LANDLOCK: Rules on files, and seccomp: one process, which can see the names of files
            outside.
        NONE: No isolation. Student code is then refused.
    """

    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    NONE = "none"


@dataclass(frozen=True)
class Support:
    """The isolation that this machine supports.

    Attributes:
        level: The best level that works here.
        why: An explanation: the protections that work, those that do not, and how an instructor can
            improve them.
    """

    level: Level
    why: str


class SandboxRefused(RuntimeError):  # noqa: N818 - it is a refusal, not a fault
    """Student code would have run with the instructor's rights, so it did not run."""


def refusal(support: Support) -> SandboxRefused:
    """Make the error for a machine whose ``support`` does not suffice."""
    return SandboxRefused(
        f"Student code was not run: this machine cannot lock it in. {support.why}\n"
        "You can grade in a container instead: `plaincourse autograde --container docker` "
        "(or podman) starts it.\n"
        "Or accept that student code can read and change all that you can, by setting\n"
        f'    {SWITCH}="{CONSENT}"'
    )
