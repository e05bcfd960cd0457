"""What the benchmarks of decoding share: our contestants, the products alone, and the loss."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.harness import Row, Times, compare
from benchmarks.peers import Decode, by_generate, by_hand, gpt2_style, prompts, transformers_gpt2
from plainformer.generation import LeanDecoder, generate
from plainformer.generation.fast import KEPT
from plainformer.models import Decoder

PROMPT, NEW = 16, 128
ITSELF = "the model itself"  # what a row adds to its work where the fast path is forbidden
FIRST = "first call"  # … where the weights have not been packed by a call before


def ours(
    model: Decoder, prompt: Tensor, *, path: str = "lean", weights: str | None = None
) -> Decode:
    """Decode with ``generate``, as its user does: a call finds what one before has packed."""
    fast = path == "lean"

    def decode() -> Tensor:
        made = generate(model, prompt, max_new_tokens=NEW, fast=fast, weights=weights)
        assert made.path == path, f"taken: {made.path}, expected: {path}"
        return torch.tensor(made.tokens)

    return decode


def first(model: Decoder, prompt: Tensor, *, weights: str | None = None) -> Decode:
    """Decode with ``generate`` by the fast path, which has to pack the weights first."""
    later = ours(model, prompt, weights=weights)

    def decode() -> Tensor:
        KEPT.pop(model, None)
        return later()

    return decode


def all_paths(model: Decoder, prompt: Tensor) -> dict[str, Decode]:
    """All ways in which ``generate`` decodes: packed before, packing first, by the model itself."""
    return {
        "first": first(model, prompt),
        "ours": ours(model, prompt),
        "itself": ours(model, prompt, path="model"),
    }


def products_alone(lean: LeanDecoder) -> Callable[[], None]:
    """Multiply by every matrix once for each new token, and do nothing else."""
    sizes = [matrix.n for matrix in lean.products]
    vectors = [torch.randn(lean.batch, n) for n in sizes]

    @torch.inference_mode()
    def multiply() -> None:
        for _ in range(NEW):
            for product, x in zip(lean.products, vectors, strict=True):
                product(x)

    return multiply


def plain_products(lean: LeanDecoder) -> Callable[[], None]:
    """Multiply as :func:`products_alone`, by matrices (n, o) and the BLAS."""
    sizes = [(matrix.n, matrix.o) for matrix in lean.products]
    work = [(torch.randn(1, n), torch.randn(n, o), torch.empty(1, o)) for n, o in sizes]

    @torch.inference_mode()
    def multiply() -> None:
        for _ in range(NEW):
            for x, weight, out in work:
                torch.mm(x, weight, out=out)

    return multiply


def transformers_loops(model: Decoder, prompt: Tensor) -> dict[str, Decode]:
    """Both ways in which the transformers library decodes."""
    peer = transformers_gpt2(model)
    return {"hand": by_hand(peer, prompt, NEW), "generate": by_generate(peer, prompt, NEW)}


def times_faster(times: Times, name: str) -> tuple[float, str]:
    """Say how many times as fast ``name`` is as the faster of the transformers library's loops."""
    best = max(("hand", "generate"), key=lambda peer: times.ratio(name, peer))
    low, high = times.spread(best, name)
    return 1 / times.ratio(name, best), f"its {best} loop; quartiles {low:.2f} to {high:.2f}"


def beside(times: Times, id: str, work: str, named: dict[str, str]) -> list[Row]:
    """Make a row without a goal for each other way of ``generate``, against transformers."""
    rows = []
    for name, words in named.items():
        value, note = times_faster(times, name)
        rows.append(
            Row(
                id=id,
                work=f"{work}, {words}",
                peer="transformers, dynamic cache",
                value=value,
                unit="× its speed",
                goal=None,
                better="higher",
                note=note,
            )
        )
    return rows


def check_same(contestants: dict[str, Decode], like: str) -> None:
    """Refuse to compare decoders that do not give the same tokens."""
    want = contestants[like]()
    assert want.unique().numel() > 8, "the tokens repeat: draw other weights"
    for name, decode in contestants.items():
        assert torch.equal(decode(), want), f"{name} gives other tokens than {like}"


def loss_change(model: Decoder, lean: LeanDecoder, text: Tensor) -> tuple[float, float]:
    """Return the loss of ``model`` on a text (1, n), and how much that of ``lean`` is above it."""
    with torch.no_grad():
        exact = F.cross_entropy(model(text)[0, :-1], text[0, 1:])
    lean.truncate(0)
    found = torch.stack([lean.step(token) for token in text[0, :-1, None]]).flatten(0, 1)
    return float(exact), float(F.cross_entropy(found, text[0, 1:]) - exact)


def against_transformers(
    *,
    id: str,
    work: str,
    shape: dict[str, int],
    goals: tuple[float, float],
    rounds: int,
    warmup: int,
) -> list[Row]:
    """Compare all paths with transformers, and the products alone, on a model of GPT-2's kind.

    The goals are the speed against transformers, and the share of our time that the best products
    take.
    """
    model = gpt2_style(**shape)
    prompt = prompts(model)
    lean = LeanDecoder(model, capacity=PROMPT + NEW)
    contestants = all_paths(model, prompt) | transformers_loops(model, prompt)
    check_same(contestants, "ours")
    alone = {
        "products": products_alone(lean),
        "BLAS": plain_products(lean),
    }
    times = compare({**contestants, **alone}, rounds=rounds, warmup=warmup)
    value, note = times_faster(times, "ours")
    share, blas = times.ratio("products", "ours"), times.ratio("BLAS", "ours")
    return [
        Row(
            id=id,
            work=work,
            peer="transformers, dynamic cache",
            value=value,
            unit="× its speed",
            goal=goals[0],
            better="higher",
            note=note,
        ),
        *beside(times, id, work, {"first": FIRST, "itself": ITSELF}),
        Row(
            id=id,
            work=work,
            peer="products alone",
            value=share,
            unit="of our time",
            goal=goals[1],
            better="higher",
        ),
        Row(
            id=id,
            work=work,
            peer="products alone, torch.mm",
            value=blas,
            unit="of our time",
            goal=None,
            better="higher",
        ),
    ]
