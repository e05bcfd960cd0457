"""A small book in a folder, for tests of the Sphinx extensions."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CONF = """
import sys
sys.path[:0] = [{ext!r}, {here!r}]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "equation",
              "interactive", "api_text", "numbering", "deeper", "theme_fixes",
              "navigation"]
source_suffix = {{".md": "markdown"}}
html_theme = "basic"
html_static_path = ["static"]
numfig = True
nitpick_ignore_regex = [("py:class", ".*")]
"""
MODULE = '''
def attend(query: "Float[Tensor, 'b q d']", key: int = 3, *, mask=None) -> 'Float[Tensor, "b q e"]':
    """Look.

    Args:
        query: who asks.

    Returns:
        A tensor of that shape: one row each.

    Cost: q times
    k multiplications.

    Ref: nobody.
    """


def padding(k: int) -> Bool[Tensor, "b 1 {k}"]:
    """Hide."""
'''
PAGES = {
    "index.md": "# Start\n\n```{toctree}\n02-first\n03-second\napi\n```\n",
    "02-first.md": """(ch-02)=
# First

```{equation} eq-one
:code: tiny.attend
x = y
```

```{equation} eq-two
:code: tiny.attend, tiny.padding
y = z
```

See {eq}`eq-two`.

Sentences say {ref}`ch-02`.
""",
    "03-second.md": """# Second

```{equation} eq-three
:code: tiny.attend
z = x
```

```{interactive} spinner
:alt: A wheel with five spokes & a rim.
Turn it *once*.
```
""",
    "api.md": "# API\n\n```{eval-rst}\n.. automodule:: tiny\n   :members:\n```\n",
}


class Project:
    """A small book in a folder, and the messages of its build."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "static" / "widgets").mkdir(parents=True)
        (folder / "static" / "widgets" / "spinner.js").write_text("export {};")
        (folder / "tiny.py").write_text("from __future__ import annotations\n" + MODULE)
        conf = CONF.format(ext=str(ROOT / "book" / "_ext"), here=str(folder))
        (folder / "conf.py").write_text(conf)
        for name, text in PAGES.items():
            (folder / name).write_text(text)

    def build(self, builder: str = "html", *options: str) -> str:
        """Build strictly, and return the text on stderr."""
        command = [sys.executable, "-m", "sphinx", "-b", builder, "-q", "-n", *options]
        place = [str(self.folder), str(self.folder / "out" / builder)]
        done = subprocess.run([*command, *place], capture_output=True, text=True, check=False)
        return re.sub(r"\x1b\[[0-9;]*m", "", done.stderr)

    def page(self, name: str) -> str:
        return (self.folder / "out" / "html" / f"{name}.html").read_text()

    def change(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text()
        assert old in text
        (self.folder / name).write_text(text.replace(old, new))


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("book"))
    assert project.build() == ""
    return project
