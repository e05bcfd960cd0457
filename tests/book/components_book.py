"""A book of two pages in a folder, for tests of the course's directives."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXT = ROOT / "book" / "_ext"
CONF = f"""
import sys
sys.path.insert(0, {str(EXT)!r})
extensions = ["myst_parser", "sphinx.ext.mathjax", "course_components"]
myst_enable_extensions = ["dollarmath"]
mathjax_path = "mathjax.js"
html_theme = "basic"
html_static_path = ["static"]
"""
CONCEPTS = """
- {id: roots, name: Roots & powers, chapter: "01", prerequisites: [], sources: [A]}
- {id: shapes, name: All shapes, chapter: "02", prerequisites: [roots], sources: [A],
   section: sec-02-shapes, code: x.y, practice: [02.scores]}
- {id: ends, name: Ends, chapter: "03", prerequisites: [shapes, roots], sources: [A]}
"""
CHAPTERS = """
- part: One
  chapters:
    - {id: "01", slug: roots, title: Roots}
    - {id: "02", slug: shapes, title: Shapes < all, shows: What a shape is}
- part: Two
  chapters:
    - {id: "03", slug: ends, title: Ends}
"""
CARDS = """
- id: 02-c01
  front: What is $a<b$ in `x`?
  back: |
    An *inequality*.

    $$a < b$$
  concepts: [shapes]
  level: easy
  source: [A]
"""
PAGE = f"""# Shapes

{"Shape. " * 13_000}

```{{minutes}} 02
```

(sec-02-shapes)=
## All shapes

```{{cards}} 02
```

```{{gate}} 02
```
"""
INDEX = """# Start

```{front}
What *this* is.
```

```{chapter-cards}
```

```{toctree}
book/02-shapes
book/map
```
"""


class Book:
    """A small book in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("static/course", "book/cards"):
            (folder / name).mkdir(parents=True)
        for name in ("cards", "gate", "map", "front"):
            (folder / f"static/course/{name}.js").write_text("export {};")
        for name in ("components", "front"):
            (folder / f"static/course/{name}.css").write_text("p {}")
        (folder / "static/mathjax.js").write_text("")
        self.write("conf.py", CONF)
        self.owned_by("")
        self.write("book/concepts.yml", CONCEPTS)
        self.write("book/chapters.yml", CHAPTERS)
        self.write("book/cards/02.yml", CARDS)
        self.write("book/02-shapes.md", PAGE)
        self.write("book/map.md", "# Map\n\n```{map}\n```\n")
        self.write("index.md", INDEX)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def owned_by(self, owner: str) -> None:
        self.write("pyproject.toml", f'[tool.plaincourse]\nowner = "{owner}"\n')

    def build(self, builder: str = "html") -> str:
        out = str(self.folder / "out" / builder)
        command = [sys.executable, "-m", "sphinx", "-q", "-n", "-b", builder, str(self.folder), out]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return re.sub(r"\x1b\[[0-9;]*m", "", done.stderr)

    def read(self, name: str, builder: str = "html") -> str:
        return (self.folder / "out" / builder / name).read_text(encoding="utf-8")
