"""The fork server of students' kernels: one in each process that grades."""

from plaincourse.kernels.client import ForkServer

STUDENT_MODULES = (
    "numpy",
    "torch",
    "einops",
    "matplotlib.pyplot",
    "ipykernel.kernelapp",
    "plainformer",
    "plaincourse.kernels.student",
    "plaincourse.sandbox",
    "plaincourse.split.agent",
)
"""What a student's kernel finds imported. Never the bank: it holds the answers."""

_servers: list[ForkServer] = []


def student_server() -> ForkServer:
    """Return this process's server of students' kernels, which runs.

    It is started at the first call, anew if it has died, and closed when the process ends.

    Raises:
        SandboxRefused: this system is not Linux.
        ForkError: it could not start.
    """
    if not _servers:
        _servers.append(ForkServer.start(modules=STUDENT_MODULES))
    _servers[0].revive()
    return _servers[0]
