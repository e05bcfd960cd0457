"""The fork servers of students' kernels, and whether students' code may run here.

There is one server in each process that grades, or one for each notebook. Where tests run in the
student's own kernel, that kernel needs the tasks, with their answers. Then its server has imported
those of one notebook; no other kernel ever comes from it.
"""

import os
from pathlib import Path

from plaincourse.kernels.client import ForkServer
from plaincourse.sandbox import CONSENT, SWITCH, Level, probe, refusal

AGENT = "plaincourse.judge.agent:attach"
"""What answers the judge's calls in a student's kernel, by name: this room knows no judge."""
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
"""What a student's kernel finds imported. Never the bank: it holds the answers. Nor the package
that the course teaches with: a notebook that loads it is noticed."""
_servers: dict[Path | None, ForkServer] = {}


def student_server(tests: Path | None = None) -> ForkServer:
    """Return this process's server of students' kernels, which runs.

    It is started at the first call, anew if it has died, and closed when the process ends.

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
        said: what the configuration says in place of the environment variable
            ``PLAINCOURSE_UNSANDBOXED``.

    Raises:
        SandboxRefused: it would not be confined, and nobody has agreed to that in the exact words.
    """
    support = probe()
    if support.level is Level.NONE and CONSENT not in (said, os.environ.get(SWITCH)):
        raise refusal(support)
    return support.level
