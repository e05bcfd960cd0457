"""Decoding with little overhead: packed weights, fixed memory, few calls for each layer."""

import weakref
from collections.abc import Callable

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from plainformer.generation.fingerprint import look_at
from plainformer.generation.lean.layers import PackedWeights, pack
from plainformer.generation.lean.recipe import check_unobserved, parts_of, turns
from plainformer.generation.lean.store import Store
from plainformer.models import Decoder
from plainformer.models.lengths import check_length
from plainformer.models.stack import check_tokens
from plainformer.observing import places_of_observers


def greedy(logits: Float[Tensor, "b v"]) -> Integer[Tensor, " b"]:
    """Choose the most likely token of each sequence; among equals, the first.

    Cost: one pass over the logits.
    """
    return logits.argmax(dim=-1)


class LeanDecoder:
    """Decode as :class:`~plainformer.models.one_stack.Decoder` does, at the speed of reading.

    Three parts of a step with one sequence take time: reading the weights, calling PyTorch, and
    waiting for data that is no longer in the cache. For the first, weights are stored in the layout
    that is fastest for their kernel (:mod:`~plainformer.generation.lean.products`), in huge pages
    (:mod:`~plainformer.generation.lean.store`). For the second, operations are merged in advance
    where possible (:mod:`~plainformer.generation.lean.recipe`). For the third, tensors that every
    step writes keep their memory, and most work is in place.

    The matrices are copied. A later change of the model is noticed when the next text begins, and
    they are packed again; weights packed by the caller stay unchanged.

    Args:
        model: a decoder with norms before its sublayers, with a causal mask only.
        batch: number of sequences b.
        capacity: the largest length of the sequences, in tokens.
        weights: dtype of the stored matrices: "float64", "float32", "bfloat16" or "int8". The
            vectors between them are in float32, or in float64 with "float64".
        packed: the model's matrices, packed before for this ``batch`` and these ``weights``; when
            left out, they are packed here.

    Raises:
        NotLean: the model has a part that this decoder does not support; the message names it.
        ValueError: a size is below 1, the capacity is above the model's context, ``weights`` is
            unknown, or ``packed`` was made for other arguments.

    Cost: memory for all matrices in their stored dtype, and for 2·b·g·d·capacity numbers in each
    layer.

    Ref: Pope et al. 2023, section 2.
    """

    @torch.no_grad()
    def __init__(
        self,
        model: Decoder,
        *,
        batch: int = 1,
        capacity: int,
        weights: str = "float32",
        packed: PackedWeights | None = None,
    ) -> None:
        attention = parts_of(model)[0].attention
        check_length(capacity, model.config)
        if packed is not None and (packed.weights, packed.batch) != (weights, batch):
            raise ValueError(
                f"weights={weights!r}, batch={batch}, but packed is for weights="
                f"{packed.weights!r} and batch={packed.batch}: pack them again, or leave packed out"
            )
        self.config, self.batch = model.config, batch
        self._model, self._weights = weakref.ref(model), weights
        self._observers = places_of_observers(model)
        self._seen = look_at(model) if packed is None else None
        self._take(pack(model, weights=weights, batch=batch) if packed is None else packed)
        device = self.embedding.device
        self.heads, self.groups = attention.n_heads, attention.n_kv_heads
        self.store = Store(
            layers=len(self.layers),
            batch=batch,
            heads=self.heads,
            groups=self.groups,
            width=attention.key.out_features // self.groups,
            capacity=capacity,
            dtype=self.dtype,
            device=device,
        )
        self.places, self.turns = self._places(model), None
        if attention.rotary is not None:
            self.turns = turns(attention.rotary, capacity, self.dtype.to_complex()).to(device)

    @property
    def length(self) -> int:
        """The number of positions read so far, which is the position of the next token."""
        return self.store.length

    def _take(self, packed: PackedWeights) -> None:
        self.layers, self.norm, self.head = packed.layers, packed.norm, packed.head
        self.products, self.embedding, self.dtype = packed.products, packed.embedding, packed.dtype

    def _places(self, model: Decoder) -> Tensor | None:
        """Return the vectors that learned or sinusoidal positions add to the embeddings."""
        if model.position_embedding is None:
            return None
        at = torch.arange(self.store.capacity, device=self.embedding.device)
        places: Tensor = model.position_embedding(at).detach()
        return places.to(self.dtype)

    def _begin(self) -> None:
        """Pack again at the beginning of a text, if the model has changed since it was packed."""
        model = self._model()
        if self._seen is None or model is None:
            return
        if not self._seen.still(now := look_at(model)):
            self._take(pack(model, weights=self._weights, batch=self.batch))
            self.places, self._seen = self._places(model), now

    def truncate(self, length: int) -> None:
        """Remove the positions from ``length`` on; 0 begins a new text.

        Raises:
            ValueError: ``length`` is negative, or above the current length.
        """
        self.store.truncate(length)

    @torch.inference_mode()
    def step(self, tokens: Integer[Tensor, " b"]) -> Float[Tensor, "b v"]:
        """Read one token of each sequence, and return the logits of the next.

        Args:
            tokens: token numbers.

        Raises:
            CacheFull: the capacity is used up.
            NotLean: the model is observed, and its packed weights bypass observers.
            ValueError: a token is outside the vocabulary, or there is not one for each sequence.
        """
        check_unobserved(self._observers)
        if not self.length:
            self._begin()
        x = self._embed(tokens)
        at = self.length
        if self.places is not None:
            x += self.places[at]
        self.store.open()
        turn = None if self.turns is None else self.turns[at]
        for number, layer in enumerate(self.layers):
            made = self._turned(layer.qkv(layer.attention_norm(x)), turn)
            x += layer.output(self.store.attend(number, made))
            x += layer.down(layer.between(layer.up(layer.feedforward_norm(x))))
        logits = self.head(self.norm(x))
        self.store.length = at + 1
        return logits

    @torch.inference_mode()
    def prefill(self, tokens: Integer[Tensor, "b q"]) -> Float[Tensor, "b v"]:
        """Read several tokens of each sequence at once, and return the logits of the next.

        Args:
            tokens: token numbers, at least one for each sequence; they follow the earlier ones.

        Raises:
            CacheFull: they do not fit the capacity; nothing was read.
            NotLean: the model is observed, and its packed weights bypass observers.
            ValueError: a token is outside the vocabulary, there is none, or the batch size differs.
        """
        check_unobserved(self._observers)
        b, q = tokens.shape
        if not q:
            raise ValueError(f"tokens {tuple(tokens.shape)}: expected at least one a sequence")
        self.store.room(q)
        if not self.length:
            self._begin()
        x = self._embed(tokens)
        start, end = self.length, self.length + q
        if self.places is not None:
            x += self.places[start:end]
        turn = None if self.turns is None else self.turns[start:end, None]
        x = x.flatten(0, 1)
        for number, layer in enumerate(self.layers):
            made = layer.qkv.many(layer.attention_norm(x)).view(b, q, -1)
            heads = self.store.attend_many(number, self._turned(made, turn), start)
            x += layer.output.many(heads.flatten(0, 1))
            x += layer.down.many(layer.between(layer.up.many(layer.feedforward_norm(x))))
        logits = self.head(self.norm(x.view(b, q, -1)[:, -1]))
        self.store.length = end
        return logits

    @torch.inference_mode()
    def generate(
        self,
        tokens: Integer[Tensor, "b q"],
        *,
        max_new_tokens: int,
        choose: Callable[[Tensor], Tensor] = greedy,
    ) -> Integer[Tensor, "b n"]:
        """Start a new text from prompts of one length, and return the tokens that follow them.

        Args:
            tokens: the prompts.
            max_new_tokens: number n of tokens to add to each.
            choose: from logits (b, v) to tokens (b,).

        Raises:
            CacheFull: prompt and new tokens do not fit the capacity (the last is not read).
            ValueError: see :meth:`prefill`.
        """
        if max_new_tokens < 1:
            raise ValueError(f"max_new_tokens={max_new_tokens}: expected at least 1")
        self.truncate(0)
        self.store.room(tokens.shape[1] + max_new_tokens - 1)
        new = [choose(self.prefill(tokens))]
        while len(new) < max_new_tokens:
            new.append(choose(self.step(new[-1])))
        return torch.stack(new, dim=1)

    def _turned(self, made: Tensor, turn: Tensor | None) -> Tensor:
        """Rotate queries and keys in place: each pair of components is a complex number."""
        if turn is not None:
            heads = made.view(*made.shape[:-1], -1, self.store.width // 2, 2)
            torch.view_as_complex(heads)[..., : self.heads + self.groups, :].mul_(turn)
        return made

    def _embed(self, tokens: Tensor) -> Tensor:
        if len(tokens) != self.batch:
            raise ValueError(f"tokens of {len(tokens)} sequences: expected those of {self.batch}")
        if tokens.device.type != "cpu":  # there, PyTorch's own check would end the process
            check_tokens(tokens, self.config)
        try:
            return torch.embedding(self.embedding, tokens.long())
        except IndexError:
            check_tokens(tokens, self.config)
            raise
