"""A cell counts as a blank answer only if there is evidence for it."""

import copy

import pytest

from plaincourse.proving.honest_desk import own, place
from tests.plaincourse.test_grading_elsewhere import (
    CODE,
    ESSAY,
    OTHER,
    PICTURE,
    QUESTION,
    SOURCE,
    VALUE,
    WORDS,
    append,
    essay_of,
    mended,
    notebook,
    others,
    put,
    stub,
)

FEWER = "best_few"
VERSIONS = "import sys, platform\nprint(sys.version, platform.platform())\nprint(np.__version__)"
STRAYS = {
    "versions": own(VERSIONS),
    "a style": own("from IPython.display import HTML, display\ndisplay(HTML('<style></style>'))"),
    "a loop": own("for i in range(3):\n    print(i ** 2)"),
    "a plot": own("import matplotlib.pyplot as plt\nx = np.arange(9)\nplt.plot(x, x ** 2)"),
    "a seed": own("SEED = 42\nnp.random.seed(SEED)\nrng = np.random.default_rng(SEED)"),
    "a tensor": own("x = torch.softmax(torch.ones(3), 0)\nprint(x)"),
    "a picture": own("![](attachment:a.png)", "markdown") | {"attachments": PICTURE},
    "a remark": own("I go on here tomorrow, after the lecture.", "markdown"),
    "a list": own("1. coffee\n2. tea\n6. more coffee", "markdown"),
    "data": own("DATA = " + repr("AAECAwQFBg/" * 100)),
    "numbers": own("LOSS = " + repr(" ".join(f"{n / 7:.3f}" for n in range(60)))),
    "a helper": own("def report(text):\n    print(text.upper())"),
}


@pytest.mark.parametrize("what", STRAYS)
@pytest.mark.parametrize("where", ["top", "below a check", "end"])
def test_a_cell_that_nothing_speaks_for_is_no_answer(what, where):
    made = notebook(done=[CODE], essay=WORDS)
    places = {"top": 3, "below a check": place(made, CODE) + 1, "end": len(made["cells"])}
    made["cells"].insert(places[where], copy.deepcopy(STRAYS[what]))
    done = mended(made)
    assert done.flags == []
    assert done.notes == []


@pytest.mark.parametrize("stub", ["answer_{} = ...", "answer_{}=None", "answer_{}: float = ..."])
def test_a_stub_without_its_comment_is_no_answer(stub):
    made = notebook(done=[CODE], essay=WORDS)
    cell = made["cells"][place(made, f"{VALUE}-answer")]
    cell["source"] = stub.format(VALUE)
    done = mended(made)
    assert done.flags == []
    assert done.notes == []


@pytest.mark.parametrize("blank", ["how_many_keys", OTHER])
def test_an_essay_in_its_own_question_belongs_to_no_other_answer(blank):
    done = mended(append(notebook(done=others(blank)), QUESTION, f"**My answer:** {WORDS}"))
    assert [(flag["cell"], flag["kind"]) for flag in done.flags] == [(ESSAY, "restored")]


@pytest.mark.parametrize("what", ["data", "numbers", "a tensor"])
def test_data_in_a_string_is_no_essay(what):
    made = notebook(done=[CODE])
    made["cells"].append(copy.deepcopy(STRAYS[what]))
    done = mended(made)
    assert ESSAY not in {flag["cell"] for flag in done.flags}


NAMED = {
    "by its name": (FEWER, own("I did best_few on paper: the n largest scores.", "markdown")),
    "by its number": (FEWER, own("Exercise 2: the n largest scores.", "markdown")),
    "by its parameters": (FEWER, own("def mine(query, key, value, n):\n    return value")),
    "by how many it has": (FEWER, own("def mine(a, b, c, d):\n    return a")),
    "a value, at its number": (VALUE, own("6. 0.51 and 0.92", "markdown")),
    "values": (VALUE, own("print((0.51, 0.92))")),
}


@pytest.mark.parametrize("how", NAMED)
def test_far_from_its_question_an_answer_is_known_by_what_speaks_for_it(how):
    name, cell = NAMED[how]
    made = notebook(done=[CODE], essay=WORDS)
    made["cells"].append(copy.deepcopy(cell))
    flags = mended(made).flags
    assert name in {flag["cell"] for flag in flags}
    functions = {flag["cell"] for flag in flags} - {VALUE, "how_many_keys"}
    assert functions == ({FEWER} if name == FEWER else set())


def test_a_further_task_that_was_left_out_is_looked_for_nowhere():
    made = notebook(done=[CODE], essay=WORDS)
    made["cells"].append(own("I did additive_scores on paper: tanh of the sum.", "markdown"))
    made["cells"].append(own("def mine(query, key, w_query, w_key, w):\n    return w"))
    assert OTHER not in {flag["cell"] for flag in mended(made).flags}


REMARKS = {
    "a comment": "# I don't know how to do this one, sorry :(",
    "a string": '"""I ran out of time here and leave this one blank."""',
    "a plan": "# First the scores of all keys, then the softmax, then the sum.\npass",
    "a comment above the stub": "# The mean of the values, but which weights do I need?\n{}",
}


@pytest.mark.parametrize("how", REMARKS)
@pytest.mark.parametrize("name", [CODE, VALUE])
def test_a_remark_in_the_cell_of_an_answer_in_code_is_about_that_answer(how, name):
    made = notebook(done=others(name))
    text = REMARKS[how].format(stub(name))
    done = mended(put(made, f"{name}-answer", text))
    (flag,) = done.flags
    assert (flag["cell"], flag["kind"]) == (name, "elsewhere")
    at = place(made, f"{name}-answer") + 1
    for said in (flag["why"], *done.notes):
        assert "holds no answer in code, only" in said
        assert f"in cell {at} (`" in said or f"only cell {at} (`" in said
    assert essay_of(done).source == SOURCE.by_name[ESSAY].source
