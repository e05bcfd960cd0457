"""The configuration of a model: its sizes and parts, as data."""

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, SupportsIndex, get_args, get_type_hints

from plainformer.whole_numbers import Whole, whole, wholes

AT_LEAST_ONE = """vocabulary d_model n_layers n_encoder_layers n_heads n_kv_heads head_width d_ff
context rotary_context relative_buckets relative_reach window""".split()


@dataclass(frozen=True, kw_only=True)
class Config:
    """The configuration of a model. :mod:`plainformer.models.layers` builds its parts.

    Args:
        vocabulary: number of tokens v.
        d_model: model width m.
        n_layers: number of blocks; of an encoder–decoder, those of the decoder.
        n_encoder_layers: blocks of an encoder–decoder's encoder; as ``n_layers`` when left out.
        n_heads: query heads h.
        n_kv_heads: key/value heads g; as ``n_heads`` when left out.
        head_width: width d of a head; m / h when left out.
        d_ff: feed-forward width f; see :mod:`plainformer.feedforward` when left out.
        context: the longest sequence, in tokens.
        positions: "none", "sinusoidal", "learned", "rotary", "alibi" or "relative".
        rotary_base: base of the rotary angles; kept, but not used, with other positions.
        rotary_layout: "halves" or "pairs".
        rotary_scaling: method that extends rotary angles beyond the context of training: "none",
            "linear", "ntk", "dynamic", "yarn" or "llama3".
        rotary_factor: factor by which the scaling extends the context.
        rotary_context: the context of training, in tokens; as ``context`` when left out.
        rotary_options: further options of one kind of scaling, by name.
        relative_buckets: number of distances that relative positions distinguish.
        relative_reach: distance from which on all distances are treated alike.
        norm: "layer" or "rms".
        norm_eps: epsilon of the norms.
        placement: "pre", "post", "sandwich" or "deep".
        embedding_norm: whether the embeddings are normalised.
        feedforward: "relu", "gelu", "gelu_tanh", "swiglu", "geglu" or "geglu_tanh".
        bias: whether linear layers and layer norms add a bias.
        qkv_bias: the same for the projections to queries, keys and values, if it differs.
        output_bias: the same for attention's last projection, if it differs.
        feedforward_bias: the same for the feed-forwards, if it differs.
        score: "scaled_dot" or "dot".
        tied: whether the output shares the embedding's weights.
        embedding_scale: factor of the embeddings of tokens.
        output_scale: factor of the input of the output layer.
        token_types: number of token types (first or second sentence); 0 for none.
        window: attention window, in positions; unlimited when left out.
        attention: back end, "plain", "sdpa" or "flash".
        dropout: probability of dropout for the embeddings and after each sublayer while training.
        end_tokens: tokens that end a text; generation stops after one of them unless other stops
            are given.

    Raises:
        ValueError: a field has the wrong type, a size is below 1, or the dropout is outside 0 to 1.
    """

    vocabulary: Whole
    d_model: Whole
    n_layers: Whole
    n_heads: Whole
    n_encoder_layers: Whole | None = None
    n_kv_heads: Whole | None = None
    head_width: Whole | None = None
    d_ff: Whole | None = None
    context: Whole = 1024
    positions: str = "rotary"
    rotary_base: float = 10_000.0
    rotary_layout: str = "halves"
    rotary_scaling: str = "none"
    rotary_factor: float = 1.0
    rotary_context: Whole | None = None
    rotary_options: Mapping[str, float | bool] = dataclasses.field(default_factory=dict, hash=False)
    relative_buckets: Whole = 32
    relative_reach: Whole = 128
    norm: str = "rms"
    norm_eps: float = 1e-5
    placement: str = "pre"
    embedding_norm: bool = False
    feedforward: str = "swiglu"
    bias: bool = False
    qkv_bias: bool | None = None
    output_bias: bool | None = None
    feedforward_bias: bool | None = None
    score: str = "scaled_dot"
    tied: bool = True
    embedding_scale: float = 1.0
    output_scale: float = 1.0
    token_types: Whole = 0
    window: Whole | None = None
    attention: str = "sdpa"
    dropout: float = 0.0
    end_tokens: Sequence[Whole] = ()

    def __post_init__(self) -> None:
        for name, value in _plain(vars(self)).items():
            object.__setattr__(self, name, value)
        if wrong := _misfits(vars(self)):
            raise ValueError("configuration: " + "; ".join(wrong))
        object.__setattr__(self, "end_tokens", tuple(self.end_tokens))  # JSON has lists only
        for name in AT_LEAST_ONE:
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name}={value}: expected at least 1")
        for name in ("norm_eps", "token_types"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}={getattr(self, name)}: expected 0 or more")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout={self.dropout}: expected a share, 0 or more and below 1")

    @property
    def width_of_heads(self) -> int:
        """Width d of a head."""
        return self.d_model // self.n_heads if self.head_width is None else self.head_width

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary that JSON can hold."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Config":
        """Make a configuration from the dictionary that :meth:`to_dict` returned.

        Args:
            fields: names and values.

        Raises:
            ValueError: a field is missing, unknown or of the wrong type; all such fields are
                listed.
        """
        types, fields = _types(), _plain(fields)
        needed = {f.name for f in dataclasses.fields(cls) if not _has_default(f)}
        wrong = [f"{name} is missing" for name in sorted(needed - set(fields))]
        wrong += [f"{name} is no field" for name in sorted(set(fields) - set(types))]
        wrong += _misfits(fields)
        if wrong:
            raise ValueError("configuration: " + "; ".join(wrong))
        read: dict[str, Any] = {n: float(v) if types[n] is float else v for n, v in fields.items()}
        return cls(**read)


@cache
def _types() -> dict[str, Any]:
    """Return the type of each field; whole numbers are stored as Python's ``int``."""
    plain: dict[Any, Any] = {SupportsIndex: int, SupportsIndex | None: int | None}
    plain[Sequence[SupportsIndex]] = Sequence[int]
    return {name: plain.get(kind, kind) for name, kind in get_type_hints(Config).items()}


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the whole numbers of NumPy and PyTorch among the fields to ``int``."""
    types, plain = _types(), dict(fields)
    for name in set(fields) & set(types):
        value, kind = fields[name], types[name]
        several = kind == Sequence[int] and hasattr(value, "__iter__")
        if several or int in (get_args(kind) or (kind,)):
            with contextlib.suppress(ValueError):  # reported by name later
                plain[name] = wholes(value, name) if several else whole(value, name)
    return plain


def _misfits(fields: Mapping[str, Any]) -> list[str]:
    types = _types()
    return [
        f"{name} is {fields[name]!r}, expected {types[name]}"
        for name in sorted(set(fields) & set(types))
        if not _fits(fields[name], types[name])
    ]


def _has_default(field: "dataclasses.Field[Any]") -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _fits(value: Any, annotation: Any) -> bool:
    if annotation == Mapping[str, float | bool]:
        return isinstance(value, Mapping) and all(_fits(v, float | bool) for v in value.values())
    if annotation == Sequence[int]:
        return isinstance(value, list | tuple) and all(_fits(v, int) for v in value)
    kinds = get_args(annotation) or (annotation,)
    if isinstance(value, bool):  # Python treats True as an int; a configuration does not
        return bool in kinds
    return isinstance(value, kinds) or (float in kinds and isinstance(value, int))
