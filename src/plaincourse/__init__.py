"""The machinery of the course. In a notebook: ``from plaincourse import check, hint``."""

from plaincourse.check import check, hint

__all__ = ["check", "hint"]
