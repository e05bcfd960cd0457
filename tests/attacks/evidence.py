"""Detect the effects of an attack in all the files that grading left behind."""

import json
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from plaincourse.checking.trials import draw
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from tests.attacks import arena
from tests.attacks.court import Court

_WON = "attack-succeeded"
_RUNS = {"script", "iframe", "object", "embed", "base", "meta", "link", "form"}


class _Alive(HTMLParser):
    """Find an attack's markup that would run in the browser of a reader of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        said = " ".join(f"{name}={value}" for name, value in attributes)
        runs = any(name.startswith("on") for name, _ in attributes) or "javascript:" in said
        if runs or (tag in _RUNS and "hijack" in said):
            self.found.append(f"<{tag} {said}>")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script" and "hijack" in data:
            self.found.append(data)


def alive(html: str) -> list[str]:
    """List the active content in a page of HTML."""
    parser = _Alive()
    parser.feed(html)
    return parser.found


def unearned(court: Court, name: str) -> list[str]:
    """List the points that an attack got but did not earn."""
    return [
        f"{cell}: {got} of {points}"
        for cell, points, got in _compared(court, name)
        if got is not None and got > points
    ]


def false_zeros(court: Court, name: str) -> list[str]:
    """List the points that were earned but are missing."""
    loses = court.attacks[name].loses if name in court.attacks else ()
    says = court.attacks[name].says if name in court.attacks else ""
    return [
        f"{cell}: {got} of {points}"
        for cell, points, got in _compared(court, name)
        if (got is None and not says)
        or (got is not None and got < points and not (cell in loses and got == 0))
    ]


def _compared(court: Court, name: str) -> Iterator[tuple[str, float, float | None]]:
    full = arena.FULL
    expected = court.attacks[name].expected(full) if name in court.attacks else full
    got = court.scores.get(name, {})
    for cell, points in expected.items():
        yield cell, points, got.get(cell)


def leaks(court: Court, name: str) -> list[str]:
    """List the secrets, and an attack's claims of success, in files that its author can read."""
    wrong = dict(court.secrets)
    wrong["bank"] = load("02.scores").misconceptions[0].believed
    wrong["success"] = _WON
    found = []
    for step in ("autograded", "feedback"):
        for path, text in texts(court.course.folder / step / name):
            found += [f"{kind} in {path.name}" for kind, word in wrong.items() if word in text]
    if court.attacks[name].page:
        for path, text in texts(court.course.folder / "feedback" / name):
            found += [f"hidden input {word} in {path.name}" for word in hidden() if word in text]
        found += [f"alive: {piece}" for piece in alive(page(court, name))]
    return found


def page(court: Court, name: str) -> str:
    """Return the feedback page of an attack's author."""
    path = court.course.folder / "feedback" / name / arena.NAME / f"{arena.NAME}.html"
    return path.read_text("utf-8")


def texts(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every file below a folder that contains text."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size < 200 << 20:
            yield path, path.read_bytes().decode("utf-8", errors="replace")


@cache
def hidden() -> tuple[str, ...]:
    """Return numbers that occur only in hidden tests and in their drawn inputs."""
    task = load("02.scores")
    assert isinstance(task, Exercise)
    drawn = [trial for trial in draw(task, 8675310) if not trial.visible]
    first = {str(trial.inputs["query"].flatten()[0].item())[:9] for trial in drawn[:6]}
    return (*arena.HIDDEN, *sorted(first))


def damage(court: Court) -> list[str]:
    """List the changes outside of the sandboxes."""
    places, found = court.places, []
    if Path(places["outside"]).read_text("utf-8", errors="replace") != "untouched\n":
        found.append("a file outside of the course")
    for what in ("victim", "solution"):
        path = Path(places[what])
        if not path.exists() or court.secrets[what] not in path.read_text("utf-8"):
            found.append(f"the {what}'s notebook")
    if "overwritten" in (court.course.folder / "nbgrader_config.py").read_text("utf-8"):
        found.append("the settings")
    if "overwritten" in court.names or court.secrets["book"] not in court.names:
        found.append("the gradebook")
    return found + [f"dropped: {name}" for name in court.traps.dropped()]


def survivors(court: Court) -> list[str]:
    """List processes of attacks that are still running."""
    mark = court.places["survivor"].encode()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (path / "cmdline").read_bytes():
                found.append(path.name)
        except OSError:  # it has just exited
            continue
    return found


def kinds(court: Court, name: str) -> set[str]:
    """Return the kinds of flags in a record."""
    return {flag["kind"] for flag in court.record(name).get("flags", [])}


def told(court: Court, name: str) -> str:
    """Return a record as text."""
    return json.dumps(court.record(name), ensure_ascii=False)
