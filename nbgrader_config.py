"""How nbgrader grades this course: where things lie, and what we add to its steps.

nbgrader reads this file where it is run: `nbgrader generate_assignment 02-…`, `nbgrader autograde`,
`nbgrader generate_feedback`, `nbgrader export`. The gradebook, and what students hand in, stay out
of git.
"""

import os

from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader import preprocessors as stock

from plaincourse.feedback import TellPlainly
from plaincourse.grading.outputs import CountOutputs
from plaincourse.grading.restore import RestoreCells

# One thread a kernel: small matrices gain nothing from more, and submissions grade alike.
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

c = get_config()

c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
# nbgrader copies what lies beside a notebook into the release; the solution's text must not be.
c.CourseDirectory.ignore.append("*.md")

c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()  # YOUR CODE"}
c.ClearSolutions.text_stub = "*Write your answer here, in place of this line.*"

# A cell that never ends is interrupted and costs itself; the cells below it still run.
c.Execute.timeout = 30
c.Execute.interrupt_on_timeout = True

c.Autograde.sanitize_preprocessors = [
    stock.ClearOutput,
    stock.DeduplicateIds,
    stock.OverwriteKernelspec,
    RestoreCells,
    stock.OverwriteCells,
    stock.CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    stock.Execute,
    stock.IgnorePattern,
    ClearMetadataPreprocessor,
    stock.LimitOutput,
    CountOutputs,
    stock.SaveAutoGrades,
    stock.AssignLatePenalties,
    stock.CheckCellMetadata,
]
c.GenerateFeedback.preprocessors = [
    stock.GetGrades,
    stock.ClearHiddenTests,
    TellPlainly,
    CSSHTMLHeaderPreprocessor,
]
