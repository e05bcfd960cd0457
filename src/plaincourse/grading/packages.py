"""Packages and devices that a student's machine has and grading does not.

An import that fails stops its cell, and with it often every import below it. So an import of a
package that is not installed is left out, the rest runs, and the student and the instructor are
told which package it was. The same goes for a device, once the notebook has run.
"""

import ast
import functools
import html
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plaincourse.grading.files import list_files
from plaincourse.grading.recognise import Submitted

PACKAGE, DEVICE = "package", "device"
_LEFT_OUT = (
    "Cell {number} imports `{package}`, which is not installed where this notebook is graded. The "
    "import was left out and the rest was run; whatever uses it fails. Use the packages that the "
    "course's own cells import, or ask your instructor for `{package}`."
)
_LEFT_OUT_WHY = (
    "Cell {number} imports `{package}`, which is not installed here. The import was left out and "
    "the rest was run. If students may use it, install it and grade again."
)
_FAILED = (
    "The package `{package}` is not installed where this notebook is graded, and a cell failed for "
    "it. Use the packages that the course's own cells import, or ask your instructor for it."
)
_UNWRITTEN = (
    "A cell imports `{package}` from a file that the notebook itself is to write, and the file was "
    "not there where the notebook is graded: cell magics such as %%writefile do not run there. "
    "Define what is graded in a cell."
)
_FAILED_NAME = (
    "A cell failed because `{package}` is not in the version of the package that is installed "
    "where this notebook is graded: {said}"
)
_NOT_IN_PYTHON = (
    "A cell failed because `{package}` is not in Python {ours}, with which this notebook is "
    "graded: {said}. A newer Python may have it."
)
_NO_DEVICE = (
    "A cell asks for a device that is not there where this notebook is graded, and failed for it: "
    '{said}. Choose the device by what there is, as in `torch.device("cuda" if '
    'torch.cuda.is_available() else "cpu")`.'
)
_NO_MODULE = re.compile(r"No module named '(\w+)")
_NO_NAME = re.compile(r"ImportError: (cannot import name \W{0,6}(\w+)\W[^\n<]{0,120})")
_DEVICES = re.compile(
    r"Torch not compiled with \w+ enabled|No \w+ GPUs are available|Found no NVIDIA driver"
    r"|PyTorch is not linked with support for \w+ devices|Cannot access accelerator device"
    r"|Attempting to deserialize object on an? \w+ device|The MPS backend is supported on"
    r"|no kernel image is available|CUDA error: [^\n<]{0,60}|Invalid device \w+: [^\n<]{0,60}"
    r"|Expected one of cpu, [^\n<]{0,20} device type at start of device string: \w+"
)
_CATCHES = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_FILE = re.compile(r"\b([A-Za-z_]\w{0,99})\.py\b")
_MOST = 400_000


def leave_out_missing(work: Submitted, folder: Path | None) -> None:
    """Leave out imports of packages that are not installed, and tell of each.

    Args:
        work: the notebook.
        folder: what the student handed in, with modules of their own.
    """
    own: set[str] | None = None
    for item in work.items:
        locked = item.source and item.source.locked and not item.source.solution
        if item.cell.cell_type != "code" or locked or "import" not in item.cell.source:
            continue
        gone = [each for each in _imports(item.cell.source) if not _is_there(each[1])]
        if gone and own is None:
            own = _modules(folder) | {name for each in work.items for name in _files(each.cell)}
        gone = [each for each in gone if each[1] not in (own or ())]
        if gone:
            item.cell["source"] = _without(item.cell.source, [node for node, _ in gone])
        for package in dict.fromkeys(package for _, package in gone):
            said = {"number": item.number, "package": package}
            work.tell(_LEFT_OUT.format(**said), "", kind=PACKAGE, why=_LEFT_OUT_WHY.format(**said))


def failures(cells: list[Any], told: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what a notebook that ran lacked, as a kind of flag and a sentence.

    Args:
        cells: of the notebook.
        told: sentences that its author is told already.
    """
    text = html.unescape("\n".join(_texts(cells))[:_MOST])
    for package in dict.fromkeys(_NO_MODULE.findall(text)):
        if not _is_there(package) and not any(f"`{package}`" in each for each in told):
            written = any(package in _files(cell) for cell in cells)
            said = _UNWRITTEN if written else _FAILED
            yield PACKAGE, said.format(package=package)
    if found := _NO_NAME.search(text):
        yield PACKAGE, _no_name(found[2], found[1].strip())
    if device := _DEVICES.search(text):
        yield DEVICE, _NO_DEVICE.format(said=device[0].strip())


def _no_name(name: str, said: str) -> str:
    """Say where a name is not: in this Python, or in the installed version of a package."""
    module = re.search(r"(?:from|module) '(\w+)", said)
    if module and module[1] in sys.stdlib_module_names:
        ours = ".".join(map(str, sys.version_info[:2]))
        return _NOT_IN_PYTHON.format(package=name, ours=ours, said=said)
    return _FAILED_NAME.format(package=name, said=said)


def _texts(cells: list[Any]) -> Iterator[str]:
    """Yield the errors of a notebook, and the reports of its checks."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                yield f"{output.ename}: {output.evalue}"
            elif output.output_type == "execute_result":
                yield str(output.data.get("text/html", ""))


@functools.cache
def _is_there(package: str) -> bool:
    try:
        return package in sys.modules or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _files(cell: Any) -> list[str]:
    """Return the names of the Python files that a cell of code speaks of."""
    return _FILE.findall(cell.source) if cell.cell_type == "code" else []


def _modules(folder: Path | None) -> set[str]:
    names = list_files(folder).files if folder is not None and folder.is_dir() else {}
    return {part.removesuffix(".py") for name in names for part in name.split("/")}


def _imports(text: str) -> list[tuple[ast.Import | ast.ImportFrom, str]]:
    """Return the imports of a cell that would stop it, each with its package."""
    plain = re.sub(r"^([ \t]*)[%!].*$", r"\1pass", text, flags=re.MULTILINE)
    try:
        body = ast.parse(plain).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [(node, name.partition(".")[0]) for node in _unguarded(body) for name in _names(node)]


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    return [node.module] if node.module and not node.level else []


def _unguarded(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that run with the cell and whose failure nothing catches."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.Try):
            if not any(map(_catches, node.handlers)):
                yield from _unguarded(node.body)
        elif isinstance(node, ast.If | ast.With | ast.For | ast.While):
            yield from _unguarded([*node.body, *getattr(node, "orelse", [])])


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = [] if handler.type is None else ast.walk(handler.type)
    named = {each.id for each in kinds if isinstance(each, ast.Name)}
    return handler.type is None or bool(named & _CATCHES)


def _without(text: str, gone: list[ast.Import | ast.ImportFrom]) -> str:
    """Return a cell's code without what imports of missing packages import."""
    lines = text.split("\n")
    for node in sorted(dict.fromkeys(gone), key=lambda each: -each.lineno):
        kept = [each for each in node.names if _is_there(each.name.partition(".")[0])]
        keeps = isinstance(node, ast.Import) and kept
        instead = ast.unparse(ast.Import(names=kept)) if keeps else "pass"
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before = lines[first].encode()[: node.col_offset].decode()
        after = lines[last].encode()[node.end_col_offset or 0 :].decode()
        was = " ".join(" ".join(lines[first : last + 1]).split())
        comment = f"  # left out: {was}" if not (after.strip() or before.strip()) else ""
        lines[first : last + 1] = [f"{before}{instead}{after}{comment}"]
    return "\n".join(lines)
