"""A graded notebook as a page: a summary, then the notebook.

The summary has the points for each exercise, the repairs made before grading, and the cells that
wait for a person. The page is one column, in light and dark mode, down to the width of a phone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from nbformat import NotebookNode
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]

from plaincourse.feedback.outputs import FOLDED, LONGEST, framed, outputs
from plaincourse.feedback.safe import safe_markdown
from plaincourse.feedback.tell import without_hidden_tests
from plaincourse.grading.mend import KEY
from plaincourse.grading.notes import is_notes
from plaincourse.grading.provenance import COURSE
from plaincourse.grading.text import headings

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
#: The most cells to quote from a notebook that is not rendered.
_MOST_QUOTED = 500
#: Control characters, which a page cannot show, and which a terminal would act on.
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_WAITS = "A person still looks at it, so the points may change."


@dataclass(frozen=True, kw_only=True)
class Points:
    """The points of a graded cell.

    Attributes:
        id: its grade id.
        title: the heading above it.
        earned: the points earned; so far, if it waits.
        points: the points that can be earned.
        waits: whether a person must grade it.
    """

    id: str
    title: str
    earned: float
    points: float
    waits: bool

    @property
    def grade(self) -> str:
        """Its status, as the name of a style."""
        if self.waits:
            return "waits"
        if not self.points:
            return "extra"
        share = self.earned / self.points
        return "full" if share >= 1 else "some" if share > 0 else "none"

    @property
    def mark(self) -> str:
        """A symbol for its status; the words have the same meaning."""
        sign = {"full": "✓", "some": "◐", "none": "✗", "waits": "…", "extra": "–"}[self.grade]
        return f'<span aria-hidden="true">{sign}</span>'

    @property
    def words(self) -> str:
        """Its status in words."""
        if self.waits and not self.earned:
            return f"waits for a person, {self.points:g} points"
        if not self.points and not self.earned:
            return "no points"
        so_far = " so far; a person still looks" if self.waits else ""
        return f"{round(self.earned, 2):g} of {self.points:g} points{so_far}"

    @property
    def anchor(self) -> str:
        """The id of the cell's element on the page."""
        return "cell-" + re.sub(r"[^\w-]", "-", self.id)


def page(nb: NotebookNode, grades: Mapping[str, Any], *, plain: str = "") -> str:
    """Return the feedback page of a graded notebook.

    Args:
        nb: the notebook, with points and comments in each cell's ``nbgrader`` metadata, and its
            outputs rewritten by :class:`plaincourse.feedback.TellPlainly`.
        grades: ``score``, ``max_score`` and ``late_penalty`` of the notebook, and its name.
        plain: why the notebook's own text is only quoted, and its outputs are left out; empty if
            it is rendered.
    """
    listed = {each.id: each for each in points(nb)}
    notebook = ""
    if not nb.metadata.get("plaincourse", {}).get("unread"):
        cells = _quoted(nb, listed) if plain else _set(nb, listed)
        heading = '<h2 id="notebook">Your notebook</h2>'
        heading += f'<p class="aside">{escape(plain)}</p>' if plain else ""
        notebook = f'<section aria-labelledby="notebook">{heading}\n{cells}\n</section>'
    title = escape(_title(nb) or str(grades.get("notebook", "Feedback")))
    head = summary(nb, list(listed.values()), grades)
    parts = {"title": title, "summary": head, "notebook": notebook}
    seen = {name: _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", part) for name, part in parts.items()}
    return _PAGE.format(policy=_POLICY, style=_STYLE, **seen)


def _title(nb: NotebookNode) -> str:
    known = nb.metadata.get(KEY, {})
    if "titles" in known:
        return str(known.get("title", ""))
    texts = (
        cell.source for cell in nb.cells if cell.cell_type == "markdown" and not is_notes(cell)
    )
    found = (re.match(r"\s*# +(.+)", text) for text in texts)
    return next((match[1].strip() for match in found if match), "")


def _set(nb: NotebookNode, listed: Mapping[str, Points]) -> str:
    """Render the cells of a notebook, with their Markdown and outputs."""
    known = "titles" in nb.metadata.get(KEY, {})
    return "\n".join(_cell(cell, listed, known) for cell in nb.cells if not is_notes(cell))


def _quoted(nb: NotebookNode, listed: Mapping[str, Points]) -> str:
    """Quote the sources of a notebook as they were typed, up to a limit.

    The sources are not parsed, so the time is linear in their length. Outputs are left out, because
    only `TellPlainly` decides which parts of them are shown.
    """
    left, made = 20 * LONGEST, []
    for cell in nb.cells[:_MOST_QUOTED]:
        meta = cell.metadata.get("nbgrader", {})
        test = bool(meta.get("grade")) and not meta.get("solution")
        source = without_hidden_tests(cell.source) if test else cell.source
        text = source[: min(LONGEST, left)]
        left -= len(text)
        cut = "\n… the rest is left out" if len(text) < len(source) else ""
        body = f'<pre class="out" {_SCROLLS} aria-label="Source">{escape(text + cut)}</pre>'
        if text.count("\n") > FOLDED:
            body = f"<details><summary>Source</summary>{body}</details>"
        if not test and not cell.metadata.get(KEY, {}).get(COURSE):
            body = framed(body, "As it was handed in")
        each = listed.get(meta.get("grade_id", ""))
        if each is not None:
            points = f'<p class="points {each.grade}">{each.mark} {each.words}</p>'
            made.append(f'<div class="cell graded" id="{each.anchor}">{points}{body}</div>')
        elif text and not is_notes(cell):
            made.append(f'<div class="cell">{body}</div>')
    return "\n".join(made)


def _cell(cell: NotebookNode, listed: Mapping[str, Points], known: bool) -> str:
    """Render a cell; ``known`` is true if it is known which cells are the course's."""
    meta = cell.metadata.get("nbgrader", {})
    name, reported = meta.get("grade_id", ""), False
    if cell.cell_type == "code":
        code = highlight(cell.source, PythonLexer(stripnl=False), _CODE).rstrip("\n")
        body = f'<pre class="code" {_SCROLLS} aria-label="Code"><code>{code}</code></pre>'
        body = body if cell.source.strip() else ""
        graded = bool(meta.get("grade")) and not meta.get("solution")
        aside = cell.metadata.get(KEY, {}).get("aside")
        body += f'<p class="aside">{inline(aside)}</p>' if aside else ""
        body += outputs(cell, graded=graded)
        reported = graded
    elif cell.cell_type == "markdown":
        text = _without_title(cell.source)
        body = f'<div class="text">{_boxed(safe_markdown(text, cell.get("attachments")))}</div>'
        if meta.get("solution") or (known and not cell.metadata.get(KEY, {}).get(COURSE)):
            body = framed(body, "Your answer" if meta.get("solution") else "Your text")
    else:
        body = f'<pre class="out">{escape(cell.source)}</pre>' if cell.source.strip() else ""
        if body and not (known and cell.metadata.get(KEY, {}).get(COURSE)):
            body = framed(body, "Your text")
    comment = meta.get("comment")
    if comment:
        said = safe_markdown(str(comment), level=4)
        body += f'<div class="comment"><strong>Comment:</strong> {said}</div>'
    if name in listed:
        each = listed[name]
        if reported and f"{each.words}</h4>" in body:  # the check's report has the same words
            return f'<div class="cell" id="{each.anchor}">{body}</div>'
        body = f'<p class="points {each.grade}">{each.mark} {each.words}</p>{body}'
        return f'<div class="cell graded" id="{each.anchor}">{body}</div>'
    own = " answer" if meta.get("solution") else ""
    return f'<div class="cell{own}">{body}</div>' if body else ""


def _boxed(html: str) -> str:
    """Put each table of clean HTML into a box that scrolls if the page is narrow."""
    html = re.sub(r"<table\b", f'<div class="wide" {_SCROLLS} aria-label="Table"><table', html)
    return html.replace("</table>", "</table></div>")


def _without_title(text: str) -> str:
    """Leave out the notebook's title, which is shown at the top of the page."""
    return re.sub(r"\A\s*# +.+\n*", "", text)


def points(nb: NotebookNode) -> list[Points]:
    """List the graded cells of a notebook with their points."""
    title, found = "", []
    titles = nb.metadata.get(KEY, {}).get("titles", {})
    for cell in nb.cells:
        meta = cell.metadata.get("nbgrader", {})
        if not titles and cell.cell_type == "markdown" and not meta.get("solution"):
            title = [title, *headings(cell.source)][-1]
        if meta.get("grade") or meta.get("task"):
            found.append(
                Points(
                    id=str(meta["grade_id"]),
                    title=titles.get(meta["grade_id"]) or title or str(meta["grade_id"]),
                    earned=float(meta.get("score") or 0.0),
                    points=float(meta.get("points") or 0.0),
                    waits=bool(meta.get("waits")),
                )
            )
    return found


def summary(nb: NotebookNode, listed: list[Points], grades: Mapping[str, Any]) -> str:
    """Return the head of the page.

    Args:
        nb: the graded notebook; its metadata under ``plaincourse`` lists the repairs.
        listed: its graded cells.
        grades: ``score``, ``max_score`` and ``late_penalty``.
    """
    known = nb.metadata.get("plaincourse", {})
    late = float(grades.get("late_penalty") or 0)
    score = float(grades.get("score") or 0)
    most = float(grades.get("max_score") or sum(each.points for each in listed))
    waiting = [each for each in listed if each.waits]
    so_far = " so far" if waiting else ""
    parts = [
        '<section aria-labelledby="summary"><h2 id="summary">Summary</h2>',
        f'<p class="total"><strong>{round(score, 2):g} of {most:g} points</strong>{so_far}</p>',
    ]
    if known.get("unread"):
        parts.append(f'<p class="verdict">{inline(known["unread"])}</p>')
    parts.append(_table(listed, late, linked=not known.get("unread")))
    told = [note for note in known.get("mended", []) if note != known.get("unread")]
    if told:
        items = "".join(f"<li>{inline(note)}</li>" for note in told)
        parts.append(f"<h3>What was mended before grading</h3><ul>{items}</ul>")
    if waiting:
        items = "".join(f'<li><a href="#{e.anchor}">{inline(e.title)}</a></li>' for e in waiting)
        parts.append(f"<h3>What waits for a person</h3><p>{_WAITS}</p><ul>{items}</ul>")
    return "\n".join([*parts, "</section>"])


def _table(listed: list[Points], late: float, *, linked: bool) -> str:
    rows = ""
    for each in listed:
        name = inline(each.title)
        name = f'<a href="#{each.anchor}">{name}</a>' if linked else name
        rows += (
            f'<tr class="{each.grade}"><th scope="row">{name}</th>'
            f"<td>{each.mark} {each.words}</td></tr>"
        )
    if late > 0:
        rows += f'<tr><th scope="row">Handed in late</th><td>{-late:g} points</td></tr>'
    return (
        '<table class="points"><caption>Points for each exercise</caption><thead><tr>'
        f'<th scope="col">Exercise</th><th scope="col">Points</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def inline(text: str) -> str:
    """Render one line of Markdown without the paragraph around it, and without links."""
    # A heading may begin with its number, which does not start a list.
    numbered = re.sub(r"^(\d+)([.)])", r"\1\\\2", str(text))
    html = safe_markdown(numbered).strip()
    html = html.removeprefix("<p>").removesuffix("</p>")
    return re.sub(r"</?(a|p|h[1-6]|ul|ol|li)\b[^>]*>", "", html) or escape(str(text))


def _colours(style: str) -> str:
    """Return the style's colours of code, without its background and line numbers."""
    lines = HtmlFormatter(style=style, classprefix="p-").get_style_defs(".code").split("\n")
    return "".join(line for line in lines if ".p-" in line)


_STYLE = f"""
:root {{
  color-scheme: light dark;
  --ground: #fff; --ink: #1c1f24; --soft: #59616c; --line: #d3d8df; --panel: #fafbfc;
  --link: #0b57a4; --full: #1c6b3f; --some: #8a5200; --none: #b02a1c; --waits: #4b3f8f;
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --ground: #16181c; --ink: #e4e7eb; --soft: #a4adb8; --line: #3a4049; --panel: #20242a;
    --link: #84b9f5; --full: #6fcb97; --some: #e8b15c; --none: #ff9d8f; --waits: #b9aef5;
  }}
}}
* {{ box-sizing: border-box; }}
body {{
  margin: 0 auto; max-width: 54rem; padding: 1.5rem clamp(.8rem, 4vw, 2rem) 4rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word;
}}
h1 {{ font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }}
h2 {{ font-size: 1.35rem; margin: 2.5rem 0 .8rem; padding-bottom: .2rem;
  border-bottom: 1px solid var(--line); }}
h3 {{ font-size: 1.15rem; margin: 2rem 0 .5rem; }}
h4, h5, h6 {{ font-size: 1rem; margin: 1.2rem 0 .4rem; }}
a[href] {{ color: var(--link); }}
a:focus-visible, pre:focus-visible, summary:focus-visible, .wide:focus-visible {{
  outline: 2px solid var(--link); outline-offset: 2px;
}}
img {{ max-width: 100%; height: auto; background: #fff; border-radius: .3rem; }}
pre, code {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9em; }}
pre {{ margin: .5rem 0; padding: .7rem .9rem; overflow-x: auto; line-height: 1.45;
  background: var(--panel); border: 1px solid var(--line); border-radius: .35rem; }}
pre.out, pre.error {{ background: none; border: 0; border-left: .25rem solid var(--line);
  border-radius: 0; }}
pre.error {{ border-color: var(--none); }}
summary {{ cursor: pointer; }}
table {{ border-collapse: collapse; margin: .8rem 0; }}
th, td {{ padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }}
table.points {{ width: 100%; }}
table.points th[scope=row] {{ font-weight: 400; }}
caption {{ text-align: left; color: var(--soft); padding-bottom: .3rem; }}
.total {{ font-size: 1.25rem; margin: .3rem 0 1rem; }}
.full td, p.full {{ color: var(--full); }}
.some td, p.some {{ color: var(--some); }}
.none td, p.none {{ color: var(--none); }}
.waits td, p.waits {{ color: var(--waits); }}
p.points {{ font-weight: 600; margin: 0 0 .4rem; }}
.cell {{ margin: 1rem 0; scroll-margin-top: 1rem; }}
.answer {{ border-left: .25rem solid var(--link); padding-left: .8rem; }}
.graded {{ border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; }}
/* A shadow at the right edge says that there is more to scroll to. */
.rich, .wide, math[display=block] {{ overflow-x: auto;
  background: linear-gradient(var(--ground), var(--ground)) right / .7rem 100% no-repeat local,
    linear-gradient(to left, rgba(128, 128, 128, .5), transparent) right / .7rem 100% no-repeat
    scroll; }}
.verdict {{ border-left: .25rem solid var(--none); padding: .2rem .9rem; }}
.comment p {{ display: inline; }}
.comment {{ border-left: .25rem solid var(--waits); padding: .2rem .9rem; margin: .8rem 0; }}
/* What a notebook says stands in a frame, which it cannot leave. */
.own {{ border: 1px dashed var(--soft); border-radius: .35rem; padding: .2rem .7rem;
  margin: .5rem 0; contain: paint; isolation: isolate; overflow-x: auto; }}
.whose {{ color: var(--soft); font-size: .8rem; margin: 0; }}
.aside {{ color: var(--soft); }}
.aligned mtd {{ text-align: right; padding-inline: 0; }}
.aligned mtd:nth-child(even) {{ text-align: left; }}
blockquote {{ margin: .8rem 0; padding-left: 1rem; border-left: .25rem solid var(--line); }}
@media (max-width: 30rem) {{
  body {{ padding-bottom: 2rem; }}
  .graded {{ padding: .6rem .6rem; }}
  th, td {{ padding: .35rem .4rem; }}
}}
@media print {{
  details::details-content {{ display: block; content-visibility: visible; }}
  pre {{ white-space: pre-wrap; }} .rich, .wide, math {{ background: none; }}
}}
{_colours("default")}
@media (prefers-color-scheme: dark) {{ {_colours("github-dark")} }}
"""
