"""An error at a chosen call, for tests of interruptions."""


class Trap:
    """Raise an error at one call, and count all calls."""

    def __init__(self, at, error=KeyboardInterrupt):
        self.at, self.error, self.calls = at, error, 0

    def __call__(self, *_, **__):
        self.calls += 1
        if self.calls == self.at:
            raise self.error("at this place")
