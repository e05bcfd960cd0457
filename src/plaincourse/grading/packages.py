"""Packages, devices and time that a student's machine has but grading lacks.

An import that fails stops its cell, and with it often every import below it. So an import of a
package that is not installed is left out, the rest runs, and the student and the instructor are
notified of the package. The same goes for a device, once the notebook has run.
"""

import ast
import functools
import html
import importlib.util
import re
import sys
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from plaincourse.grading.files import list_files, plain_name
from plaincourse.grading.recognise import Submitted

PACKAGE, DEVICE, SLOW = "package", "device", "slow"
#: The beginning of a comment in place of an import that was left out.
LEFT_OUT = "# left out when it was graded: "
#: For each event, the sentence for the student and the one for the instructor.
_LEFT_OUT = (
    "Cell {number} imports `{package}`, which is not installed where this notebook is graded. The "
    "import was left out and the rest was run; whatever uses it fails. Use the packages that the "
    "course's own cells import, or ask your instructor for `{package}`.",
    "Cell {number} imports `{package}`, which is not installed here. The import was left out and "
    "the rest was run. If students may use it, install it and grade again.",
)
_FORGOTTEN = (
    "Cell {number} imports `{package}`, but the submission holds no file `{package}.py`, and no "
    "package of that name is installed. The import was left out and the rest was run; whatever "
    "uses it fails. If the file is yours, hand it in with the notebook, or copy its code into a "
    "cell; if that is too late, show it to your instructor.",
    "Cell {number} imports `{package}`, but the submission holds no file `{package}.py`, and no "
    "package of that name is installed. The import was left out and the rest was run. Ask the "
    "student for the file, put it beside the notebook, and grade again. If it is a package that "
    "students may use, install it instead.",
)
_MISPLACED = (
    "Cell {number} imports `{package}`. `{file}` was handed in, but beside the notebook, where "
    "Python looks, is no `{package}.py`. The import was left out and the rest was run; whatever "
    "uses it fails. If this costs you points, show it to your instructor.",
    "Cell {number} imports `{package}`. `{file}` was handed in, but beside the notebook, where "
    "Python looks, is no `{package}.py`. The import was left out and the rest was run. If this "
    "file is meant, copy it there under that name, and grade again.",
)
_NOTEBOOK = (
    "Cell {number} imports `{package}` from the notebook `{package}.ipynb`, and notebooks cannot "
    "be imported where this one is graded. The import was left out and the rest was run; whatever "
    "uses it fails. Write `%run {package}.ipynb` in place of the import; if that is too late, show "
    "it to your instructor.",
    "Cell {number} imports `{package}` from the notebook `{package}.ipynb`, and notebooks cannot "
    "be imported here. The import was left out and the rest was run. Write `%run {package}.ipynb` "
    "in place of the import, and grade again.",
)
_FAILED = (
    "The package `{package}` is not installed where this notebook is graded, and a cell failed for "
    "it. Use the packages that the course's own cells import, or ask your instructor for it.",
    "The package `{package}` is not installed here, and a cell failed for it. If students may use "
    "it, install it and grade again.",
)
_FAILED_FORGOTTEN = (
    "A cell failed for `{package}`: the submission holds no file `{package}.py`, and no package of "
    "that name is installed. If the file is yours, hand it in with the notebook, or copy its code "
    "into a cell; if that is too late, show it to your instructor.",
    "A cell failed for `{package}`: the submission holds no file `{package}.py`, and no package of "
    "that name is installed. Ask the student for the file, put it beside the notebook, and grade "
    "again. If it is a package that students may use, install it instead.",
)
_FAILED_MISPLACED = (
    "A cell failed for `{package}`: `{file}` was handed in, but beside the notebook, where Python "
    "looks, is no `{package}.py`. If this costs you points, show it to your instructor.",
    "A cell failed for `{package}`: `{file}` was handed in, but beside the notebook, where Python "
    "looks, is no `{package}.py`. If this file is meant, copy it there under that name, and grade "
    "again.",
)
_UNWRITTEN = (
    "A cell imports `{package}` from a file that the notebook itself is to write, and the file was "
    "not there where the notebook is graded: cell magics such as %%writefile do not run there. "
    "Define what is graded in a cell.",
    "A cell imports `{package}` from a file that the notebook itself is to write, and the file was "
    "not there: cell magics such as %%writefile do not run here. Read the code below the magic.",
)
_FAILED_NAME = (
    "A cell failed because `{package}` is not in the version of the package that is installed "
    "where this notebook is graded: {said}",
    "A cell failed because `{package}` is not in the version of the package that is installed "
    "here: {said}",
)
_NOT_IN_PYTHON = (
    "A cell failed because `{package}` is not in Python {ours}, with which this notebook is "
    "graded: {said}. A newer Python may have it.",
    "A cell failed because `{package}` is not in Python {ours}, with which notebooks are graded "
    "here: {said}. A newer Python may have it.",
)
_CHOOSE = (
    'Choose the device by what there is, as in `torch.device("cuda" if torch.cuda.is_available() '
    'else "cpu")`.'
)
_NO_DEVICE = (
    "A cell asks for a device that is not there where this notebook is graded, and failed for it: "
    f"{{said}}. {_CHOOSE}",
    "A cell asks for a device that is not there where notebooks are graded, and failed for it: "
    "{said}. Read the answers that use it, or run the notebook where there is one.",
)
_STOPPED = (
    "A cell was stopped when the notebook was graded, because it did not end in time or showed too "
    "much: {said}. Its own names may be missing; the cells below it were run.",
    "A cell did not end in time or showed too much, and was stopped: {said}. The cells below it "
    "were run.",
)
#: The sentence about an event on the student's page. It depends on no other output of the notebook
#: from grading, because such output may reveal hidden tests.
ON_PAGE = {
    DEVICE: "A cell failed because it asks for a device that is not there where this notebook is "
    f"graded: there is a CPU and no GPU. {_CHOOSE}",
    SLOW: "A cell of yours was stopped when this notebook was graded, because it did not end in "
    "time or showed too much. The cells below it were run.",
}
#: Packages that are not the course's and that students import; other names are of their own files.
_KNOWN = frozenset(
    "IPython PIL absl accelerate altair bitsandbytes bokeh bs4 cupy cv2 cvxpy cycler cython dash "
    "datasets dask dgl diffusers einops evaluate fastai flash_attn flask flax fsspec gensim "
    "google gradio graphviz h5py haiku huggingface_hub imageio import_ipynb ipdb ipynb ipywidgets "
    "jax jaxlib "
    "jaxtyping joblib keras lightgbm lightning line_profiler llvmlite lxml memory_profiler mlflow "
    "mlx mpl_toolkits mpmath mxnet nbimporter networkx nltk numba numexpr numpy nvidia omegaconf "
    "onnx openai "
    "openpyxl opt_einsum optax pandas peft plotly polars psutil pyarrow pydantic pydot pynvml "
    "pyro pytest pytorch_lightning ray requests rich safetensors scipy seaborn sentencepiece "
    "sentence_transformers "
    "skimage sklearn snoop spacy statsmodels streamlit sympy tabulate tensorboard "
    "tensorflow termcolor tiktoken timm tokenizers torch torchaudio torcheval torchinfo "
    "torchmetrics torchsummary torchtext torchtune torchtyping torchview torchvision torchviz "
    "tqdm transformer_lens transformers triton trl typeguard vllm wandb xarray xformers xgboost "
    "yaml".split()
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
_STOPS = ("CellTimeoutError", "OutputFlood")
_MOST = 400_000
_ARCHIVES, _MOST_ARCHIVES = (".zip", ".whl", ".egg", ".pyz"), 8


def leave_out_missing(work: Submitted, folder: Path | None) -> None:
    """Leave out imports of packages that are not installed, and report each.

    Args:
        work: the notebook.
        folder: the submission, with modules of the student's own.
    """
    own: set[str] | None = None
    for item in work.items:
        locked = item.source and item.source.locked and not item.source.solution
        if item.cell.cell_type != "code" or locked or "import" not in item.cell.source:
            continue
        gone = [each for each in _imports(item.cell.source) if not _is_there(each[1])]
        if gone and own is None:
            own = _modules(folder) | {name for each in work.items for name in _files(each.cell)}
            code = "\n".join(each.cell.source for each in work.items)
            own |= {name for path in _archives(folder, code) for name in _packed(path)}
        gone = [each for each in gone if each[1] not in (own or ())]
        if gone:
            item.cell["source"] = _without(item.cell.source, [node for node, _ in gone])
        for package in dict.fromkeys(package for _, package in gone):
            missing = _NOTEBOOK if package in _notebooks(folder) else _FORGOTTEN
            file = meant(package, _names_below(folder))
            missing = _MISPLACED if file and missing is _FORGOTTEN else missing
            note, why = _LEFT_OUT if package in _KNOWN else missing
            said = {"number": item.number, "package": package, "file": file}
            work.tell(note.format(**said), "", kind=PACKAGE, why=why.format(**said))


def failures(
    cells: list[Any], told: list[str], files: Collection[str] = ()
) -> Iterator[tuple[str, str, str]]:
    """Yield the failures of a notebook after its run: a kind of flag, and a sentence per reader.

    Args:
        cells: of the notebook.
        told: sentences that its author gets already.
        files: names of the files that were handed in.

    Yields:
        The kind, the student's sentence, and the instructor's sentence.
    """
    text = html.unescape("\n".join(_texts(cells))[:_MOST])
    for package in dict.fromkeys(_NO_MODULE.findall(text)):
        if not _is_there(package) and not any(f"`{package}`" in each for each in told):
            written = any(package in _files(cell) for cell in cells)
            file = meant(package, files)
            missing = _FAILED_MISPLACED if file else _FAILED_FORGOTTEN
            missing = _UNWRITTEN if written else _FAILED if package in _KNOWN else missing
            yield PACKAGE, *_filled(missing, package=package, file=file)
    if found := _NO_NAME.search(text):
        yield PACKAGE, *_no_name(found[2], found[1].strip())
    if devices := [*dict.fromkeys(found[0].strip() for found in _DEVICES.finditer(text))]:
        yield DEVICE, *_filled(_NO_DEVICE, said="; ".join(devices[:3]))
    if stopped := [cell for cell in cells if _is_stopped(cell)]:
        lines = (cell.source.strip().split("\n")[0][:60].replace("`", "'") for cell in stopped[:3])
        yield SLOW, *_filled(_STOPPED, said=", ".join(f"`{line}`" for line in lines))


def _is_stopped(cell: Any) -> bool:
    """Return whether the grader stopped a cell that is not a test."""
    own = cell.metadata.get("nbgrader", {})
    stops = any(each.get("ename") in _STOPS for each in cell.get("outputs", ()))
    return stops and (bool(own.get("solution")) or not own.get("grade"))


def meant(package: str, files: Collection[str]) -> str:
    """Return the file of a submission that an import may mean; empty if there is none.

    It is in another folder, or has other capitals, or the additions of a browser or a platform to a
    name: ``tools (1).py``, ``tools-1.py``.

    Args:
        package: the module's name.
        files: names of the files that were handed in.
    """
    for name in files:
        stem, dot, end = name.rpartition("/")[2].rpartition(".")
        alike = {plain_name(stem), plain_name(re.sub(r"-\d+$", "", stem))}
        if dot and end.lower() == "py" and plain_name(package) in alike:
            return name.replace("`", "'")
    return ""


def _no_name(name: str, said: str) -> tuple[str, str]:
    """Return where a name is missing: in this Python, or in the installed version of a package."""
    module = re.search(r"from '(\w+)", said)
    ours = ".".join(map(str, sys.version_info[:2]))
    standard = module is not None and module[1] in sys.stdlib_module_names
    return _filled(_NOT_IN_PYTHON if standard else _FAILED_NAME, package=name, ours=ours, said=said)


def _filled(sentences: tuple[str, str], **said: str) -> tuple[str, str]:
    student, instructor = sentences
    return student.format(**said), instructor.format(**said)


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
    """Return the names of the Python files that a cell of code mentions."""
    return _FILE.findall(cell.source) if cell.cell_type == "code" else []


def _names_below(folder: Path | None) -> list[str]:
    return list(list_files(folder).files) if folder is not None and folder.is_dir() else []


def _modules(folder: Path | None) -> set[str]:
    names = _names_below(folder)
    return {part.removesuffix(".py") for name in names for part in name.split("/")}


def _archives(folder: Path | None, code: str) -> list[Path]:
    """Return the archives of a submission that its code names, and so may import from."""
    files = list_files(folder).files if folder is not None and folder.is_dir() else {}
    return [path for path in files.values() if path.suffix in _ARCHIVES and path.name in code][
        :_MOST_ARCHIVES
    ]


def _packed(path: Path) -> set[str]:
    """Return the names that may be imported from an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return set()
    return {name.split("/")[0].removesuffix(".py") for name in names}


def _notebooks(folder: Path | None) -> set[str]:
    return {Path(name).stem for name in _names_below(folder) if name.endswith(".ipynb")}


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
            tried = list(_unguarded(node.body))
            catching = next(filter(_catches, node.handlers), None)
            if catching is None:
                yield from tried
            elif not all(_is_there(name.partition(".")[0]) for e in tried for name in _names(e)):
                yield from _unguarded(catching.body)  # often installs the package, and tries again
        elif isinstance(node, ast.If | ast.With | ast.For | ast.While):
            yield from _unguarded([*node.body, *getattr(node, "orelse", [])])


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = [] if handler.type is None else ast.walk(handler.type)
    named = {each.id for each in kinds if isinstance(each, ast.Name)}
    return handler.type is None or bool(named & _CATCHES)


def _without(text: str, gone: list[ast.Import | ast.ImportFrom]) -> str:
    """Return a cell's code without its imports of missing packages."""
    lines = text.split("\n")
    for node in sorted(dict.fromkeys(gone), key=lambda each: -each.lineno):
        kept = [each for each in node.names if _is_there(each.name.partition(".")[0])]
        keeps = isinstance(node, ast.Import) and kept
        instead = ast.unparse(ast.Import(names=kept)) if keeps else "pass"
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before = lines[first].encode()[: node.col_offset].decode()
        after = lines[last].encode()[node.end_col_offset or 0 :].decode()
        was = " ".join(" ".join(lines[first : last + 1]).split())
        comment = f"  {LEFT_OUT}{was}" if not (after.strip() or before.strip()) else ""
        lines[first : last + 1] = [f"{before}{instead}{after}{comment}"]
    return "\n".join(lines)
