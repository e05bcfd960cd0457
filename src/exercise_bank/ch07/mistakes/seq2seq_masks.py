"""How 07.seq2seq_masks goes wrong."""

from functools import partial

from exercise_bank.ch07.mistakes import seq2seq_masks_code as code
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "own-place-open",
        code.own_place_open,
        "Every row needs at least one key.",
        "Your decoder mask, or your encoder mask as well, lets each padded query attend to itself, "
        "so it opens padded keys. The task hides padding as keys in every row, even if a row is "
        "then empty.",
        "Which keys are open in the row of a padded query in front of all real tokens?",
        "Let only the padding and the triangle decide about the diagonal.",
        variants=(code.own_place_open_in_both,),
    ),
    said(
        "empty-rows-opened",
        code.empty_rows_opened,
        "A row without keys would give nan.",
        "You open keys in rows that have no key left. The task leaves such a row empty.",
        "Which rows of your masks have an open key although every key should be hidden?",
        "Leave out the special treatment of empty rows.",
        variants=(
            code.empty_decoder_rows_opened,
            code.own_place_in_empty_rows,
            code.own_place_in_all_empty_rows,
        ),
    ),
    said(
        "open-cross",
        code.open_cross,
        "The encoder has already removed the padding from the memory.",
        "Your cross mask is True everywhere. The memory also has a vector for every padded token, "
        "and your target attends to it.",
        "How many vectors does the memory have for a source of 2 tokens, padded to 4?",
        "The keys of cross-attention are the source's positions. Which of them are real?",
    ),
    said(
        "target-padding-in-cross",
        code.target_padding_in_cross,
        "The cross-attention belongs to the decoder, so it gets the decoder's padding.",
        "Your cross mask closes the rows of padded *target* tokens and leaves the padding of the "
        "source open. Its columns are source keys, and it must hide the padded ones.",
        "Which axis of the cross mask is the source?",
        "Start from (source != pad), and let it run along the last axis.",
    ),
    said(
        "causal-cross",
        code.causal_cross,
        "Everything in a decoder is causal.",
        "In your cross mask query 0 attends to source key 0 alone. The source is complete before "
        "the first token is written, so no key of it is in the future.",
        "Which word of a German sentence may the first word of its translation depend on?",
        "Only the decoder's self-attention is causal.",
    ),
    said(
        "causal-encoder",
        code.causal_encoder,
        "A transformer attends to earlier tokens only.",
        "Your encoder mask is causal: source query 0 attends to key 0 alone. In an encoder each "
        "token attends to both sides.",
        "What would the first source token learn from the last in your encoder?",
        "The encoder's mask hides only padding.",
    ),
    said(
        "no-causal",
        code.no_causal,
        "The target is given in training, so no token of it is hidden.",
        "Your decoder mask opens key 1 to query 0, and key 1 holds the token that query 0 must "
        "predict.",
        "What must query 0 of the target predict, and at which position is that token?",
        "Combine the padding with a lower triangle.",
    ),
    said(
        "upside-down",
        code.upside_down,
        "True means hidden.",
        "Your masks are negated: they have True in place of False. True should mean that a query "
        "attends to a key.",
        "In your encoder mask, does query 0 attend to a real key?",
        "Leave out the ~.",
    ),
    said(
        "target-padding-open",
        code.target_padding_open,
        "The causal mask hides the target's padding, because padding is at the end.",
        "Your decoder mask is causal but does not hide padding. If padding is at the end, the "
        "padded queries attend to it; if it is in front, the real queries do.",
        "In a target padded on the left, which keys are open to the first real token in your mask?",
        "Combine the lower triangle with (target != pad), along the keys.",
    ),
    said(
        "queries-hidden-too",
        code.queries_hidden_too,
        "A padded token is hidden as a query, too.",
        "In one mask or more, you hide all keys from padded queries. A padding mask hides the same "
        "keys in every row. The output of a padded query is not used, so its row needs no hiding.",
        "Are all rows of a padding mask the same?",
        "Leave out the factor with the transposed mask.",
        variants=(
            code.queries_hidden_in_cross,
            code.queries_hidden_in_decoder,
            code.queries_hidden_in_encoder,
        ),
    ),
    said(
        "rows-hidden-for-columns",
        code.rows_hidden,
        "A padded token is a row of the mask.",
        "In one mask or more, you hide the rows of padded tokens and leave their columns open. "
        "Rows are queries and columns are keys, and padding is hidden as keys.",
        "In the row of a real token, is the column of a padded one True in yours?",
        "Let the padding run along the last axis.",
        variants=(
            partial(code.rows_hidden, decoder=True),
            partial(code.rows_hidden, decoder=True, cross=True),
        ),
    ),
    said(
        "pad-is-zero",
        code.zero_is_pad,
        "Padding is 0.",
        "You treat 0 as padding, whatever `pad` is. If pad is 7, then 0 is a word and 7 is "
        "padding.",
        "Which argument do you not use?",
        "Compare with `pad`.",
        kind="form",
    ),
    said(
        "padding-behind",
        code.padding_behind,
        "Padding is at the end.",
        "You count the real tokens and open the first keys. With padding on the left the first "
        "keys are padding.",
        "What do you open for the source 0 5 6?",
        "Test for each token whether it is padding.",
    ),
    said(
        "own-place-hidden",
        code.own_place_hidden,
        "A token must not attend to itself.",
        "Your decoder hides a token from itself, so its first row is empty. A token attends to "
        "itself as well; it predicts the next one.",
        "Which keys are open to query 0?",
        "Keep the diagonal.",
    ),
    said(
        "only-later-keys",
        code.only_later,
        "Either triangle is a causal mask.",
        "Your decoder attends to its own position and to later ones. Rows are queries: row i opens "
        "the keys up to i.",
        "Which keys are open to query 0 in your mask?",
        "Use the lower triangle.",
    ),
    said(
        "true-hides-the-future",
        code.later_is_true,
        "True marks the hidden keys.",
        "Your decoder's mask is True for later keys and False for all others: it marks the future, "
        "as triu(1) does. True means that a query attends to a key.",
        "What does True mean in every mask of this notebook?",
        "Use the opposite triangle.",
    ),
    said(
        "zeros-and-ones",
        code.zeros_and_ones,
        "A mask is a tensor of 0 and 1.",
        "Your masks hold numbers. All three should be boolean.",
        "Which dtype do your masks have?",
        "Keep the masks as they come out of the comparisons.",
        kind="form",
    ),
    said(
        "not-spread-out",
        code.not_spread,
        "An axis of size 1 is broadcast anyway.",
        "Your masks of encoder and cross-attention have one row for all queries. That works in "
        "attention, but the task asks for the full shapes.",
        "How many rows does your cross mask have, and how many queries are there?",
        "Expand the third axis.",
        kind="form",
    ),
    said(
        "cross-lies-on-its-side",
        code.cross_lies_down,
        "Source first, target second.",
        "Your cross mask has a row for each token of the source. Rows are queries, and the queries "
        "are those of the target.",
        "Which shape does your cross mask have?",
        "Its shape is (b, 1, q, k).",
    ),
    said(
        "no-axis-for-heads",
        code.no_head_axis,
        "A mask has the axes of a sequence.",
        "Your masks have three axes. The task asks for one more, of size 1 after the batch, for "
        "the heads.",
        "Which axes do the scores of a layer with heads have?",
        "Add an axis with [:, None].",
    ),
    said(
        "above-pad",
        code.above_pad,
        "Padding has the smallest number.",
        "You hide tokens whose number is below `pad`. They are real: only a token equal to `pad` "
        "is padding.",
        "Which tokens of your first sequence are real if `pad` is 7?",
        "Compare with != pad.",
        kind="form",
    ),
    said(
        "decoder-first",
        code.decoder_first,
        "The order of the three masks does not matter.",
        "You return the mask of the decoder first. The order is encoder, decoder, cross-attention.",
        "Which of your masks has the size of the source in both of its last axes?",
        "Exchange your first two masks.",
    ),
    said(
        "open-encoder",
        code.open_encoder,
        "An encoder attends to everything.",
        "Your encoder mask is True everywhere, so real tokens attend to padding. It should hide "
        "the padding of the source.",
        "Which keys of the source 5 6 0 are real if `pad` is 0?",
        "Let (source != pad) run along the last axis of the encoder's mask.",
    ),
)
