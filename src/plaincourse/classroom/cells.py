"""What goes into a cell of a CSV file that people will open in a spreadsheet.

A spreadsheet takes text that begins with ``=``, ``+``, ``-`` or ``@`` for a formula, and a student
can choose their name. https://owasp.org/www-community/attacks/CSV_Injection
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # the wide ones, too
# Without brackets, quotes, "!", "|" or ":", no formula can call, fetch or start anything.
_HARMLESS = re.compile(r"[+@-][\w.@+-]*")


def text(value: str) -> str:
    """Return a name for a cell: on one line, and never a formula."""
    said = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", value).split())
    return f"'{said}" if said.startswith(_STARTS) else said


def identifier(value: str) -> str:
    """Return an id or an e-mail address for a cell, unchanged wherever that does no harm.

    A changed id matches nobody. One such as ``-ab12`` or ``+49171`` or ``@ada`` stays: it cannot
    call anything. One such as ``=HYPERLINK(…)`` is no id that anybody gave out, and is
    neutralised as a name is.
    """
    return value if _HARMLESS.fullmatch(value) else text(value)


def points(value: float) -> str:
    """Return points with a decimal point and at most two decimals, whatever the locale."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def write(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV by RFC 4180: commas, quotes where needed and doubled inside, CRLF."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()
