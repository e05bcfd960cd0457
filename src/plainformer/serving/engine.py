"""The engine: one model, one pool of pages, and all requests of a step in one row of tokens."""

import time
from collections.abc import Sequence

import torch
from torch import Tensor

from plainformer import modes
from plainformer.cache import PackedPagedCache, PagePool
from plainformer.generation import NaNLogits
from plainformer.generation.fingerprint import Fingerprint
from plainformer.models.one_stack import Decoder
from plainformer.models.stack import check_tokens
from plainformer.positions.rotary import fixed_length
from plainformer.serving.prefix import PrefixCache
from plainformer.serving.scheduler import Request, Scheduler, Work
from plainformer.serving.server import NOT_THE_REQUESTS, Fault, Server, Step, fault_of
from plainformer.whole_numbers import Whole, whole


class Engine(Server):
    """Answer many requests with one model.

    A step packs the positions of all its requests into one row, (1, total): the linear layers
    process one matrix, and attention separates the requests by their pages.

    Args:
        model: a decoder; it is used on its device, in its precision, and in evaluation mode.
        pages: pages of the cache, shared by all requests.
        page_size: positions on a page.
        token_budget: the largest number of positions computed in one step.
        max_running: the largest number of requests that run in parallel.
        prefix_cache: whether prompts with the same beginning share its keys and values.
        continuous: whether new requests join running ones; see :class:`Scheduler`.

    Raises:
        ValueError: a number is below 1.

    Cost: n_layers·pages·page_size·2·g·d numbers of memory, reserved at the start.

    Ref: Kwon et al. 2023 (vLLM); Yu et al. 2022 (Orca), section 4.
    """

    def __init__(
        self,
        model: Decoder,
        *,
        pages: Whole,
        page_size: Whole = 16,
        token_budget: Whole = 256,
        max_running: Whole = 64,
        prefix_cache: bool = True,
        continuous: bool = True,
    ) -> None:
        config, weight = model.config, model.embedding.weight
        pool = PagePool(
            n_layers=config.n_layers,
            n_pages=whole(pages, "pages"),
            page_size=whole(page_size, "page_size"),
            n_kv_heads=config.n_kv_heads or config.n_heads,
            width=config.width_of_heads,
            dtype=weight.dtype,
            device=weight.device,
        )
        scheduler = Scheduler(
            pool,
            token_budget=token_budget,
            max_running=max_running,
            prefix_cache=PrefixCache(pool) if prefix_cache else None,
            continuous=continuous,
        )
        self.fixed = fixed_length(model)
        super().__init__(scheduler, context=config.context, end_tokens=config.end_tokens)
        self.model, self.pool = model, pool
        self._fingerprint, self._modules = Fingerprint(model), modes.modules_of(model)

    def submit(self, request: Request) -> int:
        """Accept ``request`` and return its number.

        Raises:
            ValueError: a token is outside the vocabulary; the model's rotary angles depend on the
                length of a sequence (dynamic NTK), and the request is longer than the context of
                training; or see :meth:`~plainformer.serving.server.Server.submit`.
        """
        if self.fixed is not None and request.longest > self.fixed:
            config = self.model.config
            raise ValueError(
                f"the request needs up to {request.longest} positions, and beyond {self.fixed} the "
                f"model's rotary angles ({config.rotary_scaling!r}) follow the length of the "
                "sequence, so that pages cannot be shared or read again: use generate(), or "
                f"load(…, rotary_scaling='ntk', rotary_factor={config.rotary_factor})"
            )
        check_tokens(torch.tensor([list(request.prompt)], device="cpu"), self.model.config)
        return super().submit(request)

    def step(self) -> Step | None:
        """Take a step with the model's current weights.

        See :meth:`~plainformer.serving.server.Server.step`.

        If the weights have changed, all results of the old ones are dropped: running requests are
        read again, as after a preemption, and the prefix cache is empty.
        """
        begun = any(one.computed for one in self.open.values())
        if self._fingerprint.changed(closely=not begun):
            weight = self.model.embedding.weight
            self.start_over()
            self.pool.reset(weight.dtype, weight.device)
            self._fingerprint.renew()
            self._modules = modes.modules_of(self.model)
        return super().step()

    @torch.inference_mode()
    def compute(self, work: Sequence[Work]) -> tuple[list[int | Fault | None], float]:
        """Compute all of ``work`` in one row, and draw a token for each request that needs one."""
        start = time.perf_counter()
        tables = [one.running.table for one in work]
        counts = [one.count for one in work]
        layers = range(self.model.config.n_layers)
        caches = [PackedPagedCache(self.pool, layer, tables, counts) for layer in layers]
        row = [t for one in work for t in one.running.tokens[one.first : one.first + one.count]]
        tokens = torch.tensor([row], device=self.pool.layers[0][0].device)
        last = torch.tensor(counts, device="cpu").cumsum(0) - 1
        with modes.evaluating(self._modules):
            hidden = self.model.hidden(
                tokens, positions=caches[0].where(), caches=caches, trusted=True
            )
            logits = self.model.logits(hidden[:, last.to(hidden.device)])[0]
        drawn = [self._drawn(one, logits[i : i + 1]) for i, one in enumerate(work)]
        return drawn, time.perf_counter() - start

    def _drawn(self, one: Work, logits: Tensor) -> int | Fault | None:
        """Return a request's next token, or the fault with which it ends."""
        if not one.draws:
            return None
        running, generator = one.running, one.running.generator
        assert generator is not None
        where = [(running.number, len(running.new))]
        try:
            return int(running.request.sampler(logits, [generator], where=where)[0])
        except NaNLogits as error:
            return Fault("logits", error)
        except NOT_THE_REQUESTS:
            raise
        except Exception as error:
            return fault_of(error)
