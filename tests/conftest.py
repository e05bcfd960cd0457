"""Settings for all tests."""

import pytest
from hypothesis import settings

settings.register_profile("course", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("course")

# A file runs on one worker; the longest start first, so that the workers end at similar times.
LONGEST = ("test_graders.py", "test_mutants.py", "test_end_to_end.py", "test_split_bank.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files that take minutes before all others, longest first."""
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(LONGEST)))
