"""A graded notebook as a page: a summary, then the notebook."""

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from nbformat import NotebookNode
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]

from plaincourse.feedback.outputs import outputs
from plaincourse.feedback.safe import safe_markdown
from plaincourse.feedback.style import STYLE
from plaincourse.feedback.summary import Points, inline, points, summary
from plaincourse.grading.mend import KEY, is_notes

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'"
_SCROLLS = 'tabindex="0" role="group"'
_CODE = HtmlFormatter(nowrap=True, classprefix="p-")
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Feedback: {title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1></header>
<main>
{summary}
{notebook}
</main>
</body>
</html>
"""


def page(nb: NotebookNode, grades: Mapping[str, Any]) -> str:
    """Return the feedback page of a graded notebook.

    Args:
        nb: the notebook, with points and comments in each cell's ``nbgrader`` metadata, and its
            outputs rewritten by :class:`plaincourse.feedback.TellPlainly`.
        grades: ``score``, ``max_score`` and ``late_penalty`` of the notebook, and its name.
    """
    listed = {each.id: each for each in points(nb)}
    notebook = ""
    if not nb.metadata.get("plaincourse", {}).get("unread"):
        cells = "\n".join(_cell(cell, listed) for cell in nb.cells if not is_notes(cell))
        heading = '<h2 id="notebook">Your notebook</h2>'
        notebook = f'<section aria-labelledby="notebook">{heading}\n{cells}\n</section>'
    title = escape(_title(nb) or str(grades.get("notebook", "Feedback")))
    head = summary(nb, list(listed.values()), grades)
    return _PAGE.format(policy=_POLICY, title=title, style=STYLE, summary=head, notebook=notebook)


def _title(nb: NotebookNode) -> str:
    texts = (
        cell.source for cell in nb.cells if cell.cell_type == "markdown" and not is_notes(cell)
    )
    found = (re.match(r"\s*# +(.+)", text) for text in texts)
    return next((match[1].strip() for match in found if match), "")


def _cell(cell: NotebookNode, listed: Mapping[str, Points]) -> str:
    meta = cell.metadata.get("nbgrader", {})
    name = meta.get("grade_id", "")
    if cell.cell_type == "code":
        code = highlight(cell.source, PythonLexer(stripnl=False), _CODE).rstrip("\n")
        body = f'<pre class="code" {_SCROLLS} aria-label="Code"><code>{code}</code></pre>'
        body = body if cell.source.strip() else ""
        graded = bool(meta.get("grade")) and not meta.get("solution")
        aside = cell.metadata.get(KEY, {}).get("aside")
        body += f'<p class="aside">{inline(aside)}</p>' if aside else ""
        body += outputs(cell, graded=graded)
    elif cell.cell_type == "markdown":
        text = _without_title(cell.source)
        body = f'<div class="text">{safe_markdown(text, cell.get("attachments"))}</div>'
    else:
        body = f'<pre class="out">{escape(cell.source)}</pre>' if cell.source.strip() else ""
    comment = meta.get("comment")
    if comment:
        said = safe_markdown(str(comment), level=4)
        body += f'<div class="comment"><strong>Comment:</strong> {said}</div>'
    if name in listed:
        each = listed[name]
        if f"{each.words}</h4>" in body:  # the check's own report says it already
            return f'<div class="cell" id="{each.anchor}">{body}</div>'
        body = f'<p class="points {each.grade}">{each.mark} {each.words}</p>{body}'
        return f'<div class="cell graded" id="{each.anchor}">{body}</div>'
    own = " answer" if meta.get("solution") else ""
    return f'<div class="cell{own}">{body}</div>' if body else ""


def _without_title(text: str) -> str:
    """Leave out the notebook's title, which stands above the page."""
    return re.sub(r"\A\s*# +.+\n*", "", text)
