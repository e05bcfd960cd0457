"""Changes in the instructor's notebook that were not released yet."""

import json
from collections.abc import Collection
from typing import Any

from plaincourse.grading.text import bare, grade_id, is_known, role


def older(original: Any, latest: Collection[str] | None = None) -> str:
    """Return a difference between the gradebook and the instructor's notebook; empty if none.

    Args:
        original: the notebook, an `assignment.Original`.
        latest: the names of the cells in its latest release; None if that is not known.
    """
    cells = json.loads(original.text)["cells"] if original.text else []
    names = [grade_id(cell) for cell in cells if is_known(cell)]
    released = original.source.by_name if latest is None else latest
    if added := [name for name in names if name not in released]:
        return f"`{added[0]}` of {original.path.name} is not in the version that was released"
    if original.text and (gone := [name for name in released if name not in names]):
        return f"`{gone[0]}`, which was released, is no longer in {original.path.name}"
    for cell in cells:
        meta = role(cell)
        name, points = grade_id(cell), meta.get("points")
        known = original.source.by_name.get(name)
        text = "".join(cell["source"])
        if known is None or not (meta.get("grade") or meta.get("locked")):
            continue
        if points is not None and known.points is not None and float(points) != known.points:
            return (
                f"`{name}` is worth {points:g} {'point' if points == 1 else 'points'} in "
                f"{original.path.name}, and "
                f"{known.points:g} in the gradebook"
            )
        if known.locked and bare(text) != bare(known.source):
            return f"the tests in `{name}` of {original.path.name} are not those of the gradebook"
    return ""
