"""Compare every way to compute attention in this package, in all combinations, with one reference.

``python -m tests.plainformer.equivalence`` measures all of them and writes the book's table,
``book/equivalence.md``; the test measures them again.
"""
