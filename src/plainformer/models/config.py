"""What a model is made of, as data."""

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
    """Describe a model. :mod:`plainformer.models.layers` turns the names into objects.

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
        rotary_base: base of the rotary angles; other positions keep it and do not read it.
        rotary_layout: "halves" or "pairs".
        rotary_scaling: how rotary angles reach beyond the context of training: "none", "linear",
            "ntk", "dynamic", "yarn" or "llama3".
        rotary_factor: how many times longer the context becomes by that.
        rotary_context: the context of training, in tokens; as ``context`` when left out.
        rotary_options: what one kind of scaling wants besides, by name.
        relative_buckets: number of distances that relative positions tell apart.
        relative_reach: distance from which on they tell none apart.
        norm: "layer" or "rms".
        norm_eps: its epsilon.
        placement: "pre", "post", "sandwich" or "deep".
        embedding_norm: whether the embeddings are normalised.
        feedforward: "relu", "gelu", "gelu_tanh", "swiglu", "geglu" or "geglu_tanh".
        bias: whether linear layers and layer norms add a bias.
        qkv_bias: the same of the projections to queries, keys and values, where it differs.
        output_bias: the same of attention's last projection, where it differs.
        feedforward_bias: the same of the feed-forwards, where it differs.
        score: "scaled_dot" or "dot".
        tied: whether the output shares the embedding's weights.
        embedding_scale: the embeddings of tokens are multiplied by it.
        output_scale: what the output layer reads is multiplied by it.
        token_types: number of kinds of tokens (first or second sentence); 0 for none.
        window: how far attention looks back; everywhere when left out.
        attention: back end, "plain", "sdpa" or "flash".
        dropout: share dropped of the embeddings and after each sublayer while training.
        end_tokens: those that end a text; generation stops after one of them unless it is told
            otherwise.

    Raises:
        ValueError: a field is of another type, a size below 1, or the dropout outside 0 to 1.
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
        object.__setattr__(self, "end_tokens", tuple(self.end_tokens))  # JSON knows lists only
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
        """Read what :meth:`to_dict` wrote.

        Args:
            fields: names and values.

        Raises:
            ValueError: a field is missing, unknown or of another type; all are listed.
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
    """Return the type of each field; whole numbers are kept as Python's ``int``."""
    plain: dict[Any, Any] = {SupportsIndex: int, SupportsIndex | None: int | None}
    plain[Sequence[SupportsIndex]] = Sequence[int]
    return {name: plain.get(kind, kind) for name, kind in get_type_hints(Config).items()}


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with the whole numbers of NumPy and PyTorch as ``int``; others as given."""
    types, plain = _types(), dict(fields)
    for name in set(fields) & set(types):
        value, kind = fields[name], types[name]
        several = kind == Sequence[int] and hasattr(value, "__iter__")
        if several or int in (get_args(kind) or (kind,)):
            with contextlib.suppress(ValueError):  # what is not a whole number is named later
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
    if isinstance(value, bool):  # Python counts True as an int; a configuration does not
        return bool in kinds
    return isinstance(value, kinds) or (float in kinds and isinstance(value, int))
