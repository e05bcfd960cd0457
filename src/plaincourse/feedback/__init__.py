"""The page that a student gets back: what was earned, what is wrong, what may help.

It is one file that needs nothing else: no script, no font, no picture from elsewhere. So it reads
the same without a network and in ten years, and opening it tells nobody. What a student's code
wrote is cleaned of everything that could run.
"""

from plaincourse.feedback.exchange import release_what_came_by_the_exchange
from plaincourse.feedback.exporter import FeedbackExporter, GetPoints, only_pages
from plaincourse.feedback.formgrader import Defuse, markdown2html
from plaincourse.feedback.formgrader_times import read_times_as_graded
from plaincourse.feedback.tell import TellPlainly

__all__ = [
    "Defuse",
    "FeedbackExporter",
    "GetPoints",
    "TellPlainly",
    "markdown2html",
    "only_pages",
    "read_times_as_graded",
    "release_what_came_by_the_exchange",
]
