"""Each operator makes the change that it names."""

import pytest

from plaincourse.proving.mutants.mutate import mutants, tidy
from plaincourse.proving.mutants.operators import EXPRESSIONS, OPERATORS

# The operator, a line of code, and lines that it may become.
CHANGES = [
    ("comparison", "return a < b", ["return a <= b", "return a > b"]),
    ("comparison", "return a is None", ["return a is not None"]),
    ("arithmetic", "return a @ b", ["return a * b"]),
    ("arithmetic", "return a & b", ["return a | b"]),
    ("operand dropped", "return a / math.sqrt(b)", ["return a"]),
    ("operand dropped", "return a and b", ["return a", "return b"]),
    ("operands swapped", "return a - b", ["return b - a"]),
    ("logic", "return a and b", ["return a or b"]),
    ("constant", "return a.sum(dim=-1)", ["return a.sum(dim=-2)", "return a.sum(dim=0)"]),
    ("constant", "return a.sum(keepdim=True)", ["return a.sum(keepdim=False)"]),
    ("constant", "return a < 1e-09", ["return a < 0.0", "return a < 1.0"]),
    ("sign", "return a.fill(-torch.inf)", ["return a.fill(torch.inf)"]),
    ("sign", "return torch.exp(a)", ["return torch.exp(-a)"]),
    ("negation", "return not a", ["return a"]),
    ("negation", "return a[~b]", ["return a[b]"]),
    ("negation", "return a.masked_fill(b, 0)", ["return a.masked_fill(~b, 0)"]),
    ("in place", "return a - b", ["return a.sub_(b)"]),
    ("in place", "return a.masked_fill(b, 0)", ["return a.masked_fill_(b, 0)"]),
    ("arguments swapped", "return f(a, b)", ["return f(b, a)"]),
    ("argument dropped", "return a.sum(dim=1, keepdim=True)", ["return a.sum(dim=1)"]),
    ("argument dropped", "return f(a, b)", ["return f(a)"]),
    ("call dropped", "return a @ b.transpose(-2, -1)", ["return a @ b"]),
    ("call dropped", "return a / math.sqrt(b)", ["return a / b"]),
    ("sibling", "return a.amax(-1)", ["return a.amin(-1)"]),
    ("sibling", "return torch.ones(a).triu()", ["return torch.ones(a).tril()"]),
    ("name", "return a * a @ b", ["return b * a @ b", "return a * b @ b", "return a * a @ a"]),
    ("index", "return a[:, None]", ["return a[None, :]", "return a"]),
    ("bound", "return a[:b]", ["return a[:]", "return a[:b + 1]", "return a[:b - 1]"]),
    ("bound", "return list(range(b))", ["return list(range(1, b))"]),
    ("deleted", "a += b; return a", ["pass; return a"]),
    ("branch", "return a if b else 0", ["return a if not b else 0", "return a", "return 0"]),
    ("assigned", "a += b; return a", ["a -= b; return a", "a = b; return a"]),
    ("returned", "c = a @ b; return c + a", ["c = a @ b; return c", "c = a @ b; return -(c + a)"]),
]


def function(line: str) -> str:
    return tidy("def f_(a, b):\n    " + "\n    ".join(line.split("; ")))


@pytest.mark.parametrize(("operator", "line", "become"), CHANGES)
def test_an_operator_makes_its_change(operator: str, line: str, become: list[str]) -> None:
    made = [each.source for each in mutants(function(line)) if each.operator == operator]
    assert [function(each) for each in become if function(each) not in made] == []


def test_every_operator_is_shown_here() -> None:
    names = {operator.__name__.replace("_", " ") for operator in OPERATORS}
    assert {operator for operator, _, _ in CHANGES} == names
    assert set(EXPRESSIONS) < set(OPERATORS)


def test_conditions_of_statements_are_negated_and_passed_by() -> None:
    source = (
        "def f(a):\n    if a:\n        return 1\n    while not a:\n        a = a + 1\n    return 2"
    )
    changed = {each.name: each.source for each in mutants(source) if each.operator == "branch"}
    assert "if not a:" in changed["f: line 2: condition a negated"]
    assert "if True:" in changed["f: line 2: condition a always true"]
    assert "while not not a:" in changed["f: line 4: condition not a negated"]


def test_an_attribute_of_self_becomes_another_of_the_same_class() -> None:
    source = """
class Pair:
    def __init__(self, n):
        self.left, self.right = n, n + 1

    def forward(self, x):
        return self.left(x)
"""
    names = [each.name for each in mutants(source)]
    assert "Pair.forward: line 7: self.left becomes self.right" in names
    assert "Pair.forward: line 7: self.left of x dropped" in names


def test_a_function_that_is_handed_in_does_not_become_a_number() -> None:
    source = "def f(attention, x):\n    return attention(x)"
    assert [each.name for each in mutants(source) if each.operator == "name"] == []


def test_what_is_promised_is_not_changed() -> None:
    promised = "a: Float['q k']=1, *, n: int=-2"
    source = f"def f({promised}) -> Float['q k']:\n    return a + n"
    heads = {each.source.splitlines()[0] for each in mutants(source)}
    assert heads == {f"def f({promised}) -> Float['q k']:"}
