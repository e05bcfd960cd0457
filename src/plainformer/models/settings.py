"""The settings in a checkpoint's ``config.json``, each of which is read or refused.

A setting that is not read is refused, unless it is known to have no effect on the model's output.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from plainformer.models.checkpoints import UnsupportedCheckpoint

Value = TypeVar("Value")
_NEEDED = object()
LIMIT = 2**31
# Settings in other libraries' files without an effect on the model's output, and the reason.
WHY = {
    "they say who wrote the file, and for which of its classes": (
        "_name_or_path _commit_hash architectures transformers_version transformers.js_config "
        "tokenizer_class is_llama_config unsloth_fixed unsloth_version"
    ),
    "the tensors say themselves in which type they are stored": "dtype torch_dtype use_bfloat16",
    "they choose a kernel, an order of sums or a place in memory for the same function": (
        "_attn_implementation _attn_implementation_autoset _flash_attn_2_enabled "
        "attn_implementation pretraining_tp "
        "chunk_size_feed_forward reorder_and_upcast_attn gradient_checkpointing torchscript "
        "xla_device"
    ),
    "they count in training only": (
        "initializer_range initializer_factor attention_dropout attention_probs_dropout_prob "
        "hidden_dropout_prob classifier_dropout dropout_rate resid_pdrop embd_pdrop attn_pdrop "
        "tf_legacy_loss"
    ),
    "they choose what a call returns besides": (
        "use_cache output_past output_attentions output_hidden_states output_scores return_dict "
        "return_dict_in_generate"
    ),
    "they say which tokens begin, part or fill up a text, or how one is drawn": (
        "bos_token_id pad_token_id sep_token_id unk_token_id cls_token_id mask_token_id "
        "decoder_start_token_id n_special "
        "forced_bos_token_id forced_eos_token_id predict_special_tokens task_specific_params "
        "prefix do_sample temperature top_k top_p num_beams num_return_sequences "
        "repetition_penalty length_penalty no_repeat_ngram_size early_stopping max_length "
        "min_length typical_p diversity_penalty num_beam_groups encoder_no_repeat_ngram_size "
        "remove_invalid_values"
    ),
    "they concern heads, such as a classifier's, that are not read": (
        "id2label label2id num_labels _num_labels problem_type finetuning_task summary_type "
        "summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout "
        "pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head "
        "pooler_type"
    ),
    "another setting of the same file, which is read, says the same": (
        "n_ctx max_sequence_length directionality"
    ),
}
HARMLESS = frozenset(name for names in WHY.values() for name in names.split())


class Settings:
    """Read settings by name; refuse those that are missing, of a wrong type or unsupported.

    The names that were read are stored, so that :meth:`refuse_unread` can name the others.

    Args:
        values: the object in ``config.json``, or one within it.
        where: its name in messages.
    """

    def __init__(self, values: Mapping[str, Any], where: str = "config.json") -> None:
        self.values, self.where = values, where
        self._read: set[str] = set()
        self._inner: dict[str, Settings] = {}

    def raw(self, name: str) -> Any:
        """Return a setting unchanged; None if it is missing or null.

        Args:
            name: the setting.
        """
        self._read.add(name)
        return self.values.get(name)

    def all(self) -> Mapping[str, Any]:
        """Return all settings unchanged."""
        self._read.update(self.values)
        return self.values

    def integer(self, name: str, default: Any = _NEEDED, *, also: str | None = None) -> Any:
        """Return a whole number.

        Args:
            name: the setting.
            default: its value if it is missing or null; without a default it is required.
            also: another name of the same setting.

        Raises:
            UnsupportedCheckpoint: it is missing, not a whole number, beyond any tensor's size, or
                given under both names with different values.
        """
        other = None if also is None else self.raw(also)
        if other is not None and self.raw(name) not in (None, other):
            raise UnsupportedCheckpoint(
                f"{self.where}: {name}={self.raw(name)!r} and {also}={other!r} are one setting: "
                "keep one of them"
            )
        name = name if other is None or also is None else also
        value = self._get(name, default, (int,), "a whole number")
        if isinstance(value, int) and abs(value) >= LIMIT:
            raise UnsupportedCheckpoint(f"{self.where}: {name}={value} is beyond any tensor's size")
        return value

    def nullable(self, name: str, default: int) -> int | None:
        """Return a whole number, or None for null, which elsewhere means "left out".

        Args:
            name: the setting.
            default: its value if it is missing.

        Raises:
            UnsupportedCheckpoint: it is not a whole number, or beyond any tensor's size.
        """
        return self.integer(name, None if name in self.values else default)  # type: ignore[no-any-return]

    def number(self, name: str, default: Any = _NEEDED) -> Any:
        """Return a number.

        Args:
            name: the setting.
            default: its value if it is missing or null; without a default it is required.

        Raises:
            UnsupportedCheckpoint: it is missing or not a number.
        """
        value = self._get(name, default, (int, float), "a number")
        return None if value is None else float(value)

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth value.

        Args:
            name: the setting.
            default: its value if it is missing or null.

        Raises:
            UnsupportedCheckpoint: it is neither true nor false.
        """
        value: bool = self._get(name, default, (bool,), "true or false")
        return value

    def inner(self, name: str) -> "Settings":
        """Return the settings within a setting; none if it is missing or null.

        Args:
            name: the setting.

        Raises:
            UnsupportedCheckpoint: it is not an object.
        """
        values = self._get(name, {}, (dict,), "an object")
        return self._inner.setdefault(name, Settings(values, f"{self.where}: {name}"))

    def choice(self, name: str, default: str, table: Mapping[str, Value]) -> Value:
        """Return the value for the name in a setting.

        Args:
            name: the setting.
            default: the name if the setting is missing or null.
            table: the supported names, and their values.

        Raises:
            UnsupportedCheckpoint: the name is not supported.
        """
        value = self._get(name, default, (str,), "text")
        if value not in table:
            raise UnsupportedCheckpoint(
                f"{self.where}: {name}={value!r} is not supported; expected one of {sorted(table)}"
            )
        return table[value]

    def only(self, **expected: Any) -> None:
        """Refuse settings that would need an unsupported model.

        Null counts as left out; but if true is expected, null is refused, because the transformers
        library reads it as false.

        Args:
            expected: the value that each setting must have if it is given.

        Raises:
            UnsupportedCheckpoint: one of them has another value.
        """
        for name, value in expected.items():
            given = self.raw(name)
            null = name in self.values and given is None
            if (null and value is True) or (given is not None and given != value):
                raise UnsupportedCheckpoint(
                    f"{self.where}: {name}={given!r} is not supported; expected {value!r}"
                )

    def refuse_unread(self, harmless: Collection[str]) -> None:
        """Refuse settings that were not read, because they may affect the model's output.

        Args:
            harmless: names of settings that are known to have no effect.

        Raises:
            UnsupportedCheckpoint: there are some; all are named. Null counts as left out.
        """
        unread = self._unread(harmless)
        if unread:
            raise UnsupportedCheckpoint(
                f"{self.where}: not known here, so they might change what the model computes: "
                f"{', '.join(unread)}. Take out of the file what certainly changes nothing"
            )

    def _unread(self, harmless: Collection[str]) -> list[str]:
        names = [
            f"{name}={value!r:.60}"
            for name, value in self.values.items()
            if value is not None and name not in self._read and name not in harmless
        ]
        for outer, settings in self._inner.items():
            names += [f"{outer}.{name}" for name in settings._unread(())]
        return names

    def _get(self, name: str, default: Any, kinds: tuple[type, ...], what: str) -> Any:
        value = self.raw(name)
        if value is None:
            if default is _NEEDED:
                raise UnsupportedCheckpoint(f"{self.where} lacks {name!r}, {what}")
            return default
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise UnsupportedCheckpoint(f"{self.where}: {name}={value!r} is not {what}")
        return value
