"""Times of submission are read as written, and unclear ones are refused."""

import datetime
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaincourse.grading.times import decoded, parse_time, quoted, read_time

READ = {
    "2027-02-01 21:45:30": "2027-02-01 21:45:30",
    "2027-02-01 21:45:30 UTC": "2027-02-01 21:45:30",
    "2027-02-01 21:45:30.250000 UTC": "2027-02-01 21:45:30.250000",
    "2027-02-01 21:45:30 +0100": "2027-02-01 20:45:30",
    "2027-02-01 21:45:30 -0330": "2027-02-02 01:15:30",
    "2027-02-01 21:45:30 Europe/Berlin": "2027-02-01 20:45:30",
    "2027-07-01 21:45:30 Europe/Berlin": "2027-07-01 19:45:30",
    "2027-07-01 21:45:30.000001 CEST": "2027-07-01 19:45:30.000001",
    "2027-02-01 21:45:30 PST": "2027-02-02 05:45:30",
    "2027-02-01T21:45:30Z": "2027-02-01 21:45:30",
    "2027-02-01T21:45:30+05:30": "2027-02-01 16:15:30",
    "2027-02-01T21:45:30\N{MINUS SIGN}05:00": "2027-02-02 02:45:30",
    "2027-02-01T21:45:30,5Z": "2027-02-01 21:45:30.500000",
    "2027-02-01T21:45:30.123456789Z": "2027-02-01 21:45:30.123456",
    "2027-02-01T21:45+01": "2027-02-01 20:45:00",
    "20270201T214530Z": "2027-02-01 21:45:30",
    "2027-02-01T24:00Z": "2027-02-02 00:00:00",
    "2027-02-01T23:59:60Z": "2027-02-02 00:00:00",
    "2027-W05-1T21:45:30Z": "2027-02-01 21:45:30",
    "2027-02-01": "2027-02-01 00:00:00",
    "2027-02-01-21-45-30": "2027-02-01 21:45:30",
    "2027-02-01-00-00-00": "2027-02-01 00:00:00",
    "2027-02-01-21-45-59": "2027-02-01 21:45:59",
}
UNCLEAR = [
    "",
    "yesterday",
    "10",
    "02/03/2027 10:00",
    "2027-13-01 10:00:00",
    "2027-02-30 10:00:00",
    "2027-02-01 25:00:00",
    "2027-02-01 10:61:00",
    "2027-02-01-21-45-61",
    "2027-02-01-10:00",
    "2027-02-01 10:00:00 CST",
    "2027-02-01 10:00:00 XYZ",
    "2027-02-01 10:00:00 ../../etc/localtime",
    "2027-02-01 10:00:00 +2500",
    "2027-02-01 10:00:00 UTC and more",
    "2027-02-01 10:00:00 UTC\n2027-01-01 10:00:00 UTC",
    "9999-12-31 23:59:59 -1400",
    "0001-01-01 00:00:00 +1400",
    "1970-01-01 00:00:00 UTC",
    "1" * 5_000_000,
    "2027-02-01 10:00:00." + "9" * 100_000,
]


@pytest.mark.parametrize(("text", "right"), READ.items(), ids=READ)
def test_a_time_is_read_as_it_is_written(text: str, right: str) -> None:
    assert str(parse_time(text)) == right


@pytest.mark.parametrize("text", UNCLEAR, ids=[text[:30] for text in UNCLEAR])
def test_what_is_not_clear_is_refused_with_its_text_in_no_time(text: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=r"expected|must be|range|year|zone") as caught:
        parse_time(text)
    assert quoted(text) in str(caught.value)
    assert len(str(caught.value)) < 250
    assert time.process_time() - began < 1


_ZONES = st.timedeltas(datetime.timedelta(hours=-14), datetime.timedelta(hours=14)).map(
    lambda away: datetime.timezone(
        datetime.timedelta(minutes=away // datetime.timedelta(minutes=1))
    )
)


@given(st.datetimes(datetime.datetime(2001, 1, 1), datetime.datetime(2198, 1, 1), timezones=_ZONES))
def test_every_second_in_every_zone_is_read(moment: datetime.datetime) -> None:
    right = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    assert parse_time(moment.isoformat()) == right
    assert parse_time(f"{moment:%Y-%m-%d %H:%M:%S.%f %z}") == right
    assert parse_time(f"{right:%Y-%m-%d-%H-%M-%S}") == right.replace(microsecond=0)


@given(st.text(max_size=80) | st.from_regex(r"[0-9:TZ.+-]{1,40}", fullmatch=True))
def test_any_other_text_is_read_or_refused(text: str) -> None:
    try:
        assert parse_time(text).tzinfo is None
    except ValueError as error:
        assert quoted(text) in str(error)  # noqa: PT017


def test_a_time_without_a_zone_is_of_the_zone_that_is_asked_for() -> None:
    assert str(parse_time("2027-02-01 21:45", zone="America/New_York")) == "2027-02-02 02:45:00"
    assert str(parse_time("2027-02-01 21:45Z", zone="Asia/Tokyo")) == "2027-02-01 21:45:00"
    with pytest.raises(ValueError, match="the zone"):
        parse_time("2027-02-01 21:45", zone="Nowhere/At_all")


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n  "])
def test_a_file_of_any_editor_is_read(tmp_path: Path, encoding: str, end: str) -> None:
    (tmp_path / "timestamp.txt").write_bytes(f"2027-02-02 10:00:00 UTC{end}".encode(encoding))
    assert read_time(tmp_path) == datetime.datetime(2027, 2, 2, 10)


@pytest.mark.parametrize("name", ["Timestamp.txt", "TIMESTAMP.TXT", "timestamp.TXT"])
def test_a_file_in_other_capitals_is_read_where_there_is_no_other(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("2027-02-02 10:00:00 UTC")
    assert read_time(tmp_path) == datetime.datetime(2027, 2, 2, 10)
    (tmp_path / "timestamp.txt").write_text("2027-02-03 10:00:00 UTC")
    assert read_time(tmp_path) == datetime.datetime(2027, 2, 3, 10)


def test_of_several_in_other_capitals_none_is_chosen(tmp_path: Path) -> None:
    for name in ("Timestamp.txt", "TIMESTAMP.txt"):
        (tmp_path / name).write_text("2027-02-02 10:00:00 UTC")
    with pytest.raises(ValueError, match=r"TIMESTAMP.txt.*Timestamp.txt.*keep one of them"):
        read_time(tmp_path)


def test_what_is_in_no_encoding_is_text_too() -> None:
    assert decoded(b"2027\xff\x00") == "2027\N{REPLACEMENT CHARACTER}\0"


def test_nothing_is_said_where_there_is_no_file(tmp_path: Path) -> None:
    assert read_time(tmp_path) is None


@pytest.mark.parametrize("kind", ["link", "folder", "huge", "empty", "binary"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "timestamp.txt"
    if kind == "link":
        (tmp_path / "other").write_text("2027-02-02 10:00:00 UTC")
        path.symlink_to(tmp_path / "other")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes({"huge": b"1" * 10**7, "empty": b"", "binary": bytes(range(256))}[kind])
    with pytest.raises(ValueError, match=r"expected|link|folder"):
        read_time(tmp_path)
