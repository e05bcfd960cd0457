"""A notebook that a student's notebook runs is in the same folder during grading."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.plaincourse.autograde_course import RIGHT, autograde, book, hand_in, make

RUN = {
    "tools": ("%run tools.ipynb\ndef square(x):\n    return times(x, x)", "tools.ipynb"),
    "deeper": ("%run lib/my-tools.ipynb\nsquare = lambda x: times(x, x)", "lib/my-tools.ipynb"),
    "spaces": ("%run 'my tools.ipynb'\n" + RIGHT, "my tools.ipynb"),
}


def test_a_notebook_that_is_run_is_there(tmp_path):
    make(tmp_path)
    cells = [new_markdown_cell("Tools."), new_code_cell("def times(a, b):\n    return a * b")]
    for student, (square, name) in RUN.items():
        place = hand_in(tmp_path, student, square=square)
        (place / name).parent.mkdir(exist_ok=True)
        nbformat.write(new_notebook(cells=cells), place / name)
    autograde(tmp_path)
    with book(tmp_path) as gradebook:
        points = {
            each.student.id: each.score for each in gradebook.assignment_submissions("week-1")
        }
    assert points == dict.fromkeys(RUN, 2 * (2 + 1.5))
