"""The tests are tested: each of these mistakes, planted in the package, must make one fail.

A mistake is planted in a copy of the package, and the test that should notice it runs against the
copy, in a process forked from one that has already imported torch.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# file, what stands there, the mistake, the test that must notice it
PLANTED = [
    ("scores.py", " / math.sqrt(d)", "", "scores: scaled_dot_divides_by_the_root"),
    ("scores.py", "math.sqrt(d)", "d", "scores: scaled_dot_of_standard_normal"),
    ("scores.py", "clamp_min(eps)", "clamp_min(1)", "scores: cosine_ignores_lengths"),
    ("softmax.py", "weights.sum(dim=-1", "weights.sum(dim=-2", "softmax: rows_sum_to_one"),
    ("softmax.py", "amax(dim=-1", "amax(dim=(-2, -1)", "softmax: each_row_has_its_own"),
    ("softmax.py", "scores - largest", "scores - 0 * largest", "softmax: huge_scores"),
    ("softmax.py", "masked_fill(~mask, -torch.inf)", "clone()", "softmax: a_masked_key"),
    ("softmax.py", "masked_fill(~mask", "masked_fill(mask", "softmax: a_masked_key"),
    ("softmax.py", "masked_fill(~mask, -torch.inf)", "masked_fill(~mask, -1e9)",
     "softmax: a_row_that_may_look_nowhere"),
    ("softmax.py", "total.masked_fill(nowhere, 1)", "total", "softmax: a_row_that_may"),
    ("masks.py", "triu(k - q + 1)", "triu(k - q)", "masks: causal_shows_own"),
    ("masks.py", "triu(k - q + 1)", "triu(k - q + 2)", "masks: causal_shows_own"),
    ("masks.py", "triu(k - q + 1)", "triu(1)", "masks: last_query_of_a_causal_mask"),
    ("masks.py", "return ~later", "return later", "masks: causal_shows_own"),
    ("masks.py", "tril(k - q - window)", "tril(k - q - window - 1)", "masks: sliding"),
    ("masks.py", "mask[:, :prefix]", "mask[:prefix, :]", "masks: prefix_is_open"),
    ("masks.py", "positions < lengths", "positions <= lengths", "masks: padding_shows"),
    ("masks.py", "together & mask", "together | mask", "masks: combine_allows_only"),
    ("mask_checks.py", "m in (1, s)", "True", "mask_checks: a_mask_that_does_not_fit"),
    ("mask_checks.py", "not mask.tril().any()", "False", "mask_checks: a_causal_mask_upside_down"),
    ("attention.py", "score(query, key), mask", "score(query, key)",
     "attention: future_keys_and_values"),
    ("attention.py", "score=score) @ value", "score=score) @ key", "attention: any_number"),
    ("attention.py", "b q (h d)", "b q (d h)", "multihead: self_attention_equals"),
    ("attention.py", "repeat_interleave(n_heads // g, dim=-3)", "repeat(1, n_heads // g, 1, 1)",
     "multihead: shared_key_value_heads"),
    ("attention.py", "source = x if memory is None else memory", "source = x",
     "multihead: cross_attention_to_a_memory"),
]  # fmt: skip


def plant(file: str, right: str, wrong: str, folder: Path) -> Path:
    """Copy the package into a folder, with one mistake in it."""
    copy = folder / "src" / "plainformer"
    for source in sorted((ROOT / "src" / "plainformer").rglob("*.py")):
        target = copy / source.relative_to(ROOT / "src" / "plainformer")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text())
    text = (copy / file).read_text()
    assert right in text, f"{file} no longer contains {right!r}: plant this mistake anew"
    (copy / file).write_text(text.replace(right, wrong, 1))
    return copy.parent


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs the tests in forked processes")
def test_every_planted_mistake_is_noticed_by_the_test_named_beside_it(tmp_path):
    jobs = []
    for number, (file, right, wrong, test) in enumerate(PLANTED):
        source = plant(file, right, wrong, tmp_path / str(number))
        module, name = test.split(": ")
        jobs.append((str(source), [f"tests/plainformer/test_{module}.py"], f"test_{name}"))
    modules = sorted({module for _, (module,), _ in jobs})
    names = sorted({name for *_, name in jobs})
    jobs.append((str(ROOT / "src"), modules, " or ".join(names)))  # nothing planted: this passes
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("forked_runs.py"))],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *planted, healthy = json.loads(done.stdout.splitlines()[-1])
    assert healthy == 0, "one of these tests fails, or is not found, with no mistake planted"
    assert not [mistake for mistake, code in zip(PLANTED, planted, strict=True) if code != 1]
