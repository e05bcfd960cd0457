"""One run of ``plaincourse autograde``: it starts who grades before it imports what takes long."""

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from plaincourse.grading.begin import Begin
from plaincourse.grading.pool import Pool


def session(args: argparse.Namespace) -> int:
    """Grade as the command line says, and return the exit code.

    Args:
        args: of ``plaincourse autograde``.

    Raises:
        CourseError: the course cannot be graded as it is.
        ModuleNotFoundError: a package that grading needs is not installed.
    """
    begin = Begin(unsandboxed=args.allow_unsandboxed, one_process=args.one_process)
    with closing(Pool(begin, size=args.jobs)) as pool, _interrupts() as stopped:
        pool.start()
        # The import takes a second, in which the first worker starts what forks.
        from plaincourse.grading.rounds import grade_all

        return grade_all(args, pool, stopped)


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Count Ctrl-C and SIGTERM instead of dying of them; the second one ends at once."""
    heard: list[int] = []

    def hear(number: int, frame: object) -> None:
        heard.append(number)
        if len(heard) > 1:
            raise KeyboardInterrupt

    old = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(heard)
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
