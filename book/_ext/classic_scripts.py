"""Classic scripts from the course's modules, so that they also run in a copy opened as a file.

A browser loads no module from ``file://``. The sources stay modules, which tests import; a page
asks for them as ever, ``app.add_js_file("course/gate.js", type="module")``. Here esbuild bundles
what a page asks for, with all that it imports, into ``_static/bundles``: one script for the modules
of one folder, since those share their state. A module ``NAME.worker.js`` beside ``NAME.js`` becomes
a script of its own, which the page loads when it starts that worker.
"""

import shutil
import subprocess
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

FOLDER = "bundles"
PACKAGES = Path(__file__).parents[2] / "node_modules"
# The oldest browsers that know what the scripts call.
OPTIONS = ("--bundle", "--minify", "--format=iife", "--charset=utf8", "--target=es2022")

log = logging.getLogger(__name__)


def bundle(app: Sphinx, modules: Sequence[str]) -> str:
    """Bundle modules of one folder, where that has not been done since they changed.

    Args:
        app: the application.
        modules: paths in ``_static``: ``["course/cards.js", "course/gate.js"]``.

    Returns:
        The path of the script in ``_static``: ``bundles/course.cards+gate.js``.
    """
    names = [PurePosixPath(module) for module in modules]
    script = f"{FOLDER}/{names[0].parent.name}.{'+'.join(name.stem for name in names)}.js"
    made = Path(app.outdir) / "_static" / script
    folder = _folder(app, modules)
    if folder and _is_older(made, folder):
        _run(modules, folder, made)
    return script


def _folder(app: Sphinx, modules: Sequence[str]) -> Path | None:
    if found := _folder_of(modules, app):
        return found
    log.warning("no folder of %s has %s", app.config.html_static_path, " and ".join(modules))
    return None


def _folder_of(modules: Sequence[str], app: Sphinx) -> Path | None:
    folders = [Path(app.srcdir) / each for each in app.config.html_static_path]
    return next((f for f in folders if all((f / each).is_file() for each in modules)), None)


def _is_older(made: Path, folder: Path) -> bool:
    if not made.is_file():
        return True
    lock = PACKAGES / ".package-lock.json"
    sources = [*folder.glob("*/*.js"), *([lock] if lock.is_file() else []), Path(__file__)]
    return made.stat().st_mtime < max(path.stat().st_mtime for path in sources)


def _run(modules: Sequence[str], folder: Path, made: Path) -> None:
    esbuild = shutil.which("esbuild", path=str(PACKAGES / ".bin"))
    if not esbuild:
        log.warning(
            "esbuild is not in %s, so %s would not run. Run `npm ci`, or `make book`, which does.",
            PACKAGES.name,
            " and ".join(modules),
        )
        return
    entry = "".join(f'import "./{module}";\n' for module in modules)
    command = [esbuild, *OPTIONS, "--log-level=warning", f"--outfile={made}"]
    done = subprocess.run(command, input=entry, cwd=folder, text=True, capture_output=True)
    if done.returncode or done.stderr:
        log.warning("esbuild could not bundle %s:\n%s", " and ".join(modules), done.stderr.strip())


def replace(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put classic scripts in the place of a page's modules."""
    scripts = context.get("script_files", [])
    modules = [each for each in scripts if getattr(each, "attributes", {}).get("type") == "module"]
    scripts[:] = [each for each in scripts if each not in modules]
    later = {
        str(each.filename).removeprefix("_static/"): "data-later" in each.attributes
        for each in modules
    }
    paths = sorted(later)
    at_once = [path for path in paths if not later[path]]
    for _, group in groupby(at_once, lambda path: PurePosixPath(path).parent):
        app.add_js_file(bundle(app, list(group)), defer="defer")
    for path in filter(later.get, paths):  # course.js loads it; a browser loads none of this type
        app.add_js_file(bundle(app, [path]), type="text/plain", **{"data-later": "later"})
    for worker in (str(PurePosixPath(path).with_suffix(".worker.js")) for path in paths):
        if _folder_of([worker], app):
            bundle(app, [worker])


def renew(app: Sphinx, error: Exception | None) -> None:
    """Bundle again for pages that were not written again, though a module changed."""
    if error or app.builder.format != "html" or app.builder.name == "epub":
        return
    for made in sorted((Path(app.outdir) / "_static" / FOLDER).glob("*.js")):
        folder, names = made.stem.split(".", 1)
        modules = [f"{folder}/{name}.js" for name in names.split("+")]
        bundle(app, modules)


def setup(app: Sphinx) -> dict[str, Any]:
    """Bundle when all that a page asks for is known."""
    app.connect("html-page-context", replace, priority=850)
    app.connect("build-finished", renew)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
