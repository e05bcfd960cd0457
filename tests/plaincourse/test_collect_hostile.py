"""A bad, huge or foreign file in an archive is reported, and affects only its own student."""

import io
import json
import stat
import struct
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from plaincourse.collecting.gradescope import LIST, read_list
from plaincourse.grading.files import MOST, RefusedError
from plaincourse.grading.ids import safe_id
from tests.plaincourse.platform_archives import FILE, NAME, archive, collect, pack

GOOD = {f"ada_1_11_{FILE}": "ada", f"bob_2_22_{FILE}": "bob"}
DATE = "2027-02-01-21-45-30"


def zipped(files: dict[str, str | bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a student's archive."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", how) as file, warnings.catch_warnings(action="ignore"):
        for name, content in files.items():
            file.writestr(name, content)
    return whole.getvalue()


def bomb() -> bytes:
    """Return a small archive with a file that unpacks to more than the limit."""
    return zipped({"zeros.bin": bytes(80 * 2**20), FILE: "eve"})


def locked() -> bytes:
    """Return an archive whose only file is marked as needing a password."""
    raw = bytearray(zipped({FILE: "eve"}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + at] |= 1
    return bytes(raw)


def broken() -> bytes:
    """Return an archive whose content does not match its directory."""
    raw = bytearray(zipped({FILE: "eve" * 1000}))
    raw[60:64] = b"\0\0\0\0"
    return bytes(raw)


def liar() -> bytes:
    """Return an archive whose directory declares a large file as small."""
    raw = bytearray(zipped({FILE: bytes(10**6)}))
    raw[raw.index(b"PK\x01\x02") + 24 :][:4] = struct.pack("<L", 10)
    at = raw.index(b"PK\x01\x02") + 24
    raw[at : at + 4] = struct.pack("<L", 10)
    return bytes(raw)


def link() -> bytes:
    """Return an archive with a link to another person's file."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as file:
        info = zipfile.ZipInfo(FILE)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, "../../ada/secret")
    return whole.getvalue()


#: A student's archive, and the message about its rejected file.
BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "no archive": (lambda: b"not a zip", "could not be opened as a zip archive"),
    "cut": (lambda: zipped({FILE: "eve" * 99})[:-30], "could not be opened as a zip archive"),
    "broken": (broken, "is broken"),
    "liar": (liar, "is broken"),
    "bomb": (bomb, "larger than 64 MiB"),
    "locked": (locked, "locked by a password"),
    "link": (link, "link or not a plain file"),
    "packed otherwise": (lambda: zipped({FILE: "x"}, zipfile.ZIP_LZMA), "only deflate is read"),
    "absolute": (lambda: zipped({f"/etc/{FILE}": "x"}), "leads out of the archive"),
    "above": (lambda: zipped({f"../../ada/{NAME}/{FILE}": "eve"}), "leads out of the archive"),
    "backslashes": (lambda: zipped({f"..\\..\\{FILE}": "eve"}), "leads out of the archive"),
    "drive": (lambda: zipped({f"C:/{FILE}": "eve"}), "leads out of the archive"),
    "deep": (lambda: zipped({"a/" * 300 + FILE: "eve"}), "lies in more than 20 folders"),
    "long": (lambda: zipped({"a" * 2000: "eve"}), "longer than 1000 letters"),
    "too many": (lambda: zipped({str(i): "" for i in range(20_001)}), "more than 20000 files"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_archive_costs_its_own_student_and_is_named(tmp_path: Path, kind: str) -> None:
    make, why = BAD[kind]
    began = time.perf_counter()
    found = collect(tmp_path, {**GOOD, "eve_3_33_work.zip": make()})
    assert found.whose("ada") == "ada"
    assert found.whose("bob") == "bob"
    assert set(found.files) == {"ada", "bob", "eve"}
    assert why in " ".join(found.came("eve")["left_out"].values())
    assert why in next(line for line in found.said.splitlines() if line.startswith("eve:"))
    assert found.files["eve"].get(FILE, b"eve") == b"eve"
    assert {path.name for path in tmp_path.iterdir()} == {"downloaded", "submitted"}
    assert time.perf_counter() - began < 20


def test_a_students_archive_is_opened_one_level_deep(tmp_path: Path) -> None:
    inner = zipped({FILE: "deeper"})
    work = zipped({
        f"hw/{FILE}": "eve", "hw/data.csv": "1", "hw/inner.zip": inner,
        "__MACOSX/hw/._x": "", "hw/.DS_Store": "", "hw/.venv/lib/a.py": "",
    })  # fmt: skip
    found = collect(tmp_path, {**GOOD, "eve_3_33_work.zip": work})
    names = set(found.files["eve"]) - {"collected.json"}
    assert names == {f"hw/{FILE}", "hw/data.csv", "hw/inner.zip"}
    assert found.files["eve"][f"hw/{FILE}"] == b"eve"
    assert list(found.came("eve")["left_out"]) == ["hw/inner.zip"]
    assert "archive inside an archive, and was not opened" in found.said


def test_names_as_macos_writes_them_are_read(tmp_path: Path) -> None:
    raw = zipped({f"Zoë/{FILE}": "eve"})
    flagged = raw.replace(b"PK\x01\x02\x14\x03\x14\0\0\x08", b"PK\x01\x02\x14\x03\x14\0\0\0")
    flagged = flagged.replace(b"PK\x03\x04\x14\0\0\x08", b"PK\x03\x04\x14\0\0\0")
    assert flagged != raw
    found = collect(tmp_path, {"eve_3_33_work.zip": flagged})
    assert f"Zoë/{FILE}" in found.files["eve"]


def test_ten_thousand_files_leave_the_notebook(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"a/{i}.txt": "x" for i in range(10_000)}
    found = collect(tmp_path, {**GOOD, "eve_3_33_work.zip": zipped({**files, f"z/{FILE}": "eve"})})
    assert found.files["eve"][f"z/{FILE}"] == b"eve"
    assert len(found.files["eve"]) <= MOST
    assert "more than 256 MiB or 2000 files" in found.came("eve")["left_out"]["…"]
    assert found.whose("ada") == "ada"


def test_many_files_that_unpack_to_much_are_not_all_unpacked(tmp_path: Path) -> None:
    zeros = bytes(60 * 2**20)
    began = time.perf_counter()
    work = zipped({**{f"{i}.bin": zeros for i in range(8)}, FILE: "eve"})
    found = collect(tmp_path, {"eve_3_33_work.zip": work})
    assert found.whose("eve") == "eve"
    assert sum(map(len, found.files["eve"].values())) < 257 * 2**20
    assert "…" in found.came("eve")["left_out"]
    assert time.perf_counter() - began < 60


NAMES = [
    "/etc/passwd",
    f"../../submitted/ada/{NAME}/{FILE}",
    f"..\\..\\{FILE}",
    "readme.html",
    "a" * 400,
    "CON",
]


@pytest.mark.parametrize("name", NAMES, ids=[name[:20] for name in NAMES])
def test_a_foreign_entry_is_named_and_touches_nothing(tmp_path: Path, name: str) -> None:
    found = collect(tmp_path, {**GOOD, name: "evil"})
    assert {student: found.whose(student) for student in found.files} == {
        "ada": "ada",
        "bob": "bob",
    }
    assert "Not collected: all.zip: " in found.said
    assert name.replace("\\", "/")[:200] in found.said


ODD = {
    'We"i_7_assignsubmission_file/': 'We"i',
    "-rf_7_assignsubmission_file/": "-rf",
    ".hidden_7_assignsubmission_file/": ".hidden",
    "a\x1b[2Jb_7_assignsubmission_file/": "a\x1b[2Jb",
    "nul_7_assignsubmission_file/": "nul",
    f"{'长' * 80}_7_assignsubmission_file/": "长" * 80,
}


@pytest.mark.parametrize("folder", ODD, ids=ascii)
def test_an_odd_name_becomes_a_safe_id_and_is_told(tmp_path: Path, folder: str) -> None:
    good = {f"Ada_8_assignsubmission_file/{FILE}": "ada"}
    found = collect(tmp_path, {**good, f"{folder}{FILE}": "odd"})
    (odd,) = set(found.files) - {"Ada"}
    assert odd == safe_id(ODD[folder])
    assert found.whose(odd) == "odd"
    assert found.came(odd)["name"] == ODD[folder]
    assert f"{odd}: called" in found.said
    assert found.said.replace("\n", "").isprintable()


def test_the_latest_submission_counts_and_the_others_are_named(tmp_path: Path) -> None:
    files = {
        f"{NAME}_ada_attempt_2027-02-01-10-00-00_first.ipynb": "1",
        f"{NAME}_ada_attempt_2027-02-03-10-00-00_{FILE}": "3",
        f"{NAME}_ada_attempt_2027-02-02-10-00-00_{FILE}": "2",
        f"{NAME}_bob_attempt_2027-02-02-10-00-00_{FILE}": "bob",
    }
    found = collect(tmp_path, files)
    assert found.whose("ada") == "3"
    assert found.files["ada"]["timestamp.txt"] == b"2027-02-03 10:00:00"
    assert "first.ipynb" not in found.files["ada"]
    assert sorted(found.came("ada")["older"]) == sorted(list(files)[:1] + list(files)[2:3])
    assert 'first.ipynb" is older and was not taken' in found.said


def test_two_files_of_one_name_and_no_time_stop_nobody(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        whole = archive(tmp_path)
        with zipfile.ZipFile(whole, "w") as file:
            for name, content in [(f"ada_1_12_{FILE}", "new"), (f"ada_1_11_{FILE}", "old")]:
                file.writestr(name, content)
            for content in ("one", "two"):
                file.writestr(f"bob_2_22_{FILE}", content)
    found = collect(tmp_path)
    assert found.whose("ada") == "new"
    assert found.whose("bob") == "two"
    assert found.came("ada")["older"] == [f"ada_1_11_{FILE}"]
    assert found.came("bob")["older"] == [f"bob_2_22_{FILE}"]


def test_the_later_of_two_downloads_counts(tmp_path: Path) -> None:
    pack(archive(tmp_path, "1.zip"), {f"ada_1_11_{FILE}": "old", f"bob_2_22_{FILE}": "bob"})
    pack(archive(tmp_path, "0.zip"), {f"ada_LATE_1_99_{FILE}": "new"})
    found = collect(tmp_path)
    assert found.whose("ada") == "new"
    assert found.whose("bob") == "bob"
    assert found.came("ada")["late"]


@pytest.mark.parametrize("stamp", ["timestamp.txt", "Timestamp.txt", "TIMESTAMP.TXT"])
def test_a_student_cannot_write_what_the_course_writes(tmp_path: Path, stamp: str) -> None:
    work = zipped({
        FILE: "eve", stamp: "2020-01-01 00:00:00 UTC", "collected.json": "{}",
        "record.json": "{}",
    })  # fmt: skip
    found = collect(tmp_path, {f"{NAME}_eve_attempt_{DATE}_work.zip": work})
    assert found.files["eve"]["timestamp.txt"] == b"2027-02-01 21:45:30"
    assert found.came("eve")["name"] == "eve"
    assert "record.json" not in found.files["eve"]
    assert found.files["eve"][f"handed-in-{stamp}"].startswith(b"2020")
    assert [name for name in found.files["eve"] if name.lower() == "timestamp.txt"] == [
        "timestamp.txt"
    ]


@pytest.mark.parametrize("other", ["work.7z", "work.rar", "work.tar.gz"])
def test_an_archive_of_another_kind_is_kept_and_named(tmp_path: Path, other: str) -> None:
    found = collect(tmp_path, {**GOOD, f"eve_3_33_{other}": b"Rar!"})
    assert found.files["eve"][other] == b"Rar!"
    assert found.came("eve")["left_out"] == {other: "only zip archives are opened"}


@pytest.mark.parametrize("name", ["broken.zip", "all.tar.gz", "link.zip"])
def test_an_archive_of_the_instructors_that_cannot_be_opened_is_named(
    tmp_path: Path, name: str
) -> None:
    pack(archive(tmp_path, "good.zip"), GOOD)
    if name == "link.zip":
        archive(tmp_path, name).symlink_to(archive(tmp_path, "good.zip"))
    else:
        archive(tmp_path, name).write_bytes(b"PK\x05\x06 no")
    found = collect(tmp_path)
    assert {student: found.whose(student) for student in found.files} == {
        "ada": "ada",
        "bob": "bob",
    }
    assert f"Not collected: {name} (" in found.said


def test_what_is_there_already_is_kept_unless_it_is_asked_for(tmp_path: Path) -> None:
    there = tmp_path / "submitted" / "ada" / NAME / FILE
    there.parent.mkdir(parents=True)
    there.write_text("by hand")
    found = collect(tmp_path, GOOD)
    assert found.whose("ada") == "by hand"
    assert found.whose("bob") == "bob"
    assert "ada: left as it is" in found.said
    assert collect(tmp_path, force=True).whose("ada") == "ada"


def test_work_that_was_typed_into_a_page_is_not_lost(tmp_path: Path) -> None:
    found = collect(
        tmp_path,
        {
            f"{NAME}_ada_attempt_{DATE}.txt": "Name: Ada (ada)\nSubmission Field:\nmy essay\n",
            f"{NAME}_bob_attempt_{DATE}_{FILE}": "bob",
        },
    )
    assert b"my essay" in found.files["ada"]["receipt.txt"]
    other = collect(tmp_path / "canvas", {"ada_1_text.html": "<p>essay", f"bob_2_3_{FILE}": "b"})
    assert other.files["ada"]["text.html"] == b"<p>essay"


LISTS = {
    "no list": b"\x00\x01",
    "deep": b"a: " + b"[" * 100_000,
    "deep mappings": b"a: " + b"{b: " * 100_000,
    "cut": b"submission_1:\n  :submitters:\n  - :name: 'Ada",
    "tabs": b"submission_1:\n\t- a",
}


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_of_gradescope_that_cannot_be_read_is_named(tmp_path: Path, kind: str) -> None:
    began = time.perf_counter()
    with pytest.raises(RefusedError, match=LIST):
        read_list(LISTS[kind])
    found = collect(tmp_path, {LIST: LISTS[kind], f"submission_1/{FILE}": "ada"})
    assert found.whose("submission_1") == "ada"
    assert f"Not collected: {LIST}" in found.said
    assert time.perf_counter() - began < 20


def test_aliases_of_a_list_are_not_followed() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 20)}]" for i in range(1, 50)]
    assert "submission_1" not in read_list("\n".join(lines).encode())


def test_what_tests_print_names_nobody() -> None:
    said = {":results": {"output": "submission_2:\n  :submitters:\n  - :name: Eve"}}
    text = f"submission_1:\n  :submitters:\n  - :name: Ada\n  :x: {json.dumps(said)}\n"
    assert [each.people for each in read_list(text.encode()).values()] == [[{"name": "Ada"}]]
