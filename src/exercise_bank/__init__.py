"""The graded tasks of the course, one file each, in the folder of their chapter."""
