"""Every way to compute attention in this package, in every combination, against one reference.

``python -m tests.plainformer.equivalence`` measures all of them and writes the table that the book
shows, ``book/equivalence.md``; the test measures them again.
"""
