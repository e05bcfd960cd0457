"""Write a known answer as a student would hand it in: its own code, without the bank."""

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any


def pasted(answer: Callable[..., Any], name: str) -> str:
    """Write the code of an answer, and of what it uses from its file, to define a name.

    Annotations are left out: they may name what the notebook does not import.

    Args:
        answer: a function or a class of the bank.
        name: what the notebook calls it.
    """
    file = vars(inspect.getmodule(answer))
    parts, seen = [], set()
    waiting = [answer]
    while waiting:
        thing = waiting.pop()
        if thing in seen:
            continue
        seen.add(thing)
        tree = _bare(ast.parse(inspect.getsource(thing)))
        parts.append(ast.unparse(tree))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        waiting += [file[each] for each in sorted(used) if _own(file.get(each), answer)]
    last = [] if answer.__name__ == name else [f"{name} = {answer.__name__}"]
    return "\n\n".join([*reversed(parts), *last])


def _own(thing: object, answer: Callable[..., Any]) -> bool:
    """Say whether something was written in the answer's file."""
    written = isinstance(thing, FunctionType | type)
    return written and thing.__module__ == answer.__module__


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
