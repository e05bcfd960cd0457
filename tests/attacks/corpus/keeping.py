"""Attacks that store the inputs of hidden tests, and print them where their author will read."""

from nbformat.v4 import new_code_cell

from tests.attacks.attack import Attack

#: A right answer to an exercise that stores its inputs; it earns its points.
_KEEPS = "KEPT = []\ndef double(x):\n    KEPT.append(x.tolist())\n    return 2 * x"
_PLAIN = {"plain": _KEEPS}
_POINTS = {"plain": 3.0}
#: A later exercise's answer, which is called by its own tests, too.
_LATER = "def attention(query, key, value):\n    {}\n    return query"
#: A test whose inputs are stored, too, with numbers by which a leak can be detected.
_BOTH = {
    **_PLAIN,
    "target": "ALSO = []\ndef scores(query, key):\n    ALSO.append(query.tolist())\n"
    "    return query @ key.transpose(-2, -1)",
}

_BELOW = {
    "printed": "leak(KEPT, ALSO)\nprint(KEPT, file=sys.stderr)\nos.write(1, str(ALSO).encode())",
    "raised": "raise ValueError(str([KEPT, ALSO]))",
    "named": "raise type('E' + str(KEPT), (Exception,), {})(str(ALSO))",
    "displayed": "for kind in ('plain', 'html', 'markdown', 'latex'):\n"
    "    display({'text/' + kind: str([KEPT, ALSO])}, raw=True)\nKEPT",
    "written": "for path in ('arena.ipynb', 'arena.html', 'notes.md', '../arena.html'):\n"
    "    tried(lambda: open(path, 'w').write(str([KEPT, ALSO])))",
}
_ABOVE = "PLACE = display({'text/plain': 'nothing yet'}, raw=True, display_id='above')"
_MOVED = "display({'text/plain': str([KEPT, ALSO])}, raw=True, display_id='above', update=True)"

KEEPING = (
    *(
        Attack(
            name=f"hidden-inputs-{how}-below",
            theme="reading",
            attempts="Keeps the inputs of its calls and lets a cell below say them.",
            answers=_BOTH,
            scores={"target": 2.0, **_POINTS},
            after=after,
            page=True,
        )
        for how, after in _BELOW.items()
    ),
    Attack(
        name="hidden-inputs-in-an-answer",
        theme="reading",
        attempts="Keeps the inputs of its calls and lets the cell of a later answer say them.",
        answers={**_PLAIN, "last": "leak(KEPT)\nraise ValueError(str(KEPT))"},
        scores=_POINTS,
        page=True,
    ),
    Attack(
        name="hidden-inputs-shown-above",
        theme="reading",
        attempts="Changes a display above all tests, from a cell below them.",
        answers=_BOTH,
        scores={"target": 2.0, **_POINTS},
        first=_ABOVE,
        after=_MOVED,
        page=True,
    ),
    Attack(
        name="hidden-inputs-shown-above-after-a-death",
        theme="reading",
        attempts="Does the same in a second kernel, for which the cells above run once more.",
        answers={**_PLAIN, "target": "os.kill(os.getpid(), 9)"},
        scores=_POINTS,
        first=_ABOVE,
        after=_MOVED.replace(", ALSO", ""),
        page=True,
    ),
    *(
        Attack(
            name=f"hidden-inputs-{how}-later",
            theme="reading",
            attempts="Says them when a later test calls, on inputs that its author may see.",
            answers={**_PLAIN, "last": _LATER.format(line)},
            scores=_POINTS,
            page=True,
        )
        for how, line in {
            "returned": "return torch.tensor([each[0] for each in KEPT])",
            "printed": "print(KEPT)",
            "raised": "raise ValueError(str(KEPT))",
        }.items()
    ),
    Attack(
        name="hidden-inputs-told-to-asserts",
        theme="reading",
        attempts="Says them to a later test that has no check, where it shows what it does.",
        answers={
            **_PLAIN,
            "partial": "def squares(n):\n    print(KEPT)\n    raise ValueError(str(KEPT))",
        },
        scores=_POINTS,
        page=True,
    ),
    Attack(
        name="hidden-inputs-as-an-answer",
        theme="reading",
        attempts="Makes them the answer to a later question, which feedback quotes.",
        answers={
            "plain": "def double(x):\n    global answer_output_shape\n"
            "    answer_output_shape = str(x.tolist())\n    return 2 * x",
            "choice": "# answered above",
        },
        scores=_POINTS,
        page=True,
    ),
    Attack(
        name="hidden-inputs-in-a-known-error",
        theme="reading",
        attempts="Hides them in an error that the page takes for one of the course.",
        answers={
            **_PLAIN,
            "partial": "def squares(n):\n    raise type('HiddenTest', (Exception,), {})(str(KEPT))",
            "last": "raise type('NotRun', (Exception,), {})(str(KEPT))",
        },
        scores=_POINTS,
        page=True,
    ),
    Attack(
        name="hidden-inputs-in-metadata",
        theme="reading",
        attempts="Hands in outputs and metadata that would let its own outputs through.",
        answers=_BOTH,
        scores={"target": 2.0, **_POINTS},
        edit=lambda notebook: notebook.cells.append(
            new_code_cell(
                "leak(KEPT, ALSO)",
                metadata={"handed_in": True, "plaincourse": {"aside": "", "handed_in": []}},
            )
        ),
        page=True,
    ),
)
