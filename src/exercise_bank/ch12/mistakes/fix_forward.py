"""How 12.fix_forward goes wrong."""

from functools import partial

import torch

from exercise_bank.ch12.boxes import Box
from exercise_bank.ch12.mistakes.fix_forward_missed import FAULTS
from exercise_bank.naming import unrecognised
from exercise_bank.skills import said

Probe = tuple[int, int, bool, int, int, float]
#: An input for each fault: queries, keys, causal, height, width, the size of the scores.
RIGHT: dict[str, Probe] = {
    "top-left": (1, 3, True, 1, 1, 1.0),
    "diagonal": (2, 2, True, 2, 2, 1.0),
    "skipped": (2, 2, True, 2, 1, 1.0),
    "sixteen": (1, 17, False, 1, 1, 1.0),
    "padding": (1, 3, False, 1, 2, 1.0),
    "no maximum": (2, 2, False, 1, 1, 3000.0),
}


def fits(box: Box, probe: Probe) -> tuple[bool, bool]:
    q, k, causal, height, width, size = probe
    key = torch.linspace(1, 2, k, dtype=torch.float64)[:, None]
    query, value = torch.full((q, 1), size, dtype=torch.float64), key.square() * 3
    output, lse, _ = box(query, key, value, causal, height, width)
    scores = query @ key.mT
    if causal:
        future = torch.ones(q, k, dtype=torch.bool).triu(k - q + 1)
        scores = scores.masked_fill(future, -torch.inf)
    right = torch.softmax(scores, dim=1) @ value
    return torch.allclose(output, right), torch.allclose(lse, scores.logsumexp(dim=1))


def judged(
    box: Box,
    probes: dict[str, Probe],
    *,
    memory: bool = True,
    saved: bool = True,
    order: tuple[str, ...] = tuple(RIGHT),
    names: dict[str, str] | None = None,
) -> str:
    """Test a box with the listed probes, in an order; some tests may be left out."""
    called = names or {}
    x = torch.zeros(16, 1)
    if memory and box(x, x, x, False, 4, 4)[2] >= 4 * 16 * 16:
        return called.get("matrix", "matrix")
    for name in order:
        if name in probes and not fits(box, probes[name])[0]:
            return called.get(name, name)
    if saved and not fits(box, (1, 2, False, 1, 2, 1.0))[1]:
        return called.get("log-sum-exp", "log-sum-exp")
    return "none"


def changed(**probes: Probe | None) -> dict[str, Probe]:
    """Return the probes with some changed or left out; underscores replace - and blanks."""
    names = {name.replace("-", "_").replace(" ", "_"): name for name in RIGHT}
    both = RIGHT | {names[slug]: probe for slug, probe in probes.items() if probe}
    gone = {names[slug] for slug, probe in probes.items() if probe is None}
    return {name: probe for name, probe in both.items() if name not in gone}


def always_none(box: Box) -> str:
    return "none"


def good_or_bad(box: Box) -> str:
    return "none" if judged(box, RIGHT) == "none" else "matrix"


def renamed(box: Box, instead: tuple[tuple[str, str], ...]) -> str:
    found = judged(box, RIGHT)
    return dict(instead).get(found, found)


def all_matrix(box: Box) -> str:
    return "matrix"


#: Answers after a test for padding under a causal mask.
_PADDING_MASKED = (("diagonal", "padding"), ("skipped", "padding"), ("padding", "none"))
SQUARE = changed(top_left=(2, 2, True, 1, 1, 1.0))
MISCONCEPTIONS = (
    said(
        "always-none",
        always_none,
        "What returns a number is sound.",
        'You say "none" of every box that was tried.',
        "For which input do you know the right output without a computer?",
        "Compare the results of the box with attention written out, on inputs that are hard for "
        "it.",
        "Give a box two queries and two keys, causal, in one tile of 2 x 2.",
    ),
    said(
        "all-matrix",
        all_matrix,
        "What holds many bytes holds all scores.",
        'You say "matrix" of every box. Sound boxes, too, hold more than one tile of scores at '
        "once: their tiles of queries, keys and values, and the sums and the output of all rows. "
        "These bytes double when the sequence does, and those of a matrix of scores grow fourfold.",
        "How many bytes has a matrix of 64 x 64 scores in float32, and how many has the output?",
        "Take tiles that are small against the sequence.",
        "Call a box with 64 queries and keys in tiles of 8 x 8, and compare with 4 · 64 · 64.",
    ),
    said(
        "memory-not-asked",
        partial(judged, probes=RIGHT, memory=False),
        "A box with right results is sound.",
        'You say "none" of a box that holds all scores at once. Its output is right, and its third '
        "result grows fourfold when the sequence doubles.",
        "What is the third result for?",
        "How many bytes has a matrix of 64 x 64 scores in float32?",
        "Compare the bytes for n and for 2n, in small tiles.",
        kind="form",
    ),
    said(
        "q-equal-k",
        partial(judged, probes=SQUARE),
        "There are as many queries as keys.",
        'You say "none" of a box whose mask is aligned top-left. With as many queries as keys the '
        "two alignments are the same.",
        "What is the position of a single query that meets four keys?",
        "Generation has fewer queries than keys.",
        "Try one query against several keys, causal.",
        kind="form",
    ),
    said(
        "never-causal",
        partial(judged, probes=changed(top_left=None, diagonal=None, skipped=None)),
        "A mask makes no difference to tiles.",
        'You say "none" of the three boxes whose fault lies in the causal mask.',
        "Do you call a box with causal=True?",
        "A mask can be in the wrong place, missing within a tile, or too large by a tile.",
        "Ask with one query; with square tiles; with tiles that are higher than wide.",
    ),
    said(
        "square-tiles",
        partial(judged, probes=changed(skipped=(2, 2, True, 2, 2, 1.0))),
        "Tiles are square.",
        'You say "none" of a box that skips a tile when all of it is hidden from its first query. '
        "In square tiles on the diagonal the first key is always visible to the first query.",
        "Which tile is hidden from its first query, and not from its last?",
        "The tile must be crossed by the diagonal in its lower part only.",
        "Try tiles that are higher than wide.",
        kind="form",
    ),
    said(
        "short-rows",
        partial(judged, probes=changed(sixteen=(1, 4, False, 1, 1, 1.0))),
        "A few keys are enough for a test.",
        'You say "none" of the box that computes nothing from the seventeenth block of keys on. It '
        "is right as long as there are at most sixteen blocks.",
        "How many blocks has your longest row?",
        "Blocks may be one key wide.",
        "Try 17 keys or more in blocks of one.",
        kind="form",
    ),
    said(
        "blocks-that-fit",
        partial(judged, probes=changed(padding=(1, 2, False, 1, 2, 1.0))),
        "Rows are made of whole blocks.",
        'You say "none" of a box that fills the last block with zero keys. Either all your blocks '
        "are full, or you ask with a causal mask, which hides the padding from every query.",
        "How many keys has your row, and how wide are the blocks?",
        "Zero keys have the score 0 and a weight.",
        "Try three keys in blocks of two, without a causal mask.",
        kind="form",
    ),
    said(
        "small-scores",
        partial(judged, probes=changed(no_maximum=(2, 2, False, 1, 1, 3.0))),
        "Faults show at any size.",
        'You say "none" of a box that subtracts no maximum. It is right while no score is near the '
        "largest number whose exponential exists.",
        "At which score does exp overflow in float32? In float64?",
        "exp(89) is inf in float32, exp(710) in float64.",
        "Try a score of 1000.",
        kind="form",
    ),
    said(
        "output-only",
        partial(judged, probes=RIGHT, saved=False),
        "The output is what counts.",
        'You say "none" of a box whose log-sum-exp lacks the maximum. Its output is right; the '
        "backward pass would compute every weight wrongly.",
        "How many results does a box have?",
        "The log-sum-exp of one score is that score.",
        "Compare the second result with logsumexp of the scores.",
        kind="form",
    ),
    said(
        "diagonal-first",
        partial(
            judged,
            probes=changed(diagonal=(2, 4, True, 2, 2, 1.0)),
            order=("diagonal", *(name for name in RIGHT if name != "diagonal")),
        ),
        "A wrong causal output means that the mask is missing.",
        'You say "diagonal" of a box whose mask is there, and aligned top-left. Both are wrong '
        "on the input that you try first, or you give both one name.",
        "Which of your inputs is right for one of the two and wrong for the other?",
        "With q = k the alignments agree; with tiles of 1 x 1 nothing is left to mask.",
        "Test the alignment with one query, or the missing mask with q = k.",
        kind="form",
    ),
    said(
        "names-swapped",
        partial(judged, probes=RIGHT, names={"diagonal": "skipped", "skipped": "diagonal"}),
        "A missing mask loses keys.",
        'You exchange "diagonal" and "skipped". A box without a mask in its tiles sees too many '
        "keys, and one that skips too much sees too few.",
        "With values 1, 2, 3, ... and equal scores, is the output too large or too small?",
        "Seeing the future makes these outputs larger.",
        "Exchange the two names.",
    ),
    said(
        "diagonal-called-skipped",
        partial(judged, probes=RIGHT, names={"diagonal": "skipped"}),
        "High tiles show skipped tiles alone.",
        'You say "skipped" of a box that masks nothing inside its tiles. In tiles higher than '
        "wide its output is wrong as well.",
        "Which tiles are wrong for a missing mask and right for a skip by the first query?",
        "In a square tile on the diagonal, the first key is visible to the first query.",
        'Ask with square tiles first: a box that errs there is "diagonal".',
        kind="form",
    ),
    said(
        "skipped-called-diagonal",
        partial(judged, probes=RIGHT, names={"skipped": "diagonal"}),
        "A causal output that is wrong lacks its mask.",
        'You say "diagonal" of a box that masks well and skips a tile too many. In square tiles '
        "on the diagonal its output is right.",
        "With values 1, 2, 3, ... and equal scores, is the output too large or too small?",
        "Seeing the future makes these outputs larger, missing keys smaller.",
        'Ask with square tiles: a box that is right there, and errs in higher ones, is "skipped".',
        kind="form",
    ),
    said(
        "causal-is-top-left",
        partial(judged, probes=RIGHT, names=dict.fromkeys(("diagonal", "skipped"), "top-left")),
        "What goes wrong with a causal mask is its alignment.",
        'You say "top-left" of every box whose causal output is wrong. Two of them align their '
        "mask well: one leaves it out inside a tile, one skips too much.",
        "Which of the three is wrong with as many queries as keys?",
        "With tiles of one query and one key only the alignment can be wrong.",
        "Test the alignment with 1 x 1 tiles, then use square ones, then high ones.",
    ),
    said(
        "sixteen-called-padding",
        partial(judged, probes=RIGHT, names={"sixteen": "padding"}),
        "A long row has a short last block.",
        'You say "padding" of a box that stops after sixteen blocks. Your long row ends in a short '
        "block, or you read its error as that of a short block.",
        "How many keys does your input have, and how wide are the blocks?",
        "With blocks of one key none is short.",
        "Try three keys in blocks of two for the padding, 17 in blocks of one for the stop.",
        kind="form",
    ),
    said(
        "padding-called-sixteen",
        partial(judged, probes=RIGHT, names={"padding": "sixteen"}),
        "A wrong output with many keys means that keys are left out.",
        'You say "sixteen" of a box that fills a short last block with zero keys. Your long row '
        "ends in a short block, or you give both faults one name.",
        "How many keys does your input have, and how wide are the blocks?",
        "With blocks of one key none is short.",
        "Try three keys in blocks of two for the padding, 17 in blocks of one for the stop.",
        kind="form",
    ),
    said(
        "one-name-for-all",
        good_or_bad,
        "Every fault is the same fault.",
        'You find which boxes are sound, and say "matrix" of all others.',
        "Which of your inputs fails in which box?",
        "Make a table: eight faults, and the inputs on which each is wrong.",
        "Return another name for each input that fails.",
    ),
    said(
        "sound-is-faulty",
        partial(renamed, instead=(("none", "log-sum-exp"),)),
        "Equal numbers are equal to the last bit.",
        "You recognise each fault, and call every sound box faulty, too. Perhaps you compare "
        "exactly: sound boxes differ from attention in their last digits.",
        "By how much do the results of a sound box differ from attention?",
        "Compare with torch.allclose.",
        variants=tuple(
            partial(renamed, instead=(("none", name),))
            for name in ("no maximum", "top-left", "diagonal", "skipped", "sixteen", "padding")
        ),
    ),
    said(
        "sound-is-matrix",
        partial(renamed, instead=(("none", "matrix"),)),
        "A tiled attention holds one tile of scores, and nothing else.",
        'You say "matrix" of sound boxes. Their bytes grow with the tiles: in tiles that are '
        "small against the sequence they hold far fewer than 4 · q · k, and in tiles as large as "
        "the sequence they hold all scores. Besides scores they hold the weights of one tile, and "
        "the sums and the output of all rows.",
        "For 64 queries, how many bytes have the output and the two sums of each row?",
        "These bytes grow with the number of rows; those of a matrix grow with rows times keys.",
        "Compare with 4 · q · k, in tiles that are small against the sequence.",
        variants=tuple(
            partial(renamed, instead=tuple((name, "matrix") for name in ("none", *later)))
            for later in ((*tuple(RIGHT)[i:], "log-sum-exp") for i in range(1, len(RIGHT) + 1))
        ),
    ),
    said(
        "padding-under-a-mask",
        partial(renamed, instead=_PADDING_MASKED),
        "Padding shows under every mask.",
        'You say "padding" of boxes whose fault is in the causal mask, and you do not recognise '
        "the box that fills the last block with zero keys. Under a causal mask these keys are "
        "hidden from every query, so this box is right there.",
        "Which of your inputs has a last block that is short, and no causal mask?",
        "Try three keys in blocks of two, without a causal mask.",
        variants=tuple(
            partial(renamed, instead=(*_PADDING_MASKED, ("top-left", name)))
            for name in ("none", "padding")
        ),
        shown="diagonal",
    ),
    *unrecognised(
        lambda instead: partial(renamed, instead=instead),
        FAULTS,
        both=1,
        many=4,
        known=(
            (("matrix", "none"),),
            (("top-left", "none"),),
            (("top-left", "none"), ("diagonal", "none"), ("skipped", "none")),
            (("top-left", "diagonal"),),
            (("diagonal", "skipped"),),
            (("diagonal", "skipped"), ("skipped", "diagonal")),
            (("skipped", "none"),),
            (("skipped", "diagonal"),),
            (("sixteen", "none"),),
            (("sixteen", "padding"),),
            (("padding", "none"),),
            (("padding", "sixteen"),),
            (("no maximum", "none"),),
            (("log-sum-exp", "none"),),
        ),
    ),
)
