"""One row for each message with advice, identified by the text of the message."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Verbs with which advice begins, at the beginning of a clause.
VERBS = """add append attend begin call choose convert copy correct create delete detach drop fetch
free generate give go install keep leave load lower make move name open override pack pad pass pick
put raise read record remove replace reset resume run save say see set share shorten sort split take
teach train truncate turn unset use wait widen write""".split()
ADVICE = re.compile(
    rf"(?:^|[.:;,(]\s+|\bor,? |\band |\bfirst,? |\bagain, )({'|'.join(VERBS)})\b(?!\s*=)"
    r"|\bbecomes\b",
    re.IGNORECASE,
)
# A text with fewer letters that is not in a `raise` is a name or a label.
SENTENCE = 25


@dataclass(frozen=True)
class Hint:
    """A message, and calls that follow its advice.

    Args:
        text: the advice, or enough of it; … replaces variable parts.
        wrong: raises the message.
        ways: each follows one part of the advice, and does not raise.
    """

    text: str
    wrong: Callable[[], Any]
    ways: Sequence[Callable[[], Any]]


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each raised message; … replaces inserted values.

    A text that a function returns or stores, to be used in a message elsewhere, counts as one.
    """
    taken = set[ast.AST]()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield node.lineno, _in_one_line(" ".join(_text(part) for part in node.exc.args))
            taken |= set(ast.walk(node))
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef):
            yield from _made(each, taken)


def _made(function: ast.FunctionDef, taken: set[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the texts in a function's statements that are not used yet, each once."""
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Dict):  # its keys are names
                taken |= {inner for key in node.keys if key for inner in ast.walk(key)}
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                taken.add(node.value)  # a docstring
            elif isinstance(node, ast.keyword) and node.arg in ("help", "description", "epilog"):
                taken |= set(ast.walk(node))
            elif node not in taken and isinstance(node, ast.JoinedStr | ast.BinOp | ast.Constant):
                taken |= set(ast.walk(node))
                if len(text := _in_one_line(_text(node))) >= SENTENCE:
                    yield node.lineno, text


def _in_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return "…"


def advising(folder: Path) -> dict[str, str]:
    """Return the place and the text of each message in a folder that gives advice."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        for line, text in messages(path.read_text("utf-8")):
            if ADVICE.search(text):
                found[f"{path.relative_to(folder)}:{line}"] = text
    return found
