"""How well this machine can lock student code in, and what is said where it cannot."""

import enum
from dataclasses import dataclass

SWITCH = "PLAINCOURSE_UNSANDBOXED"
CONSENT = "yes, run student code with my rights"


class Level(enum.Enum):
    """What stands around student code.

    Attributes:
        NAMESPACES: A file tree, processes and a network of its own; seccomp; limits.
        LANDLOCK: Rules on files, and seccomp: one process, which sees file names outside.
        NONE: Nothing. Student code is then refused.
    """

    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    NONE = "none"


@dataclass(frozen=True)
class Support:
    """What this machine can do.

    Attributes:
        level: The best that works here.
        why: What holds, what does not, and what an instructor can do about it.
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
