"""The graded tasks of a course on sorting. It teaches with no package of its own."""
