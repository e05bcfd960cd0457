"""Every notebook follows the book's rules, and every rule can detect a violation."""

from collections import Counter

import nbformat.v4 as v4
import pytest

from plaincourse.notebooks import pairs, rules
from tests.book.committed import CHAPTERS, NAMES, PAGES

ALT = "Weights of five keys: the fourth takes almost everything"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_notebook_keeps_the_rules(page):
    assert rules.broken(pairs.whole(page), graded=pairs.is_solution(page)) == []


def test_no_two_pictures_of_the_book_share_their_alt_text():
    cells = [cell for page in CHAPTERS for cell in pairs.whole(page).cells]
    alts = Counter(c.metadata.get("mystnb", {}).get("image", {}).get("alt") for c in cells)
    assert [alt for alt, times in alts.items() if alt and times > 1] == []


def prose(text):
    return v4.new_markdown_cell(text)


def code(source, *outputs, tags=(), count=2, alt="", **figure):
    shown = ({"image": {"alt": alt}} if alt else {}) | ({"figure": figure} if figure else {})
    metadata = {"tags": list(tags)} | ({"mystnb": shown} if shown else {})
    return v4.new_code_cell(source, metadata=metadata, outputs=list(outputs), execution_count=count)


def shown(text, name="stdout"):
    return v4.new_output("stream", name=name, text=text)


def picture():
    return v4.new_output("display_data", data={"image/png": "iVBORw0KGgo=", "text/plain": "<F>"})


def figure(alt=ALT, count=2, shown=None, tags=("hide-input",), **figure):
    told = {"caption": "Weights of five keys, unscaled.", "name": f"fig-99-weights-{count}"}
    outputs = shown or [picture()]
    return code("weights(x)", *outputs, tags=tags, alt=alt, count=count, **told | figure)


def notebook(*cells, title="# A page"):
    setup = code("import sys", tags=["setup", "hide-cell"], count=1)
    return v4.new_notebook(cells=[prose(title), setup, *cells])


def timed(source, text="0.2\n", tags=()):
    return code(source, shown(text), tags=tags)


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [code("\n".join("a" * 15))],
        [code("a" * 80), code("b" * 99, tags=["remove-cell"], count=3)],
        [figure(), code("1", count=3)],
        [figure(), figure("Weights of five keys after scaling: all alike", count=3)],
        [timed("start = time.perf_counter()\nassert f() < 2", tags=["nbval-ignore-output"])],
        [timed("print(weights)", "0.6698, seconds row: 3 m, 5 sums, 2x\n")],
        [prose("## One\n\n### Two\n\n## Three\n\n```\n#### no heading\n```")],
        [prose("![Rows are queries, columns are keys](x.png)")],
        [code("f(a, b);\nprint(a)", shown("1"))],
    ],
)
def test_a_notebook_in_order_breaks_no_rule(cells):
    assert rules.broken(notebook(*cells)) == []


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([code("1", tags=["setup"])], "first code cell alone is tagged setup; here [2, 3] are"),
        ([code("print(1)", count=None)], "cell 3: execution count None, expected 2"),
        ([code("1", count=7)], "cell 3: execution count 7, expected 2"),
        ([code("f()", v4.new_output("error", ename="KeyError"))], "cell 3: raised KeyError"),
        ([code("f()", shown("careful", "stderr"))], "cell 3: wrote to stderr: 'careful'"),
        ([code("\n".join("a" * 16))], "cell 3: has 16 lines, at most 15"),
        ([code("a" * 81)], "cell 3: has a line of 81 characters, at most 80"),
        ([code("f();")], "cell 3: ends in a semicolon"),
        ([code("f() ;\n")], "cell 3: ends in a semicolon"),
        ([code("1", tags=["nbval-skip"])], "cell 3: unknown tags ['nbval-skip']"),
        ([code("1", tags=["hide_input"])], "cell 3: unknown tags ['hide_input']"),
        ([code("# NBVAL_IGNORE_OUTPUT\n1")], "cell 3: has the comment '# NBVAL_IGNORE_OUTPUT'"),
        ([timed("f()", tags=["nbval-ignore-output"])], "cell 3: is tagged nbval-ignore-output and"),
        ([timed("print(time.perf_counter())")], "cell 3: prints a time (perf_counter)"),
        ([timed("print(t)", "it took 1.25 ms")], "cell 3: prints a time (1.25 ms)"),
        ([timed("f", "<function f at 0x7f00aa11bb22>")], "cell 3: prints '0x7f00aa11bb22'"),
        ([timed("f", "read /home/someone/x")], "cell 3: prints '/home/'"),
        ([code("plt.plot(x)")], "cell 3: uses matplotlib"),
        ([code("import matplotlib.pyplot as p")], "cell 3: uses matplotlib"),
        ([code("1", alt=ALT)], "cell 3: has alt text and no picture"),
        ([figure(shown=[picture(), picture()])], "cell 3: shows 2 pictures"),
        ([figure(tags=[])], "cell 3: shows a picture and is not tagged"),
        ([figure("")], "cell 3: alt text '' is 0 characters, at least 30"),
        ([figure("Five keys and a query")], "is 21 characters, at least 30"),
        ([figure("A picture of the weights of five keys")], "alt text begins 'A picture of the we"),
        ([figure("plot of the weights of all five keys")], "alt text begins 'plot of"),
        ([figure(), figure(count=3)], "cell 4: has the alt text of cell 3"),
        ([figure(caption="")], "cell 3: has the caption ''; expected a sentence"),
        ([figure(caption="Weights")], "cell 3: has the caption 'Weights'; expected a sentence"),
        (
            [figure(caption="Plot of the weights.")],
            "cell 3: has the caption 'Plot of the weights.'",
        ),
        ([figure(f"{ALT}.", caption=f"{ALT}.")], "cell 3: has its alt text for a caption"),
        ([figure(name="weights")], "cell 3: is a figure named 'weights'; expected fig-NN-"),
        ([figure(), figure(f"{ALT}.", count=3, name="fig-99-weights-2")], "has the name of cell 3"),
        ([prose("### Three")], "cell 3: has a heading of level 3 under one of level 1"),
        ([prose("# Another title")], "2 headings of level 1, expected one"),
        ([prose("![](x.png)")], "cell 3: has a picture without alt text"),
    ],
)
def test_a_broken_rule_is_named_with_its_cell(cells, said):
    found = rules.broken(notebook(*cells))
    assert len(found) == 1, found
    assert said in found[0]


def test_a_page_without_title_or_setup_is_told_so():
    bare = v4.new_notebook(cells=[prose("Text."), code("1", count=1)])
    found = rules.broken(bare)
    assert "0 headings of level 1, expected one" in found
    assert "cell 2: the first code cell alone is tagged setup; here none are" in found


def test_a_graded_notebook_stores_nothing_and_may_be_long():
    long = code("\n".join("a" * 40), count=None)
    empty = notebook(long)
    empty.cells[1].execution_count = None
    assert rules.broken(empty, graded=True) == []
    long.outputs = [shown("2.0")]
    assert rules.broken(empty, graded=True) == [
        "cell 3: stores outputs; plaincourse sync strips them from solutions"
    ]
