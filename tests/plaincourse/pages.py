"""Small pages of text, for the tests of what turns them into notebooks."""

from pathlib import Path

import nbformat

from plaincourse.notebooks import sync

PROJECT = '[tool.plaincourse]\nowner = ""\nname = "plainformer"\nbranch = "main"\nsite = ""\n'
PAGE = Path("book/02-small.md")
NOTEBOOK = PAGE.with_suffix(".ipynb")
HEADER = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A small page

```{code-cell} python
:tags: [setup, hide-cell]
```
"""


def cell(code, options=""):
    """Write a code cell, with its options between ``---`` if there are any."""
    head = f"---\n{options}\n---\n" if options else ""
    return f"\n```{{code-cell}} python\n{head}{code}\n```\n"


def graded(code, name, *, points=None):
    """Write a cell that nbgrader knows: a solution, or with points a locked test."""
    test = points is not None
    fields = (
        f"grade: {str(test).lower()}, grade_id: {name}, locked: {str(test).lower()}, "
        f"schema_version: 3, solution: {str(not test).lower()}, task: false"
    )
    return cell(code, f"nbgrader: {{{fields}{f', points: {points}' if test else ''}}}")


def replace(path, old, new):
    """Change a file, which must hold what is replaced."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def printed():
    """Return what the small notebook's cells printed."""
    outputs = [c.outputs for c in nbformat.read(NOTEBOOK, 4).cells if c.cell_type == "code"]
    return ["".join(o.text) for each in outputs for o in each]


def state():
    """Return every file with its time of change."""
    return {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(Path().rglob("*.*"))}


def refusal(capsys, *argv):
    """Run the command, which must fail, and return what it said."""
    assert sync.main([str(a) for a in argv]) == 1
    return capsys.readouterr().err
