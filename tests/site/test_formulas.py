"""Formulas are rendered during the build; a formula that cannot be rendered is named."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.site.conftest import ROOT

EXTENSION = ROOT / "book" / "_ext"
CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_parser", "formulas"]
myst_enable_extensions = ["dollarmath", "amsmath"]
html_theme = "basic"
html_static_path = ["static"]
"""
PAGE = r"""# Page

With $\sqrt d$, and ($x$-dimensional) text, the $n$th, so $y$ too.

$$
a &= b \\
c &= d
$$ (eq-one)

See {eq}`eq-one`.

A **word**.
Then $z$.
"""

needs_katex = pytest.mark.skipif(
    not shutil.which("node") or not (ROOT / "node_modules" / "katex").is_dir(),
    reason="no Node, or no KaTeX: `make book` sets both up",
)


def build(folder: Path, page: str = PAGE, ext: Path = EXTENSION, **environment: str) -> str:
    """Build a site of one page, and return the text on stderr."""
    (folder / "static/vendor/katex").mkdir(parents=True, exist_ok=True)
    (folder / "static/vendor/katex/katex.css").write_text("")
    (folder / "conf.py").write_text(CONF.format(ext=str(ext)))
    (folder / "index.md").write_text(page)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(folder)]
    done = subprocess.run(
        [*command, str(folder / "out")],
        capture_output=True,
        text=True,
        check=False,
        env=environment or None,
    )
    assert (done.returncode == 0) == (done.stderr == "")
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stderr)


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formulas")
    assert build(folder) == ""
    return (folder / "out" / "index.html").read_text()


@needs_katex
def test_a_formula_is_markup_that_can_be_read_aloud_and_no_tex(html):
    assert html.count('class="katex"') == 6
    assert "<msqrt><mi>d</mi></msqrt>" in html
    assert "annotation" not in html
    assert r"\sqrt" not in html
    assert "mathjax.js" not in html.lower()


@needs_katex
def test_what_touches_a_formula_stays_on_its_line(html):
    marks = r'<span class="math [^"]*joined whole">(\(?)<span class="katex">.*?</span>([^<]+)</'
    joined = re.findall(marks, html, re.DOTALL)
    assert joined == [("", ","), ("(", "-"), ("", "th,"), ("", ".")]
    assert " and (" not in html
    assert "<strong>word</strong>.\nThen" in html, "an equal mark before it is another's"


@needs_katex
def test_a_number_and_its_link_stand_beside_a_displayed_formula(html):
    assert re.search(
        r'<div class="math[^>]* id="equation-eq-one">\s*<span class="eqno">\(1\)<a', html
    )
    assert '<a class="reference internal" href="#equation-eq-one">(1)</a>' in html


@needs_katex
@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"\sqroot d", "Undefined control sequence"),
        (r"\frac{1}", "end of input"),
        ("x_é", "LaTeX-incompatible"),
    ],
)
def test_a_formula_that_cannot_be_set_is_named_with_its_page(tmp_path, tex, why):
    said = build(tmp_path, f"# Page\n\nSo ${tex}$.\n")
    assert "index.md" in said
    assert repr(tex) in said
    assert why in said


@needs_katex
def test_without_katex_the_build_says_what_to_run(tmp_path):
    apart = tmp_path / "ext"
    apart.mkdir()
    for name in ("formulas.py", "formulas.mjs", "plain_text.py", "html_tag.py"):
        shutil.copy(EXTENSION / name, apart)
    said = build(tmp_path / "book", ext=apart)
    assert "katex" in said
    assert "`npm ci`" in said


def test_without_node_the_build_says_what_to_install(tmp_path):
    said = build(tmp_path, PATH="/nowhere")
    assert "no `node` is on the path" in said
    assert "Install Node 20+" in said


@needs_katex
@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        (r"p_{\max}", "<msub><mi>p</mi><mi>max</mi></msub>"),
        (r"a \overset{!}{=} b", "<mrow><mover><mo>=</mo>"),
        (r"\mathbb R, \mathbb E", '<mi>ℝ</mi><mo separator="true">,</mo><mi>𝔼</mi>'),
        (r"\begin{aligned}a\\b\end{aligned}", '<mtable rowspacing="0.25em" columnalign="right">'),
    ],
)
def test_mathml_is_as_its_schema_has_it(tex, mathml):
    asked = json.dumps({"tex": tex, "display": True})
    command = ["node", str(EXTENSION / "formulas.mjs")]
    said = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    assert mathml in json.loads(said)["mathml"]
