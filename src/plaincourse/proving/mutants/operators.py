"""Small changes to an expression, such as a student makes by mistake.

An operator is given one place of the code and yields changes: what changed, in words, and the node
that takes the place of the old one. It leaves the old node as it is.
"""

import ast
from collections.abc import Callable, Iterator

from plaincourse.proving.mutants.sites import Site, text

Change = tuple[str, ast.AST]
Operator = Callable[[Site], Iterator[Change]]

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.MatMult, ast.Pow)
_IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
_CHANGES_TENSORS = "masked_fill exp clamp clamp_min nan_to_num tril triu unsqueeze".split()


def comparison(site: Site) -> Iterator[Change]:
    """Move the bound of a comparison by one, or turn it round."""
    node = site.node
    if isinstance(node, ast.Compare):
        for place, old in enumerate(node.ops):
            for new in _COMPARISONS.get(type(old), ()):
                ops = [*node.ops[:place], new(), *node.ops[place + 1 :]]
                other = ast.Compare(node.left, ops, node.comparators)
                right = text(node.comparators[place])
                yield f"{_sign(old)} {right} becomes {_sign(new())} {right}", other


def arithmetic(site: Site) -> Iterator[Change]:
    """Take the opposite operator."""
    node = site.node
    if isinstance(node, ast.BinOp):
        for new in _ARITHMETIC.get(type(node.op), ()):
            right = text(node.right)
            said = f"{_sign(node.op)} {right} becomes {_sign(new())} {right}"
            yield said, ast.BinOp(node.left, new(), node.right)


def operand_dropped(site: Site) -> Iterator[Change]:
    """Leave out one side of an operator: the scale, the shift, the second condition."""
    node = site.node
    if isinstance(node, ast.BinOp):
        yield f"{_sign(node.op)} {text(node.right)} dropped", node.left
        yield f"{text(node.left)} {_sign(node.op)} dropped", node.right
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            rest = [each for each in node.values if each is not value]
            other = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            yield f"condition {text(value)} dropped", other


def operands_swapped(site: Site) -> Iterator[Change]:
    """Swap the sides of an operator that tells them apart."""
    node = site.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ONE_SIDED):
        said = f"{_sign(node.op)} {text(node.right)} has its sides swapped"
        yield said, ast.BinOp(node.right, node.op, node.left)


def logic(site: Site) -> Iterator[Change]:
    """Take ``or`` for ``and``, and the other way round."""
    node = site.node
    if isinstance(node, ast.BoolOp):
        new = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{text(node)} has {_word(new)} for its operator", ast.BoolOp(new, node.values)


def constant(site: Site) -> Iterator[Change]:
    """Move a number by one, an axis among them; make a fraction 0 or 1; flip a truth value."""
    node, factor = site.node, 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, factor = node.operand, -1
    if not isinstance(node, ast.Constant) or not isinstance(node.value, bool | int | float):
        return
    values: tuple[bool | float, ...]
    if isinstance(node.value, bool):
        values = (not node.value,)
    elif node.value % 1:
        values = (0.0, 1.0)
    else:
        values = (factor * node.value - 1, factor * node.value + 1)
    for value in values:
        new = ast.parse(repr(value), mode="eval").body
        yield f"{text(site.node)} becomes {text(new)} in {text(site.parent)}", new


def sign(site: Site) -> Iterator[Change]:
    """Drop a minus; put one before the argument of an exponential."""
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield f"the minus of {text(node)} dropped", node.operand
    if isinstance(node, ast.Call) and _called(node) in {"exp", "softmax"} and node.args:
        args = [ast.UnaryOp(ast.USub(), node.args[0]), *node.args[1:]]
        said = f"{_called(node)} is taken of minus {text(node.args[0])}"
        yield said, ast.Call(node.func, args, node.keywords)


def negation(site: Site) -> Iterator[Change]:
    """Drop a ``not`` or ``~``; put one before a mask."""
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield f"{text(node)} becomes {text(node.operand)}", node.operand
    if isinstance(node, ast.Call) and _called(node) in {"masked_fill", "where"} and node.args:
        first = node.args[0]
        if not isinstance(first, ast.UnaryOp):
            args = [ast.UnaryOp(ast.Invert(), first), *node.args[1:]]
            yield (
                f"{_called(node)} takes ~({text(first)})",
                ast.Call(node.func, args, node.keywords),
            )


def in_place(site: Site) -> Iterator[Change]:
    """Write into a parameter instead of making a new tensor."""
    node = site.node
    if isinstance(node, ast.BinOp) and _is_name(node.left, site.scope.parameters):
        name = _IN_PLACE.get(type(node.op))
        if name:
            call = ast.Call(ast.Attribute(node.left, name, ast.Load()), [node.right], [])
            yield f"{text(node)} becomes {text(call)}", call
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        func = node.func
        if func.attr in _CHANGES_TENSORS and _is_name(func.value, site.scope.parameters):
            other = ast.Attribute(func.value, f"{func.attr}_", ast.Load())
            yield f"{text(func)} becomes {text(other)}", ast.Call(other, node.args, node.keywords)


def _is_name(node: ast.AST, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def _sign(op: ast.operator | ast.cmpop) -> str:
    """Return an operator as it is written."""
    a, b = ast.Name("a", ast.Load()), ast.Name("b", ast.Load())
    whole = ast.BinOp(a, op, b) if isinstance(op, ast.operator) else ast.Compare(a, [op], [b])
    return ast.unparse(whole)[2:-2]


def _word(op: ast.boolop) -> str:
    return "and" if isinstance(op, ast.And) else "or"


EXPRESSIONS: tuple[Operator, ...] = (
    comparison, arithmetic, operand_dropped, operands_swapped, logic, constant, sign, negation,
    in_place,
)  # fmt: skip
