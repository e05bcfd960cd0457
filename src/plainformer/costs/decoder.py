"""Costs of a decoder by its configuration: parameters, FLOPs by part, bytes of cache and step.

FLOPs are those of matrix products, as in :class:`torch.utils.flop_counter.FlopCounterMode`: norms,
softmax, rotary positions and activations are not counted.
"""

from dataclasses import dataclass
from typing import Literal

from plainformer.costs.operations import Count, check_sizes, visible_pairs
from plainformer.models.config import Config
from plainformer.models.layers import GATED, NORMALISED_BY_ITSELF
from plainformer.unknown_fields import check_known

Part = Literal["projections", "attention", "feedforward", "head"]


@dataclass(frozen=True, kw_only=True)
class Latent:
    """The widths of latent attention (MLA), which a configuration does not contain.

    Args:
        latent_width: r, of the latent from which keys and values are computed.
        rotary_width: dr, of the rotated part of queries and keys; 0 for none.
        head_width: d, of the part that is not rotated.
        value_width: e, of values.
        query_latent_width: of a latent from which queries are computed; none when left out.

    Raises:
        ValueError: a width is not a whole number of at least 1.

    Ref: DeepSeek-AI 2024 (DeepSeek-V2), section 2.1; here
    :class:`plainformer.latent_attention.LatentAttention`.
    """

    latent_width: int
    rotary_width: int
    head_width: int
    value_width: int
    query_latent_width: int | None = None

    def __post_init__(self) -> None:
        sizes = {name: size for name, size in vars(self).items() if size is not None}
        if self.rotary_width == 0:
            del sizes["rotary_width"]
        check_sizes(**sizes)

    def matrices(self, m: int, h: int) -> dict[str, int]:
        """Return the parameters of each matrix, for a model of width ``m`` with ``h`` heads."""
        source = self.query_latent_width or m
        return {
            "query_down": m * (self.query_latent_width or 0),
            "query": source * h * (self.head_width + self.rotary_width),
            "down": m * (self.latent_width + self.rotary_width),
            "key_up": self.latent_width * h * self.head_width,
            "value_up": self.latent_width * h * self.value_width,
            "output": h * self.value_width * m,
        }


@dataclass(frozen=True)
class Parameters:
    """The numbers of parameters of a decoder, over all layers, by purpose.

    Args:
        embedding: the table of tokens.
        positions: learned positions or relative biases.
        attention: projections to queries, keys, values and output.
        feedforward: both or all three matrices.
        norms: weights and shifts.
        head: the output matrix, unless it is the embedding's.
        looked_up: parameters of which a step reads a few rows only.
    """

    embedding: int
    positions: int
    attention: int
    feedforward: int
    norms: int
    head: int
    looked_up: int

    @property
    def total(self) -> int:
        """The number of all parameters, ``sum(p.numel() for p in model.parameters())``."""
        parts = self.embedding + self.positions + self.attention
        return parts + self.feedforward + self.norms + self.head

    @property
    def read(self) -> int:
        """The number of parameters that every forward pass reads, whatever the tokens."""
        return self.total - self.looked_up


def parameters(config: Config, *, latent: Latent | None = None) -> Parameters:
    """Count the parameters of :class:`~plainformer.models.one_stack.Decoder`.

    Args:
        config: configuration of the decoder.
        latent: the widths of its attention, if it is latent.

    Raises:
        ValueError: the sizes do not match.
    """
    check_known(config, Config, "costs")
    m, v, f = config.d_model, config.vocabulary, feedforward_width(config)
    bias = config.bias
    matrices = 3 if config.feedforward in GATED else 2
    feedforward = matrices * m * f
    if _or(config.feedforward_bias, bias):
        feedforward += (matrices - 1) * f + m
    norm = m * (2 if config.norm == "layer" and bias else 1)
    norms = config.n_layers * (4 if config.placement == "sandwich" else 2)
    norms += int(config.placement not in NORMALISED_BY_ITSELF) + int(config.embedding_norm)
    learned = config.context * m if config.positions == "learned" else 0
    relative = config.relative_buckets * config.n_heads if config.positions == "relative" else 0
    types = config.token_types * m
    return Parameters(
        embedding=v * m + types,
        positions=learned + relative,
        attention=config.n_layers * _attention_parameters(config, latent),
        feedforward=config.n_layers * feedforward,
        norms=norms * norm,
        head=0 if config.tied else v * m,
        looked_up=learned + relative + types + (0 if config.tied else v * m),
    )


def cache_bytes_per_token(
    config: Config, *, itemsize: int = 2, latent: Latent | None = None
) -> int:
    """Return the bytes in a cache for one token, in all layers.

    Keys and values of g heads are 2·layers·g·d numbers. This is 2·layers·m only if every query head
    has its own keys. Latent attention stores layers·(r + dr) numbers.

    Args:
        config: configuration of the decoder.
        itemsize: bytes of a number.
        latent: the widths of its attention, if it is latent.

    Raises:
        ValueError: ``itemsize`` is not a whole number of at least 1.

    Ref: Shazeer 2019 (MQA); Ainslie et al. 2023 (GQA); DeepSeek-AI 2024, table 1.
    """
    check_sizes(itemsize=itemsize)
    check_known(config, Config, "costs")
    if latent is not None:
        return config.n_layers * (latent.latent_width + latent.rotary_width) * itemsize
    return 2 * config.n_layers * _kv_heads(config) * config.width_of_heads * itemsize


def forward_flops(
    config: Config,
    q: int,
    k: int | None = None,
    *,
    batch: int = 1,
    logits: int | None = None,
    causal: bool = False,
    latent: Latent | None = None,
) -> dict[Part, int]:
    """Count the FLOPs of a forward pass by part.

    Args:
        config: configuration of the decoder.
        q: new positions.
        k: positions that they attend to, including themselves; ``q`` (no cache) when left out.
        batch: sequences b.
        logits: positions whose logits are computed; all the new ones when left out.
        causal: count only the visible pairs. A kernel that skips no block computes all q·k, as does
            this function by default.
        latent: the widths of its attention, if it is latent. Keys and values are expanded from the
            latents if q = k, and absorbed if a cache holds them.

    Returns:
        FLOPs of "projections", "attention" (scores and averages), "feedforward" and "head".

    Raises:
        ValueError: a size is not a whole number of at least 1, or q is more than k.

    Ref: Kaplan et al. 2020, table 1; Chowdhery et al. 2022 (PaLM), appendix B.
    """
    k, logits = q if k is None else k, q if logits is None else logits
    check_sizes(q=q, k=k, batch=batch, logits=logits)
    check_known(config, Config, "costs")
    if q > k:
        raise ValueError(
            f"q={q}, k={k}: the new positions are among those looked at; q is at most k"
        )
    m, h, layers = config.d_model, config.n_heads, config.n_layers
    pairs = visible_pairs(q, k, causal=True, window=config.window) if causal else q * k
    d = e = config.width_of_heads
    matrices = 3 if config.feedforward in GATED else 2
    if latent is None:
        projections = _projections(config)
    else:
        projections = sum(latent.matrices(m, h).values())
        absorbed = k > q
        d = (latent.latent_width if absorbed else latent.head_width) + latent.rotary_width
        e = latent.latent_width if absorbed else latent.value_width
    return {
        "projections": 2 * batch * layers * q * projections,
        "attention": 2 * batch * layers * h * pairs * (d + e),
        "feedforward": 2 * batch * layers * q * matrices * m * feedforward_width(config),
        "head": 2 * batch * logits * m * config.vocabulary,
    }


def decode_step(
    config: Config,
    k: int,
    *,
    batch: int = 1,
    itemsize: int = 2,
    latent: Latent | None = None,
) -> Count:
    """Count one step of decoding: one new token for each sequence, the last of its k positions.

    The bytes are all weights except tables of which only rows are read, once for the whole batch,
    and each sequence's cache. Activations between the layers are small in comparison. For a mixture
    of experts only the plain feed-forward of the configuration is counted.

    Args:
        config: configuration of the decoder.
        k: positions of each sequence, including the new one; for a model with a window, only those
            in it count.
        batch: sequences b.
        itemsize: bytes of a number, of the weights and of the cache.
        latent: the widths of its attention, if it is latent.

    Raises:
        ValueError: a size is not a whole number of at least 1.

    Ref: Pope et al. 2023, section 2; Shazeer 2019, section 2.4.1.
    """
    check_sizes(k=k, batch=batch, itemsize=itemsize)
    k = k if config.window is None else min(k, config.window)
    flops = sum(forward_flops(config, 1, k, batch=batch, latent=latent).values())
    cache = k * cache_bytes_per_token(config, itemsize=itemsize, latent=latent)
    return Count(flops, parameters(config, latent=latent).read * itemsize + batch * cache)


def feedforward_width(config: Config) -> int:
    """Return the width f, also if the configuration does not contain it.

    Args:
        config: configuration of the decoder.
    """
    if config.d_ff is not None:
        return config.d_ff
    return -(-config.d_model // 3) * 8 if config.feedforward in GATED else 4 * config.d_model


def _attention_parameters(config: Config, latent: Latent | None) -> int:
    if latent is not None:  # its norms are within attention, one for each latent
        matrices = sum(latent.matrices(config.d_model, config.n_heads).values())
        return matrices + latent.latent_width + (latent.query_latent_width or 0)
    h, g, d = config.n_heads, _kv_heads(config), config.width_of_heads
    found = _projections(config)
    if _or(config.qkv_bias, config.bias):
        found += (h + 2 * g) * d
    if _or(config.output_bias, config.bias):
        found += config.d_model
    return found


def _projections(config: Config) -> int:
    """Return the number of weights in one layer's four projections, q and o, k and v."""
    h, g, d = config.n_heads, _kv_heads(config), config.width_of_heads
    return 2 * config.d_model * (h + g) * d


def _kv_heads(config: Config) -> int:
    return config.n_heads if config.n_kv_heads is None else config.n_kv_heads


def _or(value: bool | None, default: bool) -> bool:
    return default if value is None else value
