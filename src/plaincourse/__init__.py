"""The machinery of the course. In a notebook: ``from plaincourse import check, hint, total``."""

from plaincourse.check import check, hint, total

__all__ = ["check", "hint", "total"]
