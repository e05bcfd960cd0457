"""Run a submission: the student's cells in their kernel, the test cells in the judge.

A cell that ends its kernel, takes too long or starts processes affects only itself.
"""

import copy
import math
import socket
import time
from pathlib import Path
from typing import Any

from nbclient.client import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.utils import is_solution
from traitlets import Bool, Integer, Unicode

from plaincourse.judge.draws import by_student
from plaincourse.judge.guarded import FLOOD, GuardedExecute
from plaincourse.judge.judge_client import Judging, instructors
from plaincourse.judge.outputs import Judged, error, number, say_stopped
from plaincourse.judge.plan import (
    Plan,
    Record,
    declare,
    is_students,
    is_test,
    name_of,
    place_of,
    seconds_declared,
)
from plaincourse.kernels.client import computed
from plaincourse.kernels.families import descendants
from plaincourse.kernels.held import HELD, RAN, counted, others_held
from plaincourse.kernels.manager import SandboxKernelManager

#: Cells that wait without computing may take _IDLE times the limit of one cell in total; each
#: further such time halves the limit. A wait shorter than _WAIT seconds does not count.
_IDLE, _WAIT = 2, 1.0
#: The time of the student's stopped cells is limited in the same way. After they used five times
#: the limit of one cell, only answers and tests are run. The shortest limit is 2 seconds.
_STOPPED, _LEAST = 5, 2
#: The flag names six of the stopped cells.
_NAMED = 6
_BARRED = "It was not run: cells that did not end had used the time that such cells may take."
_STOPS = (
    "{stopped} runs of cells took {took:.0f} seconds in all and were stopped, because they did not "
    "end: {names}. From the third on, each may take half of what the one before it may take.{left}"
)
_WAITS = (
    "Cells waited without computing, for at least twice the limit of one cell in all. Each further "
    "wait as long as the limit halves what a cell may take, so a cell may have been stopped early."
)
_LEFT = " {} further cells without an answer were not run."
_CHECK_NOW = "import os as _os; _os.environ.pop('PLAINCOURSE_CHECKS_LATER', None); del _os"
_GIVEN_UP = "It was not run: the kernel died more than {} times. The last time: {}"
_WHERE = "{why} It happened in {cell}."
_TESTED = "{why} It happened in the test of `{name}`."


class SplitExecute(GuardedExecute):
    """Runs student cells through Jupyter and locked test cells in a process of their own.

    A cell that ends its kernel affects only itself: the others are run again in a new kernel.
    """

    split = Bool(
        True, help="Whether test cells run in the judge; otherwise in the student's kernel."
    ).tag(config=True)
    budget = Integer(
        900,
        help="Seconds that a notebook may take in all, besides those that its tests declare.",
    ).tag(config=True)
    _ends = math.inf  # time when the budget is used up; infinite before it begins
    _idled = 0.0  # waiting without computing, in multiples of the limit of one cell
    _stopped: tuple[float, ...] = ()  # seconds that each stopped student's cell took
    restarts = Integer(3, help="How many kernels a notebook may lose.").tag(config=True)
    by_student = Bool(
        False, help="Whether the inputs of hidden tests differ from student to student."
    ).tag(config=True)
    source_notebook = Unicode(
        "", help="The instructor's version of the notebook; by default where nbgrader has it."
    ).tag(config=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("kernel_manager_class", SandboxKernelManager)
        super().__init__(*args, **kwargs)

    def preprocess(
        self, nb: NotebookNode, resources: Any = None, km: Any = None
    ) -> tuple[NotebookNode, Any]:
        """Run a notebook, regardless of the behaviour of its cells.

        Results other than outputs are in ``resources["plaincourse"]`` afterwards: see
        :class:`plaincourse.judge.plan.Record`.
        """
        NotebookClient.__init__(self, nb, km)
        self.reset_execution_trackers()
        self._check_assign_resources(resources)
        self.forget_floods()
        if self.split and any(is_test(cell) for cell in nb.cells):
            of = instructors(self, self.source_notebook)
            declare(nb, of[1])
        if self.by_student:
            course = self.config.get("CourseDirectory", {}).get("course_id", "")
            said = self.resources.get("nbgrader", {})
            whose = {name: str(said.get(name, "")) for name in ("assignment", "student")}
            by_student(nb, course=str(course), **whose)
        self._idled, self._stopped = 0.0, ()
        self._stops: dict[int, str] = {}
        self._barred: set[int] = set()
        self.plan = Plan.of(nb, split=self.split)
        self.record = Record()
        self._lost: list[str] = []
        self._held = False
        self._deadly: set[int] = set()
        self._judging: Any = None
        declared = sum(seconds_declared(cell) for cell in nb.cells)
        self._allowed = self.budget + 2 * declared
        self._ends = time.monotonic() + self._allowed
        if self.plan.judged:
            self._judging = Judging(*of)
        try:
            self._start()
            self.nb.metadata["language_info"] = self.wait_for_reply(self.kc.kernel_info())[
                "content"
            ]["language_info"]
            self._ends = time.monotonic() + self._allowed  # the start does not count
            for index, cell in enumerate(nb.cells):
                if cell.cell_type == "code" and cell.source.strip():
                    self._one(cell, index)
            self.set_widgets_metadata()
        finally:
            self._stop_all()
        self._say_stops()
        self.resources["plaincourse"] = self.record.as_data()
        return self.nb, self.resources

    def _one(self, cell: NotebookNode, index: int) -> None:
        """Run one cell, and make sure that there is a kernel for the next."""
        count = self.plan.numbers[index]
        if self._left() <= 0:
            cell.outputs = [error("NotRun", self.record.left_out(cell, index, self._allowed))]
            return
        if self._is_barred(cell):
            self._barred.add(index)
            cell.outputs = [error("NotRun", _BARRED)]
            return
        if len(self._lost) > self.restarts:
            why = _GIVEN_UP.format(self.restarts, self._lost[-1])
            cell.outputs = [error("NotRun", why)]
            self.record.flag(name_of(cell, index), "died", why)
            return
        began = time.monotonic()
        if index in self.plan.judged:
            gone = self._judge(cell, index, count)
        else:
            gone = self._run(cell, index)
            number(cell, count)
            self.record.ran(cell, index, time.monotonic() - began, self.plan)
        if gone:
            self._lost += [gone] * (self.restarts + 1 if self._held else 1)
            if index not in self.plan.judged:
                self._deadly.add(index)
            if len(self._lost) <= self.restarts:
                self._again(index)

    def _computed(self) -> float:
        child = getattr(self.km.provisioner, "child", None)
        return computed(child.pid) if child is not None else 0.0

    def _left(self) -> float:
        return self._ends - time.monotonic()

    def _run(self, cell: NotebookNode, index: int) -> str:
        """Run a cell in the kernel; return the reason if the kernel was lost."""
        cell.outputs = []
        seconds, began, used = self._get_timeout(cell), time.monotonic(), self._computed()
        try:
            if self.plan.judged and self.plan.needs_bank and is_test(cell):
                # An agent has deferred checks; here they can be made.
                self.kc.execute(_CHECK_NOW, silent=True)
            self.execute_cell(cell, index, store_history=True)
        except DeadKernelError:
            why = self._why(index)
            cell.outputs.append(error("KernelDied", why))
        except CellTimeoutError:
            why = f"The cell did not end within {seconds} seconds, nor when it was interrupted."
            self._note_stop(cell, index, time.monotonic() - began)
            cell.outputs.append(error("CellTimeoutError", why))
        else:
            took = time.monotonic() - began
            if seconds and took >= _WAIT and self._computed() - used < took / 10:
                self._idled += min(took / seconds, 1.0)
            if late := self._was_late(cell, index, took, seconds):
                say_stopped(cell, late)
            if index in self.flooded:
                self._flag(cell, index, "flood", FLOOD)
            return ""
        self._flag(cell, index, "flood" if index in self.flooded else "died", why)
        return why

    def _flag(self, cell: NotebookNode, index: int, kind: str, why: str) -> None:
        """Flag a cell that lost its kernel or its output, with its place in the notebook."""
        where = _WHERE.format(why=why, cell=place_of(cell, index))
        self.record.flag(name_of(cell, index), kind, where)

    def _get_timeout(self, cell: NotebookNode | None) -> int | None:
        """Return a cell's time limit: the instructor's for this cell, or the general one."""
        own = 0 if cell is None else seconds_declared(cell)
        usual: int | None = super()._get_timeout(cell)
        limit = own or usual
        over = self._idled  # the kernel may fail to answer, so tests have less time too
        if cell is not None and is_students(cell):
            over = max(over, len(self._stopped))
        if limit and over >= _IDLE:
            limit = min(limit, max(limit >> (int(over) - _IDLE + 1), _LEAST))
        if self._ends == math.inf:  # no cell has run, so the budget has not begun
            return limit
        left = max(1, math.ceil(self._left()))
        return min(limit or left, left)

    def _was_late(
        self, cell: NotebookNode, index: int, took: float, seconds: int | None
    ) -> int | None:
        """Return the limit at which a finished cell was stopped, if it was, and record the stop."""
        late = seconds if seconds and took >= seconds else None
        if late:
            self._note_stop(cell, index, took)
        self.settle(interrupted=late is not None)
        return late

    def _note_stop(self, cell: NotebookNode, index: int, took: float) -> None:
        """Record the seconds after which a student's cell was stopped."""
        if is_students(cell):
            self._stopped = (*self._stopped, took)
            self._stops[index] = name_of(cell, index)

    def _is_barred(self, cell: NotebookNode) -> bool:
        """Return whether a cell is skipped, because endless cells used too much time."""
        usual: int | None = super()._get_timeout(cell)
        if not usual or not is_students(cell) or is_solution(cell):
            return False
        return bool(sum(self._stopped) >= _STOPPED * usual)

    def _say_stops(self) -> None:
        """Flag a notebook whose stopped cells shortened the time of others."""
        if self._stopped and self._idled >= _IDLE:
            self.record.flag("", "slow", _WAITS)
        if len(self._stopped) <= _IDLE:
            return
        names = list(self._stops.values())
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        why = _STOPS.format(
            stopped=len(self._stopped),
            took=sum(self._stopped),
            names=", ".join(names[:_NAMED]) + more,
            left=_LEFT.format(len(self._barred)) if self._barred else "",
        )
        self.record.flag("", "slow", why)

    def _why(self, index: int) -> str:
        if index in self.flooded:
            return FLOOD
        return getattr(self.km, "ending", "") or "The kernel died."

    def _judge(self, cell: NotebookNode, index: int, count: int) -> str:
        """Run a test cell in the judge; return the reason if the student's process was lost."""
        name = name_of(cell, index)
        code = [each.source for each in self.nb.cells[:index] if is_students(each)]
        with others_held(self.km.provisioner.child.pid, self._own) as beside:
            judged = self._judging.cell(
                source=cell.source,
                name=name,
                count=count,
                seconds=float(self._get_timeout(cell) or 3600),
                code=code,
            )
        if beside.ran:
            judged.outputs, judged.reports = [error("ProcessRan", RAN)], []
        if beside.names or beside.ran:
            why = HELD.format(counted(beside.names) or "another")
            self.record.flag(name, "processes", RAN if beside.ran else why)
        if judged.gone:
            self._say_how_it_ended(judged)
            for flag in judged.flags:
                if flag["why"] == judged.gone:
                    flag["why"] = _TESTED.format(why=judged.gone, name=name)
        cell.outputs, cell.execution_count = judged.outputs, count
        self._held = judged.held  # one submission cannot hold up the grading twice
        self.record.judged(cell, index, judged, self.plan)
        return str(judged.gone)

    def _say_how_it_ended(self, judged: Judged) -> None:
        """Report why the student's process ended, if it did; the judge only lost its connection."""
        child = self.km.provisioner.child
        if child is None or child.wait(1.0) is None or not (why := self.km.ending):
            return
        judged.outputs = [each for each in judged.outputs if each.output_type != "error"]
        judged.outputs.append(error("KernelDied", why))
        for flag in judged.flags:
            flag["why"] = why if flag["why"] == judged.gone else flag["why"]
        judged.gone = why

    def _again(self, until: int) -> None:
        """Start a new kernel and repeat the cells up to here, without those that killed one."""
        self._stop_kernel()
        self._start()
        for index, cell in enumerate(self.nb.cells[: until + 1]):
            again = is_students(cell) and index not in self._deadly and index not in self.flooded
            if not again or index in self.plan.judged or self._left() <= 0:
                continue
            if self._is_barred(cell):
                continue
            seconds, began = self._get_timeout(cell), time.monotonic()
            try:
                self.execute_cell(copy.deepcopy(cell), index, store_history=True)
            except (DeadKernelError, CellTimeoutError) as lost:
                if isinstance(lost, CellTimeoutError):
                    self._note_stop(cell, index, time.monotonic() - began)
                why = self._why(index)
                self._lost.append(why)
                self._deadly.add(index)
                self.nb.cells[index] = cell
                if len(self._lost) <= self.restarts:
                    self._again(until)
                return
            self._was_late(cell, index, time.monotonic() - began, seconds)
            self.nb.cells[index] = cell

    def _start(self) -> None:
        """Start a kernel, and connect its agent to the judge."""
        self.km = self.kernel_manager_class(config=self.config)
        if not self.plan.judged:
            known = self.source_notebook if not self.split else ""
            self.start_new_kernel(**self.plan.room(Path(known) if known else None))
        else:
            ours, theirs = socket.socketpair()
            with theirs:
                self.start_new_kernel(agent=theirs.fileno(), **self.plan.room(None))
            self._judging.meet(ours)
        self.start_new_kernel_client()
        self._own = descendants(self.km.provisioner.child.pid) if self.plan.judged else set()

    def _stop_kernel(self) -> None:
        if self.km is not None:
            self._cleanup_kernel()

    def _stop_all(self) -> None:
        try:
            self._stop_kernel()
        finally:
            if self._judging is not None:
                self._judging.close()
