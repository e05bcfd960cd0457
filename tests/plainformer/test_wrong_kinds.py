"""Arguments that beginners pass by mistake get a clear message, also without a type checker.

The tests of the package run under a type checker, which would raise first. Therefore these tests
run in a separate process without it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src"
SETUP = """
import json, sys, torch
from plainformer import flash, masks
from plainformer.attention import attend_heads
from plainformer.cache import ContiguousCache, PagedCache, PagePool, PageTable
from plainformer.cache import SlidingCache, StaticCache
from plainformer.generation import EndToken, Sampler, StopSequence, generate
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder, EncoderDecoder
from plainformer.models.pretrained import load
from plainformer.multihead import MultiHeadAttention
from plainformer.sdpa import sdpa
small = dict(vocabulary=256, d_model=8, n_layers=1, n_heads=2, context=32)
model = Decoder(Config(**small))
attention = MultiHeadAttention(d_model=8, n_heads=2)
x, heads = torch.zeros(1, 3, 8), torch.zeros(1, 2, 3, 4)
grid = masks.causal(3)
answers = []
for code in json.load(sys.stdin):
    try:
        answers.append(repr(eval(code)))
    except Exception as error:
        answers.append(f"{type(error).__name__}: {error}")
print(json.dumps(answers))
"""
CASES = {
    "Config(**{**small, 'd_model': '32'})": "d_model is '32', expected <class 'int'>",
    "Config(**small, tied=1)": "tied is 1, expected <class 'bool'>",
    "Config(**small, end_tokens=[1.5])": "end_tokens is [1.5], expected",
    "generate(model, [[1]], max_new_tokens=2, caches='paged')": "caches='paged': expected one of "
    "['growing', 'static'], None",
    "generate(model, [[1]], max_new_tokens=2, caches=[ContiguousCache()])": "or a function from",
    "generate(model, [[1]], max_new_tokens=2, stop='\\n')": "stop='\\n': expected conditions",
    "generate(model, [[1]], max_new_tokens=2, stop=[10])": "stop=[10]: expected conditions",
    "generate(EncoderDecoder(model.config), [[1]], max_new_tokens=2)": "model is a EncoderDecoder; "
    "expected a Decoder",
    "StopSequence('\\n')": "for a model of bytes StopSequence([10])",
    "Sampler(temperature='0.7')": "temperature='0.7': expected a number",
    "Sampler(top_k=2.5)": "top_k=2.5: expected a whole number",
    "Sampler(top_p='0.9')": "top_p='0.9': expected a number",
    "Sampler(min_p='0.1')": "min_p='0.1': expected a number",
    "MultiHeadAttention(d_model=8, n_heads=2, backend='flash')": "backend='flash': expected a "
    "function, such as",
    "MultiHeadAttention(d_model=8, n_heads=2, score='dot')": "score='dot': expected a function",
    "attention(x, grid)": "looks like a mask: pass it by name, mask=",
    "attention(x, Rule())": "looks like a mask: pass it by name, mask=",
    "attention(x, mask=grid.tolist())": "mask is a list; expected a tensor of torch.bool",
    "sdpa(heads, heads, heads, grid.tolist())": "mask is a list; expected a tensor",
    "flash.attend(heads, heads, heads, grid.tolist())": "mask is a list; expected a tensor",
    "model(torch.tensor([[1, 2, 3]]), mask=grid.tolist())": "mask is a list; expected a tensor",
    "Rule(lengths=[3, 1])": "lengths=[3, 1]: expected a tensor (b,), torch.tensor([3, 1])",
    "Rule(starts=[3, 1])": "starts=[3, 1]: expected a tensor (b,)",
    "Rule(lengths=torch.ones(1, 3, dtype=torch.bool))": "lengths is a tensor of shape (1, 3) and "
    "torch.bool: expected whole numbers (b,)",
    "Rule(starts=torch.tensor([1.5]))": "starts is a tensor of shape (1,) and torch.float32",
    "Rule(lengths=torch.tensor(3))": "lengths is a tensor of shape () and torch.int64",
    "Rule(causal=None)": "causal=None: expected True or False",
    "model(torch.tensor([[1]]), causal=0)": "causal=0: expected True or False",
    "Rule(window='3')": "window='3': expected a whole number",
    "Rule(window=2.5)": "window=2.5: expected a whole number",
    "Rule(sinks=True)": "sinks=True: expected a whole number",
    "Rule(prefix='a')": "prefix='a': expected a whole number",
    "model([[1, 2, 3]])": "tokens is a list; expected a tensor (b, q) of whole numbers",
    "model(torch.tensor([1, 2]))": "tokens is a tensor of shape (2,) and torch.int64; expected",
    "model(torch.tensor([[1.0]]))": "tokens is a tensor of shape (1, 1) and torch.float32",
    "EndToken([1, 2])": "EndToken([1, 2]): expected token numbers",
    "EndToken('a')": "EndToken('a'): expected token numbers",
    "EndToken(None)": "EndToken(None): expected token numbers",
    "StopSequence(['a'])": "StopSequence(['a']): expected runs of token numbers",
    "StopSequence(1, 2)": "StopSequence(1, 2): expected runs of token numbers",
    "generate(model, [[1]], max_new_tokens=2, stop=EndToken)": "is a class: expected conditions",
    "generate(model, [[1]], max_new_tokens=2, stop=lambda new: new[-1] == 999)": "returned False: "
    "expected a reason, such as 'end', or None to go on",
    "generate(model, [[1]], max_new_tokens=2, fast='no')": "fast='no': expected True, "
    "False or None",
    "generate(model, [[1]], max_new_tokens=2.5)": "max_new_tokens=2.5: expected a whole number",
    "generate(model, [[1]], max_new_tokens='3')": "max_new_tokens='3': expected a whole number",
    "generate(model, [[1]], max_new_tokens=2, chunk='a')": "chunk='a': expected a whole number",
    "generate(model, [[1]], max_new_tokens=2, bos='a')": "bos='a': expected a whole number "
    "(a token), or None",
    "generate(model, [[1]], max_new_tokens=2, sampler=0.7)": "sampler=0.7: expected a Sampler",
    "generate(model, [[1]], max_new_tokens=2, drafter=model)": "drafter is a Decoder; expected",
    "load('x', dtype='float32')": "dtype='float32': expected a floating-point dtype",
    "load('x', dtype=torch.int64)": "dtype=torch.int64: expected a floating-point dtype",
    "load('x', device=0)": "device 0: expected a name",
    "sdpa(heads, heads, heads[:, :, :2])": "with the same b, g, k and d",
    "sdpa(heads, heads[:, :, :2], heads)": "with the same b, g, k and d",
}


@pytest.fixture(scope="module")
def answers():
    done = subprocess.run(
        [sys.executable, "-c", SETUP],
        input=json.dumps(list(CASES)),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(CASES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("code", CASES)
def test_the_answer_is_a_sentence_that_says_what_was_expected(answers, code):
    assert answers[code].startswith("ValueError: ")
    assert CASES[code] in answers[code]
