"""The graded tasks of the course, one file each, in the folder of their chapter."""

SUBJECT = "plainformer"
"""The package that the course teaches with; an answer may not call it unless its task says so."""
