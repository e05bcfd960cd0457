"""Keep results in an order that survives a power cut."""

import time
from collections.abc import Callable, Iterable

from plaincourse.grading.jobs import Job, Result
from plaincourse.grading.journal import Journal
from plaincourse.grading.writer import Writer

#: Results that are written together at most, and seconds that one waits for others.
BATCH, DELAY = 16, 1.0


def keep(
    graded: Iterable[Result | None],
    jobs: Iterable[Job],
    journal: Journal,
    writer: Writer,
    say: Callable[[Result], None],
    *,
    idle: Callable[[], None] = lambda: None,
) -> int:
    """Write results as they come, some at a time: folders, then the gradebook, then records.

    Args:
        graded: results; None where there is none for the moment.
        jobs: of all results that may come.
        journal: writes folders and records.
        writer: writes the gradebook.
        say: told of each result when it is safe.
        idle: called when nothing has come for a moment.

    Returns:
        How many are safe.
    """
    by_student = {job.student: job for job in jobs}
    batch: list[Result] = []
    done, since = 0, 0.0
    try:
        for result in graded:
            if result is None:
                idle()
            else:
                since = since if batch else time.monotonic()
                batch.append(result)
            if batch and (len(batch) >= BATCH or time.monotonic() - since > DELAY):
                done += _flush(batch, by_student, journal, writer, say)
        done += _flush(batch, by_student, journal, writer, say)
    except KeyboardInterrupt:
        pass  # the second one: what was not safe is graded again another time
    return done


def _flush(
    batch: list[Result],
    jobs: dict[str, Job],
    journal: Journal,
    writer: Writer,
    say: Callable[[Result], None],
) -> int:
    pairs = [(result, jobs[result.student]) for result in batch]
    for result, job in pairs:
        journal.publish(result, job)
    writer.write(pairs)
    for result, _ in pairs:
        journal.finish(result)
        say(result)
    batch.clear()
    return len(pairs)
