"""The fork servers of students' kernels, and whether students' code may run here.

Each grading process has one server, or one for each notebook whose tests run in the student's own
kernel. Such a kernel needs the tasks, with their answers, so its server has imported those of one
notebook, and no other kernel is ever forked from it.
"""

import os
from pathlib import Path

from plaincourse.kernels.client import ForkServer
from plaincourse.sandbox import CONSENT, SWITCH, Level, probe, refusal

AGENT = "plaincourse.judge.agent:attach"
"""The name of the function that answers the judge's calls in a student's kernel.

It is given by name because this room does not import the judge.
"""
STUDENT_MODULES = (
    "numpy",
    "torch",
    "einops",
    "matplotlib.pyplot",
    "ipykernel.kernelapp",
    "plaincourse.kernels.student",
    "plaincourse.sandbox",
    AGENT.partition(":")[0],
)
"""The modules that a student's kernel finds imported.

The bank is never among them, because it holds the answers. Neither is the package that the course
teaches with, so that loading it is noticed.
"""
_servers: dict[Path | None, ForkServer] = {}


def student_server(tests: Path | None = None) -> ForkServer:
    """Return this process's running server of students' kernels.

    It is started in the first call, restarted if it has died, and closed when the process ends.

    Args:
        tests: the instructor's version of a notebook whose tests run in the student's kernel;
            ``None`` for kernels that must not know the answers.

    Raises:
        SandboxRefused: this system is not Linux.
        ForkError: it could not start.
    """
    if tests not in _servers:
        prepare = ("plaincourse.judge.preamble:ready_tasks", {"path": str(tests)})
        _servers[tests] = ForkServer.start(
            modules=STUDENT_MODULES, prepare=None if tests is None else prepare
        )
    _servers[tests].revive()
    return _servers[tests]


def permitted(said: str = "") -> Level:
    """Return how student code will be confined here.

    Args:
        said: the configured value that replaces the environment variable
            ``PLAINCOURSE_UNSANDBOXED``.

    Raises:
        SandboxRefused: student code would not be confined, and consent in the exact words is
            missing.
    """
    support = probe()
    if support.level is Level.NONE and CONSENT not in (said, os.environ.get(SWITCH)):
        raise refusal(support)
    return support.level
