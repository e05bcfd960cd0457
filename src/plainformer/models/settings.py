"""The settings in a checkpoint's ``config.json``, read with care."""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from plainformer.models.checkpoints import UnsupportedCheckpoint

Value = TypeVar("Value")
_NEEDED = object()
LIMIT = 2**31


class Settings:
    """Read settings by name; what is missing, of a wrong type or unsupported is refused by name.

    What was asked for is remembered, so that :meth:`refuse_unread` can name what was not.

    Args:
        values: the object in ``config.json``, or one within it.
        where: what it is called in messages.
    """

    def __init__(self, values: Mapping[str, Any], where: str = "config.json") -> None:
        self.values, self.where = values, where
        self._read: set[str] = set()
        self._inner: dict[str, Settings] = {}

    def raw(self, name: str) -> Any:
        """Return a setting as it stands; None where it is missing or null.

        Args:
            name: the setting.
        """
        self._read.add(name)
        return self.values.get(name)

    def all(self) -> Mapping[str, Any]:
        """Return all settings as they stand."""
        self._read.update(self.values)
        return self.values

    def integer(self, name: str, default: Any = _NEEDED) -> Any:
        """Return a whole number.

        Args:
            name: the setting.
            default: what it is when missing or null; it is needed when this is left out.

        Raises:
            UnsupportedCheckpoint: it is missing, no whole number, or beyond any tensor's size.
        """
        value = self._get(name, default, (int,), "a whole number")
        if isinstance(value, int) and abs(value) >= LIMIT:
            raise UnsupportedCheckpoint(f"{self.where}: {name}={value} is beyond any tensor's size")
        return value

    def nullable(self, name: str, default: int) -> int | None:
        """Return a whole number, or None where null is given: elsewhere null means "left out".

        Args:
            name: the setting.
            default: what it is when missing.

        Raises:
            UnsupportedCheckpoint: it is no whole number, or beyond any tensor's size.
        """
        return self.integer(name, None if name in self.values else default)  # type: ignore[no-any-return]

    def number(self, name: str, default: Any = _NEEDED) -> Any:
        """Return a number.

        Args:
            name: the setting.
            default: what it is when missing or null; it is needed when this is left out.

        Raises:
            UnsupportedCheckpoint: it is missing or no number.
        """
        value = self._get(name, default, (int, float), "a number")
        return None if value is None else float(value)

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false.

        Args:
            name: the setting.
            default: what it is when missing or null.

        Raises:
            UnsupportedCheckpoint: it is neither.
        """
        value: bool = self._get(name, default, (bool,), "true or false")
        return value

    def inner(self, name: str) -> "Settings":
        """Return the settings within a setting; none where it is missing or null.

        Args:
            name: the setting.

        Raises:
            UnsupportedCheckpoint: it is no object.
        """
        values = self._get(name, {}, (dict,), "an object")
        return self._inner.setdefault(name, Settings(values, f"{self.where}: {name}"))

    def choice(self, name: str, default: str, table: Mapping[str, Value]) -> Value:
        """Return what stands for a name.

        Args:
            name: the setting.
            default: the name when it is missing or null.
            table: the names that are supported.

        Raises:
            UnsupportedCheckpoint: another name was given.
        """
        value = self._get(name, default, (str,), "text")
        if value not in table:
            raise UnsupportedCheckpoint(
                f"{self.where}: {name}={value!r} is not supported; expected one of {sorted(table)}"
            )
        return table[value]

    def only(self, **expected: Any) -> None:
        """Refuse settings that would change the model in a way that is not built.

        Null counts as left out; but in place of true it is refused, as the transformers library
        reads it as false.

        Args:
            expected: the value that each must have where it is given.

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
        """Refuse settings that nobody asked for: they may change what the model computes.

        Args:
            harmless: names of settings that are known to change nothing.

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
