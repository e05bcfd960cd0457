"""Choose among several notebooks in a student's folder, by their content.

Students hand in their working folder, which may hold the chapter, the copy that they began with,
and an old download in addition to the intended notebook. The notebook with the assignment's name is
graded unless it lacks answers that another one has. If another one has additional or different
answers, a person is notified, because the corrected version may be the copy.
"""

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plaincourse.grading.files import Found, renamed_note, shown
from plaincourse.grading.notebook import COULD_NOT, EARNED
from plaincourse.grading.own_work import parsed
from plaincourse.grading.run_files import names_notebook, without_notes
from plaincourse.grading.text import few, with_and

#: Given answers, by the names of their cells.
Answers = Mapping[str, str]
#: The suffixes of files other than notebooks that may hold an answer.
_DOCUMENTS = frozenset(
    ".py .txt .md .rst .rtf .pdf .doc .docx .odt .pages .tex .html .htm .jpg .jpeg .png .heic "
    ".heif .tif .tiff .webp".split()
)
_NOT_ANSWERS = re.compile(
    r"(timestamp|submission_secret|requirements.*|readme.*|license.*|licence.*|setup|conftest|__init__)\.\w+",
    re.IGNORECASE,
)
_MAGICS = re.compile(r"^[ \t]*[%!].*$", flags=re.MULTILINE)
#: The number of files that are named.
NAMED = 4
_ONE = (
    "The answer to {tasks} was left as it was, and {files} came with the notebook. See whether the "
    "answer stands there."
)
_SEVERAL = (
    "The answers to {tasks} were left as they were, and {files} came with the notebook. See "
    "whether the answers stand there."
)
_ONE_TOLD = (
    "Your answer to {tasks} was left as it was, and {files} came with the notebook. A person looks "
    "whether the answer is there."
)
_SEVERAL_TOLD = (
    "Your answers to {tasks} were left as they were, and {files} came with the notebook. A person "
    "looks whether the answers are there."
)
_OTHER = (
    "A further notebook of this assignment was handed in, with other answers: {others}. `{taken}` "
    "was graded. A person looks at which one was meant."
)
_OTHERS = (
    "Further notebooks of this assignment were handed in, with other answers: {others}. `{taken}` "
    "was graded. A person looks at which one was meant."
)


#: The reasons for grading no notebook, or one with another name.
_MEANT = (
    "{own}, and {many} notebooks have different answers in them: {named}. Put the answers that "
    "are meant into one notebook called `{name}.ipynb`, and have it graded"
)
_NONE_READ = (
    "`{name}.ipynb` is missing, and none of the {many} notebooks that were handed in could be read "
    "as it: {named}. Hand in the notebook of the exercise"
)
_FEWER = "`{best}` was graded in place of `{own}`, because it holds all answers of both."
_DAMAGED = (
    "`{best}` was graded in place of `{own}`, which could not be read: {why}. A person looks at "
    "which one was meant."
)
_FOREIGN = "`{best}` was graded in place of `{own}`, which is not the notebook of the exercise."


@dataclass(frozen=True)
class Choice:
    """The notebook that is graded.

    Attributes:
        path: its file; None if there is none, or if the choice is unclear.
        notes: irregularities: sentences, and kinds of flags.
        why: the reason why there is none, as the end of a sentence; else empty.
    """

    path: Path | None
    notes: tuple[tuple[str, str], ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Candidate:
    """A notebook of a student's folder, once it was read.

    Attributes:
        answers: those in it by task, None if it is not the assignment's.
        code: the texts of its cells of code.
        unread: why it could not be read, in sentences; else empty.
    """

    answers: Answers | None
    code: Sequence[str] = ()
    unread: str = ""


def choose(folder: Path, found: Found, own: Candidate, looked: Mapping[Path, Candidate]) -> Choice:
    """Choose the notebook that contains the answers of all the others.

    Args:
        folder: the submission.
        found: the notebook with the right name, and those with other names.
        own: the first.
        looked: each of the others.
    """
    notes = tuple((note, "mended") for note in found.notes)
    first = Choice(found.path, notes, found.why)
    held = {path: each for path, each in looked.items() if each.answers is not None}
    others = _without_helpers(found.path, own, held)
    if not others:
        return _none_read(folder, found, looked) if found.meant else first
    known = dict(others)
    if found.path is not None and own.answers is not None:
        known = {found.path: own.answers, **others}
    whole = (
        path
        for path, answers in known.items()
        if all(each.items() <= answers.items() for each in known.values())
    )
    if best := next(whole, None):
        return first if best == found.path else Choice(best, (_instead(folder, found, own, best),))
    if own.answers and found.path is not None:
        differ = [path for path in others if not others[path].items() <= own.answers.items()]
        named = ", ".join(f"`{shown(folder, path)}`" for path in differ)
        said = _OTHERS if differ[1:] else _OTHER
        note = said.format(others=named, taken=shown(folder, found.path))
        return Choice(found.path, (*notes, (note, "elsewhere")))
    meant = [path for path in known if path != found.path]
    named = with_and([f"`{shown(folder, path)}` ({_tasks(known[path])})" for path in meant])
    lacks = "is missing" if own.answers is None else "holds no answer"
    had = f"`{found.name}.ipynb` {lacks}"
    if own.unread and found.path is not None:
        had = f"`{shown(folder, found.path)}` could not be read"
    return Choice(None, (), _MEANT.format(own=had, many=len(meant), named=named, name=found.name))


def _without_helpers(
    main: Path | None, own: Candidate, held: Mapping[Path, Candidate]
) -> dict[Path, Answers]:
    """Leave out the notebooks that the graded one runs, directly or through another.

    If no notebook has the right name, those are left out that another one runs.
    """
    code = {path: "\n".join(map(without_notes, each.code)) for path, each in held.items()}
    helpers: set[Path] = set()
    if main is not None and own.answers is not None:
        waiting = ["\n".join(map(without_notes, own.code))]
        while waiting:
            text = waiting.pop()
            more = {path for path in held if path not in helpers and names_notebook(text, path)}
            waiting += [code[path] for path in more]
            helpers |= more
    else:
        run = {
            path: any(names_notebook(text, path) for other, text in code.items() if other != path)
            for path in held
        }
        helpers = {path for path in held if run[path]} if not all(run.values()) else set()
    return {path: each.answers or {} for path, each in held.items() if path not in helpers}


def _instead(folder: Path, found: Found, own: Candidate, best: Path) -> tuple[str, str]:
    """Return why another notebook than the first is graded, and the kind of the flag."""
    if found.path is None:
        return renamed_note(folder, found.name, best), "mended"
    said = {"best": shown(folder, best), "own": shown(folder, found.path)}
    if own.answers is not None:
        return _FEWER.format(**said), "mended"
    if own.unread.startswith(COULD_NOT):
        return _DAMAGED.format(**said, why=_reason(own.unread)), "elsewhere"
    return _FOREIGN.format(**said), "mended"


def _none_read(folder: Path, found: Found, looked: Mapping[Path, Candidate]) -> Choice:
    """Return a choice that explains why none of several notebooks of other work is graded."""
    why = {path: _reason(looked[path].unread) for path in found.meant if path in looked}
    named = "; ".join(
        f"`{shown(folder, path)}`: {said or 'it has none of the cells'}"
        for path, said in why.items()
    )
    said = _NONE_READ.format(name=found.name, many=len(why), named=named)
    return Choice(None, (), said)


def _reason(unread: str) -> str:
    """Return why a notebook could not be read, as a clause."""
    said = unread.removeprefix(COULD_NOT).removesuffix(f" {EARNED}").rstrip(".")
    return said[:1].lower() + said[1:]


def _tasks(answers: Answers) -> str:
    return few([f"`{name}`" for name in answers], NAMED) or "no answer"


def documents(files: Collection[str], code: Sequence[str], given: Collection[str]) -> list[str]:
    """Return the names of files that may hold a missing answer.

    Args:
        files: names of files in a submission.
        code: the code cells of its notebook. A module that they import, and a file that they name
            in a string or a magic, such as a picture that they save, is not an answer.
        given: names of files that were handed out.
    """
    imported, named = set(), []
    for text in code:
        named += _MAGICS.findall(text)
        for node in ast.walk(parsed(text) or ast.Module([], [])):
            if isinstance(node, ast.Import):
                imported |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                imported |= {module, *(f"{module}.{each.name}".strip(".") for each in node.names)}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.append(node.value)
    return [
        name
        for name in files
        if Path(name).suffix.lower() in _DOCUMENTS
        and not {name, Path(name).name} & set(given)
        and not _NOT_ANSWERS.fullmatch(Path(name).name)
        and not any(Path(name).name in each for each in named)
        and not (name.endswith(".py") and _modules(name) & {*imported, *named})
    ]


def beside(files: Sequence[str], tasks: Sequence[str], *, student: bool = False) -> str:
    """Return a sentence about files that came with a notebook; empty if none did.

    Args:
        files: those that may hold a missing answer.
        tasks: those whose answers are missing.
        student: whether the reader is the student, and not the instructor.
    """
    named = [f"`{name.replace('`', chr(39))}`" for name in files[:NAMED]]
    named += [f"{len(files) - NAMED} more"] if files[NAMED:] else []
    if not named:
        return ""
    if student:
        said = _ONE_TOLD if len(tasks) == 1 else _SEVERAL_TOLD
    else:
        said = _ONE if len(tasks) == 1 else _SEVERAL
    return said.format(tasks=with_and([f"`{name}`" for name in tasks]), files=with_and(named))


def _modules(name: str) -> set[str]:
    """Return the names by which a file may be imported, from its folder or from one above it."""
    parts = Path(name).with_suffix("").parts
    return {".".join(parts[start:]) for start in range(len(parts))}
