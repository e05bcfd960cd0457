"""Operators that make small changes to code, such as a student makes by mistake.

An operator gets one place in the code and yields changes: a description, and the node that replaces
the old one. It does not modify the old node. Operators for expressions come first, then those for
calls, names, indices and statements.
"""

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise

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
#: Names of modules and objects, not tensors, so a call of their function cannot become the name.
_MODULES = {"torch", "math", "np", "nn", "F", "self"}
_SIBLINGS = (
    ("amax", "amin"),
    ("max", "min"),
    ("triu", "tril"),
    ("sum", "mean"),
    ("any", "all"),
    ("ones", "zeros"),
    ("ones_like", "zeros_like"),
    ("softmax", "log_softmax"),
)
_OTHER = {a: b for pair in _SIBLINGS for a, b in (pair, pair[::-1])}


def comparison(site: Site) -> Iterator[Change]:
    """Move the bound of a comparison by one, or reverse it."""
    node = site.node
    if isinstance(node, ast.Compare):
        for place, old in enumerate(node.ops):
            for new in _COMPARISONS.get(type(old), ()):
                ops = [*node.ops[:place], new(), *node.ops[place + 1 :]]
                other = ast.Compare(node.left, ops, node.comparators)
                right = text(node.comparators[place])
                yield f"{_sign(old)} {right} becomes {_sign(new())} {right}", other


def arithmetic(site: Site) -> Iterator[Change]:
    """Use the opposite operator."""
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
    """Swap the sides of an operator that is not commutative."""
    node = site.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ONE_SIDED):
        said = f"{_sign(node.op)} {text(node.right)} has its sides swapped"
        yield said, ast.BinOp(node.right, node.op, node.left)


def logic(site: Site) -> Iterator[Change]:
    """Replace ``and`` by ``or``, and vice versa."""
    node = site.node
    if isinstance(node, ast.BoolOp):
        new = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{text(node)} has {_word(new)} for its operator", ast.BoolOp(new, node.values)


def constant(site: Site) -> Iterator[Change]:
    """Move a number, such as an axis, by one; make a fraction 0 or 1; flip a truth value."""
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
    """Drop a minus, or put one before the argument of an exponential."""
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield f"the minus of {text(node)} dropped", node.operand
    if isinstance(node, ast.Call) and _called(node) in {"exp", "softmax"} and node.args:
        args = [ast.UnaryOp(ast.USub(), node.args[0]), *node.args[1:]]
        said = f"{_called(node)} is taken of minus {text(node.args[0])}"
        yield said, ast.Call(node.func, args, node.keywords)


def negation(site: Site) -> Iterator[Change]:
    """Drop a ``not`` or ``~``, or put one before a mask."""
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


def arguments_swapped(site: Site) -> Iterator[Change]:
    """Swap two neighbouring arguments."""
    node = site.node
    if isinstance(node, ast.Call):
        for place, (a, b) in enumerate(pairwise(node.args)):
            args = [*node.args[:place], b, a, *node.args[place + 2 :]]
            said = f"{text(a)} and {text(b)} swapped in {text(node)}"
            yield said, ast.Call(node.func, args, node.keywords)


def argument_dropped(site: Site) -> Iterator[Change]:
    """Leave out a keyword, or the last of several arguments."""
    node = site.node
    if isinstance(node, ast.Call):
        for gone in node.keywords:
            rest = [each for each in node.keywords if each is not gone]
            yield f"{text(gone)} dropped in {text(node)}", ast.Call(node.func, node.args, rest)
        if len(node.args) > 1:
            said = f"{text(node.args[-1])} dropped in {text(node)}"
            yield said, ast.Call(node.func, node.args[:-1], node.keywords)


def call_dropped(site: Site) -> Iterator[Change]:
    """Leave out a call: ``x.transpose(-2, -1)`` becomes ``x``, ``math.sqrt(d)`` becomes ``d``."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    func = node.func
    if isinstance(func, ast.Attribute) and ast.unparse(func.value) not in _MODULES:
        args = ast.Call(ast.Name(func.attr, ast.Load()), node.args, node.keywords)
        yield f"{text(args)} dropped", func.value
    elif node.args and not isinstance(node.args[0], ast.Starred):
        yield f"{text(func)} of {text(node.args[0])} dropped", node.args[0]


def sibling(site: Site) -> Iterator[Change]:
    """Call a similar function instead, such as ``amin`` for ``amax``."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        other = _OTHER.get(node.func.attr)
        if other:
            func = ast.Attribute(node.func.value, other, ast.Load())
            said = f"{text(node.func)} becomes {other}"
            yield said, ast.Call(func, node.args, node.keywords)


def name(site: Site) -> Iterator[Change]:
    """Replace a parameter by another parameter, or a variable by another known variable."""
    node, scope = site.node, site.scope
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for kind in (scope.parameters, scope.known(site.line)):
            for other in kind if node.id in kind else ():
                if other != node.id:
                    said = f"{node.id} becomes {other} in {text(site.parent)}"
                    yield said, ast.Name(other, ast.Load())
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        for other in scope.attributes if isinstance(node.ctx, ast.Load) else ():
            if other != node.attr:
                said = f"self.{node.attr} becomes self.{other}"
                yield said, ast.Attribute(node.value, other, ast.Load())


def index(site: Site) -> Iterator[Change]:
    """Drop an index, or swap two neighbours in it: ``[:, None]`` becomes ``[None, :]``."""
    node = site.node
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    yield f"the index of {text(node)} dropped", node.value
    if isinstance(node.slice, ast.Tuple):
        parts = node.slice.elts
        for place, (a, b) in enumerate(pairwise(parts)):
            swapped = ast.Tuple([*parts[:place], b, a, *parts[place + 2 :]], ast.Load())
            other = ast.Subscript(node.value, swapped, ast.Load())
            yield f"{text(node)} becomes {text(other)}", other


def bound(site: Site) -> Iterator[Change]:
    """Drop the bound of a slice or move it by one; let a range begin at 1."""
    node = site.node
    if isinstance(node, ast.Slice):
        for which in ("lower", "upper"):
            old = getattr(node, which)
            for new in _moved(old) if old else ():
                other = ast.Slice(node.lower, node.upper, node.step)
                setattr(other, which, new)
                yield f"[{text(node)}] becomes [{text(other)}]", other
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and len(node.args) == 1:
        yield f"{text(node)} begins at 1", ast.Call(node.func, [ast.Constant(1), *node.args], [])


def deleted(site: Site) -> Iterator[Change]:
    """Delete a statement."""
    node = site.node
    if isinstance(node, ast.stmt) and site.scope.owner and not isinstance(node, ast.Pass):
        yield f"statement {text(node)} deleted", ast.Pass()


def branch(site: Site) -> Iterator[Change]:
    """Negate a condition, or always take one branch."""
    node = site.node
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        said = text(node.test)
        other = ast.UnaryOp(ast.Not(), node.test)
        if isinstance(node, ast.IfExp):
            yield f"condition {said} negated", ast.IfExp(other, node.body, node.orelse)
            yield f"condition {said} always true", node.body
            yield f"condition {said} always false", node.orelse
        elif isinstance(node, ast.While):
            yield f"condition {said} negated", ast.While(other, node.body, node.orelse)
        else:
            yield f"condition {said} negated", ast.If(other, node.body, node.orelse)
            yield f"condition {said} always true", ast.If(ast.Constant(True), node.body, [])


def assigned(site: Site) -> Iterator[Change]:
    """Use the opposite operator in ``+=``, or assign instead."""
    node = site.node
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        op: ast.operator = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        other: ast.stmt = ast.AugAssign(node.target, op, node.value)
        yield f"{text(node)} becomes {text(other)}", other
        other = ast.Assign([node.target], node.value, lineno=node.lineno)
        yield f"{text(node)} becomes {text(other)}", other


def returned(site: Site) -> Iterator[Change]:
    """Return an intermediate value, or the result with its sign changed."""
    node = site.node
    if isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant | None):
        for each in site.scope.known(site.line):
            yield f"{text(node)} becomes return {each}", ast.Return(ast.Name(each, ast.Load()))
        minus = ast.Return(ast.UnaryOp(ast.USub(), node.value))
        yield f"{text(node)} has its sign turned", minus


def _is_name(node: ast.AST, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def _sign(op: ast.operator | ast.cmpop) -> str:
    """Return the source of an operator."""
    a, b = ast.Name("a", ast.Load()), ast.Name("b", ast.Load())
    whole = ast.BinOp(a, op, b) if isinstance(op, ast.operator) else ast.Compare(a, [op], [b])
    return ast.unparse(whole)[2:-2]


def _word(op: ast.boolop) -> str:
    return "and" if isinstance(op, ast.And) else "or"


def _moved(old: ast.expr) -> Iterator[ast.expr | None]:
    yield None
    # A number in the bound is moved by the operator for constants.
    if not any(isinstance(each, ast.Constant) for each in ast.walk(old)):
        for op in (ast.Add(), ast.Sub()):
            yield ast.BinOp(old, op, ast.Constant(1))


EXPRESSIONS: tuple[Operator, ...] = (
    comparison, arithmetic, operand_dropped, operands_swapped, logic, constant, sign, negation,
    in_place,
)  # fmt: skip
CALLS: tuple[Operator, ...] = (
    arguments_swapped, argument_dropped, call_dropped, sibling, name, index, bound, deleted,
    branch, assigned, returned,
)  # fmt: skip
OPERATORS: tuple[Operator, ...] = (*EXPRESSIONS, *CALLS)
