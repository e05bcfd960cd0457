"""Untrusted text is read outside the sandbox in time that is linear in its length."""

import pytest

from plaincourse.checking.limits import time_limit
from plaincourse.feedback.page import points
from plaincourse.grading.lost import lost
from plaincourse.proving.honest_desk import own
from tests.plaincourse.test_grading_elsewhere import mended, notebook

#: Texts that are slow to read with a pattern that restarts at each position.
BOMBS = {
    "comments that never end": "<!--" * 50_000,
    "comments of which one ends": "<!--" * 50_000 + "-->" + "<!--" * 50_000,
    "a heading of blanks": "# a" + " " * 200_000 + "b",
    "a heading of signs": "# a" + " #" * 100_000 + "b",
    "empty lines": "\n" * 200_000 + "x",
    "empty lines above an import": "\n" * 200_000 + "import math",
    "blanks": " " * 200_000 + "x",
    "fences": "```\n" * 50_000,
    "brackets": "(" * 100_000,
    "signs": "-" * 200_000 + "1",
    "a name of names": "a" + ".b" * 100_000,
    "marks": "!" * 200_000,
    "questions": "?" * 200_000,
    "letters": "a" * 200_000,
    "words": "a " * 100_000,
    "definitions": "def f(x):\n" * 20_000,
    "ends of lines": "\\\n" * 100_000,
    "links": "[a](" * 40_000,
    "tags": "<a href='" * 30_000,
    "styles": "<style" * 30_000,
    "stubs": "raise NotImplementedError()  # YOUR CODE\n" * 5_000,
}


@pytest.mark.parametrize("kind", ["code", "markdown"])
@pytest.mark.parametrize("what", BOMBS)
def test_a_long_text_is_read_in_time(what: str, kind: str) -> None:
    handed_in = notebook()
    handed_in["cells"].insert(2, own(BOMBS[what], kind))
    with time_limit(10.0):  # processor time; it takes a tenth of that, or would take minutes
        made = mended(handed_in)
        tests = [
            each.metadata.get("nbgrader", {}).get("grade_id", "") for each in made.notebook.cells
        ]
        lost(made.notebook, dict.fromkeys(tests, (0.0, 1.0)))
        points(made.notebook)
    assert not made.unread


#: Cells that a notebook may have by the thousands, in addition to blank answers.
MANY = {
    "values": ("code", "a{n} = {n}"),
    "functions": ("code", "def f{n}(query, key):\n    return {n}"),
    "prints": ("code", "print({n} / 7)"),
    "texts": ("markdown", "The answer to question {n} is that the keys are averaged, I think."),
    "code in a text": ("markdown", "```python\ndef f{n}(x):\n    return x\n```"),
}


@pytest.mark.parametrize("what", MANY)
def test_many_cells_are_read_in_time(what: str) -> None:
    handed_in = notebook()
    kind, text = MANY[what]
    handed_in["cells"][2:2] = [own(text.format(n=n), kind) for n in range(3_000)]
    with time_limit(15.0):  # processor time; it takes two seconds, or would take minutes
        made = mended(handed_in)
    assert not made.unread
