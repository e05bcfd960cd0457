"""The feedback page for a student: points earned, errors and hints.

It is one self-contained file, without scripts and without fonts or pictures from elsewhere. It
therefore works without a network and in ten years, and opening it sends no requests. Everything
that could run is removed from the outputs of a student's code.
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
