"""The graded tasks of chapter 07, three architectures."""

ORDER = (
    "mean_of_real",
    "open_cells",
    "seq2seq_masks",
    "decoder_layer",
    "name_the_box",
    "three_products",
    "count_llama",
    "split_qkv",
)
