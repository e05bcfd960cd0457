"""If a task has several answers, the one that the student's check used counts; others are listed.

JupyterLab and VS Code copy nbgrader's metadata with a cell, and students keep old attempts.
"""

import copy

import pytest

from plaincourse.grading.jobs import status
from tests.plaincourse.test_grading_elsewhere import (
    CODE,
    MINE,
    OWN_VALUE,
    TASKS,
    VALUE,
    WORDS,
    insert,
    mended,
    notebook,
    others,
    own,
    place,
    put,
    stub,
    what_checks_see,
)

ANSWERS = {CODE: MINE, VALUE: OWN_VALUE}
OLD = {
    CODE: {
        "wrong": "def blend(query, key, value, temperature):\n    return 'old'",
        "unfinished": "def blend(query, key, value, temperature):\n    n = len(key)\n    # TODO",
        "with its stub": "def blend(query, key, value, temperature):\n    n = len(key)\n"
        "    raise NotImplementedError()  # YOUR CODE",
        "no code": "def blend(query, key, value, temperature):\n    return 'old",
        "another form": "blend = lambda *arguments: 'old'",
    },
    VALUE: {
        "wrong": "answer_behind_the_weights = 'old'",
        "no code": "answer_behind_the_weights = ('old'",
    },
}
CASES = [(task, how) for task, texts in OLD.items() for how in texts]


def copied(made, task, text):
    """Return a copy of an answer's cell with a different text."""
    cell = copy.deepcopy(made["cells"][place(made, TASKS[task])])
    return cell | {"source": text, "id": f"copy-{len(made['cells'])}"}


def answered(task):
    return put(notebook(done=others(task), essay=WORDS), TASKS[task], ANSWERS[task])


@pytest.mark.parametrize(("task", "how"), CASES)
@pytest.mark.parametrize("where", ["below the check", "at the end"])
def test_an_old_attempt_that_was_kept_below_the_check_does_not_count(task, how, where):
    made = answered(task)
    number = place(made, task) + 1 if where == "below the check" else len(made["cells"])
    made["cells"].insert(number, copied(made, task, OLD[task][how]))
    found = mended(made)
    assert what_checks_see(found)[task] == "mine"
    (flag,), (note,) = found.flags, found.notes
    assert (flag["cell"], flag["kind"], status(found.flags)) == (task, "elsewhere", "flagged")
    at = place(made, TASKS[task]) + 1
    for said in (note, flag["why"]):
        assert f"in cell {at} was graded, because it is the last one above its check" in said
        assert f"cell {number + 1}" in said


@pytest.mark.parametrize(("task", "how"), CASES)
def test_an_old_attempt_that_was_replaced_above_the_check_is_no_other_answer(task, how):
    made = answered(task)
    made["cells"].insert(place(made, TASKS[task]), copied(made, task, OLD[task][how]))
    found = mended(made)
    assert what_checks_see(found)[task] == "mine"
    (note,) = [note for note in found.notes if "was there" in note]
    assert note.endswith("was there twice. The last one that you wrote in was graded.")
    assert status(found.flags) == "graded"


@pytest.mark.parametrize("task", ANSWERS)
def test_an_answer_below_its_check_counts_where_the_cell_above_is_as_it_was(task):
    for above in (stub(task), "", OLD[task].get("with its stub", stub(task))):
        made = put(answered(task), TASKS[task], above)
        made["cells"].append(copied(made, task, ANSWERS[task]))
        found = mended(made)
        assert what_checks_see(found)[task] == "mine"
        assert not any("What you wrote was graded" in note for note in found.notes)


@pytest.mark.parametrize("task", ANSWERS)
def test_of_two_that_were_both_checked_the_later_counts_and_the_other_is_told(task):
    made = put(answered(task), TASKS[task], OLD[task]["wrong"])
    check = copy.deepcopy(made["cells"][place(made, task)]) | {"id": "again"}
    made["cells"] += [copied(made, task, ANSWERS[task]), check]
    found = mended(made)
    assert "'mine'" in found.answers[TASKS[task]]
    assert any("A person looks at cell" in note for note in found.notes)
    assert status(found.flags) == "flagged"


def test_of_copies_without_a_check_the_last_counts_and_the_others_are_told():
    made = put(answered(CODE), TASKS[CODE], OLD[CODE]["wrong"])
    for text in (OLD[CODE]["unfinished"], MINE):
        made["cells"].append(copied(made, CODE, text))
    made["cells"].pop(place(made, CODE))
    found = mended(made)
    assert what_checks_see(found)[CODE] == "mine"
    (note,) = [note for note in found.notes if "3 times" in note]
    assert "because it is the last one. A person looks at cells" in note


def test_of_copies_without_a_check_a_complete_one_counts():
    made = answered(CODE)
    made["cells"].append(copied(made, CODE, OLD[CODE]["with its stub"]))
    made["cells"].pop(place(made, CODE))
    found = mended(made)
    assert what_checks_see(found)[CODE] == "mine"
    assert any("because it is the last complete one" in note for note in found.notes)


@pytest.mark.parametrize("change", ["{}\n", "# a copy\n{}", "{}  # mine"])
def test_copies_that_say_the_same_are_no_other_answers(change):
    made = answered(CODE)
    made["cells"].append(copied(made, CODE, change.format(MINE)))
    found = mended(made)
    assert what_checks_see(found)[CODE] == "mine"
    assert status(found.flags) == "graded"
    at = place(made, TASKS[CODE]) + 1
    said = f"The cell `blend-answer` was there twice. The one in cell {at} was graded."
    assert found.notes == [said]


def test_the_half_of_an_answer_that_defines_it_is_the_answer():
    made = answered(CODE)
    half = copied(made, CODE, "helper = 1")
    found = mended(insert(made, CODE, half))
    assert what_checks_see(found)[CODE] == "mine"
    assert status(found.flags) == "graded"
    assert not any("does not define" in note for note in found.notes)


def test_what_a_stub_in_an_answer_that_is_not_graded_held_is_no_matter():
    made = answered(CODE)
    made["cells"].append(own(f"{MINE}\n\n{stub(CODE)}"))
    assert not any("What you wrote was graded" in note for note in mended(made).notes)


AGAIN = {
    VALUE: {
        "corrected": f"# counted again:\n{OWN_VALUE} * 2",
        "in steps": "total = 1\nanswer_behind_the_weights = total, 2",
        "added to": "answer_behind_the_weights += 'more'",
        "of no code": "answer_behind_the_weights = (1,",
    },
    CODE: {
        "spaced": MINE.replace("blend(", "blend (") + " * 2",
        "a lambda": "blend = lambda *arguments: 1",
        "under another name": "def mix(*a):\n    return 1\n\nblend = mix",
        "imported": "from my_answers import blend",
    },
}


@pytest.mark.parametrize(("name", "how"), [(name, how) for name in AGAIN for how in AGAIN[name]])
@pytest.mark.parametrize("where", ["below its check", "in another answer's cell"])
def test_an_answer_that_is_given_again_below_its_check_is_told(name, how, where):
    made = notebook(done=others(name), essay=WORDS)
    made = put(made, f"{name}-answer", {CODE: MINE, VALUE: OWN_VALUE}[name])
    last = [cell for cell in made["cells"] if cell["metadata"].get("nbgrader", {}).get("solution")]
    last = next(each for each in reversed(last) if each["cell_type"] == "code")
    if where == "below its check":
        made = insert(made, name, own(AGAIN[name][how]), below=1)
    elif last["metadata"]["nbgrader"]["grade_id"] == f"{name}-answer" or how == "of no code":
        return
    else:
        last["source"] += f"\n\n{AGAIN[name][how]}"
    found = mended(made)
    (flag,) = [each for each in found.flags if "below its check" in each["why"]]
    assert (flag["cell"], flag["kind"]) == (name, "elsewhere")
    said = "is given another value" if name == VALUE else "is defined again"
    assert f"{said} in cell" in flag["why"]
    assert any(f"{said} in cell" in note and "A person looks" in note for note in found.notes)


@pytest.mark.parametrize(
    "text",
    [
        f"{OWN_VALUE}  # sure",
        "print(answer_behind_the_weights)",
        "answer = answer_behind_the_weights",
        "def look(answer_behind_the_weights):\n    return answer_behind_the_weights",
        "blend = blend(1, 2, 3, 4)",
        "blend = 5",
        "del answer_behind_the_weights, blend",
        "del blend\ndel (answer_behind_the_weights,)",
        "try:\n    del answer_behind_the_weights\nexcept NameError:\n    pass",
        "for name in [1]:\n    del answer_behind_the_weights",
    ],
)
def test_what_gives_no_other_answer_below_a_check_is_not_told(text):
    made = put(notebook(done=others(CODE, VALUE), essay=WORDS), f"{CODE}-answer", MINE)
    put(made, f"{VALUE}-answer", OWN_VALUE)["cells"].append(own(text))
    assert mended(made).notes == []


@pytest.mark.parametrize(("task", "how"), CASES)
def test_of_several_answers_in_cells_of_ones_own_the_one_above_the_check_counts(task, how):
    made = insert(notebook(done=others(task), essay=WORDS), task, own(ANSWERS[task]))
    made["cells"].append(own(OLD[task][how]))
    found = mended(made)
    assert what_checks_see(found)[task] == "mine"
    number = place(made, task)
    assert any(f"to `{task}` stood in cell {number}" in note for note in found.notes)
    told = [flag for flag in found.flags if "several answers" in flag["why"]]
    assert [(flag["cell"], flag["kind"]) for flag in told] == [(task, "elsewhere")]
    said = f"cell {number} was graded, because it is the last one above its check"
    assert said in told[0]["why"]


def test_of_several_answers_in_cells_of_ones_own_a_replaced_one_is_not_told():
    made = insert(notebook(done=others(CODE), essay=WORDS), CODE, own(OLD[CODE]["wrong"]))
    found = mended(insert(made, CODE, own(MINE)))
    assert what_checks_see(found)[CODE] == "mine"
    assert status(found.flags) == "graded"


def test_an_unfinished_answer_that_replaces_a_whole_one_above_the_stub_is_what_the_check_gets():
    made = insert(notebook(done=others(CODE), essay=WORDS), TASKS[CODE], own(MINE))
    found = mended(insert(made, TASKS[CODE], own(OLD[CODE]["unfinished"])))
    (note,) = [note for note in found.notes if "several answers" in note]
    assert f"in cell {place(made, TASKS[CODE])} was graded" in note
    assert status(found.flags) == "flagged"


EMPTY = {
    "as it was handed out": "{}",
    "with empty lines": "\n\n{}\n    \n",
    "with a remark": "# from the other branch\n{}\n# TODO",
    "unfinished": "# from the other branch\nhelper = 1\n{}",
}


@pytest.mark.parametrize("task", ANSWERS)
@pytest.mark.parametrize("how", EMPTY)
@pytest.mark.parametrize("data", ["with nbgrader's data", "without nbgrader's data"])
def test_an_empty_copy_between_an_answer_and_its_check_does_not_replace_it(task, how, data):
    made = answered(task)
    text = EMPTY[how].format(stub(task))
    again = copied(made, task, text) if data.startswith("with ") else own(text)
    found = mended(insert(made, TASKS[task], again, below=1))
    assert what_checks_see(found)[task] == "mine"
    (note,) = found.notes
    at = place(made, TASKS[task]) + 1
    assert "was graded" in note or f"In cell {at + 1}," in note
    assert status(found.flags) == "graded"


def test_an_answer_that_stands_elsewhere_is_not_replaced_by_a_second_stub():
    made = insert(notebook(done=others(CODE), essay=WORDS), TASKS[CODE], own(MINE))
    made = insert(made, CODE, copied(made, CODE, stub(CODE)))
    assert what_checks_see(mended(made))[CODE] == "mine"
