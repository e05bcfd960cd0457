"""The report's numbers equal those of an independent computation."""

import numpy as np
import pytest

from plaincourse.classroom import measures
from plaincourse.classroom.model import Classroom, Item, Mark, Student, Work
from tests.plaincourse.class_of_120 import NAME, POINTS, records


def room_of(scores, points):
    """Return a class from a table of scores, students by items; nan means waiting for a person."""
    keys = [("n", f"item{column}") for column in range(len(points))]
    works = tuple(
        Work(
            student=Student(id=f"s{number}"),
            marks={
                key: Mark(score=None if np.isnan(score) else float(score), points=worth)
                for key, score, worth in zip(keys, row, points, strict=True)
            },
        )
        for number, row in enumerate(scores)
    )
    items = tuple(Item(key=key, points=p) for key, p in zip(keys, points, strict=True))
    return Classroom(assignment="n", items=items, works=works)


@pytest.fixture(scope="module")
def table():
    """The scores of 120 students in the seven items that are graded automatically."""
    names = [name for name in POINTS if name != "why_root_d"]
    graded = [r["notebooks"][NAME]["cells"] for r in records().values() if r["notebooks"]]
    scores = np.array([[cells[name]["score"] for name in names] for cells in graded])
    return scores, np.array([POINTS[name] for name in names])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 10, 119])
def test_the_five_numbers_equal_numpys(size):
    values = np.random.default_rng(size).normal(10, 4, size)
    five = measures.summary(list(values))
    assert five.count == size
    got = [five.least, five.lower, five.median, five.upper, five.most]
    np.testing.assert_allclose(got, np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
    np.testing.assert_allclose(five.mean, values.mean())


def test_no_values_have_no_summary():
    assert measures.summary([]) is None
    with pytest.raises(ValueError, match="at least one"):
        measures.quantile([], 0.5)


@pytest.mark.parametrize("most", [35.0, 10.0, 7.0, 0.3])
def test_the_histogram_equals_numpys_also_on_the_edges(most):
    values = [most * part / 40 for part in range(41)]
    exact = [min(part * 10 // 40, 9) for part in range(41)]
    assert measures.histogram(values, most) == np.bincount(exact, minlength=10).tolist()
    rng = np.random.default_rng(0)
    drawn = rng.uniform(0, most, 500)
    assert measures.histogram(drawn, most) == np.histogram(drawn, 10, (0, most))[0].tolist()


def test_extra_credit_falls_into_the_last_bin_and_no_points_into_the_first():
    assert measures.histogram([36.0], 35.0)[-1] == 1
    assert measures.histogram([0.0, 0.0], 0.0)[0] == 2


def test_difficulty_and_discrimination_equal_numpys_on_the_class(table):
    scores, points = table
    for column, got in enumerate(measures.figures(room_of(scores, points))):
        rest = np.delete(scores, column, axis=1).sum(axis=1)
        assert got.share == pytest.approx(scores[:, column].mean() / points[column])
        assert got.discrimination == pytest.approx(np.corrcoef(scores[:, column], rest)[0, 1])
        # The total includes the item itself, which would inflate the correlation.
        whole = np.corrcoef(scores[:, column], scores.sum(axis=1))[0, 1]
        assert got.discrimination < whole - 0.01


def test_the_model_gives_harder_exercises_lower_shares_and_all_tell(table):
    got = measures.figures(room_of(*table))
    assert got[0].share > 0.85 > got[3].share > 0.5 > got[6].share
    assert all(each.discrimination > 0.4 for each in got)


def test_of_an_item_of_all_or_nothing_it_is_the_point_biserial_correlation():
    rng = np.random.default_rng(3)
    right, rest = rng.integers(0, 2, 50).astype(float), rng.normal(size=50)
    ones, zeros, p = rest[right == 1], rest[right == 0], right.mean()
    by_hand = (ones.mean() - zeros.mean()) / rest.std() * np.sqrt(p * (1 - p))
    assert measures.correlation(list(right), list(rest)) == pytest.approx(by_hand)


@pytest.mark.parametrize("constant", [0.0, 2.0, 0.1])
def test_an_item_that_all_solve_alike_has_no_discrimination(constant):
    scores = np.column_stack([np.full(30, constant), np.arange(30.0)])
    alike, other = measures.figures(room_of(scores, [2.0, 30.0]))
    assert alike.discrimination is None
    assert other.discrimination is None  # The rest does not vary either.
    assert "cannot be told" in measures.meaning(None, 30)


def test_one_submission_and_none_are_no_error():
    one = measures.figures(room_of(np.array([[1.0, 2.0]]), [1.0, 2.0]))
    assert [each.discrimination for each in one] == [None, None]
    assert measures.figures(room_of(np.zeros((0, 2)), [1.0, 2.0]))[0].share is None


def test_few_submissions_say_that_the_number_means_little():
    assert "means little" in measures.meaning(0.9, 9)
    assert measures.meaning(0.9, 10) == "good"


@pytest.mark.parametrize(
    ("r", "word"), [(-0.01, "negative"), (0.0, "low"), (0.19, "low"), (0.2, "fair"), (0.4, "good")]
)
def test_a_correlation_is_put_into_words(r, word):
    assert measures.meaning(r, 50).startswith(word)


def test_an_essay_that_waits_in_some_submissions_does_not_bend_the_rest():
    rng = np.random.default_rng(5)
    scores = rng.uniform(0, 4, (80, 4))
    full = measures.figures(room_of(scores[:, :3], [4.0] * 3))
    waits = scores.copy()
    waits[:, 3] = np.nan
    waiting = measures.figures(room_of(waits, [4.0] * 4))
    for with_essay, without in zip(waiting, full, strict=False):
        assert with_essay.discrimination == pytest.approx(without.discrimination)
    assert (waiting[3].waiting, waiting[3].count, waiting[3].share) == (80, 0, None)


def test_blank_answers_alone_do_not_make_an_essay_hard_while_others_wait():
    key = ("n", "item0")
    blank = Mark(score=0.0, points=4.0, blank=True)
    waits, read = Mark(score=None, points=4.0), Mark(score=3.0, points=4.0)

    def share(*marks):
        works = tuple(
            Work(student=Student(id=f"s{number}"), marks={key: mark})
            for number, mark in enumerate(marks)
        )
        items = (Item(key=key, points=4.0),)
        return measures.figures(Classroom(assignment="n", items=items, works=works))[0].share

    assert share(blank, waits, waits) is None
    assert share(blank, blank) == 0
    assert share(blank, read, waits) == 3 / 8


def test_each_submission_is_counted_once_as_blank_none_partial_full_or_waiting():
    room = room_of(np.array([[0.0], [0.0], [1.0], [2.0], [np.nan]]), [2.0])
    key = room.items[0].key
    blank = Work(student=Student(id="x"), marks={key: Mark(score=0.0, points=2.0, blank=True)})
    failed = Work(student=Student(id="y"), status="failed", marks=blank.marks)
    room = Classroom(assignment="n", items=room.items, works=(*room.works, blank, failed))
    got = measures.figures(room)[0]
    assert (got.blank, got.none, got.partial, got.full, got.waiting) == (1, 2, 1, 1, 1)


def test_requirements_and_misconceptions_are_counted_as_a_plain_loop_counts_them(course_room):
    made = [r["notebooks"][NAME]["cells"] for r in records().values() if r["notebooks"]]
    got = {r.name: r for r in measures.requirements(course_room)[NAME, "softmax_rows"]}
    for place, (name, _, points) in enumerate(made[0]["softmax_rows"]["rungs"]):
        met = sum(cells["softmax_rows"]["rungs"][place][1] == points for cells in made)
        assert (got[name].met, got[name].of) == (met, len(made))
    for each in measures.misconceptions(course_room):
        hit = sum(cells[each.key[1]]["matched"] == each.name for cells in made)
        assert len(each.students) == hit
        assert each.says
        assert each.believed


def test_a_requirement_that_earned_a_part_is_not_met():
    rungs = (("whole", 1.0, 1.0), ("part", 0.5, 1.0))
    work = Work(
        student=Student(id="s"), marks={("n", "a"): Mark(score=1.5, points=2.0, rungs=rungs)}
    )
    item = Item(key=("n", "a"), points=2.0)
    met = measures.requirements(Classroom(assignment="n", items=(item,), works=(work,)))
    assert [(each.name, each.share) for each in met["n", "a"]] == [("whole", 1.0), ("part", 0.0)]


def test_the_commonest_come_first_and_one_belief_in_three_exercises_is_one(course_room):
    sizes = [len(each.students) for each in measures.misconceptions(course_room)]
    assert sizes == sorted(sizes, reverse=True)
    beliefs = measures.beliefs(course_room)
    first = next(each for each in beliefs if len(each) > 1)
    assert len({each.name for each in first}) == 1
    assert len({each.key for each in first}) == len(first)
    counts = [len(measures.holders(each)) for each in beliefs]
    assert counts == sorted(counts, reverse=True)
    together = {student.id for each in first for student in each.students}
    assert len(measures.holders(first)) == len(together)


def test_the_slowest_exercise_comes_first_and_has_numpys_median(course_room):
    costs = measures.costs(course_room)
    medians = [cost.seconds.median for cost in costs]
    assert medians == sorted(medians, reverse=True)
    name = costs[0].item.key[1]
    made = [r["notebooks"][NAME]["cells"] for r in records().values() if r["notebooks"]]
    assert medians[0] == pytest.approx(np.median([cells[name]["seconds"] for cells in made]))


@pytest.fixture(scope="module")
def course_room(tmp_path_factory):
    from plaincourse.classroom.reading import read
    from tests.plaincourse.class_of_120 import write_records

    folder = tmp_path_factory.mktemp("course")
    write_records(folder, records())
    return read(folder, NAME)
