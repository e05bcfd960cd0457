"""Irregularities in a submission's arrival become flags, in words that help an instructor."""

import datetime
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plaincourse.classroom.people import _DO
from plaincourse.collecting.archives import leads_out
from plaincourse.grading.arrival import arrived, borrowed
from plaincourse.grading.assignment import Snapshot
from plaincourse.grading.collected import NAMELESS, Collected, read_collected
from plaincourse.grading.files import find_notebooks, list_files
from plaincourse.grading.grade import _remark
from plaincourse.grading.jobs import EXPLAIN, Known

DUE = datetime.datetime(2020, 1, 1)
SNAPSHOT = Snapshot(assignment="week-1", duedate=DUE, notebooks={}, files={})


def flags(folder: Path, *, name: str = "ada", known: Known | None = None) -> dict[str, str]:
    """Return a submission's flags by kind."""
    found = arrived("ada", name, folder, known or Known(), SNAPSHOT).flags
    return {each["kind"]: each["why"] for each in found}


def stamp(folder: Path, text: str) -> None:
    (folder / "timestamp.txt").write_text(text, "utf-8")


def came(folder: Path, **said: Any) -> None:
    (folder / "collected.json").write_text(json.dumps({"platform": "canvas", **said}), "utf-8")


def test_nothing_is_odd_about_most(tmp_path: Path) -> None:
    assert flags(tmp_path) == {}
    stamp(tmp_path, "2019-12-31 10:00:00 UTC")
    assert flags(tmp_path) == {}
    came(tmp_path, name="ada", number="17")
    assert flags(tmp_path) == {}


@pytest.mark.parametrize(
    "text", ["", "9999-12-31 23:59:59 -1400", "1" * 10**6, "2020-01-01 CST", "soon \x1b[2J"]
)
def test_a_time_that_is_not_read_is_quoted_and_not_counted(tmp_path: Path, text: str) -> None:
    stamp(tmp_path, text)
    (why,) = flags(tmp_path).values()
    assert why.startswith('Date unreadable: timestamp.txt says "')
    assert "No lateness was counted" in why
    assert why.isprintable()
    assert len(why) < 300
    assert flags(tmp_path).keys() - EXPLAIN == {"undated"}


@pytest.mark.parametrize("hours", [1, 24, 24 * 365 * 70])
@pytest.mark.parametrize("where", ["file", "platform", "gradebook"])
def test_a_time_still_to_come_is_told_and_costs_nothing(
    tmp_path: Path, where: str, hours: int
) -> None:
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    time = now + datetime.timedelta(hours=hours)
    known = Known(timestamp=time if where == "gradebook" else None)
    if where == "platform":
        came(tmp_path, time=f"{time}")
    else:
        stamp(tmp_path, f"{time} UTC")
    assert "later than the time of grading" in flags(tmp_path, known=known)["undated"]
    assert "No lateness was counted" in flags(tmp_path, known=known)["undated"]
    assert arrived("ada", "ada", tmp_path, known, SNAPSHOT).timestamp is None


def test_clocks_that_differ_by_minutes_are_no_matter(tmp_path: Path) -> None:
    now = datetime.datetime.now(datetime.UTC)
    stamp(tmp_path, f"{now + datetime.timedelta(minutes=5):%Y-%m-%d %H:%M:%S} UTC")
    assert flags(tmp_path) == {}


def test_a_comment_is_quoted_and_is_a_remark(tmp_path: Path) -> None:
    came(tmp_path, comment="Sorry, 3 is in my e-mail\x1b[2J")
    told = flags(tmp_path)
    assert 'wrote with the submission: "Sorry, 3 is in my e-mail?[2J"' in told["comment"]
    assert "comment" in EXPLAIN
    assert "comment" in _DO


KINDS: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "link": lambda path: path.symlink_to("/etc/hostname"),
    "pipe": os.mkfifo,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_with_a_time_is_named_as_what_it_is(tmp_path: Path, kind: str) -> None:
    KINDS[kind](tmp_path / "timestamp.txt")
    (why,) = flags(tmp_path).values()
    assert why.startswith("Date unreadable: timestamp.txt cannot be read, because in its place is")
    assert kind in why.split("because")[1]
    assert "says" not in why
    assert "No lateness was counted" in why


@pytest.mark.parametrize("make", [Path.touch, os.mkfifo])
def test_a_file_in_place_of_the_folder_is_named_and_no_other_file_is(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    folder = tmp_path / "02-sorting"
    make(folder)
    assert flags(folder) == {}, "there is no timestamp.txt"
    assert "in place of the submission's folder is a file" in list_files(folder).refused["."]
    (found,) = find_notebooks(folder, ["sorting"]).values()
    assert found.why.endswith("there was a file in place of the folder")


def test_the_gradebooks_time_stands_in_for_one_that_is_not_read(tmp_path: Path) -> None:
    stamp(tmp_path, "soon")
    known = Known(timestamp=datetime.datetime(2020, 1, 2))
    (why,) = flags(tmp_path, known=known).values()
    assert "The time in the gradebook was used, 2020-01-02 00:00:00 UTC." in why


def test_the_platforms_time_counts_unless_a_person_wrote_another(tmp_path: Path) -> None:
    came(tmp_path, time="2020-01-01-01-00-00")
    assert arrived("a", "a", tmp_path, Known(), SNAPSHOT).timestamp == DUE.replace(hour=1)
    stamp(tmp_path, "2020-01-01 02:00:00 UTC")
    assert arrived("a", "a", tmp_path, Known(), SNAPSHOT).timestamp == DUE.replace(hour=2)


def test_the_platforms_time_may_be_unreadable_too(tmp_path: Path) -> None:
    came(tmp_path, time="2020-01-01-01-00-99")
    (why,) = flags(tmp_path).values()
    assert why.startswith('Date unreadable: Canvas says "2020-01-01-01-00-99"')


def test_a_mark_of_lateness_is_told_unless_it_is_counted(tmp_path: Path) -> None:
    came(tmp_path, late=True)
    assert "the time is unknown" in flags(tmp_path)["marked late"]
    stamp(tmp_path, "2019-12-31 10:00:00 UTC")
    assert "it is on time" in flags(tmp_path)["marked late"]
    stamp(tmp_path, "2020-01-01 00:00:01 UTC")
    assert flags(tmp_path) == {}


ARCHIVES = {
    "work.rar": "only zip archives are opened",
    "a.zip": "it is broken (bad header)",
    "b.zip": "it is locked by a password",
    "big.bin": "it is larger than 64 MiB",
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_file_that_was_not_opened_is_not_called_forbidden(tmp_path: Path, name: str) -> None:
    came(tmp_path, left_out={name: ARCHIVES[name]})
    (kind,) = flags(tmp_path)
    assert kind == "unopened"
    assert flags(tmp_path).keys() - EXPLAIN == {"unopened"}


@pytest.mark.parametrize(
    "why",
    [
        "it is a link",
        "it is a link or not a plain file",
        "it is not a plain file",
        leads_out("../x"),
        leads_out("/x"),
    ],
)
def test_a_file_that_leads_elsewhere_is_not_the_students_own(tmp_path: Path, why: str) -> None:
    came(tmp_path, left_out={"x": why})
    assert set(flags(tmp_path)) - EXPLAIN == {"foreign"}


def test_a_link_to_another_students_folder_is_no_answer_that_uses_anything() -> None:
    assert borrowed("submitted/bob/a", "ada")["kind"] == "foreign"


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


OTHER_FILES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": listen,
    "link to a file": lambda path: path.symlink_to("/etc/hostname"),
    "link to a folder": lambda path: path.symlink_to("/etc"),
    "link to nothing": lambda path: path.symlink_to("nothing"),
}


@pytest.mark.parametrize("other", OTHER_FILES)
def test_what_is_no_plain_file_beside_a_notebook_is_called_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    monkeypatch.chdir(tmp_path)  # socket paths must be short
    OTHER_FILES[other](Path("data.csv"))
    ((name, why),) = list_files(tmp_path).refused.items()
    said, kind = _remark(name, why)
    assert kind == "foreign"
    assert "link" in said if "link" in other else "not a plain file" in said
    assert kind not in EXPLAIN, "a person should look"
    assert "answer" not in _DO[kind], "no answer used anything"


def test_what_was_left_out_and_what_came_before_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text("{}")
    came(tmp_path, older=["x 1.ipynb"], left_out={"big.bin": "it is larger than 64 MiB"}, group=3)
    told = flags(tmp_path)
    assert 'The file "big.bin" was left out: it is larger than 64 MiB.' in told["unopened"]
    assert told.keys() - EXPLAIN == {"unopened"}
    texts = [each["why"] for each in arrived("a", "a", tmp_path, Known(), SNAPSHOT).flags]
    assert any('"x 1.ipynb" was handed in before' in each for each in texts)
    assert any("a group of 3" in each for each in texts)


OLDER = ["T_ada_attempt_2027-02-01-10-00-00_x.ipynb", "T_ada_attempt_2027-02-01-10-00-00.txt"]


@pytest.mark.parametrize("there", ["", "shot.png", "receipt.txt", "x.ipynb", "deep/x.ipynb"])
def test_an_earlier_notebook_is_named_where_the_latest_submission_has_none(
    tmp_path: Path, there: str
) -> None:
    came(tmp_path, platform="blackboard", older=OLDER)
    if there:
        (tmp_path / there).parent.mkdir(exist_ok=True)
        (tmp_path / there).write_text("x")
    told = flags(tmp_path)
    assert ("earlier" in told) == (not there.endswith("ipynb"))
    if "earlier" in told:
        assert OLDER[0] in told["earlier"]
        assert "put it into the student's folder if it is to count" in told["earlier"]
        assert "earlier" not in EXPLAIN


@pytest.mark.parametrize("why", NAMELESS)
def test_a_submission_that_is_nobodys_is_flagged(tmp_path: Path, why: str) -> None:
    came(tmp_path, platform="gradescope", name="submission_5", nameless=why)
    told = flags(tmp_path)["nameless"]
    assert f"It is not known whose this is: {NAMELESS[why]}. It was graded as" in told
    assert "Rename the folder" in told
    came(tmp_path, nameless="<b>")
    assert "nameless" not in flags(tmp_path)


def test_an_odd_name_on_the_platform_is_told(tmp_path: Path) -> None:
    came(tmp_path, name='Wei "B" Zhang')
    assert "Canvas calls the student" in flags(tmp_path)["renamed"]


FORGED = {
    "no json": b"{",
    "a list": b"[1]",
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "huge": b" " * 10**7 + b"{}",
    "digits": b'{"group": ' + b"9" * 100_000 + b"}",
    "kinds": b'{"late": "yes", "older": {"a": 1}, "left_out": ["b"], "group": true, "name": null}',
    "bytes": bytes(range(256)),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_file_of_that_name_from_anybody_is_read_or_passed_over(tmp_path: Path, what: str) -> None:
    (tmp_path / "collected.json").write_bytes(FORGED[what])
    found = read_collected(tmp_path)
    assert not found.late
    assert found.older == ()
    assert found.left_out == {}
    assert found.group == 1


def test_long_lists_and_names_are_cut_short(tmp_path: Path) -> None:
    came(tmp_path, older=["x" * 900] * 99, left_out={str(i): "y" * 900 for i in range(99)})
    found = read_collected(tmp_path)
    assert len(found.older) == len(found.left_out) == 20
    assert max(map(len, [*found.older, *found.left_out.values()])) <= 201


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    said = Collected(
        platform="moodle", name="Zoë", number="4", late=True, time="t", older=("a",),
        left_out={"b": "c"}, group=2, nameless="nobody",
    )  # fmt: skip
    (tmp_path / "collected.json").write_text(said.text(), "utf-8")
    assert read_collected(tmp_path) == said
