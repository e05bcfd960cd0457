"""The graded tasks of a course on sorting, which does not have a package of its own."""
