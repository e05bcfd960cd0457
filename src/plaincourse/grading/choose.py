"""Choose among several notebooks in a student's folder, by what stands in them.

People hand in the folder in which they worked, with the chapter, a copy that they began with, and a
download of last week beside what is meant. The notebook that has the assignment's name is taken
unless answers are missing in it that stand in another one. Where another one has answers that it
has not, or has them differently, a person is told: the corrected one may be the copy.
"""

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plaincourse.grading.files import Found, renamed_note, shown
from plaincourse.grading.own_work import parsed
from plaincourse.grading.text import with_and

#: Answers that were given, by the names of their cells.
Answers = Mapping[str, str]
#: What an answer may stand in beside a notebook.
_DOCUMENTS = frozenset(
    ".py .txt .md .rst .rtf .pdf .doc .docx .odt .pages .tex .html .htm .jpg .jpeg .png .heic "
    ".heif .tif .tiff .webp".split()
)
_NOT_ANSWERS = re.compile(
    r"(timestamp|requirements.*|readme.*|license.*|licence.*|setup|conftest|__init__)\.\w+",
    re.IGNORECASE,
)
_MAGICS = re.compile(r"^[ \t]*[%!].*$", flags=re.MULTILINE)
#: So many files are named.
_NAMED = 4
_ONE = (
    "The answer to {tasks} was left as it was, and {files} came with the notebook. See whether the "
    "answer stands there."
)
_SEVERAL = (
    "The answers to {tasks} were left as they were, and {files} came with the notebook. See "
    "whether the answers stand there."
)
_OTHER = (
    "A further notebook of this assignment was handed in, with other answers: {others}. `{taken}` "
    "was graded. A person looks at which one was meant."
)
_OTHERS = (
    "Further notebooks of this assignment were handed in, with other answers: {others}. `{taken}` "
    "was graded. A person looks at which one was meant."
)


@dataclass(frozen=True)
class Choice:
    """Which notebook is graded.

    Attributes:
        path: its file; None if there is none, or none can be told from the others.
        notes: what was odd about it: sentences, and kinds of flags.
        why: why there is none, as the end of a sentence; else empty.
    """

    path: Path | None
    notes: tuple[tuple[str, str], ...] = ()
    why: str = ""


def choose(
    folder: Path, found: Found, own: Answers | None, others: Mapping[Path, Answers]
) -> Choice:
    """Choose the notebook whose answers are all that there are.

    Args:
        folder: what the student handed in.
        found: the notebook that has the right name, and those that have not.
        own: the answers in the first; None if it is not the assignment's.
        others: the answers in each of the others that are the assignment's.
    """
    notes = tuple((note, "mended") for note in found.notes)
    first = Choice(found.path, notes, found.why)
    known = dict(others)
    if found.path is not None and own is not None:
        known = {found.path: own, **others}
    whole = (
        path
        for path, answers in known.items()
        if all(each.items() <= answers.items() for each in known.values())
    )
    if not others:
        return first
    if best := next(whole, None):
        if best == found.path:
            return first
        return Choice(best, ((renamed_note(folder, found.name, best), "mended"),))
    if own and found.path is not None:
        differ = [path for path in others if not others[path].items() <= own.items()]
        named = ", ".join(f"`{shown(folder, path)}`" for path in differ)
        said = _OTHERS if differ[1:] else _OTHER
        note = said.format(others=named, taken=shown(folder, found.path))
        return Choice(found.path, (*notes, (note, "elsewhere")))
    paths = [f"`{shown(folder, path)}`" for path in known]
    lacks = "is missing" if own is None else "holds no answer"
    meant = paths if own is None else paths[1:]
    told = f"{len(meant)} files may be meant: {', '.join(meant)}. Keep one"
    return Choice(None, (), f"`{found.name}.ipynb` {lacks}, and {told}")


def documents(files: Collection[str], code: Sequence[str], given: Collection[str]) -> list[str]:
    """Return the names of files in which a missing answer may stand.

    Args:
        files: names of files in a submission.
        code: the code cells of its notebook. A module that they import, and a file that they name
            in a string or a magic, such as a picture that they save, is no answer.
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
        and name not in given
        and not _NOT_ANSWERS.fullmatch(Path(name).name)
        and not any(Path(name).name in each for each in named)
        and not (name.endswith(".py") and _modules(name) & {*imported, *named})
    ]


def beside(files: Sequence[str], tasks: Sequence[str]) -> str:
    """Say which files came with a notebook in which answers are missing; empty if none did.

    Args:
        files: those in which a missing answer may stand.
        tasks: whose answers are missing.
    """
    named = [f"`{name.replace('`', chr(39))}`" for name in files[:_NAMED]]
    named += [f"{len(files) - _NAMED} more"] if files[_NAMED:] else []
    if not named:
        return ""
    said = _ONE if len(tasks) == 1 else _SEVERAL
    return said.format(tasks=with_and([f"`{name}`" for name in tasks]), files=with_and(named))


def _modules(name: str) -> set[str]:
    """Return the names by which a file may be imported, from its folder or from one above it."""
    parts = Path(name).with_suffix("").parts
    return {".".join(parts[start:]) for start in range(len(parts))}
