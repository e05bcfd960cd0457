"""Remove the parts of a given stub that keep an answer in code from running.

Students write below the line ``raise NotImplementedError()``, above it, inside the given function,
or next to it, and leave it there. Python then never reaches their code. If the meaning of their
code is clear, that line is removed; otherwise `in_the_way` gives the reason.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from plaincourse.grading.own_work import bound_by, is_answer, is_nothing, is_text, parsed

#: The number of passes over a text, each after a change.
_ROUNDS = 4
#: A longer text in the place of a value is an explanation.
_LONGEST = 60
_RAISE = re.compile(r"^([ \t]*)raise[ \t]+NotImplementedError\b.*$")
#: A text without any of these holds no part of a stub.
_PLACEHOLDER = re.compile(
    r"\braise\b|^[ \t]*(return|pass|\.\.\.|return[ \t]+(None|\.\.\.))[ \t]*(#.*|;.*)?$"
    r"|=[ \t]*(\.\.\.|None\b)",
    flags=re.MULTILINE,
)
_MAGIC = re.compile(r"^[ \t]*[%!?]|^[\w.]+\?{1,2}[ \t]*$", flags=re.MULTILINE)
_LINE = "raise NotImplementedError()"

_LEFT = "`{line}` still stood in `{name}`, beside your own code. It was left out"
_COVERED = "`{name}` as it was handed out stood below your own, and took its place. It was left out"
_INSIDE = "your own `{name}` stood inside the one that was handed out. It was taken out of it"
_INDENTED = "your code for `{name}` was not indented like the line above it. It was put in line"
_VALUE = "your value stood beside `{name} = ...`. It was taken as the answer"

_STILL = "`{line}` still stands in `{name}`, and nothing that could take its place"
_BROKEN = "Python cannot read the code, and `{line}` still stands in it"
_RETURNS = "`{name}` computes something and returns nothing"

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Answer:
    """The text of an answer in code, with the stub that was handed out in its place.

    Attributes:
        text: as the student wrote it.
        stub: as it was handed out.
        names: the possible names of the answer.
    """

    text: str
    stub: str
    names: Collection[str]

    @cached_property
    def given(self) -> frozenset[str]:
        """The statements that were handed out, except for placeholders."""
        tree = parsed(self.stub)
        found = ast.walk(tree) if tree else ()
        return frozenset(ast.dump(each) for each in found if isinstance(each, ast.stmt))

    @cached_property
    def name(self) -> str:
        """The name of the answer."""
        bound = {name for each in self.binders() for name in bound_by(each)} & {*self.names}
        return min(bound or self.names, default="") if bound or len(self.names) == 1 else "the cell"

    @cached_property
    def tree(self) -> ast.Module | None:
        """Its syntax tree; None if Python would not run it."""
        tree = parsed(self.text)
        return tree if tree is not None and _runs(tree) else None

    def works(self, node: ast.stmt) -> bool:
        """Return whether a statement is a student's own, and does something."""
        if isinstance(node, _Function | ast.ClassDef):
            return any(map(self.works, node.body))
        if isinstance(node, ast.ImportFrom):
            return bool(bound_by(node) & {*self.names})
        placeholder = self.stops(node) or _returns_nothing(node)
        return not placeholder and is_answer(node) and ast.dump(node) not in self.given

    def stops(self, node: ast.stmt) -> bool:
        """Return whether a statement is the placeholder that stops a program."""
        known = isinstance(node, ast.Raise) and ast.dump(node) in self.given
        return known or _is_raise(node)

    def binders(self) -> list[ast.stmt]:
        """List the statements that bind a name of the answer, in order."""
        body = self.tree.body if self.tree else ()
        return [each for each in body if bound_by(each) & {*self.names}]


def may_hold_stub(text: str) -> bool:
    """Return whether a text may hold a placeholder; quick, because most texts hold none."""
    return bool(_PLACEHOLDER.search(text))


def free(text: str, stub: str, names: Collection[str]) -> tuple[str, list[str]]:
    """Return an answer freed of its stub, and the changes, in clauses.

    Args:
        text: the cell that holds the answer.
        stub: the text that was handed out in its place.
        names: the possible names of the answer.
    """
    done: list[str] = []
    for _ in range(_ROUNDS):
        answer = Answer(text, stub, names)
        for how in (_put_in_line, _cut, _uncover, _take_out, _use_value):
            changed, said = how(answer)
            if said and changed != text:
                text = changed
                done += [each for each in said if each not in done]
                break
        else:
            break
    return text, done


def is_stub(text: str, stub: str, names: Collection[str]) -> bool:
    """Return whether a cell binds the name of an answer only as a stub does."""
    if not may_hold_stub(text):
        return False
    binders = (answer := Answer(text, stub, names)).binders()
    return bool(binders) and not answer.works(binders[-1])


def without(text: str, names: Collection[str]) -> str:
    """Return a cell without the statements that bind some names."""
    answer = Answer(text, "", names)
    return _edited(text, [_left_out(each, text) for each in answer.binders()])


def without_stub(text: str, stub: str, names: Collection[str]) -> str:
    """Return a cell without the stub of an answer that another cell holds."""
    answer = Answer(text, stub, names)
    return _edited(
        text, [_left_out(each, answer.text) for each in answer.binders() if not answer.works(each)]
    )


def in_the_way(text: str, stub: str, names: Collection[str]) -> str:
    """Return why an answer with a student's code earns nothing; empty if it may earn something.

    Args:
        text: the cell that holds the answer, as `free` returns it.
        stub: the text that was handed out in its place.
        names: the possible names of the answer.
    """
    answer = Answer(text, stub, names)
    if answer.tree is None:
        line = next((each for each in _placeholders(stub) if each in text), "")
        return _BROKEN.format(line=line) if line else ""
    binders = answer.binders()
    if not binders:
        return ""
    last = binders[-1]
    if isinstance(last, ast.Assign | ast.AnnAssign) and not is_answer(last):
        return _STILL.format(line=ast.unparse(last), name=min(bound_by(last)))
    for name, each in dict(_functions([last])).items():
        for placeholder in filter(answer.stops, each.body):
            if not any(map(answer.works, each.body)):
                return _STILL.format(line=ast.unparse(placeholder), name=name)
        ends = each.body[-1]
        idle = _returns_nothing(ends) or isinstance(ends, ast.Pass) or _is_dots(ends)
        if idle and any(map(answer.works, each.body)) and not _returns(each):
            return _RETURNS.format(name=name)
    return ""


def _cut(answer: Answer) -> tuple[str, list[str]]:
    """Remove placeholders from a block that contains a student's own code."""
    edits, said = [], []
    blocks = [(answer.name, answer.tree.body)] if answer.tree else []
    blocks += [(name, each.body) for name, each in _functions(blocks[0][1] if blocks else [])]
    for name, body in blocks:
        own = [place for place, each in enumerate(body) if answer.works(each)]
        ends = [
            place
            for place, each in enumerate(body)
            if isinstance(each, ast.Return) and not _returns_nothing(each)
        ]
        for place, each in enumerate(body):
            reached = not (ends and ends[0] < place)
            waits = answer.stops(each) or (_returns_nothing(each) and not (own and own[0] < place))
            below = bool(own) and (answer.stops(each) or own[-1] > place)
            if reached and waits and below:
                edits.append(_passed(each, answer.text))
                said.append(_LEFT.format(line=ast.unparse(each), name=name))
    return _edited(answer.text, edits), said


def _uncover(answer: Answer) -> tuple[str, list[str]]:
    """Remove a stub below the student's own definition of the same name."""
    edits, said = [], []
    groups = [("", answer.binders())]
    for each in answer.binders():
        if isinstance(each, ast.ClassDef):
            methods: dict[str, list[ast.stmt]] = {}
            for inner in each.body:
                if isinstance(inner, _Function):
                    methods.setdefault(inner.name, []).append(inner)
            groups += [(f"{each.name}.", group) for group in methods.values()]
    for above, group in groups:
        working = [answer.works(each) for each in group]
        if any(working) and not working[-1]:
            last = max(place for place, works in enumerate(working) if works)
            edits += [_left_out(each, answer.text) for each in group[last + 1 :]]
            said.append(_COVERED.format(name=above + min(bound_by(group[-1]))))
    return _edited(answer.text, edits), said


def _take_out(answer: Answer) -> tuple[str, list[str]]:
    """Move a definition out of the stub of the same name that contains it."""
    for name, outer in _functions(answer.tree.body if answer.tree else []):
        own = [each for each in outer.body if answer.works(each)]
        inner = own[0] if len(own) == 1 else None
        if not isinstance(inner, _Function) or inner.name != outer.name:
            continue
        lines = answer.text.split("\n")
        first, last = _span(outer)
        start, end = _span(inner)
        for number in range(first, last):
            if start <= number < end:
                lines[number] = lines[number][inner.col_offset - outer.col_offset :]
            else:
                lines[number] = f"# {lines[number]}"
        return "\n".join(lines), [_INSIDE.format(name=name)]
    return answer.text, []


def _use_value(answer: Answer) -> tuple[str, list[str]]:
    """Use the only value next to a value's placeholder as the answer."""
    name, tree, text = answer.name, answer.tree, answer.text
    if tree is None and len(answer.names) == 1:
        joined = re.sub(
            rf"^({re.escape(name)}[ \t]*=[ \t]*)\.\.\.[ \t]*=?[ \t]*(?=[^\s#,;])", r"\1", text,
            flags=re.MULTILINE,
        )  # fmt: skip
        fits = joined != text and Answer(joined, answer.stub, answer.names).tree is not None
        return (joined, [_VALUE.format(name=name)]) if fits else (text, [])
    binders = answer.binders()
    if (
        tree is None
        or len(binders) != 1
        or not isinstance(binders[0], ast.Assign)
        or is_answer(binders[0])
    ):
        return text, []
    others = [each for each in tree.body if each is not binders[0] and not isinstance(each, _IDLE)]
    if len(others) != 1 or not _is_value(others[0]) or ast.dump(others[0]) in answer.given:
        return text, []
    node, (target,) = others[0], binders[0].targets
    start = (node.lineno - 1, node.col_offset)
    edits = [_passed(binders[0], text), (*start, *start, f"{ast.unparse(target)} = ")]
    return _edited(text, edits), [_VALUE.format(name=name)]


def _put_in_line(answer: Answer) -> tuple[str, list[str]]:
    """Indent the lines below a placeholder like the placeholder, if only then they parse."""
    lines = answer.text.split("\n")
    places = [place for place, line in enumerate(lines) if _RAISE.match(line)]
    if answer.tree is not None or not places or _MAGIC.search(answer.text):
        return answer.text, []
    at = places[-1]
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    head, tail = [*lines[:at], f"{indent}pass  # {lines[at].strip()}"], "\n".join(lines[at + 1 :])
    name = answer.name
    ways = ((tail, _LEFT), (textwrap.indent(textwrap.dedent(tail), indent), _INDENTED))
    for below, said in ways:
        made = Answer("\n".join([*head, below]), answer.stub, answer.names)
        if made.tree is not None and any(map(made.works, made.binders())):
            return made.text, [said.format(line=_LINE, name=name)]
    return answer.text, []


_IDLE = (ast.Pass, ast.Import, ast.ImportFrom)
_Edit = tuple[int, int, int, int, str | Callable[[str], str]]


def _functions(body: Collection[ast.stmt], above: str = "") -> Iterator[tuple[str, _Function]]:
    """Yield functions and methods with their names."""
    for each in body:
        if isinstance(each, ast.ClassDef):
            yield from _functions(each.body, f"{above}{each.name}.")
        elif isinstance(each, _Function):
            yield above + each.name, each


def _is_raise(node: ast.stmt) -> bool:
    """Return whether a statement is the placeholder that stops."""
    raised = node.exc if isinstance(node, ast.Raise) else None
    if isinstance(raised, ast.Call) and not raised.args and not raised.keywords:
        raised = raised.func
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _returns_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Return) and (node.value is None or is_nothing(node.value))


def _is_dots(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and is_nothing(node.value)


def _returns(function: _Function) -> bool:
    """Return whether a function returns a value, or is not expected to."""
    kinds = (ast.Yield, ast.YieldFrom)
    return function.name == "__init__" or any(
        isinstance(each, kinds) or (isinstance(each, ast.Return) and not _returns_nothing(each))
        or (isinstance(each, ast.Raise) and not _is_raise(each))
        for each in ast.walk(function)
    )  # fmt: skip


def _is_value(node: ast.stmt) -> bool:
    """Return whether a statement is only a value: numbers, letters, and operations on them."""
    if not isinstance(node, ast.Expr) or is_nothing(node.value):
        return False
    if is_text(node):
        return len(ast.unparse(node)) <= _LONGEST
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
    names = isinstance(node.value, ast.Name | ast.Attribute | ast.Await)
    return not names and all(isinstance(each.func, ast.Attribute) for each in calls)


def _placeholders(stub: str) -> list[str]:
    """List the lines of a stub that an answer replaces, without comments."""
    ends = ("NotImplementedError()", "NotImplementedError", "= ...", "= None")
    lines = (line.partition("#")[0].strip() for line in stub.split("\n"))
    return [line for line in lines if line.endswith(ends)]


def _runs(tree: ast.Module) -> bool:
    try:
        compile(tree, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _span(node: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement with its decorators: first, and one after the last."""
    tops = [each.lineno for each in getattr(node, "decorator_list", [])]
    return min([node.lineno, *tops]) - 1, node.end_lineno or node.lineno


def _left_out(node: ast.stmt, text: str) -> _Edit:
    defined = isinstance(node, _Function | ast.ClassDef)
    return _commented(node) if defined else _passed(node, text)


def _commented(node: ast.stmt) -> _Edit:
    """Return the edit that turns a definition into a comment."""
    first, end = _span(node)

    def comment(text: str) -> str:
        return "\n".join(f"# {line}" for line in text.split("\n"))

    return first, 0, end - 1, -1, comment


def _passed(node: ast.stmt, text: str) -> _Edit:
    """Return the edit that turns a simple statement into one that does nothing."""
    last, end = (node.end_lineno or node.lineno) - 1, node.end_col_offset or 0
    rest = text.split("\n")[last].encode()[end:].decode().strip()
    if rest and not rest.startswith("#"):
        return node.lineno - 1, node.col_offset, last, end, "pass"
    return (
        node.lineno - 1,
        node.col_offset,
        last,
        end,
        lambda was: f"pass  # {' '.join(was.split())}",
    )


def _edited(text: str, edits: Collection[_Edit]) -> str:
    """Return a text with changes from (line, byte) to (line, byte); −1 is the end of a line."""
    lines = [line.encode() for line in text.split("\n")]
    for first, start, last, end, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        tail = b"" if end < 0 else lines[last][end:]
        whole = lines[first : last + 1]
        whole[-1] = whole[-1] if end < 0 else whole[-1][:end]
        head, whole[0] = whole[0][:start], whole[0][start:]
        was = b"\n".join(whole).decode()
        made = new if isinstance(new, str) else new(was)
        lines[first : last + 1] = (head + made.encode() + tail).split(b"\n")
    return b"\n".join(lines).decode()
