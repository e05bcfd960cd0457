"""Attacks on readers of outputs, through outputs that are too many, too long, or active."""

from nbformat.v4 import new_markdown_cell

from tests.attacks.attack import Attack

_BELOW = ("plain", "partial", "choice", "last")
_MARKUP = (
    "<script>hijack()</script><img src=x onerror=hijack()>"
    "<iframe srcdoc='<b onclick=hijack()>'></iframe><a href='javascript:hijack()'>x</a>"
    "</pre></div>\\x1b]0;hijacked\\x07\\x1b[2J\\x1b[31m"
)

OUTPUTS = (
    *(
        Attack(
            name=f"flood-of-{name}",
            theme="breaking",
            attempts=f"Writes {what} without end.",
            answers={"target": f"end = time.time() + 6\nwhile time.time() < end:\n    {line}"},
            loses=_BELOW,
        )
        for name, what, line in (
            ("stdout", "to stdout", "print('x' * 10_000)"),
            ("stderr", "to stderr", "print('x' * 10_000, file=sys.stderr)"),
            ("outputs", "outputs", "display({'text/html': 'x' * 100_000}, raw=True)"),
            ("bytes", "to the descriptors 1 and 2", "os.write(1, b'x' * 60_000)"),
        )
    ),
    Attack(
        name="flood-in-a-call",
        theme="breaking",
        attempts="Prints without end while it is called.",
        answers={
            "plain": "def double(x):\n    for _ in range(20_000):\n        print('x' * 10_000)\n"
            "    return x"
        },
        loses=("partial", "choice", "last"),
    ),
    Attack(
        name="one-huge-output",
        theme="breaking",
        attempts="Sends one output of 200 megabytes.",
        answers={"target": "print('x' * 200_000_000)"},
        loses=_BELOW,
    ),
    Attack(
        name="page-markup",
        theme="breaking",
        attempts="Puts scripts and terminal codes into outputs, errors, names and its own texts.",
        first=f"""
print("{_MARKUP}")
display({{"text/html": "{_MARKUP}", "text/plain": "{_MARKUP}"}}, raw=True)
display({{"application/javascript": "hijack()"}}, raw=True)
display({{"image/svg+xml": "<svg><script>hijack()</script></svg>"}}, raw=True)
display({{"text/markdown": "{_MARKUP}"}}, raw=True)
""",
        answers={
            "target": f"def scores(query, key):\n    raise ValueError({_MARKUP!r})",
            "plain": f"WORD = {_MARKUP!r}\ndef double(x):\n"
            "    raise type(WORD, (Exception,), {})(WORD)",
            "choice": f"answer_output_shape = {_MARKUP!r}",
        },
        after=f"raise ValueError({_MARKUP!r})",
        page=True,
    ),
    Attack(
        name="page-half-characters",
        theme="breaking",
        attempts="Puts half characters into outputs, errors, answers and texts.",
        first="print('\\ud800')\ndisplay({'text/plain': '\\udfff'}, raw=True)",
        answers={
            "plain": "def double(x):\n    raise ValueError('\\ud800 \\x00')",
            "choice": "answer_output_shape = '\\ud800'",
        },
        edit=lambda notebook: notebook.cells.append(new_markdown_cell("\ud800 \x00")),
        page=True,
    ),
)
