"""Settings for all tests."""

import pytest
from hypothesis import settings

settings.register_profile("course", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("course")

# A file runs on one worker: the longest begin first, or one worker ends long after the other.
LONGEST = ("test_mutants.py", "test_end_to_end.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take minutes before all others."""
    items.sort(key=lambda item: item.path.name not in LONGEST)
