"""Rows of the test that advice in an error message works: how to get it, and what follows it."""
