"""Colab's errors."""


class Error(Exception):
    """Any of them."""
