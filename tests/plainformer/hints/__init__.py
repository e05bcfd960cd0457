"""Rows for the test of advice in error messages: how to get the message, and follow its advice."""
