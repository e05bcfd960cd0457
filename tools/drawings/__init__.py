"""The drawings of the course, one per module, made with :mod:`tools.drawings.symbols`.

``python -m tools.drawings`` writes ``book/_static/drawings/NAME.svg``. A module has ``ALT`` and
``CAPTION`` for the page that shows the drawing, and ``draw()``.
"""

import importlib
from pathlib import Path

NAMES = (
    "memory_hierarchy",
    "kernel_traffic",
    "roofline",
    "decode_step",
    "online_softmax",
    "merge_tree",
    "passes",
    "lazy_rescaling",
    "flash_forward",
    "flash_backward",
    "score_crossings",
    "third_roof",
    "prefill_decode",
    "decoding",
    "truncation",
    "speculation",
    "acceptance",
    "page_table",
    "shared_heads",
    "ring_buffer",
    "scale_axes",
    "batching",
    "page_pool",
    "littles_law",
    "prefix_tree",
    "capstone",
    "timed_rounds",
    "three_capstones",
    "beside_peers",
    "unseen_phases",
    "yarn_ramp",
    "needle_test",
    "attention_flow",
    "two_contexts",
    "two_products",
    "saturation",
    "softmax_axis",
    "splitting_heads",
    "reshape_is_not_split",
    "sum_over_heads",
    "attention_inputs",
    "key_value_groups",
    "position_entry",
    "sine_rows",
    "rotary_plane",
    "rotary_layouts",
    "alibi",
    "block_and_norms",
    "feed_forward",
    "gradient_depth",
    "three_stacks",
    "decoder_layer",
    "objectives",
    "two_readers",
    "soft_lookup",
    "temperatures",
    "three_projections",
    "path_lengths",
    "answer_in_input",
    "bottom_right",
    "mask_order",
    "mask_gallery",
    "mask_shapes",
    "one_pass",
    "four_answers",
    "maps_with_words",
    "induction_circuit",
    "copying_begins",
    "verb_route",
    "loss_ladder",
    "packing",
    "three_objectives",
)
FOLDER = Path(__file__).parents[2] / "book" / "_static" / "drawings"


def path(name: str) -> Path:
    """Return the path of a module's drawing."""
    return FOLDER / f"{name.replace('_', '-')}.svg"


def made(name: str) -> str:
    """Return the SVG of a module's drawing."""
    return importlib.import_module(f"tools.drawings.{name}").draw().svg()
