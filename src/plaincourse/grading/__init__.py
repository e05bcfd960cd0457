"""What the course adds to nbgrader's autograding."""

import sys

# jsonschema would compile a grammar of addresses, two seconds that no check of a notebook needs.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
