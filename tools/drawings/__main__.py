"""Write the drawings: python -m tools.drawings [NAME…]."""

import sys

from tools.drawings import NAMES, made, path

for name in sys.argv[1:] or NAMES:
    path(name).write_text(made(name), encoding="utf-8", newline="\n")
    print(f"Made: {path(name).name}")
