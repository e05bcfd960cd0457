"""One row for each message with advice, found by the text of the message."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# What advice begins with, at the beginning of a clause.
VERBS = """add append attend begin call choose convert copy correct create delete detach drop fetch
free generate give go install keep leave load lower make move name open override pack pad pass pick
put raise read record remove replace reset resume run save say see set share shorten sort split take
teach train truncate turn unset use wait widen write""".split()
ADVICE = re.compile(
    rf"(?:^|[.:;,(]\s+|\bor,? |\band |\bfirst, |\bagain, )({'|'.join(VERBS)})\b(?!\s*=)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Hint:
    """A message, and calls that do what it says.

    Args:
        text: the advice, or enough of it; … stands for what differs.
        wrong: raises the message.
        ways: each does what one part of the advice says, and does not raise.
    """

    text: str
    wrong: Callable[[], Any]
    ways: Sequence[Callable[[], Any]]


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each message that is raised; … stands for what is put in."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            text = " ".join(_text(part) for part in node.exc.args)
            yield node.lineno, re.sub(r"\s+", " ", text)


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
