"""The geometry of the map: each chapter is below its prerequisites, and boxes do not overlap."""

from pathlib import Path

import pytest

from plaincourse.cards import concepts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def drawing(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import course_map
    import map_drawing

    graph = concepts.load(ROOT / "book" / "concepts.yml")
    found = course_map.chapters(ROOT / "book" / "chapters.yml", graph, set())
    return course_map, map_drawing, graph, found


def test_a_chapter_stands_below_all_that_it_needs(drawing):
    _, map_drawing, _, found = drawing
    row = {spot.chapter.id: spot.row for spot in map_drawing.layout(found) if spot.chapter}
    assert len(row) == 17
    assert all(row[needed] < row[c.id] for c in found for needed in c.needs)


def test_what_is_implied_is_not_drawn_and_nothing_is_lost(drawing):
    course_map, _, graph, _ = drawing
    needs = course_map.chapter_needs(graph)

    def behind(chapter):
        return set(needs[chapter]).union(*(behind(name) for name in needs[chapter]))

    for concept in graph.values():
        for name in concept.prerequisites:
            other = graph[name].chapter
            assert other == concept.chapter or other in behind(concept.chapter)
    assert not any(name in behind(o) for near in needs.values() for o in near for name in near)


def test_nothing_in_a_row_overlaps(drawing):
    _, map_drawing, _, found = drawing
    spots = map_drawing.layout(found)
    for spot in spots:
        for other in spots:
            if other is not spot and other.row == spot.row:
                assert abs(other.x - spot.x) >= (other.width + spot.width) / 2
        assert all(above.row == spot.row - 1 for above in spot.above), "a line skips no row"


def test_beside_the_list_no_two_lines_share_a_lane(drawing):
    course_map, _, _, found = drawing
    sides = course_map.rail(found)
    place = {chapter.id: row for row, chapter in enumerate(found)}
    ends = {above: place[c.id] for c in found for above in c.needs}
    assert set(sides) == set(ends)
    assert set(sides.values()) == set(range(1, max(sides.values()) + 1))
    for one, lane in sides.items():
        for other in sides:
            if one < other and place[other] <= ends[one]:
                assert sides[other] != lane, (one, other)
    assert max(sides.values()) <= 8, "on a telephone the lines would leave no room for the titles"
