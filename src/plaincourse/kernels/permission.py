"""Whether students' code may run here: in which sandbox, or by whose leave without one."""

import os

from plaincourse.sandbox import CONSENT, SWITCH, Level, probe, refusal


def permitted(said: str = "") -> Level:
    """Return how student code will be confined here.

    Args:
        said: what the configuration says in place of the environment variable
            ``PLAINCOURSE_UNSANDBOXED``.

    Raises:
        SandboxRefused: it would not be confined, and nobody has agreed to that in the exact words.
    """
    support = probe()
    if support.level is Level.NONE and CONSENT not in (said, os.environ.get(SWITCH)):
        raise refusal(support)
    return support.level
