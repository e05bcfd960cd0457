"""Settings for all tests."""

from hypothesis import settings

settings.register_profile("course", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("course")
