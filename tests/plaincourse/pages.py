"""Small pages of text, for tests of their conversion to notebooks."""

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
    """Write a cell with nbgrader's metadata: a solution, or with points a locked test."""
    test = points is not None
    fields = (
        f"grade: {str(test).lower()}, grade_id: {name}, locked: {str(test).lower()}, "
        f"schema_version: 3, solution: {str(not test).lower()}, task: false"
    )
    return cell(code, f"nbgrader: {{{fields}{f', points: {points}' if test else ''}}}")


def replace(path, old, new):
    """Replace a text in a file, which must contain it."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def printed():
    """Return the printed output of the small notebook's cells."""
    outputs = [c.outputs for c in nbformat.read(NOTEBOOK, 4).cells if c.cell_type == "code"]
    return ["".join(o.text) for each in outputs for o in each]


def state():
    """Return every file with its modification time."""
    return {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(Path().rglob("*.*"))}


def refusal(capsys, *argv):
    """Run the command, which must fail, and return its message."""
    assert sync.main([str(a) for a in argv]) == 1
    return capsys.readouterr().err
