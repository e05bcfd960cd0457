"""The numbers of the tile traffic are those of plainformer.costs."""

import itertools
import shutil
from typing import Any

import pytest

from plainformer.costs import (
    attention_steps,
    chip_numbers,
    tiled_attention,
    tiled_backward,
    visited,
)
from plainformer.mask_rules import Rule
from tests.book.test_widget_parity import in_node

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
CORE = "tile-traffic.core.js"
SIZES = [(512, 512, 64, 64), (7, 7, 3, 2), (5, 11, 2, 4), (1, 9, 4, 4)]
SIDES = [(64, 64), (16, 128), (3, 2)]
PASSES = [("queries", False), ("keys", False), ("keys", True)]


def setting(sizes, sides, causal, kept, backward) -> dict[str, Any]:
    names = ("q", "k", "d", "e", "height", "width", "causal", "kept", "backward", "itemsize")
    return dict(zip(names, (*sizes, *sides, causal, kept, backward, 2), strict=True))


ALL = [
    setting(sizes, sides, causal, *how)
    for sizes, sides, causal, how in itertools.product(SIZES, SIDES, (False, True), PASSES)
    if sizes[0] < 512 or sides[0] > 3  # tiles of 3 × 2 in 512 × 512 would be 44,000
]


def counted(s: dict[str, Any]) -> int:
    same = {"height": s["height"], "width": s["width"], "rule": Rule() if s["causal"] else None}
    sizes = s["q"], s["k"], s["d"], s["e"]
    if s["backward"]:
        return tiled_backward(*sizes, **same).nbytes
    return tiled_attention(*sizes, **same, kept=s["kept"]).nbytes


def test_the_bytes_of_a_pass_are_those_of_the_package() -> None:
    assert in_node(CORE, "core.traffic(x)", ALL) == [counted(s) for s in ALL]


def test_the_tiles_are_those_that_the_package_visits() -> None:
    shown = in_node(CORE, "core.tiles(x).map((t) => [t.rows, t.columns])", ALL)
    for s, got in zip(ALL, shown, strict=True):
        sides = {"height": s["height"], "width": s["width"]}
        want = visited(s["q"], s["k"], **sides, rule=Rule() if s["causal"] else None)
        assert sorted(map(tuple, got)) == sorted(want)


def test_what_fits_the_chip_and_what_plain_attention_moves() -> None:
    shown = in_node(CORE, "[core.chip(x), core.plain(x)]", ALL)
    for s, (numbers, nbytes) in zip(ALL, shown, strict=True):
        sides = s["height"], s["width"], s["d"], s["e"]
        assert numbers == chip_numbers(*sides, backward=s["backward"])
        plain = attention_steps(s["q"], s["k"], s["d"], s["e"], itemsize=2)
        assert nbytes == sum(step.nbytes for step in plain.values())


def test_the_answer_below_the_picture_is_what_it_shows() -> None:
    sizes = (512, 512, 64, 64)
    sides = [16, 32, 64, 128, 256]
    fits = [(h, w) for h in sides for w in sides if chip_numbers(h, w, 64) <= 16_384]
    best = min(fits, key=lambda hw: tiled_attention(*sizes, height=hw[0], width=hw[1]).nbytes)
    assert best[0] == 64
    kib = [
        round(tiled_attention(*sizes, height=h, width=w, kept=kept).nbytes / 1024)
        for h, w, kept in ((64, 16, "queries"), (16, 64, "keys"))
    ]
    assert kib == [1154, 1796]
    causal = len(visited(512, 512, height=64, width=16, rule=Rule()))
    whole = len(visited(512, 512, height=64, width=16))
    assert (causal, whole) == (144, 256)
    assert chip_numbers(64, 16, 64, backward=True) == 18_560
