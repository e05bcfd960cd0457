"""Right answers in notebooks whose cells were copied, deleted, moved or stripped."""

import copy
from collections.abc import Iterator

from nbformat import from_dict
from nbgrader.utils import compute_checksum

from plaincourse.proving.honest_desk import Desk, Json, Odd, own, place


def cases(desk: Desk) -> Iterator[Odd]:
    """Yield one submission for each way in which people change cells."""
    yield from _copied(desk)
    yield from _deleted(desk)
    yield from _stripped(desk)
    yield from _turned(desk)


def _flags(kind: str, *names: str) -> frozenset[tuple[str, str]]:
    return frozenset((name, kind) for name in names)


def _copied(desk: Desk) -> Iterator[Odd]:
    test, answer, essay = desk.tests[0], desk.answers[0], desk.essays[0]
    stub = desk.release["cells"][place(desk.release, answer)]["source"]

    def two(name: str, notebook: Json, *cells: str) -> Odd:
        tells = tuple(f"The cell `{cell}` was there twice" for cell in cells)
        return desk.make(name, notebook, tells=tells, flags=_flags("mended", *cells))

    nb = desk.notebook()
    at = place(nb, test)
    yield two("test-copied", _insert(nb, at + 1, nb["cells"][at]), test)
    nb = desk.notebook()
    yield two("test-copied-above-answer", _insert(nb, place(nb, answer), nb["cells"][at]), test)
    nb = desk.notebook()
    at = place(nb, answer)
    yield two("answer-copied", _insert(nb, at + 1, nb["cells"][at]), answer)
    nb = desk.notebook()
    copied = copy.deepcopy(nb["cells"][at])
    nb["cells"][at]["source"] = stub
    yield two("stub-kept-above", _insert(nb, at + 1, copied), answer)
    nb = desk.notebook()
    last = [copy.deepcopy(nb["cells"][place(nb, name)]) for name in (answer, test)]
    nb["cells"][at]["source"] = stub
    yield two("both-copied-to-the-end", _insert(nb, len(nb["cells"]), *last), answer, test)
    nb = desk.notebook()
    half = copy.deepcopy(nb["cells"][at])
    half["source"] = "helper = 1"
    yield two("answer-split-in-two", _insert(nb, at, half), answer)
    nb = desk.notebook()
    at = place(nb, essay)
    draft = copy.deepcopy(nb["cells"][at])
    draft["source"] = "A first draft of mine."
    yield two("essay-in-two-drafts", _insert(nb, at, draft), essay)


def _deleted(desk: Desk) -> Iterator[Odd]:
    def gone(name: str, *cells: str, kept: Json | None = None) -> Odd:
        nb = desk.notebook()
        for cell in cells:
            at = place(nb, cell)
            nb["cells"][at : at + 1] = [kept] if kept else []
        graded = [cell for cell in cells if cell in desk.full]
        tells = tuple(f"The cell `{cell}` was missing" for cell in graded)
        return desk.make(name, nb, tells=tells, flags=_flags("restored", *graded))

    yield gone("first-test-deleted", desk.tests[0])
    yield gone("all-tests-deleted", *desk.tests)
    moved = own(desk.right["cells"][place(desk.right, desk.answers[1])]["source"])
    nb = desk.notebook()
    nb["cells"][place(nb, desk.answers[1])] = moved
    found = ("recognised",), _flags("mended", desk.answers[1])
    yield desk.make("answer-in-own-cell", nb, tells=found[0], flags=found[1])
    nb = desk.notebook()
    at = place(nb, desk.essays[0])
    nb["cells"][at] = own(nb["cells"][at]["source"], "markdown")
    found = ("recognised",), _flags("mended", desk.essays[0])
    yield desk.make("essay-in-own-cell", nb, tells=found[0], flags=found[1])
    nb = desk.notebook()
    lost = nb["cells"].pop(place(nb, desk.essays[0]))
    parts = [own(f"{number}. {lost['source']}", "markdown") for number in (1, 2)]
    nb["cells"] += parts
    flags = _flags("restored", desk.essays[0])
    yield desk.make("essay-in-two-own-cells", nb, tells=("A person reads",), flags=flags)
    nb = desk.notebook()
    nb["cells"] = [cell for cell in nb["cells"] if cell["cell_type"] == "code" or _known(cell)]
    yield desk.make("prompts-deleted", nb)
    nb = desk.notebook()
    nb["cells"] += [own("exit()"), own("after = 1")]
    yield desk.make("ends-with-exit", nb)


def _stripped(desk: Desk) -> Iterator[Odd]:
    everything = [*desk.full, *desk.answers]
    told = ("nbgrader data",)
    nb = desk.notebook()
    for cell in nb["cells"]:
        cell["metadata"] = {}
    flags = _flags("mended", *everything)
    yield desk.make("metadata-stripped", nb, tells=told, flags=flags)
    nb = copy.deepcopy(nb)
    for cell in nb["cells"]:
        cell.pop("id")
    yield desk.make(
        "metadata-and-ids-stripped", nb | {"nbformat_minor": 2}, tells=told, flags=flags
    )
    nb = desk.notebook()
    for cell in nb["cells"]:
        cell["metadata"].pop("nbgrader", None) if cell["cell_type"] == "code" else None
    code = _flags("mended", *desk.tests, *desk.answers)
    yield desk.make("code-stripped", nb, tells=told, flags=code)
    nb = desk.notebook()
    nb["cells"].insert(1, _other("of-another-assignment"))
    yield desk.make("cell-of-another-assignment", nb, tells=("does not have",))
    for version in (0, 1, 2, 99, "3"):
        nb = desk.notebook()
        for cell in filter(_known, nb["cells"]):
            meta = cell["metadata"]["nbgrader"]
            meta["schema_version"] = version
            meta.pop("cell_type"), meta.pop("task")
        yield desk.make(f"schema-{version}", nb)


def _turned(desk: Desk) -> Iterator[Odd]:
    test, answer, essay = desk.tests[0], desk.answers[0], desk.essays[0]
    for name, kind, what in (
        (answer, "markdown", "answer-turned-into-text"),
        (test, "raw", "test-turned-into-raw"),
        (essay, "code", "essay-turned-into-code"),
    ):
        nb = desk.notebook()
        cell = nb["cells"][place(nb, name)]
        cell["cell_type"] = kind
        tells = (f"`{name}` had been turned",)
        yield desk.make(what, nb, tells=tells, flags=_flags("mended", name))
    nb = desk.notebook()
    nb["cells"][place(nb, test)]["metadata"]["nbgrader"]["points"] = 200
    tells = (f"`{test}` said that it is worth 200",)
    yield desk.make("points-edited", nb, tells=tells, flags=_flags("tampered", test))
    nb = desk.notebook()
    nb["cells"][place(nb, test)]["metadata"]["nbgrader"] |= {"grade": False, "locked": False}
    tells = (f"`{test}` had another role",)
    yield desk.make("role-edited", nb, tells=tells, flags=_flags("mended", test))
    for what, change in (("spaces-in-test", "  \n{}  \n\n"), ("tabs-after-test", "{}\t\t")):
        nb = desk.notebook()
        cell = nb["cells"][place(nb, test)]
        cell["source"] = change.format(cell["source"])
        yield desk.make(what, nb)
    nb = desk.notebook()
    nb["cells"][place(nb, test)]["source"] += "\nprint('tested')"
    tampered = _flags("tampered", test)
    tells = (f"`{test}` had been changed: `print('tested')` was added",)
    yield desk.make("print-in-test", nb, tells=tells, flags=tampered)
    nb = desk.notebook()
    cell, solved = nb["cells"][place(nb, test)], nb["cells"][place(nb, answer)]
    cell["source"] = f"{solved['source']}\n\n{cell['source']}"
    solved["source"] = desk.release["cells"][place(desk.release, answer)]["source"]
    tells = (f"`{test}` had been changed",)
    yield desk.make("answer-in-test-cell", nb, tells=tells, flags=tampered)


def _known(cell: Json) -> bool:
    return "nbgrader" in cell["metadata"]


def _other(name: str) -> Json:
    meta = {"grade_id": name, "grade": True, "solution": False, "locked": True, "points": 9}
    meta |= {"schema_version": 3, "task": False, "cell_type": "code"}
    cell = own("1 + 1") | {"metadata": {"nbgrader": meta}}
    meta["checksum"] = compute_checksum(from_dict(cell))
    return cell


def _insert(notebook: Json, at: int, *cells: Json) -> Json:
    notebook["cells"][at:at] = copy.deepcopy(list(cells))
    return notebook
