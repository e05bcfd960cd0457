"""Call an answer, compare it, infer the author's misconception, and report it."""
