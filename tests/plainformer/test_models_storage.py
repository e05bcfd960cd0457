"""Files are written completely or not at all."""

import os
import signal
import stat

import pytest

from plainformer.models.storage import write_atomically


def test_the_new_content_takes_the_place_of_the_old(tmp_path):
    path = tmp_path / "folder" / "a.txt"
    for text in ("old", "new"):
        write_atomically(path, lambda part, text=text: part.write_text(text))
        assert path.read_text() == text
    assert [p.name for p in path.parent.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("the disk is full")])
def test_a_failure_on_the_way_leaves_the_old_file_and_no_rest(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fails(part):
        part.write_text("half")
        raise error

    with pytest.raises(type(error) if isinstance(error, OSError) else error):
        write_atomically(path, fails)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_nothing_stands_in_the_place_before_all_is_written(tmp_path):
    path = tmp_path / "a.txt"

    def write(part):
        part.write_text("half")
        assert not path.exists()
        assert part.parent == path.parent  # the same disk, or the last step would be a copy

    write_atomically(path, write)
    assert path.exists()


def test_the_file_can_be_read_by_whom_any_new_file_can(tmp_path):
    (tmp_path / "plain").write_text("")

    def write(part):
        part.unlink()  # a writer may replace the file by its own, like safetensors
        part.touch(mode=0o600)

    write_atomically(tmp_path / "ours", write)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "ours")]
    assert modes[0] == modes[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a process of its own")
def test_a_process_killed_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def killed(part):
        part.write_text("half")
        os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        write_atomically(path, killed)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert path.read_text() == "old"
    rest = [p.name for p in tmp_path.iterdir() if p != path]
    assert len(rest) == 1
    assert rest[0].endswith(".part")
    write_atomically(path, lambda part: part.write_text("new"))  # leftovers do no harm
    assert path.read_text() == "new"
