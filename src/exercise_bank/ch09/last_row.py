"""Question 09.last_row: the last row of a rollout by hand, with a number for each step."""

from itertools import product

import torch

from exercise_bank.skills import said
from plaincourse.exercise import Alternative, Question

P, Q, R = 2 / 3, 9 / 20, 39 / 50

#: Numbers of times that the maps A and B are counted, and the message for each.
MEANS = {
    "": (1 / 3, 2 / 3, ""),
    "once": (1 / 2, 1 / 2, "Your P counts the map B once, but two of the three heads have it."),
    "map-b": (0.0, 1.0, "Your P is from map B alone, but the heads of a layer are averaged."),
    "map-a": (1.0, 0.0, "Your P is from map A alone, but the heads of a layer are averaged."),
    "added": (1.0, 2.0, "Your P is from the sum of the three heads, not from their mean."),
}
#: The shares of the map and of the identity, and the message for each.
SHARES = {
    "": (0.9, 0.1, ""),
    "bare": (
        1.0,
        0.0,
        "Your Q and R are from the maps without the identity, as if no word stayed where it is.",
    ),
    "exchanged": (0.1, 0.9, "In Q and R the map should get nine tenths, the identity a tenth."),
    "whole": (1.0, 1.0, "You add the identity to each map without giving the two their shares."),
    "unshared": (1.0, 0.1, "You add a tenth of the identity to the whole map."),
}
TURNED = "Your R has layer 1 on the left of the product, where the last layer should be."


def rolled(mean: str, shares: str, *, turned: bool) -> tuple[float, float, float]:
    """Return P, Q and R with these mistakes."""
    of_a, of_b, _ = MEANS[mean]
    of_map, stays, _ = SHARES[shares]
    one = torch.eye(3, dtype=torch.float64)
    a, b, c = one, one[[0, 1, 1]], one[[0, 0, 2]]
    c = torch.cat([c[:2], (one[1:2] + one[2:]) / 2])
    first = of_a * a + of_b * b
    mixed = [of_map * each + stays * one for each in (first, c)]
    both = mixed[0] @ mixed[1] if turned else mixed[1] @ mixed[0]
    return first[2, 1].item(), mixed[1][2, 1].item(), both[2, 1].item()


#: Two or three mistakes, except for those with the effect of a single one.
TOGETHER = tuple(
    (mean, shares, turned)
    for mean, shares, turned in product(MEANS, SHARES, (False, True))
    if (mean != "") + (shares != "") + turned > 1 and not (mean == "map-a" and turned)
)

TASK = Question(
    id="09.last_row",
    title="One row of a rollout",
    level="easy",
    minutes=10,
    concepts=("attention-rollout",),
    points=3.0,
    answer=(P, Q, R),
    letters="PQR",
    misconceptions=(
        said(
            "order-of-factors",
            (P, Q, 0.24),
            "The first layer is on the left.",
            "Your R is from the product with layer 1 on the left. An output is a weighted mean of "
            "the last layer's inputs, and each of those is an output of layer 1, so the last layer "
            "is on the left.",
            "Which layer makes the last output, and which one made the inputs of that layer?",
            "The last row of the product is (last row of layer 2) times layer 1.",
            "Multiply (0, 9/20, 11/20) by the mixed map of layer 1.",
        ),
        said(
            "p-of-map-a-twice",
            (1 / 3, Q, R),
            "Two heads have the map A.",
            "Your P is 1/3. That is the share of word 2, or the mean with the maps A and B "
            "exchanged.",
            "Which map do two of the three heads have, and which column is word 1?",
            "Words count from 0, so word 1 is the middle column.",
        ),
        said(
            "q-of-another-word",
            (P, 0.55, R),
            "Word 1 is the last one.",
            "Your Q is 0.55, the share of word 2. Words count from 0, so word 1 is the middle one.",
            "How large are the three numbers of the last row, and which of them is in the middle?",
            "The middle number is nine tenths of 1/2.",
        ),
        said(
            "half-stays",
            (P, 0.25, R),
            "Half of each word stays.",
            "Your Q gives the map and the identity a half each. A tenth of each word stays here.",
            "What is the residual share of the task?",
            "The map gets nine tenths.",
        ),
        said(
            "p-times-q",
            (P, Q, P * Q),
            "Shares of two layers are multiplied.",
            "Your R is P times Q. But Q is the weight on place 1, and P is the share of word 1 in "
            "place 2. The last output reaches word 1 through both places, so R is a sum of two "
            "products.",
            "Which outputs of layer 1 hold a share of word 1?",
            "Multiply the last row of layer 2's mixed map by the whole mixed map of layer 1.",
        ),
        said(
            "mean-of-layers",
            (P, Q, 0.525),
            "Layers are averaged.",
            "Your R is from the average of the two mixed maps. Layer 2 reads the output of layer "
            "1, so their maps are multiplied.",
            "Does layer 2 read the words, or the output of layer 1?",
            "Two steps in turn are a product of matrices.",
            "Multiply (0, 9/20, 11/20) by the mixed map of layer 1.",
        ),
        said(
            "only-the-last-layer",
            (P, Q, 0.45),
            "Layer 1 does nothing.",
            "Your R is Q: layer 2 alone, or head A alone in layer 1. After layer 1, the vector in "
            "the place of word 2 holds a share of word 1.",
            "Which words has layer 1 mixed in the place of word 2?",
            "In the mixed map of layer 1 the last row is (0, 3/5, 2/5).",
            "Multiply (0, 9/20, 11/20) by the mixed map of layer 1.",
        ),
        said(
            "one-way-only",
            (P, Q, 0.33),
            "Word 1 reaches the last output by way of place 2 only.",
            "Your R counts one way of two: layer 1 moves word 1 to place 2, and layer 2 reads it "
            "there. Layer 2 also attends to place 1, where word 1 has stayed.",
            "To which places does the last row of layer 2 attend?",
            "A number of a product of maps is a sum over all places between.",
            "9/20 times 1, and 11/20 times 3/5.",
        ),
        said(
            "looked-at-only",
            (P, Q, 0.72),
            "In the last layer only attention counts.",
            "Your R multiplies the map of layer 2 by 9/10 and leaves out the tenth that stays: a "
            "tenth of the vector in the last place, in which layer 1 has already mixed word 1.",
            "Which words are in the last place after layer 1?",
            "A tenth of that stays there in layer 2.",
            "Take the last row of the mixed map, (0, 9/20, 11/20).",
        ),
        said(
            "layer-1-not-mixed",
            (P, Q, 0.816667),
            "Only the last layer has a residual share.",
            "Your R takes the mean map of layer 1 as it is. In layer 1, too, a tenth of each word "
            "stays where it is.",
            "Which map of layer 1 does the product take: the mean map, or the mixed one?",
            "In the mixed map of layer 1 the last row is (0, 3/5, 2/5).",
            "Multiply (0, 9/20, 11/20) by the mixed map of layer 1.",
        ),
        said(
            "mean-already-mixed",
            (3 / 5, Q, R),
            "The mean map already has its residual share.",
            "Your P is from the mixed map of layer 1. P is the mean of the three heads, with "
            "nothing added.",
            "What is the mean of 0, 1 and 1?",
            "(A + B + B) / 3, without the identity.",
        ),
        said(
            "bare-last-layer",
            (P, 1 / 2, R),
            "Q is a number of the map.",
            "Your Q is from the map of layer 2 without the identity. When the two are mixed, the "
            "map gets nine tenths.",
            "What is nine tenths of your Q?",
            "A tenth of the identity and nine tenths of the map.",
        ),
        said(
            "no-residual",
            (P, 1 / 2, 5 / 6),
            "Only attention counts.",
            "P is right. Your Q and your R are from the maps without the identity, as if nothing "
            "stayed. But in each layer a tenth of each word stays where it is.",
            "What does the formula add to each map before it multiplies?",
            "Mixed with the identity, the last row of layer 2 is (0, 9/20, 11/20).",
            "Mix both maps with the identity, then multiply.",
        ),
        said(
            "shares-exchanged",
            (P, 1 / 20, 0.113333),
            "The residual share belongs to the map.",
            "P is right. In Q and R you give the map a tenth and the identity nine tenths. The "
            "residual share is that of the word that stays.",
            "What share of a word stays where it is?",
            "A tenth of the identity, nine tenths of the map.",
            "Exchange the two factors in both layers.",
        ),
        said(
            "identity-added",
            (P, 1 / 2, 2.0),
            "The identity is added to the map.",
            "P is right. You add the identity to each map without shares, so that your rows sum "
            "to 2 after a layer and to 4 after both. A row of a rollout sums to 1.",
            "What does the whole row of your R sum to?",
            "A tenth of the identity, nine tenths of the map.",
            "Give the two their shares in both layers.",
        ),
        said(
            "map-unshared",
            (P, 1 / 2, 0.95),
            "The residual is added to the whole map.",
            "P is right. You add a tenth of the identity to the whole map, so that your rows sum "
            "to 1.1. When the two are mixed, the map gets the rest, nine tenths.",
            "What does the last row of your layer 2 sum to?",
            "The two shares sum to 1.",
            "Give the map nine tenths, in both layers.",
        ),
        said(
            "each-map-once",
            (1 / 2, Q, 0.6975),
            "A mean of heads is a mean of different maps.",
            "Q is right. Your P counts the map B once, but two of the three heads have it; your R "
            "follows from that.",
            "How many heads has layer 1?",
            "(A + B + B) / 3.",
            "P is two thirds; then compute R with it.",
        ),
        said(
            "only-map-b",
            (1.0, Q, 0.945),
            "Only the heads that attend to another word count.",
            "Q is right. Your P is from map B alone, and R follows from that. The heads of a layer "
            "are averaged, and in the head with map A each word attends to itself.",
            "What is the mean of 0, 1 and 1?",
            "(A + B + B) / 3.",
            "P is two thirds; then compute R with it.",
        ),
        said(
            "heads-added",
            (2.0, Q, 2.25),
            "The heads of a layer are added up.",
            "Q is right. Your P is from the sum of the three heads, whose rows sum to 3; your R "
            "follows from that.",
            "What does the last row of your mean sum to?",
            "Three heads are averaged: divide by 3.",
            "P is two thirds; then compute R with it.",
        ),
        said(
            "only-map-a",
            (0.0, Q, 0.45),
            "One head is enough for its layer.",
            "Q is right. Your P is from map A alone, in which word 2 attends to itself, and R "
            "follows from that. In two of the three heads of layer 1, word 2 attends to word 1.",
            "What is the mean of 0, 1 and 1?",
            "(A + B + B) / 3.",
            "P is two thirds; then compute R with it.",
        ),
        *(
            said(
                "-".join(filter(None, (mean, shares, "turned" if turned else ""))) + "-together",
                rolled(mean, shares, turned=turned),
                "Each step follows from the one before.",
                " ".join(filter(None, (MEANS[mean][2], SHARES[shares][2], turned * TURNED))),
                "Which three maps does layer 1 have, and what does the formula add to their mean?",
                "P is (0 + 1 + 1) / 3. Mix both layers with a tenth of the identity.",
                "Multiply (0, 9/20, 11/20) by the mixed map of layer 1.",
            )
            for mean, shares, turned in TOGETHER
        ),
    ),
    alternatives=(
        Alternative(name="decimals", answer=(0.667, 0.45, 0.78)),
        Alternative(name="as a list", answer=[2 / 3, 0.9 / 2, 0.45 + 0.55 * 0.6]),
    ),
    hints=(
        "Start with the mean of the three heads of layer 1. Then mix a tenth of the identity with "
        "nine tenths of the map, in each layer.",
        "The mixed map of layer 1 has the rows (1, 0, 0), (0, 1, 0), (0, 3/5, 2/5).",
        "The last row of the mixed map of layer 2 is (0, 9/20, 11/20). Multiply this row by the "
        "mixed map of layer 1.",
    ),
)
