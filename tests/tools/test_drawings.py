"""The committed drawings are up to date, and readable in light and dark mode.

The positions of their texts are measured in a browser: ``tests/site/drawings.test.mjs``.
"""

import importlib
import itertools
import math
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from tools.drawings import NAMES, made, path, symbols

from plainformer.online_softmax import Partial
from plainformer.positions import Interpolation, NTKAware, Rotary, YaRN
from tests.house.tree import ROOT

SVG = "{http://www.w3.org/2000/svg}"
READ_AT = {symbols.WIDTH: 760, symbols.NARROW: 356}  # in a column of text; on a 390-pixel phone
SMALLEST = {symbols.WIDTH: 12, symbols.NARROW: 11}  # the smallest text there, in pixels


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21. Ref: WCAG 2.2, relative luminance."""

    def light(colour: str) -> float:
        share = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.2126, 0.7152, 0.0722))

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", NAMES)
def test_what_stands_is_what_is_made(name):
    assert path(name).read_text(encoding="utf-8") == made(name), (
        f"{path(name).name} is not what tools/drawings/{name}.py makes: run `make drawings`"
    )


def test_another_process_makes_the_same_bytes():
    script = "from tools.drawings import *; import sys; sys.stdout.write(''.join(map(made, NAMES)))"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, text=True,
        encoding="utf-8", env={"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8", "LC_ALL": "C",
                               "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert run.stdout == "".join(map(made, NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_has_a_title_and_words_for_the_page(name):
    root = ElementTree.fromstring(made(name))
    assert root.get("role") == "img"
    assert (root.findtext(f"{SVG}title") or "").strip()
    module = importlib.import_module(f"tools.drawings.{name}")
    assert len(module.ALT) > 100
    assert len(module.CAPTION) > 100


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_small(name):
    root = ElementTree.fromstring(made(name))
    sizes = [float(e.get("font-size", 99)) for e in root.iter() if e.get("font-size")]
    width = int(root.get("width", 0))
    assert min(sizes) * READ_AT[width] / width >= SMALLEST[width]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_it_with_a_number_a_caption_and_a_mention(name):
    figure = re.compile(
        rf"^```\{{figure\}} \S*_static/drawings/{path(name).name}\n(.*?)\n\n(.*?)\n```$",
        re.DOTALL | re.MULTILINE,
    )
    pages = [page.read_text("utf-8") for page in sorted((ROOT / "book").glob("*.md"))]
    ((page, options, caption),) = [(p, *m.groups()) for p in pages if (m := figure.search(p))]
    module = importlib.import_module(f"tools.drawings.{name}")
    if ElementTree.fromstring(made(name)).get("width") == str(symbols.NARROW):
        assert f":alt: {module.ALT}\n" in options + "\n"
        assert caption == module.CAPTION
    assert ":class: course-drawing\n" in options + "\n"
    label = re.search(r"^:name: (\S+)$", options, re.MULTILINE)[1]
    assert f"{{numref}}`{label}`" in page or "```{code-cell}" not in page  # not a chapter


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_asks_nobody_and_knows_both_schemes(name):
    svg = made(name)
    assert re.findall(r'https?://[^"]+', svg) == ["http://www.w3.org/2000/svg"]
    assert "@media (prefers-color-scheme:dark)" in svg
    assert not re.search(r'(fill|stroke)="#', svg), "a colour that does not follow the scheme"
    used = {look for words in re.findall(r'class="([^"]+)"', svg) for look in words.split()}
    assert used - {"way"} <= set(re.findall(r"\.([a-zA-Z-]+)\{", svg))


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(scheme):
    behind = [symbols.PLATE[scheme], symbols.BAND[scheme]]
    for (tone, colours), ground in itertools.product(symbols.TEXT.items(), behind):
        assert contrast(colours[scheme], ground) >= 4.5, (tone, ground)
    for kind, fill in symbols.FILL.items():
        assert contrast(symbols.TEXT["ink"][scheme], fill[scheme]) >= 4.5, kind
        for ground in behind:  # the contrast of a line or a filled block
            assert contrast(symbols.EDGE[kind][scheme], ground) >= 3, kind
        assert contrast(symbols.EDGE[kind][scheme], fill[scheme]) >= 3, kind


def test_the_drawn_recurrence_is_the_softmax_of_the_package():
    import torch
    from tools.drawings import online_softmax as drawn

    partial = None
    for block, (_, m, total, weighted) in zip(drawn.BLOCKS, drawn.states(), strict=True):
        pairs = torch.tensor(block, dtype=torch.float64)
        new = Partial.of(pairs[:, 0][None], pairs[:, 1:])
        partial = new if partial is None else partial.merge(new)
        assert partial.largest.item() == m
        assert partial.total.item() == pytest.approx(total)
        assert partial.weighted.item() == pytest.approx(weighted)
    assert partial.output.item() == pytest.approx(drawn.OUTPUT)
    assert partial.lse.item() == pytest.approx(drawn.M2 + math.log(drawn.L2))


def test_the_drawn_lookups_are_those_of_the_package():
    import torch
    from tools.drawings import soft_lookup, temperatures

    from plainformer import attend, softmax
    from plainformer.scores import dot

    query, key, value = (
        torch.tensor(rows).double()
        for rows in (
            [soft_lookup.QUERY],
            [key for key, _ in soft_lookup.RECIPES.values()],
            [value for _, value in soft_lookup.RECIPES.values()],
        )
    )
    output = attend(query, key, value, score=dot)[0]
    assert output.tolist() == pytest.approx(soft_lookup.OUTPUT)
    scores = dot(torch.tensor([[2.0, 1.0]]).double(), key)[0]
    assert tuple(scores.tolist()) == temperatures.SCORES
    for temperature in temperatures.TEMPERATURES:
        weights = softmax(scores / temperature).tolist()
        assert weights == pytest.approx(temperatures.weights(temperature))


def test_the_drawn_tree_merges_as_the_package_does():
    import torch
    from tools.drawings import merge_tree as drawn

    parts = [
        Partial.of(torch.tensor([[score]]).double(), torch.tensor([[value]]).double())
        for score, value in drawn.KEYS
    ]
    for level in drawn.LEVELS:
        for part, (m, total, weighted) in zip(parts, level, strict=True):
            assert part.largest.item() == m
            assert part.total.item() == pytest.approx(total)
            assert part.weighted.item() == pytest.approx(weighted)
        pairs = [a.merge(b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = [*pairs, parts[-1]] if len(parts) % 2 else pairs


def test_the_drawn_weights_of_a_sentence_are_the_packages():
    import torch
    from tools.drawings import softmax_axis, two_contexts

    from plainformer import attend, attention_weights
    from plainformer.scores import scaled_dot

    for sentence in two_contexts.SENTENCES:
        x = torch.tensor([two_contexts.MEANING[word] for word in sentence.split()]).double()
        query = x[sentence.split().index(two_contexts.QUERY)][None]
        assert two_contexts.weights(sentence) == pytest.approx(attention_weights(query, x)[0])
        assert two_contexts.output(sentence) == pytest.approx(attend(query, x, x)[0])
    x = torch.tensor([two_contexts.MEANING[word] for word in softmax_axis.WORDS]).double()
    for drawn, dim in ((softmax_axis.over_keys(), -1), (softmax_axis.over_queries(), -2)):
        torch.testing.assert_close(torch.tensor(drawn).double(), scaled_dot(x, x).softmax(dim))


def test_the_drawn_slopes_are_those_of_the_softmax():
    import torch
    from tools.drawings import saturation

    for gap in saturation.GAPS:
        scores = torch.tensor([0.0, gap], dtype=torch.float64)
        slopes = torch.autograd.functional.jacobian(lambda s: s.softmax(0), scores)
        assert saturation.weight(gap) == pytest.approx(scores.softmax(0)[1].item())
        assert saturation.slope(gap) == pytest.approx(slopes[1, 1].item())


def test_the_drawn_pages_hold_the_drawn_sequences():
    from tools.drawings import page_table as drawn

    for pages, tokens in drawn.TABLES.values():
        assert len(pages) == math.ceil(tokens / drawn.PAGE)
    held = {page for pages, _ in drawn.TABLES.values() for page in pages}
    assert sorted(held | set(drawn.FREE)) == list(range(drawn.PAGES))
    assert not held & set(drawn.FREE)


def test_the_drawn_dials_are_slowed_as_the_package_does():
    import torch
    from tools.drawings import unseen_phases as drawn

    theta = Rotary(2 * drawn.PLANES, base=drawn.BASE).frequencies
    factor, context = drawn.FACTOR, drawn.TRAINED
    scalings = (
        Interpolation(factor=factor),
        NTKAware(factor=factor),
        YaRN(factor=factor, context=context),
    )
    for method, scaling in zip(drawn.METHODS[1:], scalings, strict=True):
        want = theta / scaling.scale(theta, 1)
        torch.testing.assert_close(torch.tensor(drawn.slowed(method)).double(), want)
    assert [drawn.fresh(m) for m in drawn.METHODS] == [[5, 6, 7], [], [5, 6], []]


def test_the_drawn_plane_turns_as_the_package_does():
    import torch
    from tools.drawings import rotary_plane as drawn

    hours = Rotary(2).double()
    hours.frequencies[:] = drawn.STEP
    scores = []
    for i, j in drawn.PLACES:
        pair = []
        for length, position in ((drawn.QUERY, i), (drawn.KEY, j)):
            x = torch.tensor([length, 0.0], dtype=torch.float64).view(1, 1, 1, 2)
            pair.append(hours(x, torch.tensor([position])).flatten())
            assert pair[-1].tolist() == pytest.approx(drawn.turned(length, position))
        scores.append(float(pair[0] @ pair[1]))
    assert scores == pytest.approx([drawn.score(i, j) for i, j in drawn.PLACES])
    assert scores[0] == pytest.approx(scores[1])
    assert drawn.speeds() == pytest.approx(Rotary(drawn.HEAD, base=drawn.BASE).frequencies.tolist())


def test_the_drawn_rows_layouts_and_half_lives_are_the_packages():
    import torch
    from tools.drawings import alibi, rotary_layouts, sine_rows

    from plainformer.positions import Alibi, Sinusoidal

    at = torch.tensor([sine_rows.AT])
    assert sine_rows.row(sine_rows.AT) == pytest.approx(Sinusoidal(8).double()(at)[0].tolist())
    x, order = torch.randn(1, 1, 1, rotary_layouts.WIDE), rotary_layouts.ORDER
    pairs, halves = (Rotary(8, layout=layout) for layout in ("pairs", "halves"))
    torch.testing.assert_close(halves(x[..., order], at), pairs(x, at)[..., order])
    assert {1 / slope for slope in Alibi(8).slopes.tolist()} >= set(alibi.SLOPES)
    for slope in alibi.SLOPES:
        assert math.exp(-alibi.half_life(slope) / slope) == pytest.approx(1 / 2)


def test_the_drawn_gradients_are_those_of_fresh_stacks():
    import torch
    import torch.nn.functional as F
    from tools.drawings import gradient_depth as drawn

    from plainformer.lab import facts

    def shares(model):
        streams = [model.embedding(facts.QUESTIONS)]
        for block in model.blocks:
            streams.append(block(streams[-1]))
        scores = model.output(model.norm(streams[-1][:, -1]))
        gradients = torch.autograd.grad(F.cross_entropy(scores, facts.ANSWER), streams)
        norms = torch.stack([gradient.norm() for gradient in gradients])
        return (norms / norms[-1]).double()

    for (place, gain), values in drawn.MEASURED.items():
        models = [
            facts.Facts(place, drawn.LAYERS, seed, gain=float(gain)) for seed in range(drawn.SEEDS)
        ]
        median = torch.stack([shares(model) for model in models]).median(dim=0).values
        got = median[:: drawn.EVERY].tolist()
        assert values == pytest.approx(got, rel=0.01), (place, gain)


def test_the_drawn_activations_are_those_of_pytorch():
    import torch
    import torch.nn.functional as F
    from tools.drawings import feed_forward as drawn

    x = torch.linspace(-4, 4, 81, dtype=torch.float64)
    for mine, theirs in ((drawn.gelu, F.gelu), (drawn.silu, F.silu)):
        assert [mine(each) for each in x.tolist()] == pytest.approx(theirs(x).tolist())


def test_the_drawn_timelines_are_those_worked_out_by_hand():
    """A step takes 10 ms and 1 ms per token; it has an end and requests, A to D as 0 to 3."""
    from tools.drawings import batching as drawn

    a, ab, acd = {0}, {0, 1}, {0, 2, 3}
    begin = [(20, ab), (32, ab), (44, ab)]  # 6 + 4 tokens, then 2 per step until B is done
    by_hand = {
        "Static batching": [
            *begin, (55, a), (66, a), (77, a), (88, a), (99, a),
            (154, {2, 3}), (166, {2, 3}), (178, {2, 3}), (189, {3}),  # 40 + 5 tokens
        ],
        "Continuous batching": [
            *begin, (100, acd), (113, acd), (126, acd), (138, {0, 3}), (149, a),
        ],
        "Chunked prefill": [
            *begin, (70, {0, 2}), (96, {0, 2}), (122, acd),  # C reads 15, 15 and 10 of 40
            (135, acd), (148, acd), (159, {3}),
        ],
    }  # fmt: skip
    for name, steps in by_hand.items():
        assert [(end, set(parts)) for _, end, parts in drawn.STEPS[name]] == steps
        beginnings = [0, *(end for end, _ in steps)]
        assert [begins for begins, *_ in drawn.STEPS[name]] == beginnings[:-1]
    prompts = [[who for *_, parts in steps for who, prompt in parts.items() if prompt]
               for steps in drawn.STEPS.values()]  # fmt: skip
    assert prompts == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 2, 2, 3]]


def test_the_drawn_tree_of_pages_is_the_prefix_caches():
    from tools.drawings import prefix_tree as drawn

    from plainformer.cache import PagePool
    from plainformer.serving import PrefixCache

    pool = PagePool(n_layers=1, n_pages=9, page_size=drawn.PAGE, n_kv_heads=1, width=1)
    tree, words, held = PrefixCache(pool), {}, {}
    for name, nodes in drawn.PROMPTS.items():
        assert [drawn.NODES[node][2] for node in nodes] == [None, *nodes[:-1]]  # a path
        prompt = [word for node in nodes for word in drawn.NODES[node][0]]
        numbers = [words.setdefault(word, len(words)) for word in prompt]
        found = tree.match(numbers)
        pages = found + pool.allocate(len(nodes) - len(found))
        tree.insert(numbers, pages)
        for node, page in zip(nodes, pages, strict=True):
            held.setdefault((node, page), []).append(name)
    assert {node: "".join(names) for (node, _), names in held.items()} == {
        node: holders for node, (*_, holders) in drawn.NODES.items()
    }
    tails = sum(tail > 0 for tail in drawn.TAIL.values())
    assert len(tree) + tails == drawn.SHARED < drawn.ALONE


def test_the_drawn_traffic_is_what_the_package_counts():
    from tools.drawings import kernel_traffic as drawn

    from plainformer.costs import attention_steps, fused_attention

    steps = attention_steps(drawn.QUERIES, drawn.KEYS, drawn.WIDE)
    for name, flops, (_, read), (_, written) in drawn.KERNELS:
        assert (steps[name].flops, steps[name].nbytes) == (flops, (read + written) * drawn.BYTES)
    fused = fused_attention(drawn.QUERIES, drawn.KEYS, drawn.WIDE)
    assert (fused.flops, fused.nbytes) == (drawn.FUSED[1], drawn.ONCE * drawn.BYTES)


def test_the_drawn_bars_and_roofs_are_the_packages():
    from tools.drawings import decode_step, memory_hierarchy, roofline

    from plainformer.costs import (
        MACHINES,
        PUBLIC,
        attention_steps,
        fused_attention,
        tiled_attention,
    )
    from plainformer.costs import decode_step as counted

    llama, h100 = PUBLIC["Llama 3 8B"].config, MACHINES["H100"][2]
    for batch in decode_step.BATCHES:
        step = counted(llama, decode_step.POSITIONS, batch=batch)
        weights, caches, arithmetic = decode_step.milliseconds(batch)
        assert weights + caches == pytest.approx(1e3 * step.nbytes / h100.bytes_per_second, 1e-3)
        assert arithmetic == pytest.approx(1e3 * step.flops / h100.flops_per_second, 1e-3)
    for name, (peak, bandwidth) in roofline.MACHINES.items():
        assert MACHINES[name][2].flops_per_second == peak
        assert MACHINES[name][2].bytes_per_second == bandwidth
    fused = fused_attention(roofline.TOKENS, roofline.TOKENS, roofline.WIDE, itemsize=2)
    assert fused.intensity == pytest.approx(roofline.FUSED)
    n, d = memory_hierarchy.TOKENS, memory_hierarchy.WIDE
    plain = sum(step.nbytes for step in attention_steps(n, n, d, itemsize=2).values())
    assert plain == memory_hierarchy.PLAIN * memory_hierarchy.MIB
    assert fused_attention(n, n, d, itemsize=2).nbytes == memory_hierarchy.ONCE * 2**20
    tiles = tiled_attention(n, n, d, height=memory_hierarchy.ROWS, width=64).nbytes
    assert tiles == pytest.approx(memory_hierarchy.TILES * 2**20, 0.01)  # and a number for each row
