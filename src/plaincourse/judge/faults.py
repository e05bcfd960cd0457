"""Errors between the tests and the student that no author's code causes."""


class ProxyError(RuntimeError):
    """A test makes a request about a student's object that is impossible across two processes."""


class WireError(ValueError):
    """The received data is not a value that may cross between the processes, or is incomplete."""


class TooLargeError(WireError):
    """A value has more parts than a message may hold."""
