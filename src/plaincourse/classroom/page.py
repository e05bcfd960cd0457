"""The instructor's page: one file, without scripts or requests.

It is readable in light and dark mode, on a phone and on paper.
"""

from collections.abc import Sequence
from datetime import datetime

from plaincourse.classroom import people, sections, similar
from plaincourse.classroom.markup import Html, join, tag
from plaincourse.classroom.model import Classroom
from plaincourse.classroom.tasks import Book

# If unescaped text got through, the browser would still neither run nor fetch it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CSS = """
:root { color-scheme: light dark; --ink: #23272e; --quiet: #565d68; --page: #fffefb;
  --tint: #eef3f8; --rule: #d0d6de; --accent: #0b4f85; --bar: #3b78ab; --track: #dde5ee;
  --warn: #8a3b00; }
@media (prefers-color-scheme: dark) { :root { --ink: #d9dde3; --quiet: #a9b1bc; --page: #15181d;
  --tint: #1b2633; --rule: #38404c; --accent: #8dc1f0; --bar: #5d9bd0; --track: #2b3644;
  --warn: #f0b17d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
header, main, footer { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.5rem 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .5rem; padding-top: .8rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p, li, dd { max-width: 44rem; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible, pre:focus-visible {
  outline: 3px solid var(--accent); outline-offset: 2px; }
code { font: .92em ui-monospace, Menlo, Consolas, monospace; background: var(--tint);
  padding: .05em .3em; border-radius: .2em; overflow-wrap: break-word; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.quiet, figcaption, caption { color: var(--quiet); }
.quiet { font-size: .92rem; }
.warn { color: var(--warn); font-weight: 600; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .4rem .8rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0;
  margin: 1rem 0 0; }
nav a { display: inline-block; padding: .25rem 0; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .6rem;
  margin: 1rem 0; }
dl.facts div { background: var(--tint); border-radius: .4rem; padding: .5rem .8rem; }
dl.facts dt { color: var(--quiet); font-size: .88rem; }
dl.facts dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
/* A shadow at the right edge says that there is more to scroll to, be it one digit. */
.scroll { overflow-x: auto; margin: .8rem 0;
  background: linear-gradient(var(--page), var(--page)) right / .7rem 100% no-repeat local,
    linear-gradient(to left, rgba(128, 128, 128, .5), transparent) right / .7rem 100%
    no-repeat scroll; }
table { border-collapse: collapse; font-size: .94rem; }
caption { text-align: left; font-size: .92rem; padding-bottom: .35rem; }
th, td { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--rule); }
thead th { color: var(--quiet); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; min-width: 8.5rem; max-width: 14rem; overflow-wrap: anywhere;
  position: sticky; left: 0; background: var(--page); }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.share { white-space: nowrap; }
pre { overflow-x: auto; background: var(--tint); padding: .6rem .8rem; border-radius: .4rem; }
pre code { padding: 0; background: none; }
.p { min-width: 11rem; max-width: 26rem; }
caption span { display: inline-block; max-width: min(44rem, calc(100vw - 2rem)); position: sticky;
  left: 0; }
@media (max-width: 40rem) { th, td { padding-right: .5rem; } tbody th { max-width: 9rem; } }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr));
  gap: 0 2rem; }
.grid > * { min-width: 0; }
figcaption { max-width: 44rem; margin-top: .5rem; }
figure { margin: .8rem 0; }
.chart { display: block; width: 100%; max-width: 30rem; height: auto; }
.chart text { fill: currentColor; font: 14px system-ui, sans-serif; }
.small { width: 3.75rem; height: .625rem; vertical-align: baseline; margin-right: .5rem; }
.bar { fill: var(--bar); } .track { fill: var(--track); }
.axis { stroke: var(--quiet); stroke-width: 1.5; }
.box { fill: var(--track); stroke: var(--quiet); stroke-width: 1.5; }
.median { stroke: currentColor; stroke-width: 3; }
summary { cursor: pointer; padding: .25rem 0; color: var(--accent); }
ol.again > li { margin-bottom: 1rem; }
footer { margin: 3rem auto; }
@page { size: landscape; margin: 12mm; }
@media print {
  nav, .skip { display: none; } .scroll { overflow: visible; background: none; } h2 { border: 0; }
  header, main, footer { max-width: none; padding: 0; }
  table { font-size: .72rem; } th, td { padding-right: .5rem; } .p { min-width: 0; }
  thead .n { white-space: normal; } tbody th { position: static; }
  tr { break-inside: avoid; } h2, h3, summary { break-after: avoid; }
  details::details-content { display: block; content-visibility: visible; }
}
"""


def page(
    room: Classroom, book: Book, *, made: datetime, alike: Sequence[similar.Pair] | None = None
) -> str:
    """Return the report as one HTML page.

    Args:
        room: the class.
        book: the sections of the book that teach each task.
        made: the time to show on the page.
        alike: the pairs of similar submissions; ``None`` leaves the section out.
    """
    parts = {
        "attention": ("What needs you", people.attention(room)),
        "totals": ("Distribution of totals", sections.totals(room)),
        "exercises": ("Exercises: difficulty and discrimination", sections.exercises(room)),
        "again": ("What to teach again", sections.again(room, book)),
        "misconceptions": ("Misconceptions", sections.misconceptions(room)),
        "requirements": ("Requirements", sections.requirements(room)),
        "times": ("Time and memory", sections.times(room)),
        "students": ("All students", people.register(room)),
    }
    if alike is not None:
        parts["similar"] = ("Similar work", similar.section(room, alike))
    links = (tag("li", tag("a", title, href=f"#{id}")) for id, (title, _) in parts.items())
    body = (
        tag("section", tag("h2", title, id=id), content, aria_labelledby=id)
        for id, (title, content) in parts.items()
    )
    title = f"Class report: {room.assignment}"
    head = join(
        [
            Html('<meta charset="utf-8">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
            Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html(
                '<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">'
            ),
            tag("title", title),
            tag("style", Html(_CSS)),
        ]
    )
    top = tag(
        "header",
        tag("a", "Skip to the report", href="#report", class_="skip"),
        tag("h1", title),
        tag("p", f"Made on {made:%d %B %Y at %H:%M}. It holds names and grades: keep it private."),
        sections.facts_list(_facts(room)),
        tag("nav", tag("ul", *links), aria_label="Sections"),
    )
    foot = tag(
        "footer",
        tag(
            "p",
            "Scores and names come from nbgrader's gradebook, the rest from the records of "
            "autograding. Your browser's search finds any name on this page.",
            class_="quiet",
        ),
    )
    main = tag("main", *body, id="report", tabindex="-1")
    whole = tag("html", tag("head", head), tag("body", top, main, foot), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _facts(room: Classroom) -> list[tuple[str, str]]:
    flagged = sum(work.status == "flagged" for work in room.counted)
    waiting = sum(bool(work.waiting) for work in room.counted)
    return [
        ("Submissions", str(len(room.works))),
        ("Graded", str(len(room.counted))),
        ("Flagged", str(flagged)),
        ("Failed", str(len(room.works) - len(room.counted))),
        ("Wait for a person", str(waiting)),
        ("Nothing handed in", str(len(room.missing))),
    ]
