"""What the course adds to nbgrader's autograding."""
