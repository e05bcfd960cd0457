"""Rows for the test that every accepted public argument is read: see ``rows``."""
