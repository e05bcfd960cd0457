"""How 09.copying goes wrong."""

from exercise_bank.ch09.mistakes import copying_code as code
from exercise_bank.ch09.mistakes import copying_counts as counts
from exercise_bank.ch09.mistakes.copying_shares import SHARES, by
from exercise_bank.skills import said

WAY = (
    "Which matrix reads the token, which two belong to the head, and which one gives logits?",
    "The vector passes them in this order: W_E, W_V, W_O, W_U.",
    "A token meets the embedding, to_value, to_output and the unembedding, in this order. "
    "Their product has the shape (h, v, v).",
)
ROW = (
    "When is a token copied: what does its own logit have to exceed?",
    "Row i of the logits belongs to token i, and so does the number on the diagonal.",
    "Compare the diagonal with the largest of the other numbers in the same row.",
)


MISCONCEPTIONS = (
    said(
        "over-the-tokens-read",
        by(counts=counts.largest_of_column),
        "A column is as good as a row.",
        "You compare each own logit with the others in its column, so you find the token that "
        "raises this logit most. A token is copied if its logit is the largest in its own row.",
        *ROW,
        variants=(
            by(change=code.turned),
            by(counts=counts.column_or_equal),
        ),
    ),
    said(
        "own-logit-is-positive",
        by(counts=counts.positive),
        "A head that raises the token's own logit copies it.",
        "You count each token whose own logit is above a fixed number, such as 0. Another "
        "token's logit may be larger, and of negative logits one is still the largest.",
        *ROW,
    ),
    said(
        "own-logit-above-the-mean",
        by(counts=counts.above_mean),
        "A logit above the average is enough.",
        "You compare each token's own logit with the mean of its row. Other tokens can be above "
        "the mean as well, and higher.",
        *ROW,
        variants=(
            by(counts=counts.above_median),
            by(counts=counts.above_chance),
        ),
    ),
    said(
        "above-the-direct-path",
        by(minus="eu", counts=counts.positive),
        "Copying means that the head raises the logit above that of the embedding.",
        "You compare the own logit through the head with the own logit without it. A token is "
        "copied if its own logit is larger than the logits of the other tokens through this head.",
        *ROW,
    ),
    said(
        "zero-on-the-diagonal",
        by(counts=counts.above_zero_and_others),
        "A zero takes the own logit out.",
        "You count a token only if its own logit is above 0 as well. It is so if you set the own "
        "logit to 0 before you take the largest of the others: if all others are negative, this 0 "
        "is the largest.",
        "What does the maximum of -3, -2 and 0 say about the other two?",
        "A number that is never the largest is -inf.",
        "Fill the diagonal of a copy with -inf.",
        variants=(by(counts=counts.positive_and_copied),),
    ),
    said(
        "own-among-the-others",
        by(counts=counts.never),
        "The maximum of the row is the maximum of the other logits.",
        "You count no token at all. It is so if you compare the own logit with the largest of the "
        "whole row, which it belongs to: it can never be larger than that.",
        "Is the own logit among the numbers of which you take the maximum?",
        "Leave the diagonal out of the maximum.",
        "Fill the diagonal of a copy with -inf.",
    ),
    said(
        "heads-against-each-other",
        by(counts=counts.above_other_heads),
        "A token is copied by one head.",
        "You compare the heads to find the one that raises a token's own logit most. But each head "
        "is judged by itself: a token's own logit is compared with the logits of the other tokens.",
        *ROW,
        variants=(by(counts=counts.copied_best),),
    ),
    said(
        "eigenvalues",
        by(counts=counts.as_they_are, gives=counts.eigenvalues),
        "Positive eigenvalues mean copying.",
        "You return a score of the eigenvalues. The task asks for a share of the tokens.",
        "What does each token contribute: a yes or no, or a number between?",
        *ROW[1:],
        variants=(by(counts=counts.positive_eigenvalues),),
    ),
    said(
        "mean-rank",
        by(counts=counts.rank),
        "A low rank is nearly a copy.",
        "You average the ranks of the own logits, or numbers made from them. The task asks for a "
        "share of the tokens.",
        "Which rank does a copied token have?",
        *ROW[1:],
        variants=(
            by(counts=counts.rank_from_1),
            by(counts=counts.reciprocal_rank),
            by(counts=counts.share_below),
            by(counts=counts.share_not_above),
        ),
    ),
    said(
        "largest-in-size",
        by(counts=counts.largest_in_size),
        "The sign of a logit does not matter.",
        "You look for the logit with the largest absolute value. A large negative own logit means "
        "that the head suppresses the token.",
        "What does a logit of -5 do to the probability of its token?",
        *ROW[1:],
    ),
    said(
        "smallest-logit",
        by(counts=counts.smallest_of_row),
        "The best token comes first.",
        "You count each token whose own logit is the smallest of its row. A head with such "
        "logits suppresses the token it attends to.",
        "Which logit belongs to the most probable token?",
        *ROW[1:],
    ),
    said(
        "among-the-best-few",
        by(counts=counts.in_first_2),
        "Nearly first is first.",
        "You also count tokens whose own logit is not the largest but is among the largest few.",
        *ROW,
        variants=(by(counts=counts.in_first_3), by(counts=counts.in_first_5)),
    ),
    said(
        "more-than-half-of-the-probability",
        by(counts=counts.above_half),
        "A prediction is a majority.",
        "You require a probability of more than one half. The token with the largest logit may "
        "have less.",
        "Can a token with a probability of 0.3 be the most probable one?",
        *ROW[1:],
    ),
    said(
        "mean-probability",
        by(counts=counts.probability),
        "A share is a mean probability.",
        "You average the probability of each token's own logit. The task asks for a share of "
        "the tokens.",
        "What does each token contribute: a yes or no, or a number between?",
        *ROW[1:],
        variants=(by(counts=counts.probability_in_column),),
    ),
    said(
        "mean-of-the-diagonal",
        by(counts=counts.own),
        "The trace measures copying.",
        "You average the own logits themselves, or add them up. The task asks for a share of the "
        "tokens.",
        "What does each token contribute: a yes or no, or a number between?",
        *ROW[1:],
        variants=(by(counts=counts.own, gives=counts.sum_of_tokens),),
    ),
    said(
        "largest-of-all-logits",
        by(counts=counts.largest_of_head),
        "One token is the most copied.",
        "You compare each own logit with the largest of a whole matrix, or of all heads, so that "
        "each head copies one token at most. Each token has a row of its own.",
        *ROW,
        variants=(by(counts=counts.largest_of_all),),
    ),
    said(
        "tied-unembedding",
        by(path="evoE"),
        "The embedding is the unembedding.",
        "You compare the head's output with the vectors that it reads, so that W_E and W_U are one "
        "matrix in yours. Logits come from the unembedding W_U.",
        *WAY,
        variants=(
            by(compare=code.by_angle),
            by(compare=code.by_distance),
            by(path="Uvou"),
        ),
    ),
    said(
        "columns-scaled",
        by(change=code.columns_to_length_1),
        "Logits are angles.",
        "You divide the logits of each token by a number of its own, such as a length. They are "
        "compared as they are: a token with a long vector has an advantage, in the model as well.",
        "Which numbers does softmax get in the model?",
        *WAY[1:],
        variants=(by(prepare=code.unit_unembedding), by(change=code.softmax_of_columns)),
    ),
    said(
        "residual-added",
        by(plus="eu"),
        "The token itself is in the stream as well.",
        "You combine the head's output with the token's own vector. The task is about the head's "
        "effect alone.",
        "Which of the two terms comes from the head?",
        *WAY[1:],
        variants=(by(minus="eu"),),
    ),
    said(
        "residual-added-over-the-tokens-read",
        by(plus="eu", change=code.turned),
        "The token itself is in the stream as well, and a column is as good as a row.",
        "There are two mistakes. You combine the head's output with the token's own vector, but "
        "the task is about the head's effect alone. And you compare each own logit with the others "
        "in its column; a token is copied if its logit is the largest in its own row.",
        "Which of the two terms comes from the head, and which logits does one token get?",
        *ROW[1:],
        variants=(
            by(plus="eu", counts=counts.largest_of_column),
            by(minus="eu", change=code.turned),
        ),
    ),
    said(
        "embedding-centred",
        by(prepare=code.tokens_centred),
        "The norm subtracts a mean.",
        "You subtract the mean of all tokens from the embedding. The heads read the rows "
        "of W_E as they are.",
        "What does the head read at token i?",
        *WAY[1:],
    ),
    said(
        "features-centred",
        by(compare=code.output_centred),
        "There is a LayerNorm on the way.",
        "You subtract a mean of the features. The norms are part of the matrices, so nothing is "
        "subtracted on the way from W_E to the logits.",
        "Which steps does the prompt name between the vector that is read and the logits?",
        *WAY[1:],
        variants=(by(compare=code.values_centred), by(prepare=code.features_centred)),
    ),
    said(
        "no-head-at-all",
        by(path="eu"),
        "The embedding and the unembedding copy.",
        "Your logits do not depend on the head.",
        *WAY,
    ),
    said(
        "no-output-matrix",
        by(path="evu"),
        "The value is the head's output.",
        "You leave a matrix of the head out. A head reads with W_V and writes with W_O.",
        *WAY,
        variants=(by(path="eou"),),
    ),
    said(
        "output-before-value",
        by(path="eovu"),
        "The order of the product does not matter.",
        "You multiply by W_O first and by W_V after it. A head reads with W_V and writes with W_O.",
        *WAY,
        variants=(by(path="eOVu"),),
    ),
    said(
        "transposed",
        by(path="eVou"),
        "Weights are stored as in nn.Linear.",
        "You transpose a matrix of the head. Here each is multiplied from the right, as it is.",
        *WAY,
        variants=(
            by(path="evOu"),
            by(path="eVOu"),
        ),
    ),
    said(
        "embedding-and-unembedding-exchanged",
        by(path="UvoE"),
        "The model reads with W_U.",
        "You read with W_U and make logits with W_E.",
        *WAY,
    ),
    *SHARES,
    said(
        "first-of-equals",
        by(counts=counts.largest_of_row),
        "The largest number is where argmax points.",
        "Where several logits are equal, you count a token that only shares the first place. Such "
        "a token is not copied, and a silent head copies nothing.",
        "What does argmax return for a row of zeros?",
        "A token's own logit has to be larger than each of the others.",
        "Set the diagonal to -inf in a copy before you take the largest number of each row.",
        kind="corner",
        variants=(
            by(counts=counts.largest_or_equal),
            by(counts=counts.last_when_sorted),
        ),
    ),
)
