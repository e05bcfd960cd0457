"""Find answers in Jupyter's checkpoints of a notebook that was submitted without them."""

from collections.abc import Collection, Mapping
from pathlib import Path

from plaincourse.grading.files import shown
from plaincourse.grading.recognise import listed

_FOLDER = ".ipynb_checkpoints"
#: The maximal number of checkpoints that are read.
_MOST = 4
_NOTE = (
    "The notebook has no answer to {names}, but Jupyter's own copy, `{file}`, has one. The copy "
    "was not graded. If it holds your work, tell your instructor."
)
_WHY = (
    "The notebook has no answer to {names}, but Jupyter's own copy, `{file}`, has one. The copy "
    "was not graded: read it, and if it is the student's work, put it in place of the notebook and "
    "grade again."
)


def checkpoints(folder: Path) -> list[Path]:
    """Return the notebooks among a submission's checkpoints."""
    place = folder / _FOLDER
    if folder.is_symlink() or place.is_symlink():
        return []
    return sorted(place.glob("*.ipynb"))[:_MOST]


def kept_aside(
    folder: Path, blank: Collection[str], answers: Mapping[Path, Mapping[str, str]]
) -> tuple[str, str] | None:
    """Return messages for the student and the instructor on a checkpoint with missing answers.

    Args:
        folder: the submission's.
        blank: the answers that the notebook lacks.
        answers: those in each checkpoint of the assignment.
    """
    for path, given in answers.items():
        if names := [name for name in blank if name in given]:
            said = {"names": listed(names), "file": shown(folder, path)}
            return _NOTE.format(**said), _WHY.format(**said)
    return None
