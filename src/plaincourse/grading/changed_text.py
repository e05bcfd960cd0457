"""Describe in words how a text was changed."""

import ast
import difflib

#: The number of lines of a changed text that are compared.
_MOST_LINES = 2000
#: The number of characters of a line that are quoted.
_LONGEST = 80


def what_changed(given: str, got: str) -> tuple[str, list[str]]:
    """Describe the first change in words, and return all lines that were added.

    Args:
        given: the text before.
        got: the text after.
    """
    old, new = (
        [line.rstrip() for line in text.split("\n") if line.strip()] for text in (given, got)
    )
    if max(len(old), len(new)) > _MOST_LINES:
        return f"it has {len(new)} lines in place of {len(old)}", new
    gone, added = [], []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            gone += old[a:b]
            added += new[c:d]
    if gone and added:
        return f"{_short(gone[0])} became {_short(added[0])}", added
    if added:
        return f"{_short(added[0])} was added", added
    return f"{_short(gone[0])} was taken out" if gone else "its lines were put in order anew", added


def _short(line: str) -> str:
    line = line.strip().replace("`", "'")
    return f"`{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}`"


def binds_names(code: str) -> bool:
    """Return whether code defines a name, and parses on its own.

    Args:
        code: lines of a cell.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)
    return any(isinstance(each, kinds) for each in body)
