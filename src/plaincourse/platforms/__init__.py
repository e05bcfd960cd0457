"""Run the course's grading on the platforms where classes already are."""
