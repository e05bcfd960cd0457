"""The numbers of the cache lab are those of plainformer."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from plainformer.cache import PagePool, PageTable, SlidingCache
from plainformer.cache.pages import grow, places
from plainformer.costs import MODELS, cache_bytes_per_token

ROOT = Path(__file__).parents[2]
CORE = ROOT / "book" / "_static" / "widgets" / "cache-lab.core.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")


def in_node(expression: str):
    code = f"const core = await import({json.dumps(CORE.as_uri())});" + (
        f"console.log(JSON.stringify({expression}));"
    )
    command = [str(NODE), "--input-type=module", "--eval", code]
    done = subprocess.run(command, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_models_and_their_caches_are_those_of_the_package():
    shown = in_node("core.MODELS.map((m) => [m.name, core.tokenBytes(m, 2), m.parameters])")
    right = [
        [m.name, cache_bytes_per_token(m.config, latent=m.latent), m.published] for m in MODELS
    ]
    assert shown == right


@pytest.mark.parametrize(("kind", "sinks"), [("window", 0), ("sinks", 4)])
def test_a_window_holds_what_the_sliding_cache_holds_place_for_place(kind, sinks):
    window, most = in_node("[core.WINDOW, core.PLACES]")
    assert in_node("core.SINKS") == 4
    cache = SlidingCache(batch=1, window=window, sinks=sinks, n_kv_heads=1, width=1)
    for tokens, shown in enumerate(
        in_node(f"Array.from({{length: {most}}}, (_, i) => core.held('{kind}', i + 1).places)"), 1
    ):
        new = torch.full((1, 1, 1, 1), float(tokens - 1))
        cache.append(new, new)
        stored = [None if p is None else float(p) for p in shown]
        where = [place for place, position in enumerate(stored) if position is not None]
        assert cache.key[0, 0, where, 0].tolist() == [stored[place] for place in where]
        assert len(where) == min(tokens, window + sinks)


def test_pages_are_as_many_as_a_page_table_has_and_hold_what_it_says():
    size, pages, most = in_node("[core.PAGE, core.PAGES, core.PLACES]")
    assert sorted(pages) == list(range(len(pages)))
    pool = PagePool(n_layers=1, n_pages=len(pages), page_size=size, n_kv_heads=1, width=1)
    table = PageTable(pool)
    for tokens in range(1, most + 1):
        grow([table], [tokens])
        assert in_node(f"core.taken('pages', {tokens})") == len(table.pages) * size
    table.pages = pages  # the lab's pool allocates them in this order
    shown = in_node("core.held('pages', core.PLACES).places")
    assert [shown.index(p) for p in range(most)] == places([table], [0], [most])


def test_the_answers_of_the_page_are_true():
    shown = in_node(
        """[
        core.fit({name: "Llama 3 8B", context: 131072, batch: 1, bytes: 2, memory: 80e9}),
        core.fit({name: "Llama 3 8B", context: 65536, batch: 1, bytes: 2, memory: 80e9}),
        core.fit({name: "Llama 3 70B", context: 1024, batch: 1, bytes: 2, memory: 141e9}),
        core.fit({name: "Llama 3 70B", context: 131072, batch: 8, bytes: 2, memory: 564e9}),
        core.fit({name: "DeepSeek-V3", context: 1024, batch: 1, bytes: 2, memory: 1e12}),
        ]"""
    )
    long, half, one, four, deepseek = shown
    assert long["cache"] == 16 * 2**30 > long["weights"] > half["cache"] == 8 * 2**30
    assert round(long["weights"] / 2**30, 1) == 15.0
    assert one["free"] < 0
    assert four["free"] > 0
    assert four["cache"] == 320 * 2**30
    assert round(long["token"] / deepseek["token"], 2) == 1.87
    assert round(deepseek["weights"] / long["weights"]) == 84
