"""Write the instructor's and the student's page on graded work, for tests in the browser.

python -m tests.plaincourse.graded_pages FOLDER
"""

import sys
from datetime import datetime
from pathlib import Path

from nbformat.v4 import new_markdown_cell

from plaincourse.classroom.page import page as report
from plaincourse.classroom.reading import read
from plaincourse.classroom.tasks import Book
from tests.plaincourse.class_of_120 import NAME, records, write_records
from tests.plaincourse.test_check_report import REPORTS
from tests.plaincourse.test_feedback_page import TITLE, graded, html, shown

#: Both are wider than a phone.
TABLE = "| query | key | value | score | weight | output |\n|" + "---|" * 6 + "\n|" + "0.125 |" * 6

FORMULA = f"$${' + '.join(f'a_{{{i}}}' for i in range(16))}$$"


def main(folder: Path) -> None:
    """Write `report.html` and `feedback.html`."""
    write_records(folder, records())
    said = report(read(folder, NAME), Book(None), made=datetime(2026, 1, 2))
    (folder / "report.html").write_text(said, encoding="utf-8")
    hints = graded("1", [html(REPORTS["partial"]._repr_html_())])
    said = shown(TITLE, hints, new_markdown_cell(f"{TABLE}\n\n{FORMULA}"))
    (folder / "feedback.html").write_text(said, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
