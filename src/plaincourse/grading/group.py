"""Files that the graders of a course share: ``c.CourseDirectory.groupshared``.

In such a course, all files that our commands write belong to the group of the course's folder, and
the group may write to them, whatever the umask of the grader.
"""

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Group:
    """The group of a course.

    Attributes:
        root: the course's folder, whose group it is.
        shared: whether the course is shared; otherwise nothing is changed.
    """

    root: Path
    shared: bool

    def share(self, *paths: Path) -> None:
        """Share files or folders, and the folders above them up to the course's.

        Args:
            paths: to existing entries; those that are missing or belong to another user are left
                unchanged.
        """
        if not self.shared:
            return
        for each in dict.fromkeys(each for path in paths for each in self._with_folders(path)):
            self._open(each)

    def share_below(self, folder: Path) -> None:
        """Share a folder with everything in it, and the folders above it."""
        if not self.shared:
            return
        self.share(folder)
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                self._open(Path(place, name))

    def begin(self, step: Path) -> None:
        """Share a step's folder, and everything that this process makes in it from now on.

        nbgrader makes folders of its own there. A umask that admits the group and the set-group-id
        bit of the folder above give them the right mode and group.
        """
        if self.shared:
            step.mkdir(parents=True, exist_ok=True)
            self.share(step)
            os.umask(os.umask(0) & ~0o070)

    def _with_folders(self, path: Path) -> list[Path]:
        root, whole = self.root.absolute(), path.absolute()
        above = [each for each in whole.parents if root in each.parents]
        return [*reversed(above), whole]

    def _open(self, path: Path) -> None:
        with contextlib.suppress(OSError):  # it is another user's, or the disk has no groups
            about = path.lstat()
            if not (stat.S_ISDIR(about.st_mode) or stat.S_ISREG(about.st_mode)):
                return
            group = self.root.stat().st_gid
            if about.st_gid != group and hasattr(os, "chown"):
                with contextlib.suppress(PermissionError):
                    os.chown(path, -1, group)
            mode = stat.S_IMODE(about.st_mode)
            wanted = mode | (0o2770 if stat.S_ISDIR(about.st_mode) else 0o660)
            if wanted != mode or about.st_gid != group:
                path.chmod(wanted)


def group_of(place: Any) -> Group:
    """Return the group of a course by nbgrader's ``CourseDirectory``."""
    return Group(root=Path(place.root), shared=bool(place.groupshared))


#: For files outside a course.
NOBODY = Group(root=Path(), shared=False)
