"""Attacks through return values that are too large, too deep, infinite, or circular."""

from tests.attacks.attack import Attack

_SQUARES = "def squares(n):\n{}"
_LATER = ("choice", "last")


def _returns(name: str, attempts: str, body: str) -> Attack:
    dented = "\n".join("    " + line for line in body.splitlines())
    return Attack(
        name=name,
        theme="breaking",
        attempts=attempts,
        answers={"partial": _SQUARES.format(dented)},
        loses=_LATER,
    )


RETURNING = (
    _returns("returns-much", "Returns a list of a hundred million numbers.", "return [1] * 10**8"),
    _returns("returns-a-huge-number", "Returns a number of a million digits.",
             "return [1 << 3_000_000]"),
    _returns("returns-a-long-text", "Returns a text of half a gigabyte.", "return 'x' * (1 << 29)"),
    _returns("returns-a-wide-tensor", "Returns a tensor that says it holds 10^15 numbers.",
             "return torch.zeros(1).expand(10**9, 10**6)"),
    _returns(
        "returns-depths",
        "Returns lists in lists, a hundred thousand deep.",
        "deep = []\nfor _ in range(100_000):\n    deep = [deep]\nreturn deep",
    ),
    _returns(
        "returns-a-circle",
        "Returns a list and a dictionary that hold themselves.",
        "ring = {}\nring['ring'] = [ring]\nring['ring'].append(ring['ring'])\nreturn ring['ring']",
    ),
    _returns(
        "returns-no-end",
        "Returns a generator that never ends, with a length and an index.",
        "import itertools\nreturn itertools.count()",
    ),
    _returns(
        "returns-odd-text",
        "Returns half characters, zeros and keys of every type.",
        "return {'\\ud800': '\\x00', (1, (2,)): b'\\xff', None: float('inf'), 1.5: ...}",
    ),
    _returns(
        "returns-an-unpickler",
        "Returns an object that runs code in whoever unpickles or copies it.",
        "class Bomb:\n"
        "    def __reduce__(self):\n"
        "        return os.system, ('touch ' + PLACES['drop'] + '/unpickled',)\n"
        "    __deepcopy__ = __copy__ = __reduce__\n"
        "return [Bomb()]",
    ),
    _returns(
        "returns-callbacks",
        "Returns objects whose every method calls back, deeper each time.",
        "class Ring:\n"
        "    def __getattr__(self, name): return Ring()\n"
        "    def __call__(self, *args): return Ring()\n"
        "    def __eq__(self, other): return other == self\n"
        "    __hash__ = None\n"
        "return Ring()",
    ),
)  # fmt: skip
