"""Small changes to calls, names, indices and statements, such as a student makes by mistake."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from plaincourse.proving.mutants.operators import Change, Operator
from plaincourse.proving.mutants.sites import Site, text

#: Names that hold functions and no tensor: what is called through them cannot be left out for them.
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
    """Call the function next to the one that is meant, such as ``amin`` for ``amax``."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        other = _OTHER.get(node.func.attr)
        if other:
            func = ast.Attribute(node.func.value, other, ast.Load())
            said = f"{text(node.func)} becomes {other}"
            yield said, ast.Call(func, node.args, node.keywords)


def name(site: Site) -> Iterator[Change]:
    """Take another parameter for a parameter, another known variable for a variable."""
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


def _moved(old: ast.expr) -> Iterator[ast.expr | None]:
    yield None
    # Where the bound holds a number, that is moved by the operator for constants.
    if not any(isinstance(each, ast.Constant) for each in ast.walk(old)):
        for op in (ast.Add(), ast.Sub()):
            yield ast.BinOp(old, op, ast.Constant(1))


def deleted(site: Site) -> Iterator[Change]:
    """Forget a statement."""
    node = site.node
    if isinstance(node, ast.stmt) and site.scope.owner and not isinstance(node, ast.Pass):
        yield f"statement {text(node)} deleted", ast.Pass()


def branch(site: Site) -> Iterator[Change]:
    """Negate a condition, or take one branch always."""
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
    """Take the opposite operator in ``+=``, or assign in its place."""
    node = site.node
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        op: ast.operator = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        other: ast.stmt = ast.AugAssign(node.target, op, node.value)
        yield f"{text(node)} becomes {text(other)}", other
        other = ast.Assign([node.target], node.value, lineno=node.lineno)
        yield f"{text(node)} becomes {text(other)}", other


def returned(site: Site) -> Iterator[Change]:
    """Return a value from the way there, or the result with its sign turned."""
    node = site.node
    if isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant | None):
        for each in site.scope.known(site.line):
            yield f"{text(node)} becomes return {each}", ast.Return(ast.Name(each, ast.Load()))
        minus = ast.Return(ast.UnaryOp(ast.USub(), node.value))
        yield f"{text(node)} has its sign turned", minus


CALLS: tuple[Operator, ...] = (
    arguments_swapped, argument_dropped, call_dropped, sibling, name, index, bound, deleted,
    branch, assigned, returned,
)  # fmt: skip
