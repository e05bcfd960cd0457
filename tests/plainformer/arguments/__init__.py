"""Rows of the test that no public argument is accepted and not read: see ``rows``."""
