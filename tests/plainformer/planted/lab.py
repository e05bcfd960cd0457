"""Mistakes in modules for the course."""

PLANTED = [
    (
        "lab/corpus.py",
        "@ entropy(self.transitions)",
        "@ entropy(self.transitions) / np.log(2)",
        "lab_corpus: entropies_equal",
    ),
    (
        "lab/corpus.py",
        "range(1, min(context + 1, self.order))",
        "range(0, min(context + 1, self.order))",
        "lab_corpus: entropies_equal",
    ),
    (
        "lab/corpus.py",
        "joint.sum(0).reshape(-1)",
        "joint.sum(1).reshape(-1)",
        "lab_corpus: the_stationary",
    ),
    (
        "lab/grammar.py",
        "sum(p * sum(s in of for s in side)",
        "sum(sum(s in of for s in side)",
        "lab_grammar: entropy_and_length",
    ),
    (
        "lab/grammar.py",
        "rests.get(rest, 0.0) + weight * p",
        "rests.get(rest, 0.0) + p",
        "lab_grammar: the_next_word",
    ),
    (
        "lab/grammar.py",
        "if len(after) < len(rests):",
        "if False:",
        "lab_grammar: ambiguity_is",
    ),
]
