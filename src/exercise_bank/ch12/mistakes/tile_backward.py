"""How 12.tile_backward goes wrong."""

from functools import partial

from exercise_bank.ch12.mistakes.tile_backward_code import slip
from exercise_bank.skills import saying

said = saying(lambda kind: partial(slip, kind))

MISCONCEPTIONS = (
    said(
        "delta-added",
        "delta added",
        "D is the share of the other keys.",
        "You add D to dA. A weight that grows takes from the others, so D is subtracted.",
        "All values of a row are equal. How large is the gradient of its scores?",
        "dS is A · (dA - D).",
    ),
    said(
        "own-slope",
        "own slope",
        "A softmax has the slope A (1 - A).",
        "Your dS is A (1 - A) dA. That is the effect of a score on its own weight. It changes "
        "the weights of all other keys, too.",
        "By how much does weight 2 change if score 1 grows?",
        "dS is A · (dA - D), where D sums A · dA over the row.",
    ),
    said(
        "scale-squared",
        "scale squared",
        "Scores and their gradient are each divided by √d.",
        "Your dQ and dK are divided by d. The scores are divided by √d once, so their gradient is, "
        "too.",
        "What is the derivative of q · k / √d with respect to q?",
        "Multiply dS by the key, and divide by √d once.",
    ),
    said(
        "one-scaled-twice",
        "dK scaled twice",
        "Each gradient is divided by √d.",
        "Either dQ or dK is too small by a factor of √d: it is divided by √d twice. If the queries "
        "that you use are divided already, dS times these queries needs no further division.",
        "What is the derivative of q · k / √d with respect to k?",
        "dK is dS times the query as given, divided by √d once.",
        variants=("dQ scaled twice",),
    ),
    said(
        "softmax-of-the-tile",
        "softmax",
        "The weights of a tile are a softmax over the tile.",
        "Your weights sum to 1 over the tile. That is right while the tile holds all keys of the "
        "row; as soon as keys lie outside, the tile's weights sum to less.",
        "A row has the weights 1/2, 1/4 and 1/4, and the tile holds the first key. What is its "
        "weight?",
        "lse is the log-sum-exp of the whole row.",
        "The weights are exp(S - lse).",
    ),
    said(
        "delta-of-the-tile",
        "own delta",
        "The sum over A · dA runs over the tile.",
        "You compute the row sum of A · dA over the tile and leave delta unused. The two are equal "
        "only if all keys of the row are in the tile.",
        "Over which keys does softmax's derivative sum?",
        "delta holds that sum for the whole row.",
        "Subtract delta from dA.",
    ),
    said(
        "delta-forgotten",
        "no delta",
        "dS is A · dA.",
        "Your dV is right. Your dS is A · dA, and delta is not used: over a whole row, dS does not "
        "sum to 0.",
        "What does adding a constant to all scores of a row change?",
        "Softmax's derivative has a second term.",
        "dS = A (dA - delta).",
    ),
    said(
        "delta-outside",
        "outside",
        "dS is A · dA - delta.",
        "Your dV is right. In dS you subtract delta after the product with A, so a key with weight "
        "0 still gets a gradient.",
        "What should dS be where the mask hides a key?",
        "A multiplies both terms.",
        "Put brackets round dA - delta.",
    ),
    said(
        "scale-once",
        "scale once",
        "The scale belongs to the scores only.",
        "Your dV is right. Your dQ and dK are too large by a factor of √d: the scores were divided "
        "by it, and so are their derivatives by query and key.",
        "With d = 1 you are right, and with d = 4?",
        "S = q · k / √d. What is its derivative by q?",
        "Multiply dQ and dK by the scale.",
    ),
    said(
        "dk-unscaled",
        "dK bare",
        "The scale belongs to dQ.",
        "Your dQ and dV are right. Your dK is too large by a factor of √d: the score is divided by "
        "it, whichever of the two factors you differentiate by.",
        "S = q · k / √d. What is its derivative by k?",
        "dQ and dK have the same factor.",
        "Divide dK by the root of d.",
    ),
    said(
        "dq-unscaled",
        "dQ bare",
        "The scale belongs to dK.",
        "Your dK and dV are right. Your dQ is too large by a factor of √d: the score is divided by "
        "it, whichever of the two factors you differentiate by.",
        "S = q · k / √d. What is its derivative by q?",
        "dQ and dK have the same factor.",
        "Divide dQ by the root of d.",
    ),
    said(
        "no-scale",
        "no scale",
        "Scores are products of queries and keys.",
        "Your scores are not divided by the root of d. With d = 1 all is right; with more, your "
        "exp(S - lse) is not the weight that the forward pass used.",
        "Do your weights over a whole row sum to 1?",
        "lse was computed from scaled scores.",
        "Divide the scores by √d, and dQ and dK as well.",
    ),
    said(
        "root-of-another-size",
        "root of e",
        "Scores are divided by the root of a size of value, or of the number of queries.",
        "You divide by the root of another size than d. With equal sizes all is right; else your "
        "exp(S - lse) is not the weight that the forward pass used.",
        "Over which numbers does a score sum?",
        "d is the last axis of query, and of key.",
        "Take query.shape[-1].",
        variants=("root of q",),
    ),
    said(
        "mask-ignored",
        "no mask",
        "lse takes care of the mask.",
        "You do not use the mask. lse is the sum over visible keys, but exp(S - lse) of a hidden "
        "key is not 0, and may be above 1.",
        "Which weight does a hidden key get in your tile?",
        "Hidden keys have weight 0, here too.",
        "Set the weights to 0 where the mask is False.",
    ),
    said(
        "mask-not-for-dv",
        "dV unmasked",
        "The mask belongs to dS.",
        "Your dQ and dK are right, and your dV includes the hidden keys: a value is weighted "
        "by A, and in your A a hidden key has a weight.",
        "Which gradient arrives at the value of a key that is hidden from all queries?",
        "dS and dV are both made from A.",
        "Set A itself to 0 where the mask is False, before you use it.",
        variants=("dV unmasked, bare",),
    ),
    said(
        "mask-not-for-ds",
        "dS unmasked",
        "The mask belongs to dV.",
        "Your dV is right, and your dQ and dK include the hidden keys: dS is made from "
        "weights in which a hidden key has one.",
        "What is dS of a hidden key, which has the weight 0?",
        "dS and dV are both made from A.",
        "Set A itself to 0 where the mask is False, before you use it.",
        variants=("dS unmasked, bare",),
    ),
    said(
        "mask-inverted",
        "inverted",
        "True means hidden.",
        "You keep the hidden scores and hide the visible ones. True means that the key is visible.",
        "What does your dV hold for a key that is visible to every query?",
        "masked_fill fills where its mask is True.",
        "Use ~mask.",
    ),
    said(
        "times-mask",
        "times mask",
        "Zero times anything is zero.",
        "You multiply the weights by the mask. A hidden score may lie far above lse: then "
        "exp(S - lse) is inf, and inf · 0 is nan.",
        "What is math.inf * 0?",
        "Fill with 0 instead of multiplying by it.",
        "Use masked_fill or torch.where.",
        variants=("times mask, lse guarded",),
        kind="form",
    ),
    said(
        "nan-for-nothing",
        "nan",
        "A masked score of -inf is enough.",
        "Your answer is right if each query attends to a key somewhere. If one attends to none, "
        "its lse is -inf: you subtract it from the hidden scores, and the weights are nan or inf.",
        "What is math.exp(-math.inf - (-math.inf))?",
        "Such a query adds nothing.",
        "Set the *weights* to 0 where the mask is False.",
        variants=("huge",),
        kind="form",
    ),
    said(
        "exponentials-apart",
        "exp apart",
        "exp(S - lse) is exp(S) / exp(lse).",
        "You take the exponentials of scores and log-sum-exps one by one and divide. From 89 on "
        "they are inf in float32, and inf / inf is nan; the difference never is large.",
        "What is math.exp(1000) / math.exp(1000)?",
        "The quotient of two exponentials is the exponential of a difference.",
        "Subtract lse from the scores first.",
        variants=("exp apart, times mask",),
        kind="form",
    ),
    said(
        "hidden-scores-zero",
        "zero scores",
        "A hidden key has the score 0.",
        "You set hidden scores to 0, and exp(0 - lse) is a weight. A hidden key's weight should be "
        "0.",
        "Which score has an exponential of 0?",
        "A score of 0 is an ordinary score.",
        "Set the weights to 0 where the mask is False.",
    ),
    said(
        "dv-from-ds",
        "dV from dS",
        "All gradients come from dS.",
        "You multiply dS by dO for dV. The output is A V, so what arrives at a value is weighted "
        "by A; dS belongs to queries and keys.",
        "How does the output depend on a value?",
        "dV needs neither V nor dS.",
        "dV is the transposed A times dO.",
    ),
    said(
        "dv-before-dk",
        "dV before dK",
        "The order of dK and dV does not matter.",
        "Your gradients are right, and dK and dV have changed places in the tuple.",
        "What does the prompt say the second of the three is?",
        "The order is that of query, key and value.",
        "Return dQ, dK, dV.",
    ),
    said(
        "dq-summed",
        "dQ summed",
        "Every gradient is summed over the heads.",
        "You sum dQ over the heads as well. Keys and values are shared, and queries are not: each "
        "head has its own.",
        "Which shape has query?",
        "A gradient has the shape of its input.",
        "Sum dK and dV over the heads, and leave dQ as it is.",
    ),
    said(
        "heads-apart",
        "by head",
        "Each head has gradients of its own.",
        "You return one dK and one dV for each head. The heads of the tile share one key and one "
        "value, so what arrives there is a sum.",
        "Which shape has key?",
        "A gradient has the shape of its input.",
        "Sum dK and dV over the heads.",
    ),
    said(
        "mean-over-heads",
        "mean",
        "What heads share gets their mean gradient.",
        "You average dK and dV over the heads. With one head that is right. The loss depends on "
        "the key through every head, so the gradients of the heads add up.",
        "y = x + x. What is dy/dx?",
        "A gradient sums over all ways from the input to the loss.",
        "Take the sum.",
    ),
    said(
        "first-head-only",
        "one head",
        "One head represents all.",
        "Your dK and dV hold the first head's share. The other heads of the tile use the same "
        "keys and values.",
        "Which heads read this key?",
        "Each head has weights of its own.",
        "Sum over all heads.",
    ),
    said(
        "last-head-only",
        "last head",
        "The last value that a loop computes is the result.",
        "Your dK and dV hold the last head's share only, as in a loop over heads in which each "
        "one overwrites those before it.",
        "What do dK and dV hold after the first head, and what after the second?",
        "Gradients of a shared input add up.",
        "Begin with zeros and use +=.",
    ),
    said(
        "turned",
        "turned",
        "dS is A (delta - dA).",
        "Your dV is right, and your dQ and dK have the wrong sign: you subtract dA from delta.",
        "A key's value pulls the output where dO wants it. Should its score rise or fall?",
        "dA is the gain from one weight, delta the mean gain.",
        "Subtract delta from dA.",
    ),
)
