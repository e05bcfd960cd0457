"""The time of a submission, read from an untrusted text.

The accepted forms are ISO 8601, nbgrader's own (``2027-02-01 23:59:00.25 UTC``) and the times in
names of Blackboard's files (``2027-02-01-23-59-00``). A time is never guessed: any other form, and
a zone with two meanings, is refused with its text.
"""

import datetime
import re
import zoneinfo
from pathlib import Path

from plaincourse.grading.files import read_notebook
from plaincourse.grading.long_notebooks import RefusedError

NAME = "timestamp.txt"
#: Bytes of a file with a time that are read. No time is longer.
LONGEST = 4096
#: Years in which a submission may have been handed in.
FIRST_YEAR, LAST_YEAR = 2000, 2199
_SHOWN = 60
#: The maximal difference between two clocks.
_CLOCKS = datetime.timedelta(minutes=10)
_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_TIME = re.compile(
    r"(?P<year>\d{4})(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?:(?:T| {1,3})(?P<hour>\d\d)(?:(?P<colon>:?)(?P<minute>\d\d)"
    r"(?:(?P=colon)(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,12}))?)?)?"
    r" {0,3}(?P<zone>[A-Za-z+\N{MINUS SIGN}-][\w/+:\N{MINUS SIGN}-]{0,63})?)?",
    re.ASCII | re.IGNORECASE,
)
_DASHED = re.compile(r"(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)(?:-(\d\d))?", re.ASCII)
_WEEK = re.compile(
    r"(?P<week>\d{4}-?W\d\d-?\d)(?:[T ](?P<time>\d\d[\d:.,]{2,20})(?P<zone>\S{1,64})?)?", re.ASCII
)
_OFFSET = re.compile(
    r"(?:UTC|GMT)?(?P<sign>[+\N{MINUS SIGN}-])(?P<hours>\d\d?)(?::?(?P<minutes>[0-5]\d))?",
    re.ASCII | re.IGNORECASE,
)
#: Hours from UTC. Short names with two meanings (CST, IST, BST, AST) are left out.
_HOURS = {
    **dict.fromkeys(("Z", "UT", "UTC", "GMT", "WET"), 0),
    **{"EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7},
    **{"WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9, "KST": 9},
    **{"AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "HST": -10, "AKST": -9, "AKDT": -8},
}


class NoTimeError(ValueError):
    """A submission's file with its time cannot be read; the message is the end of a sentence."""


def parse_time(text: str, *, zone: str = "UTC") -> datetime.datetime:
    """Return the time in a text, in UTC and without a zone, as nbgrader keeps times.

    Args:
        text: the text to read.
        zone: the zone of a time that is written without one.

    Raises:
        ValueError: it holds no time, or an ambiguous one; the message quotes the text.
    """
    said = text.strip().strip("\N{ZERO WIDTH NO-BREAK SPACE}\0").strip()
    try:
        local, written = _split(said) if len(said) <= LONGEST else (None, "")
        if local is None:
            raise ValueError("expected a time as in 2027-02-01 23:59:00 UTC")
        utc = (local - _offset(written or zone, local)).replace(tzinfo=None)
        if not FIRST_YEAR <= utc.year <= LAST_YEAR:
            raise ValueError(f"the year is not between {FIRST_YEAR} and {LAST_YEAR}")
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{quoted(text)} ({error})") from None
    return utc


def is_future(time: datetime.datetime) -> bool:
    """Return whether a time in UTC is in the future, by more than clocks differ."""
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    return time > now + _CLOCKS


def read_time(folder: Path) -> datetime.datetime | None:
    """Return the time of submission in a submission's own file; None if there is none.

    Args:
        folder: the submission.

    Raises:
        NoTimeError: its file with the time cannot be read.
        ValueError: the file holds no time; the message quotes it.
    """
    path = _file(folder)
    if path is None:
        return None
    try:
        raw = read_notebook(path, limit=LONGEST)
    except RefusedError as error:
        raise NoTimeError(f"{NAME} cannot be read, because {error}") from None
    return parse_time(decoded(raw))


def decoded(raw: bytes) -> str:
    """Return the text of some bytes by their byte-order mark, else as UTF-8 or UTF-16.

    Invalid bytes become question marks.
    """
    encoding = next((name for mark, name in _MARKS.items() if raw.startswith(mark)), "")
    if not encoding:
        even, odd = raw[::2].count(0), raw[1::2].count(0)
        half = len(raw) // 4
        encoding = "utf-16-be" if even > half else "utf-16-le" if odd > half else "utf-8"
    return raw.decode(encoding, errors="replace")


def quoted(text: str, longest: int = _SHOWN) -> str:
    """Return an untrusted text in quotes, on one line and cut short, safe for a terminal."""
    short = text.strip()[: longest + 1]
    clean = "".join(each if each.isprintable() else "?" for each in short[:longest])
    return f'"{clean}…"' if len(short) > longest else f'"{clean}"'


def _file(folder: Path) -> Path | None:
    """Return the file with the time, whatever the capitals in its name.

    Raises:
        NoTimeError: it cannot be opened, or there are several.
    """
    path = folder / NAME
    try:
        path.lstat()
        return path
    except NotADirectoryError:
        return None
    except FileNotFoundError:
        pass
    except OSError as error:
        raise NoTimeError(f"{NAME} could not be opened ({error.strerror})") from None
    try:
        alike = sorted(each for each in folder.iterdir() if each.name.lower() == NAME)
    except OSError:
        return None
    if len(alike) > 1:
        names = " and ".join(quoted(each.name) for each in alike)
        raise NoTimeError(f"there are {names}; keep one of them, as {NAME}")
    return next(iter(alike), None)


def _split(said: str) -> tuple[datetime.datetime | None, str]:
    """Return the time as it is written, and its zone's text."""
    if week := _WEEK.fullmatch(said):
        date = datetime.date.fromisoformat(week["week"])
        clock = datetime.time.fromisoformat(week["time"]) if week["time"] else datetime.time()
        return datetime.datetime.combine(date, clock), week["zone"] or ""
    if dashed := _DASHED.fullmatch(said):
        said = f"{dashed[1]} {dashed[2]}:{dashed[3]}:{dashed[4] or '00'}"
    found = _TIME.fullmatch(said)
    if found is None:
        return None, ""
    year, month, day, hour, minute, second = (
        int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    midnight = hour == 24 and not (minute or second)  # the end of the day
    leap = second == 60
    fraction = int((found["fraction"] or "0")[:6].ljust(6, "0"))
    local = datetime.datetime(
        year, month, day, 0 if midnight else hour, minute, 59 if leap else second, fraction
    )
    return local + datetime.timedelta(days=midnight, seconds=leap), found["zone"] or ""


def _offset(zone: str, local: datetime.datetime) -> datetime.timedelta:
    """Return how far a zone is ahead of UTC at a time.

    Raises:
        ValueError: the zone is not known.
    """
    if found := _OFFSET.fullmatch(zone):
        minutes = 60 * int(found["hours"]) + int(found["minutes"] or 0)
        if minutes > 14 * 60:
            raise ValueError(f"no zone is {quoted(zone, 20)} away from UTC")
        return datetime.timedelta(minutes=minutes if found["sign"] == "+" else -minutes)
    if zone.upper() in _HOURS:
        return datetime.timedelta(hours=_HOURS[zone.upper()])
    try:
        away = local.replace(tzinfo=zoneinfo.ZoneInfo(zone)).utcoffset()
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        away = None
    if away is None or "/" not in zone:
        raise ValueError(f"the zone {quoted(zone, 20)} is unknown or means two things")
    return away
