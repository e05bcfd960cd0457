"""Places in a function's code, with their context from static analysis."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

#: Parts of a node without the function's own behaviour: annotations, decorators and bases.
_SILENT = {"annotation", "returns", "decorator_list", "bases", "type_comment", "type_params"}
_SHOWN = 44


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The names of a function.

    Attributes:
        owner: the function, such as ``SelfAttention.forward``; empty outside of functions.
        parameters: its parameters, in order, without ``self`` and without functions.
        assigned: the names that it assigns, in order, and the line of the first assignment.
        attributes: the attributes of ``self`` that its class assigns.
    """

    owner: str = ""
    parameters: tuple[str, ...] = ()
    assigned: Mapping[str, int] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()

    def known(self, line: int) -> tuple[str, ...]:
        """Return the names that are assigned above a line."""
        return tuple(name for name, first in self.assigned.items() if first < line)


@dataclass(frozen=True, kw_only=True)
class Site:
    """A node, its place in the tree, and the names around it.

    Attributes:
        node: the node.
        parent: the node that it is part of.
        name: the field of the parent that holds it.
        index: its index there, if the field is a list.
        line: its line; for a part of a statement, that of the statement.
        scope: the function that contains it.
    """

    node: ast.AST
    parent: ast.AST
    name: str
    index: int | None
    line: int
    scope: Scope = field(default_factory=Scope)

    def put(self, node: ast.AST) -> None:
        """Put another node in this place."""
        if self.index is None:
            setattr(self.parent, self.name, node)
        else:
            getattr(self.parent, self.name)[self.index] = node


def sites(tree: ast.Module) -> Iterator[Site]:
    """Yield every place of a module where a change can be made, from top to bottom."""
    yield from _below(tree, 1, Scope())


def text(node: ast.AST) -> str:
    """Return a node as code; shorten it if it is long, to ``f(…)`` or without the middle."""
    code = " ".join(ast.unparse(node).split())
    if len(code) <= _SHOWN:
        return code
    if isinstance(node, ast.Call):
        return f"{text(node.func)}(…)"
    half = _SHOWN // 2
    return f"{code[:half]} … {code[-half:]}"


def _below(parent: ast.AST, line: int, scope: Scope) -> Iterator[Site]:
    for name, value in ast.iter_fields(parent):
        if name in _SILENT or isinstance(value, ast.arguments):
            continue
        for index, node in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(node, ast.AST) or isinstance(node, ast.expr_context):
                continue
            at = node.lineno if isinstance(node, ast.stmt) else line
            within = index if isinstance(value, list) else None
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield from _below(node, at, _inside(node, scope))
                continue
            yield Site(node=node, parent=parent, name=name, index=within, line=at, scope=scope)
            yield from _below(node, at, scope)


def _inside(node: ast.FunctionDef | ast.ClassDef, outer: Scope) -> Scope:
    owner = f"{outer.owner}.{node.name}".lstrip(".")
    if isinstance(node, ast.ClassDef):
        kept = [
            each.attr
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute)
            and isinstance(each.ctx, ast.Store)
            and ast.unparse(each.value) == "self"
        ]
        return Scope(owner=owner, attributes=tuple(dict.fromkeys(kept)))
    args = node.args
    taken = [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    stored: dict[str, int] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id not in taken:
            stored[each.id] = min(each.lineno, stored.get(each.id, each.lineno))
    called = {ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
    return Scope(
        owner=owner,
        parameters=tuple(name for name in taken if name not in {"self", *called}),
        assigned=dict(sorted(stored.items(), key=lambda item: item[1])),
        attributes=outer.attributes,
    )
