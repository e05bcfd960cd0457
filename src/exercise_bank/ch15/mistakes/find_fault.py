"""How 15.find_fault goes wrong."""

from functools import partial

from exercise_bank.ch15.mistakes.find_fault_code import (
    always,
    good_or_bad,
    judged,
    renamed,
    sound_is_stale,
    stale_is_length,
    to_the_last_bit,
)
from exercise_bank.ch15.mistakes.find_fault_missed import FAULTS
from exercise_bank.naming import unrecognised
from exercise_bank.skills import said

MULTIPLIER = "At distance 0 a score of a full layer is 1.2² = 1.44 times q · k / √8."

MISCONCEPTIONS = (
    said(
        "always-none",
        partial(always, name="none"),
        "What runs is right.",
        'You say "none" of every model. All of them run, and none of them warns. It also happens '
        "when whole scores are compared: exactly, so that nothing ever agrees, or with their −∞, "
        "since −∞ − (−∞) is NaN.",
        "Which question does your function ask?",
        MULTIPLIER,
    ),
    said(
        "always-once",
        partial(always, name="once"),
        "The nearest multiplier is the right one.",
        'You say "once" of every model. That happens when the nearest of the multipliers is '
        "taken, and the scores are compared without their division by √8: all lie below 1.2 then.",
        "What is q · k / √d for one component of 1?",
        MULTIPLIER,
    ),
    said(
        "multiplier-only",
        partial(judged, local=-1, far=0, sizes=()),
        "The multiplier shows all.",
        'You recognise the multipliers of layer 0, and say "none" of models that are wrong in '
        "their other layers, in their frequencies or in their cache.",
        "Which faults does a score of layer 0 at distance 0 not show?",
        "Ask layer 1; then plane 1 of layer 0 at a distance of 20, in one chunk and in two.",
    ),
    said(
        "only-local-layers",
        partial(judged, factor="divided out", far=0, sizes=()),
        "The layers with a window are those that were changed.",
        'You find the model that stretches its local layers, and say "none" of all others. The '
        "other faults lie in layers 0 and 2.",
        "Which layers does the configuration stretch?",
        MULTIPLIER,
    ),
    said(
        "planes-in-halves",
        partial(judged, step=1),
        "Component i is plane i.",
        'You say "new length" also of sound models. Either you look for plane 1 in component 1, '
        "though components 2i and 2i + 1 make plane i, or you expect another frequency there.",
        "Which components make plane 1?",
        "Set component 2.",
        kind="form",
        shown="none",
    ),
    said(
        "one-name-for-all",
        good_or_bad,
        "Every fault is the same fault.",
        'You find which models are sound, and say "formula" of all others.',
        "Which of your questions does which model fail?",
        "Make a table of six faults, and the questions in which each is wrong.",
    ),
    said(
        "local-layers-not-asked",
        partial(judged, local=-1),
        "The layers are alike, or 2 is of another kind than 0.",
        'You say "none" of a model that stretches its local layers too. Only a score of layer 1 or '
        "3 shows it: 0 and 2 are both full layers.",
        "Which layers have a window?",
        "Ask layer 1 or layer 3.",
        kind="form",
    ),
    said(
        "all-layers-stretched",
        partial(judged, local_factor=1.44),
        "A model is stretched, so its layers are.",
        'You say "every layer" of models whose local layers are as in training, which is right, '
        'and "none" of the one that stretches them.',
        "By what are scores of layer 1 to be multiplied?",
        "Only layers 0 and 2 are stretched.",
        shown="none",
    ),
    said(
        "frequencies-not-seen",
        partial(judged, far=0, sizes=()),
        "Any score shows all.",
        'You say "none" of two models with wrong frequencies: one counts turns in the new length, '
        "the other keeps old keys. A query and its own key do not show it, because both are "
        "rotated by the same angle. Neighbours hardly show it. In planes 0 and 3 the new length "
        "gives the right frequency.",
        "How far apart are your queries and keys, and which planes differ?",
        "Plane 1 lies on the ramp. Ask it at a distance of 20.",
    ),
    said(
        "ramp-not-asked",
        partial(judged, far=0),
        "Wrong frequencies come from the cache.",
        'You say "old keys" of a model that counts turns in the new length. It is wrong in a '
        "single chunk as well.",
        "Which of the two is right in a single chunk?",
        "Ask in a single chunk before you ask in two.",
        kind="form",
    ),
    said(
        "chunks-first",
        partial(judged, first="old keys"),
        "What fails in chunks is the cache.",
        'You say "old keys" of every model whose full layers are wrong. All but one of them are '
        "wrong in one chunk as well.",
        "Which of them is right in a single chunk?",
        "Ask in a single chunk before you ask in two.",
    ),
    said(
        "frequencies-first",
        partial(judged, first="new length"),
        "A wrong score is a wrong frequency.",
        'You say "new length" of models whose multiplier is wrong. Perhaps you compare whole '
        "scores, which have the multiplier in them.",
        "What is left of a score at distance 0?",
        "Ask about the multiplier first.",
    ),
    said(
        "stale-keys-not-seen",
        partial(judged, sizes=()),
        "A text is a text, in whatever chunks.",
        'You say "none" of the model that keeps old keys in its cache. It shows only between a '
        "query of a later chunk and a key of the first chunk, and not with the key at position 0, "
        "which is not rotated.",
        "How many tokens has your first chunk, and by which angle are its keys rotated?",
        "If you compare whole scores, leave out the −∞: −∞ − (−∞) is NaN, which exceeds no bound.",
        "Send two chunks of 10 tokens, and look at a later key of the first.",
    ),
    said(
        "sound-is-old-keys",
        sound_is_stale,
        "A difference between chunks comes from the cache.",
        'You say "old keys" of models that are sound. That happens if scores are compared with '
        "their −∞, as −∞ − (−∞) is NaN, or if they are large and may differ by a small bound only: "
        "rounding grows with the scores.",
        "What is the largest difference that you find for a sound model?",
        "Compare only scores of keys that their query can see, relative to their size.",
        kind="form",
    ),
    said(
        "quotients-only",
        partial(judged, factor="divided out"),
        "A multiplier does no harm.",
        'You say "none" of models whose multiplier is wrong. That happens when scores are divided '
        "by the score at distance 0, and when only local layers are asked for it.",
        "What is a score of layer 0 at distance 0?",
        MULTIPLIER,
    ),
    said(
        "twice-not-among-them",
        partial(judged, factor="no twice"),
        "A multiplier can only be too small.",
        'You recognise multipliers that are too small, but not the one that is too large, "twice". '
        "There queries and keys are both multiplied by 1.2 a second time, so scores by 1.2⁴.",
        "How much is 1.2 to the power of 4?",
        "2.0736 is a third wrong multiplier.",
    ),
    said(
        "formula-not-among-them",
        partial(judged, factor="no formula"),
        "A multiplier is a power of 1.2.",
        "You do not recognise the model that uses the formula. Its multiplier is not a power of "
        "1.2. Nor is it 1.1386, by which queries and keys are each multiplied.",
        "How much is (0.1 · ln 4 + 1)²?",
        "1.2965 is a third wrong multiplier.",
    ),
    said(
        "once-not-among-them",
        partial(judged, factor="no once"),
        "Queries and keys are treated alike.",
        "You recognise the formula and 1.2⁴, but not a multiplier of 1.2.",
        "What if only the queries have it?",
        "1.2 is a third wrong multiplier.",
    ),
    said(
        "twice-not-found",
        partial(judged, factor="no twice", quotient=True),
        "A multiplier can only be too small.",
        'You say "none" of the model whose multiplier is too large. With 1.2 on queries and keys a '
        "second time, a score has it four times.",
        "How much is 1.2 to the power of 4?",
        "2.0736 is a third wrong multiplier.",
    ),
    said(
        "formula-not-found",
        partial(judged, factor="no formula", quotient=True),
        "The formula multiplies a score.",
        'You say "none" of the model that uses the formula. It multiplies a query and a key by '
        "1.1386 each, and so a score by its square.",
        "How much is (0.1 · ln 4 + 1)²?",
        "1.2965 is a third wrong multiplier.",
    ),
    said(
        "once-not-found",
        partial(judged, factor="no once", quotient=True),
        "A key without its factor shows by itself.",
        'You say "none" of the model whose keys are not multiplied. Exchanging queries and keys '
        "at distance 0 does not show it, because a score has the product of both factors.",
        "By what is a score multiplied when only the queries have it?",
        "1.2 is a third wrong multiplier.",
    ),
    said(
        "multiplier-not-squared",
        partial(judged, factor="unsquared"),
        "A score is multiplied by 1.2.",
        'You expect 1.2 where 1.2² is right, and say "twice" of models that are sound. A query and '
        "a key are multiplied, each.",
        "How much is (1.2 q) · (1.2 k)?",
        MULTIPLIER,
        shown="none",
    ),
    said(
        "multiplier-not-squared-nearest",
        partial(judged, factor="unsquared, nearest", quotient=True),
        "A score is multiplied by 1.2.",
        'You expect 1.2 where 1.2² is right, and say "twice" of models that are sound. A query and '
        "a key are multiplied, each.",
        "How much is (1.2 q) · (1.2 k)?",
        MULTIPLIER,
        shown="none",
    ),
    said(
        "too-small-is-formula",
        partial(judged, factor="one threshold"),
        "There is too much and too little.",
        'You say "formula" of every model whose multiplier is too small. It may also be 1.2, where '
        "the keys lack it.",
        "What do you read at distance 0?",
        "1.2965 and 1.2 are two faults.",
        kind="form",
    ),
    said(
        "too-small-is-once",
        partial(judged, factor="lower is once"),
        "There is too much and too little.",
        'You say "once" of every model whose multiplier is too small. It may also be 1.2965, the '
        "square of the formula.",
        "What do you read at distance 0?",
        "1.2965 and 1.2 are two faults.",
        kind="form",
    ),
    said(
        "any-multiplier-is-formula",
        partial(judged, factor="any"),
        "A wrong multiplier is a wrong multiplier.",
        'You say "formula" of every model whose multiplier is not 1.44.',
        "What do you read at distance 0?",
        "1.2965, 2.0736 and 1.2 are three faults.",
        kind="form",
    ),
    said(
        "bound-too-wide",
        partial(judged, near=0.3),
        "Scores agree roughly.",
        'You say "formula" of nearly all models. Perhaps your tolerance is too wide: the '
        "multipliers 1.2, 1.2965 and 1.44 are less than 0.15 apart.",
        "How far apart are the scores of the models that you want to distinguish?",
        "A hundredth is enough.",
    ),
    said(
        "to-the-last-bit",
        to_the_last_bit,
        "Equal is equal.",
        'You say "every layer" of sound models that do not compute like `by_the_book`. You ask '
        "whether scores are equal to the last bit, and each way of computing rounds differently.",
        "By how much do the scores of a local layer differ from those that you expect?",
        "Compare with a tolerance; a hundredth is enough.",
        kind="form",
    ),
    said(
        "root-forgotten",
        partial(judged, root=1.0),
        "A score is q · k.",
        'You say "every layer" of every model, of sound ones too: the scores of a local layer are '
        "never those that you expect. That happens when they are compared without their division "
        "by √8, when they are to agree to the last bit, and when components i and i + 4 are paired "
        "in place of 2i and 2i + 1.",
        "For one component of 1, what is q · k / √d, and what does your function expect?",
        "Compare with `by_the_book` of the prompt, and allow for a hundredth.",
    ),
    said(
        "formula-and-once-exchanged",
        partial(judged, swap=("formula", "once")),
        "1.2 is the formula's.",
        'You exchange "formula" and "once". 0.1 · ln 4 + 1 is 1.1386, and its square is 1.2965.',
        "Which of the two has 1.2?",
        "Exchange the two names.",
        kind="form",
    ),
    said(
        "twice-and-once-exchanged",
        partial(judged, swap=("twice", "once")),
        "Twice is on queries and keys.",
        'You exchange "twice" and "once". "twice" multiplies queries and keys once more than they '
        "should be, so its scores are too large.",
        "Which of the two has too large a score?",
        "Exchange the two names.",
        kind="form",
    ),
    said(
        "stale-keys-are-a-new-length",
        stale_is_length,
        "Wrong frequencies come from the length.",
        'You say "new length" of a model with stale keys in its cache. In a single chunk its '
        "scores are right; one that counts turns in the new length is wrong there as well.",
        "Which of the two is right in a single chunk?",
        "Send all in a single chunk first, then in two.",
        kind="form",
    ),
    said(
        "length-and-keys-exchanged",
        partial(judged, swap=("new length", "old keys")),
        "In one chunk it is the cache.",
        'You exchange "new length" and "old keys". Stale keys show only in a second chunk.',
        "Which of the two is wrong in a single chunk?",
        "Exchange the two names.",
        kind="form",
    ),
    said(
        "sound-is-faulty",
        partial(renamed, instead=(("none", "new length"),)),
        "Equal numbers agree to nine decimals.",
        "You recognise each fault, and call every sound model faulty, too. They agree with the "
        "configuration, but scores in float32 have only some six digits.",
        "By how much do the scores of `by_the_book` differ from yours?",
        "Compare only scores of keys that their query can see, and allow for a thousandth.",
        variants=tuple(
            partial(renamed, instead=(("none", name),))
            for name in ("formula", "twice", "once", "every layer")
        ),
        kind="form",
    ),
    *unrecognised(
        lambda instead: partial(renamed, instead=instead),
        FAULTS,
        known=(
            (("formula", "none"),),
            (("formula", "once"),),
            (("formula", "new length"),),
            (("formula", "once"), ("once", "formula")),
            (("twice", "none"),),
            (("twice", "new length"),),
            (("twice", "formula"), ("once", "formula")),
            (("once", "none"),),
            (("once", "formula"),),
            (("once", "new length"),),
            (("every layer", "none"),),
            (("new length", "old keys"),),
            (("new length", "none"), ("old keys", "none")),
            (("formula", "none"), ("twice", "none"), ("once", "none")),
            (("every layer", "none"), ("new length", "none"), ("old keys", "none")),
            (("new length", "old keys"), ("old keys", "new length")),
            (("old keys", "none"),),
            (("old keys", "new length"),),
        ),
    ),
)
