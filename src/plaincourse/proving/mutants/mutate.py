"""List every small change to a right answer."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from plaincourse.proving.mutants.operators import OPERATORS
from plaincourse.proving.mutants.sites import Site, sites


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A right answer with one small change.

    Attributes:
        name: a readable description of the change, unique within the answer and the same in every
            run: ``"scores: line 2: transpose(-2, -1) dropped"``. Lines count from the ``def``,
            without docstrings and with every statement on one line.
        operator: the kind of change, such as ``"call dropped"``.
        line: the changed line.
        source: the whole changed answer.
        code: a digest of its compiled code; equal for equivalent changes.
    """

    name: str
    operator: str
    line: int
    source: str
    code: str


def mutants(source: str, *, label: str = "") -> list[Mutant]:
    """Return all small changes to an answer, without duplicates.

    Args:
        source: definitions of functions or classes, or assignments.
        label: the beginning of the names, used if several answers to a task are changed.

    Raises:
        SyntaxError: the source is not valid Python.
    """
    plain = tidy(source)
    tree = ast.parse(plain)
    seen = {digest(plain)}
    times: Counter[str] = Counter()
    found = []
    for site in sites(tree):
        for operator, said, changed in _changes(site, tree):
            try:
                code = digest(changed)
            except SyntaxError:
                continue
            if code in seen:
                continue
            seen.add(code)
            owner = site.scope.owner or "answer"
            name = f"{label}{owner}: line {site.line}: {said}"
            times[name] += 1
            if times[name] > 1:
                name = f"{name} ({times[name]})"
            found.append(
                Mutant(name=name, operator=operator, line=site.line, source=changed, code=code)
            )
    return found


def tidy(source: str) -> str:
    """Return a source without comments and docstrings, each statement on one line."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def digest(source: str) -> str:
    """Return a digest of the behaviour of a source.

    It ignores the names of variables, annotations and the name of the definition, but not the names
    of parameters.

    Raises:
        SyntaxError: it cannot be compiled.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    for top in tree.body:
        if isinstance(top, ast.FunctionDef | ast.ClassDef):
            top.name = "_"
    code = compile(tree, "<answer>", "exec", dont_inherit=True)
    return hashlib.sha256(repr(_essence(code)).encode()).hexdigest()


def _essence(code: CodeType) -> tuple[object, ...]:
    constants = tuple(
        _essence(each) if isinstance(each, CodeType) else (type(each).__name__, repr(each))
        for each in code.co_consts
    )
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    tables = code.co_names, taken, code.co_freevars, code.co_cellvars, code.co_exceptiontable
    return code.co_code, constants, tables


def _changes(site: Site, tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield each change at a place: its operator, its description, and the whole source."""
    for operator in OPERATORS:
        for said, node in operator(site):
            site.put(node)
            try:
                changed = ast.unparse(tree)
            finally:
                site.put(site.node)
            yield operator.__name__.replace("_", " "), said, changed
