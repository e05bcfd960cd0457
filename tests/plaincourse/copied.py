"""A trial class for similar work: honest answers, and ways to disguise a copy."""

import ast
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

#: Honest answers to four chapters, each by a hand of its own: chapter, student, task, code.
CLASSES: dict[str, dict[str, dict[str, str]]] = json.loads(
    Path(__file__).with_name("trial_answers.json").read_text(encoding="utf-8")
)


class _Rename(ast.NodeTransformer):
    def __init__(self, own: set[str]) -> None:
        self._names = {name: f"thing_{count}" for count, name in enumerate(sorted(own))}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def renamed(code: str) -> str:
    """Return code with other names for its variables."""
    tree = ast.parse(code)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return ast.unparse(_Rename({n.id for n in names if isinstance(n.ctx, ast.Store)}).visit(tree))


def commented(code: str) -> str:
    """Return code with a comment above each line, and a docstring."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body.insert(0, ast.Expr(ast.Constant("What this does was my own idea.")))
    lines = ast.unparse(ast.fix_missing_locations(tree)).splitlines()
    return "\n".join(f"{line}  # step {count}" for count, line in enumerate(lines))


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            yield body


def _touched(node: ast.stmt) -> tuple[set[str], set[str]]:
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    stored = {each.id for each in names if not isinstance(each.ctx, ast.Load)}
    return stored, {each.id for each in names}


def reordered(code: str) -> str:
    """Return code in which neighbours that do not need each other have changed places."""
    tree = ast.parse(code)
    for body in _bodies(tree):
        for at in range(len(body) - 1):
            first, second = body[at : at + 2]
            plain = all(isinstance(each, ast.Assign) for each in (first, second))
            (a, seen_a), (b, seen_b) = _touched(first), _touched(second)
            if plain and not a & seen_b and not b & seen_a:
                body[at : at + 2] = second, first
    return ast.unparse(tree)


class _Unfold(ast.NodeTransformer):
    def visit_Return(self, node: ast.Return) -> ast.stmt | list[ast.stmt]:
        if node.value is None:
            return node
        kept = ast.Assign([ast.Name("result", ast.Store())], node.value, lineno=0)
        return [kept, ast.Return(ast.Name("result", ast.Load()))]


def unfolded(code: str) -> str:
    """Return code whose results have a name before they are returned, and with a print."""
    tree = _Unfold().visit(ast.parse(code))
    for body in itertools.islice(_bodies(tree), 1, 2):
        body.append(ast.parse("print('done')").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


#: How a copy can be disguised.
DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "renamed": renamed,
    "re-commented": commented,
    "reordered": reordered,
    "unfolded": unfolded,
    "all of it": lambda code: commented(renamed(reordered(unfolded(code)))),
}
