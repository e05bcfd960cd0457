"""Workers that attend to a part of the keys, and record the requests to them."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Ask = Callable[[int, int, int], tuple[Tensor, Tensor]]
#: An answer's results, and its requests: worker, first key, key after the last.
Run = tuple[Any, list[tuple[int, int, int]]]


class Workers:
    """Hold the scores (h, k) and values (k, e) of a step; a part has at most ``size`` keys."""

    def __init__(self, scores: Tensor, value: Tensor, size: int) -> None:
        self.scores, self.value, self.size = scores, value, size
        self._found: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}

    def taking(self, count: int, jobs: list[tuple[int, int, int]]) -> Ask:
        """Return the function that calls one of ``count`` workers; it appends to a list of jobs."""
        k, size = len(self.value), self.size

        def ask(worker: int, start: int, stop: int) -> tuple[Tensor, Tensor]:
            worker, start, stop = int(worker), int(start), int(stop)
            if not 0 <= worker < count:
                raise LookupError(f"there is no worker {worker}: they are 0 to {count - 1}")
            if not 0 <= start < stop <= k:
                raise ValueError(f"there are no keys {start}:{stop}, only {k} in all")
            if stop - start > size:
                raise BufferError(f"{stop - start} keys at a time: a worker takes at most {size}")
            jobs.append((worker, start, stop))
            if (start, stop) not in self._found:
                self._found[start, stop] = self._attended(start, stop)
            output, lse = self._found[start, stop]
            return output.clone(), lse.clone()

        return ask

    def _attended(self, start: int, stop: int) -> tuple[Tensor, Tensor]:
        scores = self.scores[:, start:stop]
        weights = torch.softmax(scores, dim=1).nan_to_num(0.0)
        return weights @ self.value[start:stop], scores.logsumexp(dim=1)
