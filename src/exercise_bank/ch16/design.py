"""Essay 16.design: questions about documents of 200,000 tokens, decided with numbers.

The notebook shows the same rubric, so it names the criteria and does not give the answer. A model
answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="16.design",
    title="Six contracts",
    level="hard",
    minutes=11,
    concepts=(
        "long-document-design",
        "serving-shared-heads",
        "serving-quantised",
        "serving-windows",
        "retrieval-instead",
        "prefix-caching",
        "chunked-prefill",
    ),
    rubric=(
        (1.0, "Memory: the bytes of the weights and of a contract, and the number of "
              "contracts that fit."),
        (1.0, "Time: reading a contract and one token, computed and compared with both limits; "
              "how reading is kept from delaying the answers of others."),
        (1.0, "Two of the four proposals are judged, each with a number and a risk, and one "
              "design is chosen."),
        (1.0, "Measurements before it opens and while it runs, and the results that would change "
              "the design."),
    ),
)  # fmt: skip
