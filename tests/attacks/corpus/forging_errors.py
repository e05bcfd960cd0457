"""Attacks through raised exceptions."""

from tests.attacks.attack import Attack


def _ends(name: str, error: str, attempts: str) -> Attack:
    """Return an attack whose functions raise an exception."""
    body = f"def {{}}(*args):\n    raise {error}"
    return Attack(
        name=name,
        theme="forging",
        attempts=attempts,
        answers={"plain": body.format("double"), "target": body.format("scores")},
        loses=("partial", "choice", "last"),
    )


FORGING_ERRORS = (
    _ends("exit-raised", "SystemExit(0)", "Ends the test by SystemExit, as if it were done."),
    _ends("interrupt-raised", "KeyboardInterrupt", "Ends the test by KeyboardInterrupt."),
    _ends("generator-exit-raised", "GeneratorExit", "Ends the test by GeneratorExit."),
    Attack(
        name="errors-that-lie",
        theme="forging",
        attempts="Raises errors whose type, name, text and base classes lie or never end.",
        first="""
class Meta(type):
    def mro(cls): return [cls, *BaseException.__mro__]
    __name__ = property(lambda cls: "<b>\\n" * 100_000)
    __subclasscheck__ = __instancecheck__ = lambda *args: True
class Lie(BaseException, metaclass=Meta):
    __class__ = property(lambda self: StopIteration)
    def __str__(self): raise self
    __repr__ = __str__
""",
        answers={
            "plain": "def double(x):\n    raise Lie",
            "target": "def scores(query, key):\n    raise Lie",
        },
    ),
)
