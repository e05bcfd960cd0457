"""The course's additions to nbgrader's autograding."""
