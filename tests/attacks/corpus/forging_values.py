"""Attacks that return values with forged properties."""

from tests.attacks.attack import Attack

_LIAR = """
class Liar:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    def __float__(self): return 4.0
    def __len__(self): return 7
    def __iter__(self): return iter([1, 4, 9, 16, 25, 36, 49])
    def __getitem__(self, index): return (index + 1) ** 2
    def __repr__(self): return "4.0"
"""
_RETURNS = "def {}(*args, **kwargs):\n    return {}"
_EVERYWHERE = {
    "target": _RETURNS.format("scores", "Liar()"),
    "plain": _RETURNS.format("double", "Liar()"),
    "partial": _RETURNS.format("squares", "Liar()"),
}
_FUNCTION = "def squares(n):\n    {}"


FORGING_VALUES = (
    Attack(
        name="equal-to-all",
        theme="forging",
        attempts="Returns an object that says it is equal to everything.",
        first=_LIAR,
        answers={**_EVERYWHERE, "choice": "answer_output_shape = Liar()"},
    ),
    Attack(
        name="equal-list",
        theme="forging",
        attempts="Returns a list whose class says that it is equal to everything.",
        first="class Liar(list):\n    __eq__ = lambda a, b: True\n    __ne__ = lambda a, b: False",
        answers=_EVERYWHERE,
    ),
    Attack(
        name="equal-numbers",
        theme="forging",
        attempts="Returns a true list of numbers that say they are equal to every number.",
        first="""
class Liar(int):
    __eq__ = lambda a, b: True
    __ne__ = lambda a, b: False
    __hash__ = int.__hash__
""",
        answers={"partial": "def squares(n):\n    return [Liar() for _ in range(n)]"},
    ),
    Attack(
        name="equality-as-score",
        theme="forging",
        attempts="Lets `==` return an object that takes the score's place in the sum.",
        first="""
class Score(float):
    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = lambda a, b: a
    __bool__ = lambda self: True
    __repr__ = lambda self: "4.0"
class Liar:
    __eq__ = lambda a, b: Score(4.0)
    __hash__ = None
""",
        answers={"partial": _FUNCTION.format("return Liar()")},
    ),
    Attack(
        name="class-denied",
        theme="forging",
        attempts="Returns an object that passes isinstance as a tensor, and answers as one.",
        first=_LIAR
        + """
class Tensor(Liar):
    __class__ = property(lambda self: torch.Tensor)
    shape, dtype, ndim = torch.Size([1, 1]), torch.float64, 2
    def __getattr__(self, name): return lambda *args, **kwargs: self
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True
""",
        answers={
            "target": _RETURNS.format("scores", "Tensor()"),
            "plain": _RETURNS.format("double", "Tensor()"),
        },
    ),
    Attack(
        name="tensor-subclass",
        theme="forging",
        attempts="Returns a tensor subclass that answers every operation of torch with yes.",
        first="""
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name in ("allclose", "equal"):
            return True
        if name in ("isclose", "eq", "__eq__"):
            return torch.ones((), dtype=torch.bool)
        return super().__torch_function__(function, types, args, kwargs or {})
""",
        answers={
            "target": "def scores(query, key):\n    wrong = torch.zeros(*query.shape[:-1], "
            "key.shape[-2], dtype=query.dtype)\n    return wrong.as_subclass(Liar)",
            "plain": "def double(x):\n    return x.as_subclass(Liar)",
        },
    ),
    Attack(
        name="array-protocols",
        theme="forging",
        attempts="Returns an array subclass and an object with array protocols that agree to all.",
        first="""
class Liar(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs): return np.bool_(True)
    def __array_function__(self, *args, **kwargs): return True
    def __torch_function__(self, *args, **kwargs): return True
    def __array__(self, *args, **kwargs): return np.array([2.0, -4.0])
""",
        answers={
            "plain": "def double(x):\n    return np.zeros(2).view(Liar)",
            "partial": _FUNCTION.format("return np.zeros(n).view(Liar)"),
        },
    ),
    Attack(
        name="not-a-number",
        theme="forging",
        attempts="Returns nan, infinity and complex numbers of the right shape.",
        answers={
            "target": "def scores(query, key):\n    return query @ key.mT * float('nan')",
            "plain": "def double(x):\n    return torch.full_like(x, float('nan'))",
            "partial": _FUNCTION.format("return [float('nan')] * n"),
            "choice": "answer_output_shape = [float('nan')] * 6",
        },
    ),
    Attack(
        name="odd-tensors",
        theme="forging",
        attempts="Returns meta, sparse, quantised and empty tensors.",
        answers={
            "target": """KINDS = [lambda x: x.to("meta"), lambda x: x.to_sparse(),
         lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8),
         lambda x: x[:0], lambda x: x.to(torch.complex64),
         lambda x: torch.nested.nested_tensor([x])]
def scores(query, key):
    KINDS.append(KINDS.pop(0))
    return KINDS[-1](query)""",
        },
    ),
    Attack(
        name="any-number",
        theme="forging",
        attempts="Answers a question with floats that are near every number.",
        answers={
            "choice": """class Any(float):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda a, b: True
    __sub__ = __rsub__ = __abs__ = lambda *args: 0.0
    __float__ = lambda self: self
answer_output_shape = tuple(Any(1) for _ in range(6))""",
        },
    ),
    Attack(
        name="all-numbers",
        theme="forging",
        attempts="Answers a question with a value that changes with each look.",
        answers={
            "choice": """NUMBERS = iter([4, 6, 6, 5, 4, 8, 6, 4, 6, 5, 4, 8] * 1000)
class Any(tuple):
    __iter__ = lambda self: (next(NUMBERS) for _ in range(6))
    __len__ = lambda self: 6
    __getitem__ = lambda self, i: next(NUMBERS)
answer_output_shape = Any()""",
        },
    ),
    Attack(
        name="two-faced-numbers",
        theme="forging",
        attempts="Answers a question with objects that are another number at each look.",
        answers={
            "choice": """NUMBERS = iter([4, 6, 6, 5, 4, 8, 6, 4, 6, 5, 4, 8] * 1000)
class TwoFaced:
    __float__ = lambda self: float(next(NUMBERS))
    __repr__ = lambda self: "4.0"
answer_output_shape = tuple(TwoFaced() for _ in range(6))""",
        },
    ),
    Attack(
        name="claims-a-parameter",
        theme="forging",
        attempts="Returns an object whose class bears the name of a tensor's own subclass.",
        first="""
class Parameter:
    def __getattr__(self, name): return lambda *args, **kwargs: self
    __add__ = __radd__ = __sub__ = __rsub__ = __matmul__ = __rmatmul__ = lambda a, b: a
Parameter.__module__, Parameter.__qualname__ = "torch.nn.parameter", "Parameter"
""",
        answers={
            "target": _RETURNS.format("scores", "Parameter()"),
            "plain": _RETURNS.format("double", "Parameter()"),
            "partial": _RETURNS.format("squares", "[Parameter()] * 7"),
            "choice": "answer_output_shape = (Parameter(),) * 6",
            "last": _RETURNS.format("attention", "[Parameter(), Parameter()]"),
        },
    ),
    Attack(
        name="listening-operand",
        theme="forging",
        attempts="Returns an object that tells what it is subtracted from and compared with.",
        first="""
class Ear:
    def _hear(self, other): won(other); return torch.zeros(1)
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _hear
    __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __ne__ = __matmul__ = __rmatmul__ = _hear
    __hash__ = None
    shape, dtype, ndim = torch.Size([1, 1]), torch.float64, 2
    def __getattr__(self, name): return lambda *args, **kwargs: won(args) or self
""",
        answers={
            "first": _RETURNS.format("softmax_rows", "Ear()"),
            "target": _RETURNS.format("scores", "Ear()"),
            "last": _RETURNS.format("attention", "Ear()"),
        },
    ),
    Attack(
        name="encoded-names",
        theme="forging",
        attempts="Looks what it may not use up by a name that stands nowhere in its text.",
        first="""
import base64, functools, threading
def hidden(text): return base64.b64decode(text).decode()
""",
        answers={
            "first": """def softmax_rows(scores):
    found = []
    softly = functools.partial(getattr(torch, hidden("c29mdG1heA==")), dim=-1)
    work = threading.Thread(target=lambda: found.append(softly(scores)))
    work.start(); work.join()
    return found[0]""",
            "last": """def attention(query, key, value):
    name = hidden("c2NhbGVkX2RvdF9wcm9kdWN0X2F0dGVudGlvbg==")
    return getattr(torch.nn.functional, name)(query, key, value)""",
        },
    ),
    Attack(
        name="coarse-and-nearly-right",
        theme="forging",
        attempts="Returns numbers that are 0.4 % wrong in a dtype that cannot tell them apart.",
        answers={
            "target": "def scores(query, key):\n"
            "    return (1.004 * query @ key.mT).to(torch.bfloat16)",
            "last": """def attention(query, key, value):
    weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    return (1.004 * weights @ value).to(torch.bfloat16)""",
        },
    ),
)
