"""Run a student's code in one process and its tests in another, which only receives data."""
