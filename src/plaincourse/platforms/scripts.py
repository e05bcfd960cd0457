"""The files through which each platform starts the grader.

A platform has its own names and folders for them, and all of them start
``plaincourse.platforms.grade``. The variable ``PLAINCOURSE_ROOT`` replaces the platform's folder,
so that an export can be tried in any folder.
"""

import json
import uuid
from typing import Any

_FAILED = (
    "The grader could not start, so this score says nothing about your notebook. Please tell your "
    "instructor."
)
_SETUP = """\
#!/usr/bin/env bash
# Run once, when the image is built. Where an interpreter has all packages, it needs no network.
set -euo pipefail
source="${PLAINCOURSE_ROOT:-@root@}/source"
export PYTHONPATH="$source/packages"@index@
ready() { "$1" -P -m plaincourse.platforms.grade --ready "$source" >/dev/null 2>&1; }
recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

found=""
for each in ${PLAINCOURSE_PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if [ -z "$found" ] && ready "$each"; then found="$(command -v "$each")"; fi
done
if [ -z "$found" ]; then
    if command -v apt-get >/dev/null; then
        apt-get update
        apt-get install -y libseccomp2 python3 python3-venv
        recent python3 || apt-get install -y python3.11 python3.11-venv
    fi
    for each in python3 python3.13 python3.12 python3.11; do
        if [ -z "$found" ] && recent "$each"; then found="$each"; fi
    done
    if [ -z "$found" ]; then
        echo "This image has no Python 3.11 or newer. Choose a newer base image." >&2
        exit 1
    fi
    "$found" -m venv "$source/env"
    PYTHONPATH= "$source/env/bin/python" -m pip install --no-cache-dir \\
        -r "$source/requirements.txt" -c "$source/constraints.txt"
    found="$source/env/bin/python"
fi
printf '%s\\n' "$found" > "$source/interpreter"
# The solutions and hidden tests. Students' code runs in a sandbox that does not show them either.
chmod -R go= "$source/course"
"$found" -P -m plaincourse.platforms.grade --ready "$source"
"""
_RUN = """\
#!/usr/bin/env bash
# Run for each submission.
base="${PLAINCOURSE_ROOT:-@root@}"
source="$base/@source@"
python="${PLAINCOURSE_PYTHON:-$(cat "$source/interpreter" 2>/dev/null || echo python3)}"
export PYTHONPATH="$source/packages"
mkdir -p "$base/results"
rm -f "$base/results/results.json"
cd "$source" || exit 1
"$python" -P -m plaincourse.platforms.grade "$source" "$base/@submission@" \\
    "$base/results/results.json"
if [ ! -f "$base/results/results.json" ]; then
    cat "$source/failed.json" > "$base/results/results.json"
fi
"""
_CLASSROOM50 = '''\
"""Grade a submission. The runner starts this in the student's checkout, for each submission."""

import os
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
packages = {**os.environ, "PYTHONPATH": str(here / "packages")}
# -P: no module is imported from the student's checkout.
grader = [sys.executable, "-P", "-m", "plaincourse.platforms.grade"]
ready = subprocess.run([*grader, "--ready", here], cwd=here, env=packages, check=False)
if ready.returncode:
    pip = [sys.executable, "-P", "-m", "pip", "install", "--quiet"]@index@
    files = ["-r", here / "requirements.txt", "-c", here / "constraints.txt"]
    subprocess.run([*pip, *files], cwd=here, check=True)
results = Path.cwd() / "result.json"
done = subprocess.run([*grader, here, Path.cwd(), results], cwd=here, env=packages, check=False)
sys.exit(done.returncode)
'''
_QUESTION = """\
<pl-question-panel>
  <p>Hand in your notebook of <strong>{title}</strong>. Its points and a diagnosis of each answer
  appear below.</p>
  <pl-file-upload file-patterns="*.ipynb"></pl-file-upload>
</pl-question-panel>

<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
</pl-submission-panel>
"""


def for_gradescope(*, index: str) -> dict[str, str]:
    """Return Gradescope's two scripts, by name.

    Args:
        index: the address of a package index with builds of PyTorch, or none.
    """
    shell = f"\nexport PIP_EXTRA_INDEX_URL='{index}'" if index else ""
    failed = {"score": 0.0, "output": _FAILED, "stdout_visibility": "hidden"}
    return {
        "setup.sh": _SETUP.replace("@root@", "/autograder").replace("@index@", shell),
        "run_autograder": _run("/autograder", "source", "submission"),
        "failed.json": json.dumps(failed) + "\n",
    }


def for_prairielearn(*, title: str, name: str, image: str, seconds: int) -> dict[str, str]:
    """Return the files of a question of PrairieLearn, by their paths in its folder.

    Args:
        title: of the assignment.
        name: of the assignment.
        image: the container's image, which has the course's packages.
        seconds: the time limit.
    """
    info: dict[str, Any] = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"plaincourse:{name}")),
        "title": title,
        "topic": "Notebooks",
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/grade/tests/run.sh",
            "timeout": seconds,
        },
    }
    failed = {"gradable": False, "format_errors": [_FAILED]}
    return {
        "info.json": json.dumps(info, indent=2) + "\n",
        "question.html": _QUESTION.format(title=title),
        "tests/run.sh": _run("/grade", "tests", "student"),
        "tests/failed.json": json.dumps(failed) + "\n",
    }


def for_classroom50(*, index: str) -> dict[str, str]:
    """Return the script of Classroom 50, by name.

    Args:
        index: the address of a package index with builds of PyTorch, or none.
    """
    more = f'\n    pip += ["--extra-index-url", {index!r}]' if index else ""
    return {"autograder.py": _CLASSROOM50.replace("@index@", more)}


def _run(root: str, source: str, submission: str) -> str:
    text = _RUN.replace("@root@", root).replace("@source@", source)
    return text.replace("@submission@", submission)
