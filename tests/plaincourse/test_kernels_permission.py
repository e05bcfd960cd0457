"""Students' code never runs unsandboxed by accident, and every end of a kernel has a message."""

from pathlib import Path

import pytest

from plaincourse.kernels import shared
from plaincourse.kernels.client import LOST, ending
from plaincourse.sandbox import CONSENT, SWITCH, Level, SandboxRefused, Support
from tests.plaincourse.kernel import Kernel, started


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a sandbox."""
    monkeypatch.setattr(shared, "probe", lambda: Support(Level.NONE, "It needs Linux."))
    monkeypatch.delenv(SWITCH, raising=False)


@pytest.mark.usefixtures("bare")
def test_without_a_sandbox_only_the_exact_words_help(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("", "yes", CONSENT.upper()):
        monkeypatch.setenv(SWITCH, words)
        with pytest.raises(SandboxRefused, match="It needs Linux"):
            shared.permitted(words)
    with pytest.raises(SandboxRefused, match="It needs Linux"):
        Kernel(timeout=1)
    assert shared.permitted(CONSENT) is Level.NONE


@pytest.mark.usefixtures("bare")
def test_whoever_says_the_words_gets_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, CONSENT)
    with started(cwd=Path(__file__).parent) as kernel:
        assert kernel.text("import os; print(os.getcwd())") == f"{Path(__file__).parent}\n"


@pytest.mark.parametrize(
    ("status", "seconds", "said"),
    [
        (0, 1, "ended its own process, with exit code 0"),
        (128, 1, "ended its own process, with exit code 128"),
        (137, 1, "ran out of memory, or the notebook killed it"),
        (137, 600, "used up its 600 seconds"),
        (-9, 1, "ran out of memory"),
        (152, 600, "used up its 600 seconds"),
        (153, 1, "wrote a file larger"),
        (159, 1, "something that is forbidden"),
        (139, 1, "crashed (SIGSEGV)"),
        (LOST, 0, "The kernel was lost"),
    ],
)
def test_every_end_has_its_sentence(status: int, seconds: float, said: str) -> None:
    assert said in ending(status, seconds=seconds, limit=600)
