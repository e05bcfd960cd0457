"""Byte-level byte-pair encoding: encode any text as token ids, and decode it without loss."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from pathlib import Path

from plainformer.whole_numbers import Whole, whole
from plainformer.words import Text, split_words

Pair = tuple[bytes, bytes]

# GPT-2's files show each byte as one visible character: printable Latin-1 bytes as themselves,
# the others as the characters from U+0100 on. The id of a byte is its index in ORDER.
VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
HIDDEN = [byte for byte in range(256) if byte not in VISIBLE]
ORDER = VISIBLE + HIDDEN
SHOWN = {byte: chr(byte) for byte in VISIBLE} | {b: chr(256 + i) for i, b in enumerate(HIDDEN)}
BYTES = {character: byte for byte, character in SHOWN.items()}


def train(text: Text, vocabulary: Whole, *, least: Whole = 2) -> "BytePairs":
    """Learn merges from a text: the most frequent pair of neighbours becomes one token, repeatedly.

    Pairs are counted within words. Among equally frequent pairs, the one with the smallest id of
    the left token is merged first, and then of the right token.

    Args:
        text: the text whose pairs are counted.
        vocabulary: number of tokens to stop at, including the 256 bytes.
        least: the smallest frequency of a pair that is merged.

    Returns:
        The tokeniser, smaller than ``vocabulary`` if the text has too few frequent pairs.

    Raises:
        ValueError: ``text`` is not a string, or has a lone surrogate; ``vocabulary`` is below 256,
            or ``least`` below 1.

    Cost: each merge reads the words that contain its pair, or contained it earlier.

    Ref: Sennrich et al. 2016, algorithm 1; Radford et al. 2019, section 2.2.

    >>> train("hen hens then", 258).merges
    ((b'e', b'n'), (b'h', b'en'))
    """
    vocabulary = whole(vocabulary, "vocabulary", least=256)
    least = whole(least, "least", least=1)
    frequency = Counter(split_words(text))
    words = [_single_bytes(_utf8(word)) for word in frequency]
    times_of = list(frequency.values())
    counts: Counter[Pair] = Counter()
    places: defaultdict[Pair, set[int]] = defaultdict(set)

    def count(i: int, times: int) -> list[Pair]:
        pairs = list(pairwise(words[i]))
        for pair in pairs:
            counts[pair] += times
            places[pair].add(i)
        return pairs

    for i, times in enumerate(times_of):
        count(i, times)
    ids = _first_ids([])
    merges: dict[Pair, None] = {}
    queue: list[tuple[int, int, int, Pair]] = []
    changed = set(counts)
    while len(ids) < vocabulary:
        for pair in changed:
            heappush(queue, (-counts[pair], ids[pair[0]], ids[pair[1]], pair))
        changed = set()
        while queue and counts[queue[0][-1]] != -queue[0][0]:
            heappop(queue)  # an old count
        if not queue or -queue[0][0] < least:
            break
        pair = heappop(queue)[-1]
        merges[pair] = None
        ids.setdefault(pair[0] + pair[1], len(ids))
        for i in places.pop(pair):
            changed.update(count(i, -times_of[i]))
            words[i] = _merged(words[i], pair)
            changed.update(count(i, times_of[i]))
    return BytePairs(list(merges))


class BytePairs:
    """Encode texts by applying merges in their order, and decode ids.

    Args:
        merges: pairs of tokens, in the order in which they are merged.
        ids: the id of each token; by default the 256 bytes in GPT-2's order, and then the results
            of the merges. It may have further tokens, such as a mark for the end of a text, which
            ``decode`` accepts and ``encode`` never returns.

    Attributes:
        merges: As given.
        ids: The id of each token.

    Raises:
        ValueError: a part of a merge is neither a byte nor made by an earlier merge; a merge is
            listed twice; a token of the merges has no id, or two tokens have the same.

    Ref: Radford et al. 2019, section 2.2.
    """

    def __init__(self, merges: Sequence[Pair], ids: Mapping[bytes, int] | None = None) -> None:
        self.merges = tuple(merges)
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        needed = _first_ids(self.merges)
        self.ids = dict(needed if ids is None else ids)
        self._tokens = {i: token for token, i in self.ids.items()}
        if len(self._ranks) < len(self.merges):
            twice = next(p for p, times in Counter(self.merges).items() if times > 1)
            raise ValueError(f"the merge {twice} is listed twice: expected each pair once")
        if missing := [token for token in needed if token not in self.ids]:
            raise ValueError(f"{missing[0]!r} has no id: expected ids of all bytes and merges")
        if len(self._tokens) < len(self.ids):
            shared = next(i for i, times in Counter(self.ids.values()).items() if times > 1)
            raise ValueError(f"two tokens have the id {shared}: expected a different id for each")

    def encode(self, text: Text) -> list[int]:
        r"""Return the ids of a text, which ``decode`` turns into the same text.

        Args:
            text: any string of Unicode characters, which may be empty.

        Raises:
            ValueError: ``text`` is not a string, or has a lone surrogate, which UTF-8 cannot write.

        Cost: n·log n for a word of n bytes; a word that occurs again is looked up.

        >>> train("hen hens then", 258).encode("hen")
        [257]
        """
        words = split_words(text)
        return self._encode((word, _utf8(word)) for word in words)

    def encode_bytes(self, data: bytes) -> list[int]:
        """Return the ids of bytes, which need not be UTF-8, such as the start of a longer text.

        Args:
            data: any bytes; those that are not UTF-8 are treated as punctuation when words are
                split.
        """
        words = split_words(data.decode("utf-8", "surrogateescape"))
        return self._encode((word, word.encode("utf-8", "surrogateescape")) for word in words)

    def decode(self, ids: Iterable[Whole]) -> str:
        """Return the text of ids, with U+FFFD for bytes that are not UTF-8.

        Args:
            ids: ids of tokens, as returned by ``encode``. A part of them may end within a
                character.

        Raises:
            ValueError: an id is unknown.
        """
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def decode_bytes(self, ids: Iterable[Whole]) -> bytes:
        """Return the bytes of ids, exactly.

        Args:
            ids: ids of tokens, as returned by ``encode_bytes``.

        Raises:
            ValueError: an id is unknown.
        """
        numbers = [whole(i, "id") for i in ids]
        unknown = [i for i in numbers if i not in self._tokens]
        if unknown:
            raise ValueError(f"unknown id {unknown[0]}: expected ids of {len(self.ids)} tokens")
        return b"".join(self._tokens[i] for i in numbers)

    def save(self, folder: str | Path) -> None:
        """Write ``merges.txt`` and ``vocab.json`` to a ``folder``, as GPT-2's are written."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        lines = ["#version: 0.2", *(f"{_show(left)} {_show(right)}" for left, right in self.merges)]
        (folder / "merges.txt").write_bytes("".join(f"{line}\n" for line in lines).encode())
        vocabulary = {_show(token): i for token, i in self.ids.items()}
        (folder / "vocab.json").write_bytes(json.dumps(vocabulary, ensure_ascii=False).encode())

    @classmethod
    def load(cls, folder: str | Path) -> "BytePairs":
        """Read ``merges.txt`` and ``vocab.json`` from a ``folder``.

        Raises:
            ValueError: a line is not two tokens; a character represents no byte; an id is not a
                whole number; or the merges and ids do not match, as for the class.
        """
        folder = Path(folder)
        lines = (folder / "merges.txt").read_text("utf-8").split("\n")
        pairs = [line.split(" ") for line in lines if line and not line.startswith("#version")]
        for pair in pairs:
            if len(pair) != 2:
                raise ValueError(f"merges.txt has {' '.join(pair)!r}: expected two tokens per line")
        merges = [(_read(left), _read(right)) for left, right in pairs]
        vocabulary = json.loads((folder / "vocab.json").read_text("utf-8"))
        return cls(
            merges, {_read(token): whole(i, token, least=0) for token, i in vocabulary.items()}
        )

    def _encode(self, words: Iterable[tuple[str, bytes]]) -> list[int]:
        known: dict[str, list[int]] = {}
        found = []
        for word, data in words:
            if word not in known:
                known[word] = [self.ids[token] for token in self._merge(data)]
            found += known[word]
        return found

    def _merge(self, word: bytes) -> list[bytes]:
        """Merge the pair of lowest rank, leftmost first, until no pair is left.

        The queue holds candidates, some of them outdated by a merge of a neighbour. A merged token
        is stored at the index of its first byte.
        """
        tokens = [*_single_bytes(word), b""]  # the last one pairs with nothing
        end = len(word)
        before, after = list(range(-1, end)), [*range(1, end + 1), end]
        never = len(self.merges)
        ranks = [self._ranks.get(pair, never) for pair in pairwise(tokens)]
        queue = [(rank, i) for i, rank in enumerate(ranks) if rank < never]
        heapify(queue)
        while queue:
            candidate, i = heappop(queue)
            if self._ranks.get((tokens[i], tokens[after[i]])) != candidate:
                continue
            right = after[i]
            tokens[i] += tokens[right]
            tokens[right] = b""
            after[i] = after[right]
            before[after[i]] = i
            for place in (before[i], i):
                rank = self._ranks.get((tokens[place], tokens[after[place]]), never)
                if place >= 0 and rank < never:
                    heappush(queue, (rank, place))
        return [token for token in tokens if token]


def _utf8(word: str) -> bytes:
    try:
        return word.encode()
    except UnicodeEncodeError as error:
        lone = word[error.start]
        raise ValueError(f"text has the lone surrogate {lone!r}: expected characters") from None


def _single_bytes(word: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in word]


def _merged(word: list[bytes], pair: Pair) -> list[bytes]:
    """Return a word with each occurrence of a pair as one token, from left to right."""
    merged: list[bytes] = []
    for token in word:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return merged


def _first_ids(merges: Sequence[Pair]) -> dict[bytes, int]:
    """Number the bytes, and then the tokens that the merges produce."""
    ids = {bytes([byte]): i for i, byte in enumerate(ORDER)}
    for number, (left, right) in enumerate(merges):
        for part in (left, right):
            if part not in ids:
                raise ValueError(
                    f"merge {number} has the part {part!r}: expected a byte, "
                    "or a token that an earlier merge makes"
                )
        ids.setdefault(left + right, len(ids))
    return ids


def _show(token: bytes) -> str:
    return "".join(SHOWN[byte] for byte in token)


def _read(shown: str) -> bytes:
    if unknown := [character for character in shown if character not in BYTES]:
        raise ValueError(f"{shown!r} has {unknown[0]!r}, which stands for no byte")
    return bytes(BYTES[character] for character in shown)
