"""Write a known answer as a student would submit it: as self-contained code, without the bank."""

import ast
import inspect
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType, ModuleType
from typing import Any


def pasted(answer: Callable[..., Any], name: str) -> str:
    """Write code that defines a name as an answer, including the code it uses from its folder.

    Annotations are left out, because they may use names that the notebook does not import.

    Args:
        answer: a function or a class of the bank, or a partial of one, whose arguments are plain
            values or named functions.
        name: its name in the notebook.
    """
    function = answer.func if isinstance(answer, partial) else answer
    parts: list[str] = []
    first: list[str] = []  # a default argument may use a constant
    seen: set[str] = set()
    waiting = [(each.__name__, each.__module__) for each in _functions(answer)]
    while waiting:
        each, where = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        file, statements = vars(sys.modules[where]), _statements(sys.modules[where])
        own = _own(file.get(each), function)
        tree = _bare(ast.parse(inspect.getsource(file[each]) if own else statements[each]))
        (parts if own else first).append(ast.unparse(tree))
        used = _names(tree, ast.Load) - _names(tree, ast.Store)  # without the names that it assigns
        for x in sorted(used):
            if _own(file.get(x), function):
                waiting.append((x, file[x].__module__))
            elif x in statements:
                waiting.append((x, where))
    last = _last(answer, function.__name__, name)
    return "\n\n".join([*reversed(first), *reversed(parts), *last])


def _functions(answer: object) -> list[Callable[..., Any]]:
    """List the functions and classes in a partial, its arguments included, recursively."""
    if isinstance(answer, partial):
        inside = (answer.func, *answer.args, *answer.keywords.values())
        return [function for each in inside for function in _functions(each)]
    return [answer] if isinstance(answer, FunctionType | type) else []


def _last(answer: Callable[..., Any], function: str, name: str) -> list[str]:
    """Write the statement that defines the name from the function."""
    if isinstance(answer, partial):
        return ["import functools", f"{name} = {_written(answer)}"]
    return [] if function == name else [f"{name} = {function}"]


def _written(given: object) -> str:
    """Write the source of a part of a partial."""
    if not isinstance(given, partial):
        return given.__name__ if isinstance(given, FunctionType | type) else repr(given)
    inside = [*map(_written, (given.func, *given.args))]
    inside += [f"{name}={_written(value)}" for name, value in given.keywords.items()]
    return f"functools.partial({', '.join(inside)})"


def _statements(module: ModuleType) -> dict[str, str]:
    """Return the source of a file's imports from Python's library, and of its constants."""
    found: dict[str, str] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for each in node.names:
                if getattr(node, "module", each.name) in ("functools", "itertools"):
                    found[each.asname or each.name] = ast.unparse(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {x.id: ast.unparse(node) for x in targets if isinstance(x, ast.Name)}
    return found


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    named = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in named if isinstance(node.ctx, context)}


def _own(thing: object, answer: Callable[..., Any]) -> bool:
    """Return whether an object is defined in the answer's file, or in another of its folder."""
    if not isinstance(thing, FunctionType | type):
        return False
    return thing.__module__.rpartition(".")[0] == answer.__module__.rpartition(".")[0]


def _bare(tree: ast.Module) -> ast.Module:
    """Drop the annotations of functions, and of names that are assigned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    plain: ast.Module = _Plain().visit(tree)
    return ast.fix_missing_locations(plain)


class _Plain(ast.NodeTransformer):
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            return ast.Pass()
        return ast.Assign(targets=[node.target], value=node.value)
