"""The rules for every notebook of the book, beyond running without errors."""

import re
from collections.abc import Callable, Iterator

from nbformat import NotebookNode

from plaincourse.exercise.course import subject
from plaincourse.notebooks.folds import closed_boxes, shown_code_parses

LINES, WIDTH = 15, 80
ALT = 30
TAGS = {"setup", "hide-cell", "hide-input", "hide-output", "remove-cell", "nbval-ignore-output"}

Broken = Iterator[tuple[int, str]]

_UNSEEN = {"setup", "hide-cell", "hide-input", "remove-cell"}
_TIMED = re.compile(r"perf_counter|process_time|monotonic|\btime\.time\(|%timeit|benchmark")
_SECONDS = re.compile(r"\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|seconds?|minutes?|it/s)(?![\w/])")
_MACHINE = re.compile(r"\b0x[0-9a-fA-F]{6,}|(?:/home|/root|/tmp|/Users|/private)/|site-packages")
_EMPTY_START = re.compile(r"(?:an? |the )?(?:image|plot|picture|figure|graph|chart)\b", re.I)
_WORTH = re.compile(r"^\*\*(\d+(?:\.\d+)?|No) points?\b", re.MULTILINE)
_FURTHER = re.compile(r"^## Further tasks \(no points\)$", re.MULTILINE)
_SUM = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?)\s+points\b")
_PART = re.compile(r"^[-*] (\d+(?:\.\d+)?) points?\b", re.MULTILINE)
_PLOTTING = ".".join([*subject(), "plotting"])
_MARKER = re.compile(r"^\s*#\s*(?:NBVAL|PYTEST_VALIDATE)_\w+", re.MULTILINE)


def broken(notebook: NotebookNode, *, graded: bool = False) -> list[str]:
    """List the faults of a notebook, cell by cell; empty if there are none.

    Args:
        notebook: as stored on disk, with its outputs.
        graded: whether it is a graded notebook, which stores no outputs.
    """
    return _listed(notebook, _GRADED if graded else _CHAPTER)


def misleading(notebook: NotebookNode) -> list[str]:
    """List the broken rules of a graded notebook that would mislead students.

    A notebook without any points is for practice, even if its texts mention points.
    """
    worth = _worth(notebook)
    return [] if worth and not any(worth) else _listed(notebook, _MISLEADING)


def _worth(notebook: NotebookNode) -> list[float]:
    """List the points of the graded cells."""
    roles = (cell.metadata.get("nbgrader", {}) for cell in notebook.cells)
    return [float(role["points"]) for role in roles if role.get("points") is not None]


def _listed(notebook: NotebookNode, rules: list[Callable[[NotebookNode], Broken]]) -> list[str]:
    found = [each for rule in rules for each in rule(notebook)]
    return [f"cell {number}: {what}" if number else what for number, what in sorted(found)]


def _code(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code":
            yield number, cell


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def _texts(cell: NotebookNode) -> str:
    """Return all that a cell printed or displayed as text."""
    parts = []
    for output in cell.outputs:
        parts.append(output.get("text", ""))
        parts += [v for k, v in output.get("data", {}).items() if k.startswith("text/")]
    return "\n".join("".join(part) for part in parts)


def _images(cell: NotebookNode) -> int:
    return sum(
        any(kind.startswith("image/") for kind in output.get("data", {})) for output in cell.outputs
    )


def setup_comes_first(notebook: NotebookNode) -> Broken:
    """Check that the first code cell, and no other, is the setup cell."""
    tagged = [number for number, cell in _code(notebook) if "setup" in _tags(cell)]
    first = next((number for number, _ in _code(notebook)), 0)
    if tagged != [first]:
        yield first, f"the first code cell alone is tagged setup; here {tagged or 'none'} are"


def was_run(notebook: NotebookNode) -> Broken:
    """Check that every cell was run, in order; nbval silently skips a cell that was not."""
    for count, (number, cell) in enumerate(_code(notebook), start=1):
        if cell.execution_count != count:
            yield number, f"execution count {cell.execution_count}, expected {count}"


def keeps_no_outputs(notebook: NotebookNode) -> Broken:
    """Check that a graded notebook stores no outputs."""
    for number, cell in _code(notebook):
        if cell.outputs or cell.execution_count is not None:
            yield number, "stores outputs; plaincourse sync strips them from solutions"


def no_error_or_warning(notebook: NotebookNode) -> Broken:
    """Check that no output is an error or went to stderr."""
    for number, cell in _code(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                yield number, f"raised {output.ename}; show an error by try, except and print"
            elif output.get("name") == "stderr":
                yield number, f"wrote to stderr: {''.join(output.text)[:60]!r}"


def short(notebook: NotebookNode) -> Broken:
    """Check that a cell, which should hold one idea, has at most 15 lines."""
    for number, cell in _code(notebook):
        lines = cell.source.count("\n") + 1
        if lines > LINES:
            yield number, f"has {lines} lines, at most {LINES}"


def narrow(notebook: NotebookNode) -> Broken:
    """Check that visible code fits the column of the page."""
    for number, cell in _code(notebook):
        width = max(map(len, cell.source.splitlines()), default=0)
        if width > WIDTH and not _UNSEEN & set(_tags(cell)):
            yield number, f"has a line of {width} characters, at most {WIDTH}"


def no_semicolon(notebook: NotebookNode) -> Broken:
    """Check that no cell ends in a semicolon, which hides an output from reader and nbval."""
    for number, cell in _code(notebook):
        if cell.source.rstrip().endswith(";"):
            yield number, "ends in a semicolon; plt.show() ends a figure without one"


def known_tags(notebook: NotebookNode) -> Broken:
    """Check that tags are known, and that no comment makes nbval skip an output."""
    for number, cell in enumerate(notebook.cells, start=1):
        if unknown := set(_tags(cell)) - TAGS:
            yield number, f"unknown tags {sorted(unknown)}, known are {sorted(TAGS)}"
        if cell.cell_type == "code" and (marker := _MARKER.search(cell.source)):
            yield number, f"has the comment {marker[0].strip()!r}; use tags"


def measurements_are_marked(notebook: NotebookNode) -> Broken:
    """Check that a cell that prints a time is tagged, and asserts a property instead."""
    for number, cell in _code(notebook):
        ignored = "nbval-ignore-output" in _tags(cell)
        if ignored and not re.search(r"^\s*assert |assert_\w+\(", cell.source, re.MULTILINE):
            yield number, "is tagged nbval-ignore-output and asserts nothing"
        timed = _TIMED.search(cell.source) or _SECONDS.search(_texts(cell))
        if timed and cell.outputs and not ignored:
            yield number, f"prints a time ({timed[0]}) and is not tagged nbval-ignore-output"


def nothing_of_this_machine(notebook: NotebookNode) -> Broken:
    """Check that no output holds a path or an address in memory."""
    for number, cell in _code(notebook):
        if seen := _MACHINE.search(_texts(cell)):
            yield number, f"prints {seen[0]!r}, which differs on another machine"


def figures(notebook: NotebookNode) -> Broken:
    """Check that a picture is folded, alone in its cell, drawn by our package, and has alt text."""
    before: dict[str, int] = {}
    for number, cell in _code(notebook):
        if re.search(r"\bmatplotlib\b|\bplt\.", cell.source):
            yield number, f"uses matplotlib; a figure is one call into {_PLOTTING}"
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if not _images(cell):
            if alt:
                yield number, "has alt text and no picture"
            continue
        if _images(cell) > 1:
            yield number, f"shows {_images(cell)} pictures, which would share one alt text"
        if "hide-input" not in _tags(cell):
            yield number, "shows a picture and is not tagged hide-input"
        if len(alt) < ALT:
            yield number, f"alt text {alt!r} is {len(alt)} characters, at least {ALT}"
        elif _EMPTY_START.match(alt):
            yield number, f"alt text begins {alt[:20]!r}; say what the picture shows"
        elif alt in before:
            yield number, f"has the alt text of cell {before[alt]}"
        before[alt] = number


def captions(notebook: NotebookNode) -> Broken:
    """Check that a picture has a name, for its number, and a caption that is a sentence."""
    before: dict[str, int] = {}
    for number, cell in _code(notebook):
        if not _images(cell):
            continue
        shown = cell.metadata.get("mystnb", {})
        figure, alt = shown.get("figure", {}), shown.get("image", {}).get("alt")
        caption, name = figure.get("caption", ""), figure.get("name", "")
        if not caption.endswith(".") or _EMPTY_START.match(caption):
            yield number, f"has the caption {caption!r}; expected a sentence on what it shows"
        elif caption == alt:
            yield number, "has its alt text for a caption"
        if not re.fullmatch(r"fig-[a-z0-9]+(-[a-z0-9]+)+", name):
            yield number, f"is a figure named {name!r}; expected fig-NN-and-what-it-shows"
        elif name in before:
            yield number, f"has the name of cell {before[name]}"
        before[name] = number


def headings(notebook: NotebookNode) -> Broken:
    """Check that there is one title, at the top, and that no heading level is skipped."""
    level, titles = 0, 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "markdown":
            continue
        prose = re.sub(r"^(`{3,}|~{3,}|:{3,}).*?^\1$", "", cell.source, flags=re.S | re.M)
        for marks in re.findall(r"^(#{1,6})\s", prose, re.MULTILINE):
            if len(marks) > level + 1:
                yield number, f"has a heading of level {len(marks)} under one of level {level}"
            level = len(marks)
            titles += level == 1
        if re.search(r"!\[\s*\]\(", prose):
            yield number, "has a picture without alt text"
    if titles != 1:
        yield 0, f"{titles} headings of level 1, expected one"


def prompts_say_the_points(notebook: NotebookNode) -> Broken:
    """Check that the last prompt above a graded cell states the points of the cell."""
    said = None
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "markdown" and (found := _WORTH.findall(cell.source)):
            said = 0.0 if found[-1] == "No" else float(found[-1])
        role = cell.metadata.get("nbgrader", {})
        if role.get("grade") and said is not None and float(role["points"]) != said:
            worth = f"{role['grade_id']} is worth {role['points']:g} points"
            yield number, f"{worth}, and the text above says {said:g}: change one of them"


def points_add_up(notebook: NotebookNode) -> Broken:
    """Check that the introduction states the total points, and an essay's parts add up."""
    graded = [
        (number, role)
        for number, cell in enumerate(notebook.cells, start=1)
        if (role := cell.metadata.get("nbgrader", {})).get("grade") or role.get("task")
    ]
    total = sum(float(role.get("points", 0)) for _, role in graded)
    said = [float(each) for each in _SUM.findall(_introduction(notebook))]
    if graded and said and total not in said:
        yield (
            0,
            f"its tasks are worth {total:g} points, and its introduction says {said[0]:g}: change "
            "one of them",
        )
    for number, role in graded:
        above = notebook.cells[number - 2].source if number > 1 else ""
        parts = [float(each) for each in _PART.findall(above)]
        if role.get("solution") and parts and sum(parts) != float(role.get("points", 0)):
            worth = f"{role['grade_id']} is worth {float(role.get('points', 0)):g} points"
            yield number, f"{worth}, and the parts listed above add up to {sum(parts):g}"


def further_tasks_come_last(notebook: NotebookNode) -> Broken:
    """Check that exactly the tasks without points are below "Further tasks (no points)"."""
    worth, below = _worth(notebook), False
    for number, cell in enumerate(notebook.cells, start=1) if any(worth) else ():
        below = below or (cell.cell_type == "markdown" and bool(_FURTHER.search(cell.source)))
        role = cell.metadata.get("nbgrader", {})
        if role.get("grade") and below == bool(role["points"]):
            place = "is below" if below else "needs to be below"
            what = f"{role['grade_id']} gives {role['points']:g} points and"
            yield number, f'{what} {place} the last heading, "Further tasks (no points)"'


def _introduction(notebook: NotebookNode) -> str:
    """Return the text above the first task."""
    found = []
    for cell in notebook.cells:
        role = cell.metadata.get("nbgrader", {})
        if role:
            break
        if cell.cell_type == "markdown":
            task = _WORTH.search(cell.source)
            found.append(cell.source[: task.start()] if task else cell.source)
            if task:
                break
    return "\n\n".join(found)


_MISLEADING: list[Callable[[NotebookNode], Broken]] = [
    prompts_say_the_points,
    points_add_up,
    further_tasks_come_last,
]
_BOTH: list[Callable[[NotebookNode], Broken]] = [
    setup_comes_first,
    no_semicolon,
    known_tags,
    headings,
]
_GRADED = [*_BOTH, keeps_no_outputs, *_MISLEADING]
_CHAPTER = [
    *_BOTH,
    was_run,
    no_error_or_warning,
    short,
    narrow,
    measurements_are_marked,
    nothing_of_this_machine,
    figures,
    captions,
    closed_boxes,
    shown_code_parses,
]
