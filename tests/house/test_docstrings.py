"""Public names have docstrings that agree with their signatures."""

import ast
import re

import pytest

from tests.house.tree import FORMER, modules

Callable_ = ast.FunctionDef | ast.ClassDef
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Cost|Ref|Yields):", flags=re.MULTILINE)
ENTRY = re.compile(r"^ {4}(\*{0,2}\w+):", flags=re.MULTILINE)
# Functions with one value or one loop over a page, whose cost is negligible.
CHEAP = {"device"}


def public(tree: ast.Module) -> list[tuple[str, Callable_]]:
    """List the public functions and classes of a module, and the public methods."""
    found: list[tuple[str, Callable_]] = []
    for node in tree.body:
        decorators = getattr(node, "decorator_list", [])
        if "overload" in map(ast.unparse, decorators):
            continue  # the function after it has the docstring
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            found.append((node.name, node))
            if isinstance(node, ast.ClassDef):
                found += [
                    (f"{node.name}.{method.name}", method)
                    for method in node.body
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
                ]
    return found


def parameters(node: Callable_) -> list[str]:
    """List a callable's parameters, a class's being those of its constructor."""
    if isinstance(node, ast.ClassDef):
        inits = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        return parameters(inits[0]) if inits else fields(node)
    args = node.args
    names = [a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]]
    names += [f"{a.arg}" for a in (args.vararg, args.kwarg) if a]
    return [name for name in names if name not in {"self", "cls"}]


def fields(node: ast.ClassDef) -> list[str]:
    """List the fields of a dataclass, which are the parameters of its constructor."""
    if not any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
        return []
    given = [
        n for n in node.body if isinstance(n, ast.AnnAssign) and "init=False" not in ast.unparse(n)
    ]
    return [ast.unparse(n.target) for n in given if not ast.unparse(n.target).startswith("_")]


def sections(docstring: str) -> dict[str, str]:
    """Split a docstring at its section names."""
    parts = SECTION.split(docstring)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def faults(source: str) -> list[str]:
    """List omissions and errors in the docstrings of a module's public names."""
    wrong = []
    for name, node in public(ast.parse(source)):
        docstring = ast.get_docstring(node) or ""
        said = sections(docstring)
        summary = docstring.partition("\n\n")[0]
        if not re.fullmatch(r"[A-Z][^\n]*[.?]", summary.partition("\n")[0]):
            wrong.append(f"{name}: the first line is one sentence")
        if "Args" in said:
            named = [entry.lstrip("*") for entry in ENTRY.findall(said["Args"])]
            if sorted(named) != sorted(parameters(node)):
                wrong.append(f"{name}: Args names {named}, the signature {parameters(node)}")
        elif parameters(node) and not _says_all(docstring, node):
            wrong.append(f"{name}: neither Args nor the prose names {parameters(node)}")
        raises = {n.exc for n in ast.walk(node) if isinstance(n, ast.Raise) and n.exc}
        if raises and "Raises" not in said and isinstance(node, ast.FunctionDef):
            wrong.append(f"{name}: raises, and does not say so")
        if _computes(node) and "Cost" not in said and name not in CHEAP and "." not in name:
            wrong.append(f"{name}: no Cost")
    return wrong


def _says_all(docstring: str, node: Callable_) -> bool:
    """Return whether each parameter has a shape in its annotation, or is named in the prose."""
    if isinstance(node, ast.ClassDef):
        return False
    annotated = [*node.args.args[1:], *node.args.kwonlyargs]
    return all(
        f"``{a.arg}``" in docstring or (a.annotation and "Float[" in ast.unparse(a.annotation))
        for a in annotated
    )


def _computes(node: Callable_) -> bool:
    """Return whether a function makes a tensor whose size depends on its arguments."""
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(base) == "nn.Module" for base in node.bases)
    return bool(node.returns and re.search(r"Float\[|Bool\[", ast.unparse(node.returns)))


@pytest.mark.parametrize(
    "name", [n for n in modules(FORMER) if not n.startswith("plainformer.plotting")]
)
def test_public_names_say_what_they_take_raise_and_cost(name: str) -> None:
    assert faults(modules(FORMER)[name].read_text("utf-8")) == []


@pytest.mark.parametrize("name", [n for n in modules(FORMER) if ".plotting" in n])
def test_public_names_of_plotting_say_what_they_take_and_raise(name: str) -> None:
    found = faults(modules(FORMER)[name].read_text("utf-8"))
    assert [fault for fault in found if not fault.endswith("no Cost")] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        scores: one score per key on the last axis, any axes before it.\n", ""),
        (
            "        mask: True where a query may attend to a key; broadcasts to the scores.\n",
            "        musk: True.\n",
        ),
        ("    Cost: three passes over the scores, one copy of them.\n", ""),
        ('    """Turn each row of scores into weights:', '    """turns rows\n\n    x:'),
        ("    dtype = scores.dtype\n", "    if dtype is None:\n        raise TypeError('x')\n"),
    ],
)
def test_a_planted_fault_is_found(old: str, new: str) -> None:
    source = modules(FORMER)["plainformer.softmax"].read_text("utf-8")
    assert source.count(old) == 1
    planted = source.replace(old, new)
    if "TypeError" in new:
        planted = re.sub(r"    Raises:\n.*?\n\n", "", planted, flags=re.DOTALL)
    assert faults(planted)
