"""Convert notebooks to HTML, with their paths kept below TO: ``convert.py ROOT TO NOTEBOOK…``."""

import sys
from pathlib import Path

from nbconvert import HTMLExporter
from traitlets.config import Config


def main(root: Path, to: Path, notebooks: list[str]) -> None:
    """Convert each notebook; MathJax comes from node_modules, not from another host.

    Args:
        root: the repository's root.
        to: the folder for the pages, each at the notebook's path below it.
        notebooks: paths from the root.
    """
    local = {"mathjax_url": "/node_modules/mathjax/es5/tex-chtml-full.js", "require_js_url": ""}
    exporter = HTMLExporter(config=Config(HTMLExporter=local))
    for name in notebooks:
        page = to / Path(name).with_suffix(".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(exporter.from_filename(str(root / name))[0], encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
