"""What can go wrong between the tests and the student, for reasons that are nobody's code."""


class ProxyError(RuntimeError):
    """A test asks of a student's object what cannot be asked across two processes."""


class WireError(ValueError):
    """What came is no value that may cross between the processes, or not in one piece."""


class TooLargeError(WireError):
    """What shall cross has more parts than a message may hold."""
