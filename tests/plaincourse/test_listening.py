"""It is possible to wait for a descriptor of any number."""

import fcntl
import os
import resource
import time

import pytest

from plaincourse.kernels.listening import readable

HIGH = 1500


@pytest.mark.parametrize("high", [False, True])
def test_a_descriptor_of_any_number_is_waited_for(high: bool) -> None:
    if high and resource.getrlimit(resource.RLIMIT_NOFILE)[0] <= HIGH:
        pytest.skip("this machine lets a process hold fewer files")
    reading, writing = os.pipe()
    handle = fcntl.fcntl(reading, fcntl.F_DUPFD, HIGH if high else 3)
    try:
        start = time.monotonic()
        assert not readable(handle, 0)
        assert not readable(handle, 0.05)
        assert time.monotonic() - start >= 0.05
        os.write(writing, b"x")
        assert readable(handle, 0)
        assert readable(handle, None)
        os.read(handle, 1)
        os.close(writing)
        assert readable(handle, 5)  # the end can be read, too
    finally:
        os.close(handle)
        os.close(reading)
