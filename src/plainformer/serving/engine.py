"""The engine: one model, one pool of pages, and all requests of a step in one row of tokens."""

import time
from collections.abc import Sequence

import torch
from torch import Tensor

from plainformer.cache import PagePool
from plainformer.cache.packed import PackedPagedCache
from plainformer.generation.sampler import NaNLogits
from plainformer.models.one_stack import Decoder
from plainformer.models.stack import check_tokens
from plainformer.serving.prefix import PrefixCache
from plainformer.serving.request import Request
from plainformer.serving.scheduler import Scheduler, Work
from plainformer.serving.server import Server


class Engine(Server):
    """Answer many requests with one model.

    A step packs the positions of all its requests into one row, (1, total): the linear layers see
    one matrix, and attention keeps the requests apart by their pages.

    Args:
        model: a decoder; it is used as it is, on its device and in its precision.
        pages: pages of the cache, shared by all requests.
        page_size: positions on a page.
        token_budget: positions computed in one step, at most.
        max_running: requests that run at once, at most.
        prefix_cache: whether prompts that begin alike share what was computed for one of them.

    Raises:
        ValueError: a number is below 1.

    Cost: n_layers·pages·page_size·2·g·d numbers of memory, reserved at the start.

    Ref: Kwon et al. 2023 (vLLM); Yu et al. 2022 (Orca), section 4.
    """

    def __init__(
        self,
        model: Decoder,
        *,
        pages: int,
        page_size: int = 16,
        token_budget: int = 256,
        max_running: int = 64,
        prefix_cache: bool = True,
    ) -> None:
        config, weight = model.config, model.embedding.weight
        pool = PagePool(
            n_layers=config.n_layers,
            n_pages=pages,
            page_size=page_size,
            n_kv_heads=config.n_kv_heads or config.n_heads,
            width=config.width_of_heads,
            dtype=weight.dtype,
            device=weight.device,
        )
        scheduler = _scheduler(pool, token_budget, max_running, prefix_cache)
        super().__init__(scheduler, context=config.context)
        self.model, self.pool = model, pool

    def submit(self, request: Request) -> int:
        """Take in ``request`` and return its number.

        Raises:
            ValueError: a token is outside the vocabulary; or see
                :meth:`plainformer.serving.server.Server.submit`.
        """
        check_tokens(torch.tensor([list(request.prompt)]), self.model.config)
        return super().submit(request)

    @torch.inference_mode()
    def compute(self, work: Sequence[Work]) -> tuple[list[int | None], float]:
        """Compute all of ``work`` in one row, and draw a token where one is due."""
        start = time.perf_counter()
        tables = [one.running.table for one in work]
        counts = [one.count for one in work]
        layers = range(self.model.config.n_layers)
        caches = [PackedPagedCache(self.pool, layer, tables, counts) for layer in layers]
        row = [t for one in work for t in one.running.tokens[one.first : one.first + one.count]]
        tokens = torch.tensor([row], device=self.pool.layers[0][0].device)
        hidden = self.model.hidden(tokens, positions=caches[0].where(), caches=caches, trusted=True)
        last = torch.tensor(counts).cumsum(0) - 1
        logits = self.model.logits(hidden[:, last.to(hidden.device)])[0]
        drawn = [self._drawn(one, logits[i : i + 1]) for i, one in enumerate(work)]
        return drawn, time.perf_counter() - start

    def _drawn(self, one: Work, logits: Tensor) -> int | None:
        if not one.draws:
            return None
        generator = one.running.generator
        assert generator is not None
        try:
            return int(one.running.request.sampler(logits, [generator])[0])
        except NaNLogits:
            return -1  # this request ends; the others do not notice


def scheduler_for(
    *, pages: int, page_size: int, token_budget: int, max_running: int, prefix_cache: bool = True
) -> Scheduler:
    """Make the scheduler that an :class:`Engine` with the same arguments has, without a model.

    Args:
        pages: pages of the cache.
        page_size: positions on a page.
        token_budget: positions computed in one step, at most.
        max_running: requests that run at once, at most.
        prefix_cache: whether prompts that begin alike share pages.

    Raises:
        ValueError: a number is below 1.
    """
    pool = PagePool(n_layers=1, n_pages=pages, page_size=page_size, n_kv_heads=1, width=1)
    return _scheduler(pool, token_budget, max_running, prefix_cache)


def _scheduler(
    pool: PagePool, token_budget: int, max_running: int, prefix_cache: bool
) -> Scheduler:
    return Scheduler(
        pool,
        token_budget=token_budget,
        max_running=max_running,
        prefix_cache=PrefixCache(pool) if prefix_cache else None,
    )
