"""Run a student's code in one process and the tests of it in another, which only receives data."""
