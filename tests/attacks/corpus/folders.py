"""Attacks through files in the submission's folder."""

import os
from pathlib import Path

from tests.attacks.attack import Attack, Plant

#: Code for a module that a program may import; it must not run where it can write its output file.
_CODE = """import pathlib, sys
try:
    pathlib.Path({drop!r}, "ran-by-import-{name}").write_text(" ".join(sys.argv))
except OSError:
    pass
"""


def _files(*names: str) -> Plant:
    def plant(folder: Path, places: dict[str, str]) -> None:
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_CODE.format(drop=places["drop"], name=path.stem), "utf-8")

    return plant


def _links(folder: Path, places: dict[str, str]) -> None:
    for name in ("gradebook", "victim", "solution", "home"):
        (folder / f"{name}.txt").symlink_to(places[name])
    (folder / "up").symlink_to("../../..", target_is_directory=True)
    (folder / "loop").symlink_to("loop")
    os.link(places["outside"], folder / "hard.txt")


def _odd_names(folder: Path, places: dict[str, str]) -> None:
    names = [
        b"-rf",
        b"a\nb",
        b"\xff\xfe",
        b"%2e%2e%2fx",
        b"..x",
        b"$(reboot)",
        b"'\"`",
        b"n" * 255,
        b"\x1b[2J.txt",
    ]
    for name in names:
        (folder / os.fsdecode(name)).write_text("x")


def _specials(folder: Path, places: dict[str, str]) -> None:
    os.mkfifo(folder / "pipe.txt")
    os.mkfifo(folder / "data.ipynb")
    if os.geteuid() == 0:
        os.mknod(folder / "zero.txt", 0o020666, os.makedev(1, 5))


def _deep(folder: Path, places: dict[str, str]) -> None:
    for number in range(60):
        folder = folder / "deeper"
        folder.mkdir()
        (folder / f"{number}.txt").write_text("x")


def _huge(folder: Path, places: dict[str, str]) -> None:
    with (folder / "huge.bin").open("wb") as file:
        file.truncate(3 << 30)


def _settings(folder: Path, places: dict[str, str]) -> None:
    _files("evil.py")(folder, places)
    (folder / "matplotlibrc").write_text("backend: module://evil\n")
    (folder / "evil.pth").write_text("import evil\n")
    (folder / ".env").write_text("PYTHONPATH=.\nPYTHONSTARTUP=evil.py\n")
    (folder / "pyvenv.cfg").write_text("home = .\n")


def _more(folder: Path, places: dict[str, str]) -> None:
    for name in ("bonus.ipynb", ".ipynb_checkpoints/arena.ipynb", "copies/arena.ipynb"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes((folder / "arena.ipynb").read_bytes())


_ALL = ("first", "target", "plain", "partial", "choice", "last")

FOLDERS = (
    Attack(
        name="links-beside",
        theme="folders",
        attempts="Puts symlinks to secrets beside the notebook, to be copied into its feedback.",
        plant=_links,
        first="""
for path in glob.glob("*.txt") + glob.glob("up/*/*/*"):
    leak(path, tried(lambda: open(path, "rb").read().decode("latin-1")))
tried(lambda: open("hard.txt", "w").write("overwritten"))
""",
    ),
    Attack(
        name="specials-beside",
        theme="folders",
        attempts="Puts a pipe and an endless device beside the notebook.",
        plant=_specials,
    ),
    Attack(
        name="odd-names-beside",
        theme="folders",
        attempts="Gives its files names that shells, paths and encodings stumble over.",
        plant=_odd_names,
    ),
    Attack(
        name="deep-folders",
        theme="folders",
        attempts="Puts folders in folders, sixty deep.",
        plant=_deep,
    ),
    Attack(
        name="huge-file",
        theme="folders",
        attempts="Puts a file of three gigabytes, all holes, beside the notebook.",
        plant=_huge,
        loses=_ALL,
    ),
    Attack(
        name="modules-shadowed",
        theme="folders",
        attempts="Puts modules beside the notebook that have the names of the grader's own.",
        plant=_files(
            "torch.py", "json.py", "plaincourse/__init__.py", "nbgrader.py", "numpy.py",
            "ipykernel_launcher.py", "zmq.py",
        ),
        loses=_ALL,
    ),
    Attack(
        name="start-up-files",
        theme="folders",
        attempts="Puts files beside the notebook that Python, IPython, Jupyter or nbgrader run.",
        plant=_files(
            *("sitecustomize.py", "usercustomize.py", "jupyter_config.py", "conftest.py"),
            *("nbgrader_config.py", ".jupyter/nbgrader_config.py", "ipython_kernel_config.py"),
            *(".ipython/profile_default/startup/0.py", "profile_default/startup/0.py"),
        ),
    ),
    Attack(
        name="settings-beside",
        theme="folders",
        attempts="Puts settings beside the notebook that name code to load.",
        plant=_settings,
    ),
    Attack(
        name="notebooks-more-than-asked",
        theme="folders",
        attempts="Hands in more notebooks: one unknown, and one that was put aside.",
        plant=_more,
    ),
)  # fmt: skip
