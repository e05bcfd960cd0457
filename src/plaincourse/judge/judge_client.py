"""The worker's end of the judge: start one, send it students and test cells, replace a dead one."""

import contextlib
import os
import shutil
import socket
import tempfile
import time
from pathlib import Path
from typing import Any

from plaincourse.exercise.course import subject
from plaincourse.judge import activity
from plaincourse.judge.channel import Channel, Closed, Late
from plaincourse.judge.faults import WireError
from plaincourse.judge.outputs import Judged, error
from plaincourse.sandbox import Limits, Room, probe
from plaincourse.sandbox.room import GIB

JUDGE_MODULES = ("numpy", "torch", *subject(), "plaincourse.sandbox", "plaincourse.judge.judge")
#: Extra seconds that the tests' own code may take beyond the student's.
_OWN = 30.0
#: The limits of a judge. Its processor time is that of all test cells together.
LIMITS = Limits(memory=3 * GIB, seconds=3600)
_servers: dict[tuple[str, str, float], Any] = {}


def judge_server(name: str, source: Path) -> Any:
    """Return this process's server that is ready to judge a notebook; it is started once.

    It is forked from the server of students' kernels, so modules that are imported here later,
    above all the answers, are not in that server.

    Args:
        name: the notebook's name.
        source: the instructor's version of it, in ``solutions/``.
    """
    from plaincourse.kernels.client import ForkServer
    from plaincourse.kernels.shared import student_server

    key = (name, str(source), source.stat().st_mtime)
    if key not in _servers:
        prepare = ("plaincourse.judge.preamble:prepare", {"notebooks": {name: str(source)}})
        _servers[key] = ForkServer.start(
            modules=JUDGE_MODULES, prepare=prepare, of=student_server()
        )
    _servers[key].revive()
    return _servers[key]


class Judging:
    """A judge for one submission.

    Args:
        name: the notebook's name.
        source: the instructor's version of it.
    """

    def __init__(self, name: str, source: Path) -> None:
        self._name, self._source = name, source
        self._channel: Channel | None = None
        self._child: Any = None
        self._student: socket.socket | None = None
        self._unanswered = 0
        self._last = ""  # activity of the last judge at its end, if the student caused it

    def meet(self, student: socket.socket) -> None:
        """Send the judge the connection to a student's process, which this object now owns."""
        if self._student is not None:
            self._student.close()
        self._student = student
        if self._channel is None:
            self._start()
        else:
            self._introduce()

    def cell(self, **asked: Any) -> Judged:
        """Have a test cell judged. See :meth:`plaincourse.judge.judge.Judge.cell`."""
        began = time.monotonic()
        deadline = began + asked["seconds"] + _OWN
        try:
            if self._channel is None:
                self._start()
            assert self._channel is not None
            while self._unanswered:
                self._channel.receive(deadline=deadline)
                self._unanswered -= 1
            self._channel.send({"do": "cell", **asked}, [], deadline=deadline)
            tree, _, _ = self._channel.receive(deadline=deadline)
            return Judged.from_data(tree)
        except (Closed, Late, WireError) as lost:
            self._end()
            late = isinstance(lost, Late)
            why = self._why(lost, late=late, seconds=asked["seconds"] + _OWN)
            flag = {"cell": asked["name"], "kind": "died", "why": why}
            outputs = [error("TimeoutError" if late else "JudgeDied", why)]
            took = time.monotonic() - began
            held = late and bool(self._last)
            return Judged(outputs=outputs, seconds=took, flags=[flag], gone=why, held=held)

    def _why(self, lost: Exception, *, late: bool, seconds: float) -> str:
        """Explain how the tests ended and who caused it, from a dead judge's record."""
        if not self._last:
            how = "took too long" if late else "broke off"
            return (
                f"The tests {how} ({lost}). Grade again. If they end in the same way, one of the "
                "answers is probably too large for them."
            )
        if late:
            return (
                f"The tests were stopped after {seconds:g} seconds: all the time they {self._last}."
            )
        return (
            f"The tests ended while they {self._last}. Most likely it took more memory than they "
            "may use."
        )

    def close(self) -> None:
        """End the judge."""
        self._end()
        if self._student is not None:
            self._student.close()
            self._student = None

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._page = activity.page()
        with theirs:
            server = judge_server(self._name, self._source)
            self._folder = Path(tempfile.mkdtemp(dir=server.folder))
            room = Room(folder=None, sockets=self._folder, limits=LIMITS)
            given = {
                "notebook": self._name,
                "room": room.to_json(),
                "level": probe().level.name,  # at level NONE, students' kernels were refused
            }
            fds = [theirs.fileno(), self._page]
            self._child = server.fork("plaincourse.judge.judge:run", given, fds=fds)
        self._channel, self._unanswered = Channel(ours), 0
        self._introduce()

    def _introduce(self) -> None:
        if self._student is None or self._channel is None:
            return
        deadline = time.monotonic() + _OWN
        with contextlib.suppress(Closed, Late, WireError):  # the next cell will report it
            self._channel.send(
                {"do": "student"}, [], fds=[self._student.fileno()], deadline=deadline
            )
            self._unanswered += 1  # it enters its room while the student's cells run

    def _end(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._child.kill()
            self._last = activity.read(self._page)
            os.close(self._page)
            shutil.rmtree(self._folder, ignore_errors=True)
        self._channel = self._child = None


def instructors(preprocessor: Any, path: str) -> tuple[str, Path]:
    """Return the name of a submission's notebook, and the path of the instructor's version.

    Args:
        preprocessor: a preprocessor of nbgrader, whose resources identify the submission.
        path: the path of that version; if it is empty, nbgrader's course folder is used.

    Raises:
        FileNotFoundError: there is no such file.
    """
    of = (preprocessor.resources or {}).get("nbgrader", {})
    name = str(of.get("notebook") or Path(path).stem)
    found = Path(path) if path else None
    if found is None and preprocessor.parent is not None:
        course = preprocessor.parent.parent.coursedir
        folder = course.format_path(course.source_directory, ".", of.get("assignment", ""))
        found = Path(folder) / f"{name}.ipynb"
    if found is None or not found.is_file():
        raise FileNotFoundError(
            f"{found}: the instructor's version of the notebook is missing. The tests need what it "
            "defines; set SplitExecute.source_notebook, or grade with --one-process."
        )
    return name, found
