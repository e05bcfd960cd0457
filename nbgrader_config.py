"""How nbgrader grades this course: where things lie, and what we add to its steps.

nbgrader reads this file where it is run: `nbgrader generate_assignment 02-…`,
`nbgrader generate_feedback`, `nbgrader formgrader`; and so does `plaincourse autograde`, which
grades. The gradebook, and what students hand in, stay out of git.
"""

import os

from nbgrader import preprocessors as stock
from nbgrader.converters import GenerateAssignment

from plaincourse.feedback import (
    Defuse,
    FeedbackExporter,
    GetPoints,
    TellPlainly,
    markdown2html,
    only_pages,
    read_times_as_graded,
    release_what_came_by_the_exchange,
)
from plaincourse.grading.literal_names import match_names_literally
from plaincourse.grading.nbgrader_parts import CountOutputs, RefuseStockAutograde
from plaincourse.grading.opening import explain_uncaught
from plaincourse.grading.releasing import SaveVersions, VersionExporter
from plaincourse.kernels import manager
from plaincourse.notebooks.release import ClearAnswers
from plaincourse.startup import put_commands_on_path

# One thread a kernel: small matrices gain nothing from more, and submissions grade alike.
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# nbgrader runs `alembic`, which lies beside it, also where the environment is not activated.
put_commands_on_path()
# A student called `Li Na [Group 2]`, and a course in a folder with brackets, are found as well.
match_names_literally()
# Where the gradebook cannot be used, its commands say why, and show no SQL.
explain_uncaught()
# A time that cannot be read is one student's, and formgrader lists the others.
read_times_as_graded()
# What came by other ways than the exchange is named, and the others get their pages by it.
release_what_came_by_the_exchange()

c = get_config()

c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
# nbgrader copies what lies beside a notebook into the release; the solution's text must not be.
c.CourseDirectory.ignore.append("*.md")
# The instructor's record of a submission lies beside its notebook; feedback must not take it along.
c.CourseDirectory.ignore.append("record.json")

c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()  # YOUR CODE"}
c.ClearSolutions.text_stub = "*Write your answer here, in place of this line.*"
# Where a value is asked for, the stub is `answer_… = ...`, which raises nothing.
_ours = {stock.ClearSolutions: ClearAnswers, stock.SaveCells: SaveVersions}
c.GenerateAssignment.preprocessors = [
    _ours.get(each, each) for each in GenerateAssignment.preprocessors.default()
]

# The same solution gives the same release, whoever generates it. Each version that was handed out
# is kept in handed_out/: what students made from it is graded by it.
c.GenerateAssignment.exporter_class = VersionExporter

# A cell that never ends is interrupted and costs itself; the cells below it still run. All calls
# of a check may take as long: some twenty on visible inputs, and the same again on fresh ones.
c.Execute.timeout = 60
c.Execute.interrupt_on_timeout = True

# `nbgrader validate` runs what students wrote in a sandbox, too; without one it is refused.
manager.announce()
c.Execute.kernel_name = manager.NAME
c.Execute.shutdown_kernel = "immediate"
c.AsyncKernelManager.client_class = manager.CLIENT

# `plaincourse autograde` mends what is handed in, whatever wrote it, runs it in a sandbox, and
# takes these steps. `nbgrader autograde`, and formgrader's button, would run it with your rights.
c.Autograde.exporter_class = RefuseStockAutograde
c.Autograde.autograde_preprocessors = [
    stock.Execute,
    stock.IgnorePattern,
    stock.LimitOutput,
    CountOutputs,
    stock.CheckCellMetadata,
]

# The course's own plugins read who handed in what in an archive of Blackboard, Canvas, Gradescope
# or Moodle. For another platform set c.FileNameCollectorPlugin.named_regexp, as nbgrader has it.
c.ZipCollectApp.extractor_plugin = "plaincourse.collecting.plugins.Extractor"
c.ZipCollectApp.collector_plugin = "plaincourse.collecting.plugins.Collector"

# The page that a student gets back is one file without scripts, and holds no hidden test. The
# files that they handed in are theirs already.
c.GenerateFeedback.exporter_class = FeedbackExporter
c.GenerateFeedback.post_convert_hook = only_pages
c.GenerateFeedback.preprocessors = [GetPoints, TellPlainly]
# Each time, every page: nbgrader would leave those that are there, whatever was graded since.
c.GenerateFeedback.force = True
# Nothing that a student wrote runs in formgrader's page of it.
c.HTMLExporter.filters = {"markdown2html": markdown2html}
c.HTMLExporter.preprocessors = [Defuse]

# Formgrader asks for an exchange and complains where there is none. Until the course has one on a
# hub, its own folder stands in: nothing is released into it while `course_id` is empty.
c.Exchange.root = "."
