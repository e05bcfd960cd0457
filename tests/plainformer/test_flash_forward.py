"""The fast forward and backward passes: constant shifts, towers, threads, the log-sum-exp."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.overrides import TorchFunctionMode

from plainformer import flash
from plainformer.attention import attend_heads
from plainformer.flash import threads as cutting
from plainformer.flash.backward import backward, evened
from plainformer.flash.forward import FAINT, forward, is_calm
from plainformer.flash.tiles import Tiles
from plainformer.mask_rules import Rule
from plainformer.positions import Alibi
from plainformer.scores import dot
from tests.plainformer.tensors import SEEDS, normal


def heads(n, *, h=2, g=2, d=4, seed=0):
    shapes = [(1, h, n, d), (1, g, n, d), (1, g, n, d)]
    return [normal(*shape, seed=seed + i) for i, shape in enumerate(shapes)]


def tiles(n, mask=None, bias=None, *, height=4, width=4):
    cpu = torch.device("cpu")
    return Tiles(q=n, k=n, height=height, width=width, mask=mask, bias=bias, device=cpu)


@given(seed=SEEDS, size=st.sampled_from([1.0, 100.0, 1e5]))
def test_the_log_sum_exp_is_that_of_the_scores(seed, size):
    query, key, value = heads(11, seed=seed)
    lse = forward(query * size, key, value, tiles(11, Rule()), scale=0.5).lse
    scores = (query * size * 0.5 @ key.mT).masked_fill(~Rule().dense(11, 11), -torch.inf)
    torch.testing.assert_close(lse, torch.logsumexp(scores, -1), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("tower", [10.0, 80.0, 200.0, 1e4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_later_tile_that_towers_above_the_first_is_weighed_rightly(tower, dtype):
    query, key, value = (x.to(dtype).requires_grad_() for x in heads(20, d=8))
    raised = key.detach().clone()
    raised[:, :, :3] = query.detach()[:, :, 10:13] * tower  # far left: the last tile
    raised.requires_grad_()
    exact = [x.detach().double().requires_grad_() for x in (query, raised, value)]
    ours = forward(query.detach(), raised.detach(), value.detach(), tiles(20, Rule()), scale=1.0)
    assert ours.total.max() < 2.0**90  # leaves room for values and gradients
    expected = attend_heads(*exact, Rule(), score=dot)
    error = {torch.float32: 2e-4, torch.float64: 1e-10}[dtype]
    torch.testing.assert_close(ours.output.double(), expected.detach(), rtol=error, atol=error)
    weight = normal(1, 2, 20, 8, seed=5)
    out = flash.attend(query, raised, value, Rule(), score=dot)
    mine = torch.autograd.grad(out, [query, value], weight.to(dtype))
    theirs = torch.autograd.grad(expected, [exact[0], exact[2]], weight)
    for a, b in zip(mine, theirs, strict=True):
        assert (a.double() - b).norm() <= 100 * error * b.norm()


def test_far_apart_scores_stay_normal_numbers():
    query, key = (
        torch.full((1, 1, 2, 1), 30.0),
        torch.tensor([0.0, -3.0, -3.1])[None, None, :, None],
    )
    value = torch.eye(3)[None, None]
    three = Tiles(q=2, k=3, height=2, width=3, mask=None, bias=None, device=query.device)
    weights = forward(query, key, value, three, scale=1.0).output
    assert weights.amin() > torch.finfo(torch.float32).tiny  # e^-90 would be a denormal number
    assert weights[..., 1:].amax() < 1e-29


@given(seed=SEEDS, size=st.sampled_from([1.0, 1e3, 1e7, 1e30]))
def test_a_total_moved_into_its_shift_leaves_the_weights_and_is_close_to_1(seed, size):
    shift = normal(50, 1, seed=seed, dtype=torch.float32) * size
    total = torch.exp2(normal(50, 1, seed=seed + 1, dtype=torch.float32) * 30)
    scores = shift + normal(50, 9, seed=seed + 2, dtype=torch.float32)
    lifted, rest = evened(shift, total)
    before = torch.exp2(scores - shift) / total
    torch.testing.assert_close(torch.exp2(scores - lifted) / rest, before, rtol=1e-5, atol=0)
    if size <= 1e3:
        assert ((rest > 0.6) & (rest < 1.7)).all()


def test_calm_is_promised_only_where_no_score_can_be_large():
    query, key, _ = heads(6)
    bound = float(query.norm(dim=-1).max() * key.norm(dim=-1).max()) / torch.log(torch.tensor(2.0))
    assert is_calm(query, key, tiles(6), scale=49.9 / float(bound))
    assert not is_calm(query, key, tiles(6), scale=50.1 / float(bound))
    assert not is_calm(query, key, tiles(6), scale=-50.1 / float(bound))
    assert not is_calm(query, key, tiles(6, bias=Alibi(2)), scale=1e-3)
    assert not is_calm(query * torch.nan, key, tiles(6), scale=1e-3)


def test_calm_scores_need_no_shift_and_others_have_one():
    query, key, value = heads(6)
    assert not forward(query, key, value, tiles(6), scale=0.5).shift.any()
    assert forward(query * 1e3, key, value, tiles(6), scale=0.5).shift.all()


def test_what_is_not_a_number_stays_so_and_stays_in_its_row():
    query, key, value = heads(8)
    query[0, 0, 3, 0] = torch.nan
    out = forward(query, key, value, tiles(8, Rule()), scale=0.5).output
    assert out[0, 0, 3].isnan().all()
    assert out.isnan().sum() == 4


@pytest.mark.parametrize(("h", "g"), [(6, 6), (6, 3), (4, 1)])
@pytest.mark.parametrize("mask", [Rule(window=9), "heads"])
@pytest.mark.parametrize("inference", [True, False])
def test_several_threads_give_what_one_gives(h, g, mask, inference, monkeypatch):
    inputs = [x.requires_grad_() for x in heads(40, h=h, g=g)]
    if mask == "heads":
        mask = normal(1, h, 40, 40, seed=3) > 0
    bias = normal(h, 40, 40, seed=4)
    calls = []
    monkeypatch.setattr(cutting, "SMALL", 1)
    alone = cutting._alone
    monkeypatch.setattr(cutting, "_alone", lambda *given: (calls.append(given[2]), alone(*given)))
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)
    if inference:
        with torch.inference_mode():
            ours, expected = (f(*inputs, mask, bias=bias) for f in (flash.attend, attend_heads))
    else:
        ours, expected = (f(*inputs, mask, bias=bias) for f in (flash.attend, attend_heads))
        mine, theirs = (torch.autograd.grad(x.sum(), inputs) for x in (ours, expected))
        torch.testing.assert_close(mine, theirs, rtol=1e-9, atol=1e-11)
    assert len(calls) == (0 if g == 1 else 1 if inference else 2)
    torch.testing.assert_close(ours, expected, rtol=1e-10, atol=1e-12)


def test_the_number_of_threads_is_restored_and_an_error_of_a_thread_is_raised(monkeypatch):
    numbers = []
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    monkeypatch.setattr(torch, "set_num_threads", numbers.append)

    def fail(part):
        if part.start:
            raise ValueError("from the other thread")

    with pytest.raises(ValueError, match="from the other thread"):
        cutting.share_out(fail, 3, scores=cutting.SMALL)
    assert numbers[-1] == 3
    seen = []
    cutting.share_out(seen.append, 3, scores=cutting.SMALL - 1)
    assert seen == [slice(0, 3)]
    assert FAINT > -126  # the smallest power of two that is a normal float32


class Watch(TorchFunctionMode):
    """Record the number of threads with which PyTorch computes."""

    def __init__(self):
        super().__init__()
        self.seen = {}

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.setdefault(func.__name__, set()).add(torch.get_num_threads())
        return func(*args, **(kwargs or {}))


def test_beside_the_threads_that_share_the_heads_pytorch_starts_none(monkeypatch):
    monkeypatch.setattr(cutting, "SMALL", 1)
    inputs = [normal(1, 2, 40, 8, seed=i) for i in range(3)]
    tiles = Tiles(
        q=40, k=40, height=16, width=16, mask=Rule(), bias=None, device=torch.device("cpu")
    )
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with Watch() as watch:
            attended = forward(*inputs, tiles, scale=0.3)
            backward(attended.output, *inputs, attended, tiles, scale=0.3)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    for name in ("linalg_vector_norm", "max", "mm", "addmm_", "fill_", "zero_", "exp2_", "div_"):
        assert watch.seen[name] == {1}, name
    assert not {"zeros_like", "zeros"} & set(watch.seen)  # they fill, with all threads
