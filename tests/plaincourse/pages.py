"""Small pages of text, for the tests of what turns them into notebooks."""

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
