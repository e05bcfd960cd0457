"""How 07.decoder_layer goes wrong."""

from exercise_bank.ch07.mistakes.decoder_layer_code import CROSS, LAST, SELF, layer
from exercise_bank.skills import saying

built = saying(layer)

MISCONCEPTIONS = (
    built(
        "norm-after-the-sum",
        {"place": "post"},
        "A norm comes after each sum.",
        "You normalise a sum, or all three. That is post-norm; here the norm is at the start of a "
        "branch, and the stream itself is never normalised.",
        "Which operations change the stream itself in a pre-norm layer?",
        "Only sums do. Move each norm to the start of its branch.",
        variants=tuple({"place": "post", "placed": (each,)} for each in (SELF, CROSS, LAST)),
    ),
    built(
        "norm-behind-the-branch",
        {"place": "behind"},
        "A branch ends in its norm.",
        "You normalise the outputs of the branches. The norm comes before the branch.",
        "What does a branch of a pre-norm layer read?",
        "Call each norm on the stream, and the branch on its result.",
    ),
    built(
        "sum-begins-with-the-norm",
        {"place": "stream"},
        "The branch is added to its own input.",
        "You add a branch to the norm of the stream. Each sum begins with the stream as it was "
        "before the norm.",
        "What is the first term of each sum?",
        "Keep the normalised stream under a name of its own.",
        variants=tuple({"place": "stream", "placed": (each,)} for each in (SELF, CROSS, LAST)),
    ),
    built(
        "no-norms",
        {"place": "none"},
        "The branches read the stream.",
        "Your branches read the stream as it is. Each should read a norm of it.",
        "What are the three functions in norms for?",
        "Each branch has a norm of its own, in the order of the branches.",
    ),
    *(
        built(
            f"no-norm-before-{name}",
            {"place": "none", "placed": (each,)},
            f"The {name} reads the stream as it is.",
            f"Your {name} reads the stream as it is, not a norm of it.",
            f"Which of the three norms belongs to the {name}?",
            "Before each of the three branches there is a norm of the stream.",
        )
        for name, each in (
            ("self-attention", SELF),
            ("cross-attention", CROSS),
            ("feed-forward", LAST),
        )
    ),
    built(
        "keys-without-norm",
        {"keys": "stream"},
        "Only queries are normalised.",
        "In your self-attention, keys and values come from the stream as it is. Self-attention "
        "reads one tensor, a norm of the stream.",
        "From what are the keys of self-attention made?",
        "Give self-attention the same tensor twice.",
    ),
    built(
        "norm-on-the-memory",
        {"cross": "normed"},
        "The norm before cross-attention applies to both of its inputs.",
        "You normalise the memory. The encoder has already done that at its end; the norm of this "
        "branch is for the stream.",
        "What did the encoder do to the memory last?",
        "Give cross-attention the memory as it is.",
    ),
    built(
        "memory-asks",
        {"cross": "turned"},
        "The memory gives the queries.",
        "In your cross-attention the memory gives the queries. They should come from the target, "
        "so that the result has a row for each position of the target.",
        "How many rows does a branch return that is added to the stream?",
        "The stream comes first, the memory second.",
    ),
    built(
        "stream-answers",
        {"cross": "stream"},
        "Cross-attention attends to the stream.",
        "Your cross-attention takes keys and values from the stream, so no information about the "
        "source reaches the target.",
        "How does the decoder get information about the source?",
        "Keys and values of cross-attention come from the memory.",
        variants=({"cross": "stream", "other": "causal"},),
    ),
    built(
        "causal-cross",
        {"other": "causal"},
        "Every attention of a decoder is causal.",
        "Your cross-attention has the causal mask. The source is complete before the target "
        "begins, so only its padding is hidden.",
        "Which tokens of the source may the first token of the target attend to?",
        "real has a column for each vector of the memory.",
        variants=({"other": "triangle"}, {"other": "both"}),
    ),
    built(
        "masks-negated",
        {"other": "not real"},
        "True hides a key.",
        "You negate a mask, or both, so it hides the keys that should be open. A query without any "
        "open key gets nan. True means here that a query may attend to a key; some of PyTorch's "
        "own masks have it the other way round.",
        "Which keys are open in your masks if `causal` and `real` are True everywhere?",
        "Hand both masks on as they are, without a ~.",
        variants=({"own": "not causal"}, {"own": "not causal", "other": "not real"}),
    ),
    built(
        "padding-mask-on-the-target",
        {"own": "real"},
        "The padding mask goes to self-attention.",
        "Your self-attention has the mask of the memory. So it hides the positions of the target "
        "at which the source is padded, and opens later positions.",
        "Which of the two masks has a row and a column for each position of the target?",
        "Self-attention takes the causal mask.",
    ),
    built(
        "masks-swapped",
        {"own": "real", "other": "causal"},
        "The first mask is that of the memory.",
        "You have swapped the two masks. The causal one belongs to the target, the other to the "
        "memory.",
        "Where do the keys of self-attention come from, and where those of cross-attention?",
        "A mask has a column for each key.",
    ),
    built(
        "open-self-attention",
        {"own": "open"},
        "The two attentions make their own masks.",
        "Your self-attention attends to later positions of the target.",
        "What does causal hide?",
        "Pass the causal mask to self-attention.",
    ),
    built(
        "open-cross-attention",
        {"other": "open"},
        "The memory has no mask.",
        "Your cross-attention attends to the padding of the source.",
        "What does real hide?",
        "Pass it to cross-attention.",
        variants=({"own": "open", "other": "open"},),
    ),
    built(
        "a-sum-is-missing",
        {"lost": (CROSS,)},
        "The output of a branch replaces the stream.",
        "In your layer the output of a branch replaces the stream instead of being added to it. "
        "The stream before it then reaches the output only through this branch.",
        "What is left of x if a branch returns zeros?",
        "Each of the three lines is a sum.",
        variants=({"lost": (SELF,)}, {"lost": (LAST,)}, {"lost": (SELF, CROSS, LAST)}),
    ),
    built(
        "cross-attention-first",
        {"order": (CROSS, SELF, LAST)},
        "A decoder reads the memory first.",
        "In your layer cross-attention comes before self-attention. In the layer of 2017 the "
        "target attends to itself first, so that its queries to the memory depend on the tokens "
        "before.",
        "Which of the two reads x itself?",
        "Self-attention, cross-attention, feed-forward.",
        variants=({"order": (CROSS, SELF, LAST), "at_place": True},),
    ),
    built(
        "feed-forward-too-early",
        {"order": (SELF, LAST, CROSS)},
        "The feed-forward network comes after self-attention.",
        "In your layer the feed-forward network is not the last branch.",
        "What should the feed-forward network read: the stream before cross-attention or after it?",
        "Self-attention, cross-attention, feed-forward.",
        variants=(
            {"order": (LAST, SELF, CROSS)},
            {"order": (SELF, LAST, CROSS), "at_place": True},
        ),
    ),
    built(
        "all-read-the-input",
        {"reads": {CROSS: "x", LAST: "x"}},
        "The branches work side by side.",
        "All your branches read the input x. Each should read the stream with the sums of the "
        "branches before it.",
        "How does the output of self-attention get into the input of cross-attention?",
        "Call each norm on the newest sum.",
    ),
    built(
        "cross-attention-reads-the-input",
        {"reads": {CROSS: "x"}},
        "The two attentions work side by side.",
        "Your cross-attention reads the input x. It should read the stream to which the output of "
        "self-attention has been added.",
        "How does the output of self-attention get into the input of cross-attention?",
        "Call the second norm on the newest sum.",
    ),
    built(
        "feed-forward-reads-the-input",
        {"reads": {LAST: "x"}},
        "The feed-forward network works beside the attentions.",
        "Your feed-forward network reads the input x. It should read the stream to which the "
        "outputs of both attentions have been added.",
        "How do the outputs of the attentions get into the input of the feed-forward network?",
        "Call the third norm on the newest sum.",
    ),
    built(
        "no-cross-attention",
        {"order": (SELF, LAST)},
        "A decoder's layer has two branches.",
        "Your layer leaves out cross-attention, so it does not read the memory.",
        "How many branches does a layer of an encoder–decoder's decoder have?",
        "There are three sums, one for each of the functions.",
    ),
    built(
        "one-norm-for-all",
        {"use": (0, 0, 0)},
        "A layer has one norm.",
        "You use one norm for two branches, or for all three. Each branch has a norm of its own, "
        "with its own gain and shift.",
        "How many functions are in norms?",
        "The first is for the first branch, and so on.",
        variants=({"use": (0, 0, 1)}, {"use": (0, 1, 1)}, {"use": (0, 0, 2)}),
    ),
    built(
        "norms-in-another-order",
        {"use": (0, 2, 1)},
        "The norms are not listed in the order of the branches.",
        "You mix up the norms. They are listed in the order of the branches.",
        "Which norm comes before the last branch?",
        "norms[0] is that of self-attention.",
        variants=({"use": (1, 0, 2)}, {"use": (2, 1, 0)}),
    ),
    built(
        "norm-at-the-end",
        {"end": True},
        "A layer ends in a norm.",
        "You normalise the last sum. A pre-norm layer returns its stream as it is; one norm "
        "follows after the last layer of the stack.",
        "What does the next layer do first to the stream?",
        "Return the last sum.",
    ),
)
