"""The concept graph is complete and acyclic, and agrees with the written chapters."""

import importlib
import re
from pathlib import Path

import pytest
import yaml

from plaincourse.cards import concepts
from plaincourse.cards.concepts import Concept, ConceptError
from tests.book.syllabus import SYLLABUS

BOOK = Path(__file__).parents[2] / "book"
GRAPH = concepts.load(BOOK / "concepts.yml")
FINISHED = sorted({path.name[:2] for path in BOOK.glob("[0-9][0-9]-*.md")})
TAUGHT = [concept for concept in GRAPH.values() if concept.chapter in FINISHED]


def concept(name, chapter="01", needs=()):
    return Concept(id=name, name=name, chapter=chapter, prerequisites=needs, sources=("A",))


def names(concepts_):
    return [each.id for each in concepts_]


@pytest.mark.parametrize("chapter", SYLLABUS)
def test_every_line_of_the_syllabus_has_its_concepts_and_no_other_is_there(chapter):
    asked = {name for line in SYLLABUS[chapter] for name in line.split()}
    assert {c.id for c in GRAPH.values() if c.chapter == chapter} == asked


def test_the_graph_has_the_seventeen_chapters_of_the_syllabus():
    assert {c.chapter for c in GRAPH.values()} == set(SYLLABUS) == {f"{i:02}" for i in range(1, 18)}


def test_each_concept_comes_after_what_it_needs():
    seen = set()
    for each in concepts.order(GRAPH):
        assert set(each.prerequisites) <= seen, each.id
        seen.add(each.id)
    assert seen == set(GRAPH)


def test_only_the_first_concept_needs_nothing():
    assert [c.id for c in GRAPH.values() if not c.prerequisites] == ["fixed-vector-bottleneck"]


def test_two_concepts_never_share_a_name():
    assert len({c.name for c in GRAPH.values()}) == len(GRAPH)


def test_parts_one_and_two_are_finished():
    assert {f"{number:02}" for number in range(1, 10)} <= set(FINISHED)
    assert {concept.chapter for concept in TAUGHT} == set(FINISHED)


@pytest.mark.parametrize("taught", TAUGHT, ids=names(TAUGHT))
def test_a_taught_concept_has_its_section(taught):
    assert taught.section == f"sec-{taught.chapter}-{taught.id}"
    (page,) = BOOK.glob(f"{taught.chapter}-*.md")
    label = re.compile(rf"^\({re.escape(taught.section)}\)=$", re.MULTILINE)
    assert label.search(page.read_text()), f"{page.name} has no label ({taught.section})="


@pytest.mark.parametrize("taught", TAUGHT, ids=names(TAUGHT))
def test_a_taught_concept_has_its_code(taught):
    module, _, name = taught.code.rpartition(".")
    assert module.startswith("plainformer."), f"{taught.id}: code is {taught.code!r}"
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("taught", TAUGHT, ids=names(TAUGHT))
def test_a_taught_concept_lists_the_tasks_and_cards_that_name_it(taught):
    naming = {name for name, ids in practice(taught.chapter).items() if taught.id in ids}
    assert set(taught.practice) == naming, f"{taught.id}: practice should be {sorted(naming)}"
    assert len(taught.practice) == len(naming) > 0


@pytest.mark.parametrize("chapter", FINISHED)
def test_tasks_and_cards_name_concepts_that_exist(chapter):
    for name, ids in practice(chapter).items():
        assert set(ids) <= set(GRAPH), f"{name}: unknown concepts {set(ids) - set(GRAPH)}"


def practice(chapter):
    """Return the concepts of each graded task and card of a chapter."""
    bank = importlib.import_module("plaincourse.exercise.bank")
    cards = yaml.safe_load((BOOK / "cards" / f"{chapter}.yml").read_text())
    tasks = {task.id: task.concepts for task in bank.chapter(chapter)}
    return tasks | {card["id"]: card["concepts"] for card in cards}


def test_a_circle_is_refused_and_spelled_out():
    circle = [concept("a", needs=("c",)), concept("b", needs=("a",)), concept("c", needs=("b",))]
    with pytest.raises(
        ConceptError, match=r"circle: .*a needs c needs b|circle: c needs b needs a"
    ):
        concepts.check(circle)


def test_an_id_used_twice_is_refused():
    with pytest.raises(ConceptError, match="a: the id is used twice"):
        concepts.check([concept("a"), concept("a")])


def test_an_unknown_prerequisite_is_refused():
    with pytest.raises(ConceptError, match="a: its prerequisite 'nobody' does not exist"):
        concepts.check([concept("a", needs=("nobody",))])


def test_a_prerequisite_from_a_later_chapter_is_refused():
    with pytest.raises(ConceptError, match=r"a \(chapter 01\).*b comes later, in chapter 02"):
        concepts.check([concept("a", needs=("b",)), concept("b", chapter="02")])


def test_order_keeps_the_given_order_where_nothing_speaks_against_it():
    given = [concept("a"), concept("z", needs=("y",)), concept("y"), concept("b")]
    assert names(concepts.order({c.id: c for c in given})) == ["a", "y", "z", "b"]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("- {id: a", "concepts.yml: not valid YAML"),
        ("- 7", "concept 1: expected fields with an id, got 7"),
        ("a: 1", "expected a list of concepts, got dict"),
        ("- {id: a, name: b, chapter: '01', sources: [A]}", "a: prerequisites missing"),
        ("- {id: a, name: b, chapter: 01, prerequisites: [], sources: [A]}", "a: chapter is 1"),
        ("- {id: a, name: b, chapter: '01', prerequisites: c, sources: [A]}", "expected a list"),
        ("- {id: a, name: b, chapter: '01', prerequisites: [], sources: [Z]}", "unknown source"),
        (
            "- {id: a, name: b, chapter: '01', prerequisites: [], sources: [A], colour: red}",
            "a: unknown field colour",
        ),
    ],
)
def test_a_malformed_concept_is_refused_by_name(tmp_path, row, complaint):
    path = tmp_path / "concepts.yml"
    path.write_text(row)
    with pytest.raises(ConceptError, match=re.escape(complaint)):
        concepts.load(path)
