"""One batch of attacks, graded once for all tests."""

import contextlib
import os
import signal
from collections.abc import Iterator

import pytest

from tests.attacks import evidence
from tests.attacks.corpus import ATTACKS, SLOW
from tests.attacks.corpus.honest import HONEST
from tests.attacks.court import Court


@pytest.fixture(scope="session")
def court(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Court]:
    """A course in which two workers graded attacks and honest work.

    The slow attacks are included only if a test of them is selected.
    """
    court = Court(tmp_path_factory.mktemp("court"))
    asked = {getattr(item, "callspec", None) and item.callspec.params.get("name") for item in
             request.session.items}  # fmt: skip
    for name, attack in ATTACKS.items():
        if name not in SLOW or name in asked:
            court.attack(attack)
    for honest in HONEST:
        court.honour(honest)
    court.seconds = court.grade("--jobs", "2")
    court.pages()
    yield court
    for pid in evidence.survivors(court):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    court.close()
