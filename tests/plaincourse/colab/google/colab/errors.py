"""Colab's errors."""


class Error(Exception):
    """The base class of Colab's errors."""
